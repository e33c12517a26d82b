"""A scenario that is written as text reads back as the same scenario."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.writing import as_yaml

from tests.examples import examples
from tests.random_scenarios import flink, spark

ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "scenarios").glob("*.yaml"), *(ROOT / "tests" / "golden").glob("*.yaml")])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_rewritten_file_is_the_same_scenario(file: Path) -> None:
    scenario = load(file)
    assert parse(as_yaml(scenario)) == scenario


@settings(max_examples=examples(150), deadline=None)
@given(st.one_of(flink.scenarios(), spark.scenarios()))
def test_any_scenario_reads_back_as_itself(scenario: Scenario) -> None:
    assert parse(as_yaml(scenario)) == scenario


def test_each_member_and_item_is_one_line() -> None:
    text = as_yaml(load(ROOT / "scenarios" / "minus-one-ms.yaml"))
    assert text.startswith('scenario: 1\nname: "minus-one-ms"\n')
    assert '\n  - {"ts": 0, "key": "a", "value": 1}\n' in text or '\n  - {"ts": ' in text


def test_what_is_read_before_and_after_the_steps_is_kept() -> None:
    written = load(ROOT / "scenarios" / "minus-one-ms.yaml")
    told = replace(written, look_for={"en": "The comma.", "zh": "\u9017\u53f7"}, takeaway={"en": "One ms less."})
    assert parse(as_yaml(told)) == told
