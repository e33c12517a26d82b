"""Every micro-step belongs to a line of the listings that its scenario walks through."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from tidemark.simulator import run_traced
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline import build
from tidemark.simulator.timeline.code.walk import methods, walk

from tests.examples import examples
from tests.random_scenarios.flink import scenarios
from tests.timeline.in_words import in_words

ROOT = Path(__file__).parents[2]
FOLDERS = ("tests/golden", "tests/golden_spark", "scenarios")
FILES = [file for folder in FOLDERS for file in sorted((ROOT / folder).glob("*.yaml"))]
WIDEST = 52


def lines_of(scenario: Scenario) -> Counter[str]:
    """How often each line id appears in the scenario's walk."""
    return Counter(line.id for part in walk(scenario) for method in part.methods for line in method.lines if line.id)


def assert_every_step_has_a_line(scenario: Scenario) -> None:
    ids = lines_of(scenario)
    for step in in_words(build(scenario, run_traced(scenario)[1])):
        assert step["lines"], f"no line for {step['event']} (step {step['step']})"
        assert len(step["lines"]) == len(step["live"])
        assert set(step["lines"]) <= set(ids)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_step_of_every_file_has_a_line(file: Path) -> None:
    assert_every_step_has_a_line(load(file))


@settings(max_examples=examples(60))
@given(scenarios())
def test_every_step_of_any_run_has_a_line(scenario: Scenario) -> None:
    assert_every_step_has_a_line(scenario)


def test_listings_fit_the_panel_and_name_their_place_in_flink() -> None:
    for name, method in methods().items():
        assert "." in method.flink or "Service" in method.flink, name
        assert 2 <= len(method.lines) <= 18, name
        assert all(len(line.text) <= WIDEST and line.text.strip() for line in method.lines), name


def test_every_listing_is_used_by_some_run() -> None:
    seen = {method for file in FILES for part in walk(load(file)) for method in part.methods}
    # No file reaches these; random runs do.
    rare = {"NeverTrigger.element", "source.sql_idle"}
    missing = {name for name, method in methods().items() if method not in seen} - rare
    assert missing == set()


def test_the_lines_of_a_dropped_record() -> None:
    scenario = load(ROOT / "scenarios" / "late-but-allowed.yaml")
    steps = in_words(build(scenario, run_traced(scenario)[1]))
    dropped = next(step for step in steps if step["event"] == "LateDropped")
    before = steps[dropped["step"] - 1]
    assert list(zip(before["lines"], before["live"], strict=True)) == [("window_late", "7.999 <= 8.999")]
    assert list(zip(dropped["lines"], dropped["live"], strict=True)) == [
        ("if.late", "5.800 <= 8.999"),
        ("drop", "dropped 0 → 1"),
    ]


def test_the_same_call_has_another_line_when_it_is_part_of_a_cleanup_or_a_merge() -> None:
    scenario = load(ROOT / "tests" / "golden" / "session-bridge-three.yaml")
    steps = build(scenario, run_traced(scenario)[1]).tables["steps"]
    places = {step["lines"][-1] for step in steps if step["event"] == "TimerDeleted"}
    assert places == {"merge.clear"}, "with a lateness of 0 the trigger's timer is also the cleanup timer"
    retired = {step["lines"][-1] for step in steps if step["event"] == "WindowRetired"}
    assert retired == {"retire.cleanup"}


def test_the_result_that_a_merged_session_emitted_last_is_forgotten_at_the_merge() -> None:
    scenario = parse("""
scenario: 1
name: merged-after-an-update
operator:
  type: window
  api: sql
  assigner: {type: session, gap: 1s}
  trigger: {type: after-end-of-window, early: {type: every-element}}
  function: {call: aggregate, compute: sum}
  updates: true
stream:
  - {ts: 0, key: a, value: 1}
  - {ts: 2000, key: a, value: 2}
  - {ts: 1000, key: a, value: 3}
""")
    assert_every_step_has_a_line(scenario)
    steps = build(scenario, run_traced(scenario)[1]).tables["steps"]
    assert [step["lines"][-1] for step in steps if step["event"] == "StateCleared"] == ["clear.previous"]
