"""The keyed functions without Spark, compared with the recorded rows of real Flink operators and with the simulator."""

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Over, Scenario, WindowTopN
from tidemark.spark_bridge import gaps_of
from tidemark.spark_bridge.plan.batch import plan_of
from tidemark.spark_bridge.plan.operators import KeyedPlan

from tests.examples import examples
from tests.random_scenarios.flink import Uses, scenarios
from tests.random_scenarios.operators import operators, row_operators, window_top_ns
from tests.spark.plain import keyed_rows
from tests.spark.spark_sides import compared
from tidemark import simulator

NO_CLOCK = Uses(items=40, restores=0, channels=3)
GOLDEN = Path(__file__).parent.parent / "golden"


def is_by_key(scenario: Scenario) -> bool:
    """Whether each key is processed independently; ``test_ordered.py`` covers the ordered ones."""
    operator = plan_of(scenario).operator
    return isinstance(operator, KeyedPlan) and not operator.ordered


KEYED = {
    file.stem: scenario
    for file in sorted(GOLDEN.glob("*.yaml"))
    if not gaps_of(scenario := load(file), "batch") and is_by_key(scenario)
}


WHOLE = {
    file.stem: scenario
    for file in sorted(GOLDEN.glob("*.yaml"))
    if isinstance((scenario := load(file)).operator, Over | WindowTopN) and plan_of(scenario).way == "native"
}
"""Recordings that take the keyed way too if one of their values has a fraction."""


def test_many_are_keyed() -> None:
    assert len(KEYED) >= 51
    assert len(WHOLE) >= 5


@pytest.mark.parametrize("name", KEYED)
def test_same_as_flink(name: str) -> None:
    recorded = map(json.loads, (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    assert keyed_rows(KEYED[name]) == compared(recorded)


@pytest.mark.parametrize("name", WHOLE)
def test_what_is_native_for_whole_numbers_is_the_same_key_by_key(name: str) -> None:
    recorded = map(json.loads, (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    operator = WHOLE[name].operator
    assert isinstance(operator, Over | WindowTopN)
    assert keyed_rows(WHOLE[name], KeyedPlan(operator)) == compared(recorded)


ROWS_LEAVE_BY_TIME = """
scenario: 1
name: rows-leave-by-time
operator: {type: over, frame: {range: 100ms}, function: {call: aggregate, compute: sum}}
stream:
  - {ts: 100, key: a, value: 1}
  - {ts: 99, key: a, value: 0.1}
  - {watermark: 100}
  - {ts: 300, key: a, value: 0}
  - {end: true}
"""
"""Not by arrival: the digits of a double show in which order values were taken off a total."""


@settings(max_examples=examples(120))
@given(scenarios(st.one_of(row_operators(), window_top_ns()), NO_CLOCK))
@example(parse(ROWS_LEAVE_BY_TIME))
def test_same_as_the_simulator_row_by_row(scenario: Scenario) -> None:
    """OVER and window Top-N, also where whole numbers make them native."""
    operator = scenario.operator
    if isinstance(operator, Over | WindowTopN) and not gaps_of(scenario, "batch"):
        assert keyed_rows(scenario, KeyedPlan(operator)) == compared(simulator.run_rows(scenario))


@settings(max_examples=examples(250))
@given(scenarios(operators(times=("event",), unchecked=True), NO_CLOCK))
def test_same_as_the_simulator(scenario: Scenario) -> None:
    """On random scenarios, except those on which the engine itself fails."""
    if gaps_of(scenario, "batch") or not is_by_key(scenario):
        return
    rows = simulator.run_rows(scenario)
    if any(row["row"] == "error" for row in rows):
        return
    assert keyed_rows(scenario) == compared(rows)
