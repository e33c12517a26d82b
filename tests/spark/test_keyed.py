"""The keyed functions beside the recorded rows of real Flink operators and beside the simulator, without Spark."""

import json
from pathlib import Path

import pytest

import simulator
from simulator.scenario import load
from simulator.scenario.model import Scenario
from spark_bridge import gaps_of
from spark_bridge.keyed.planned import KeyedPlan
from spark_bridge.plan import plan_of
from tests.spark.plain import keyed_rows
from tests.spark.random_scenarios import random_scenario
from tests.spark.spark_sides import compared

GOLDEN = Path(__file__).parent.parent / "golden"


def is_by_key(scenario: Scenario) -> bool:
    """Whether each key is gone through by itself; what is ordered is in ``test_ordered.py``."""
    operator = plan_of(scenario).operator
    return isinstance(operator, KeyedPlan) and not operator.ordered


KEYED = {
    file.stem: scenario
    for file in sorted(GOLDEN.glob("*.yaml"))
    if not gaps_of(scenario := load(file), "batch") and is_by_key(scenario)
}


def test_many_are_keyed() -> None:
    assert len(KEYED) >= 44


@pytest.mark.parametrize("name", KEYED)
def test_same_as_flink(name: str) -> None:
    recorded = map(json.loads, (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    assert keyed_rows(KEYED[name]) == compared(recorded)


@pytest.mark.parametrize("first", range(0, 500, 100))
def test_same_as_the_simulator(first: int) -> None:
    """On random scenarios, but for those on which the engine itself fails."""
    for seed in range(first, first + 100):
        scenario = random_scenario(seed)
        if gaps_of(scenario, "batch") or not is_by_key(scenario):
            continue
        rows = simulator.run_rows(scenario)
        if all(row["row"] != "error" for row in rows):
            assert keyed_rows(scenario) == compared(rows), seed
