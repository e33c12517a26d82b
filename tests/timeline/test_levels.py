"""Every step has its sentences at every level, under the same names and with every field filled in."""

import re
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from tidemark.simulator import run_traced
from tidemark.simulator.engine.trace.event import COMPARISONS
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline import build
from tidemark.simulator.timeline.explain.fields import DERIVED, KINDS, NUMBER_KINDS, Kind
from tidemark.simulator.timeline.explain.narrator import LEVELS
from tidemark.simulator.words import section, speaking

from tests.examples import examples
from tests.random_scenarios.flink import scenarios
from tests.timeline.in_words import in_words

ROOT = Path(__file__).parents[2]
FOLDERS = ("tests/golden", "tests/golden_spark", "scenarios")
UNFILLED = re.compile(r"\{\w*\}")
"""A name in braces: no field of its step has it."""

FILES = [file for folder in FOLDERS for file in sorted((ROOT / folder).glob("*.yaml"))]


def test_all_levels_have_the_same_names() -> None:
    texts = section("explain")
    for kind in ("what", "why", "rule"):
        names = {level: set(texts[level][kind]) for level in LEVELS}
        assert names["practitioner"] == names["novice"] == names["source"], kind


def test_a_level_is_not_a_copy_of_another() -> None:
    texts = section("explain")
    for one, other in (("novice", "practitioner"), ("practitioner", "source"), ("novice", "source")):
        same = [name for name, text in texts[one]["what"].items() if texts[other]["what"][name] == text]
        assert same == []


def assert_words_at_every_level(scenario: Scenario) -> None:
    timeline = build(scenario, run_traced(scenario)[1])
    for level in LEVELS:
        for step in in_words(timeline, level=level):
            assert step["what"].endswith(".")
            assert bool(step["why"]) == bool(step["reason"])
            assert not UNFILLED.search(step["what"] + step["why"]), (level, step["story"], step["reason"])


def test_facts_hold_no_words() -> None:
    """A field is a number, a key, a value, a window or a name; it is the same in every language."""
    scenario = load(ROOT / "scenarios" / "late-but-allowed.yaml")
    trace = run_traced(scenario)[1]
    english = build(scenario, trace).tables
    with speaking("zh"):
        assert build(scenario, trace).tables == english
    dropped = next(step for step in english["steps"] if step["event"] == "LateDropped")
    assert dropped["fields"]["record"] == {"key": "b", "ts": 2800, "value": 9}
    assert dropped["fields"]["late"] == [{"start": 0, "end": 5000}]
    assert dropped["fields"]["lateness"] == 3000
    assert dropped["predicate"] == {"kind": "exact", "sides": [5800, 8999], "signs": ["<="]}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_step_of_every_file_has_words_at_every_level(file: Path) -> None:
    assert_words_at_every_level(load(file))


@settings(max_examples=examples(30))
@given(scenarios())
def test_every_step_of_any_run_has_words_at_every_level(scenario: Scenario) -> None:
    assert_words_at_every_level(scenario)


def test_the_levels_of_one_step() -> None:
    """The dropped record of the scenario that the documents use as their example."""
    scenario = load(ROOT / "scenarios" / "late-but-allowed.yaml")
    _, trace = run_traced(scenario)
    words = {}
    for level in LEVELS:
        steps = in_words(build(scenario, trace), level=level)
        words[level] = next(step for step in steps if step["event"] == "WindowSkippedLate")
    assert words["novice"]["what"] == "Record #10 is too late for window [0, 5) of key b."
    assert words["practitioner"]["why"] == "Window [0, 5) was cleaned up at max timestamp + allowed lateness 3 s."
    assert words["source"]["what"] == (
        "WindowOperator.isWindowLate(TimeWindow{start=0, end=5000}) is true for element #10."
    )


def test_the_vocabulary_of_fields_is_closed() -> None:
    """Every kind is the kind of some field, and every field has a kind of the vocabulary."""
    used = {*KINDS.values(), *NUMBER_KINDS.values(), *(each.kind for each in DERIVED.values())}
    assert used | {"exact", "span"} == set(get_args(Kind))


def test_every_comparison_of_a_rule_is_known() -> None:
    """A formula that is missing from ``COMPARISONS`` would be shown without its numbers."""
    literal = re.compile(r'"([a-z_]+(?: [+-] [a-z_0-9]+)* (?:<=|<|>=|>|==|!=) [^".,]+)"')
    files = [file for folder in ("engine", "spark_rules") for file in (ROOT / "simulator" / folder).rglob("*.py")]
    formulas = {text for file in files for text in literal.findall(file.read_text(encoding="utf-8"))}
    assert {formula for formula in formulas if " or " not in formula} == set(COMPARISONS)
