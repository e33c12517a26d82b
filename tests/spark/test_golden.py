"""Spark's rows beside the recorded rows of real Flink operators, without the simulator between them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from spark_sides import Rows, compared

from simulator.scenario import load
from simulator.scenario.model import Scenario
from spark_bridge import gaps_of
from spark_bridge.plan import KeyedPlan, plan_of

GOLDEN = Path(__file__).parent.parent / "golden"
SCENARIOS = {file.stem: load(file) for file in sorted(GOLDEN.glob("*.yaml"))}
COVERED = [name for name, scenario in SCENARIOS.items() if not gaps_of(scenario)]
KEYED = [name for name in COVERED if isinstance(plan_of(SCENARIOS[name]).operator, KeyedPlan)]
RUN = [name for name in COVERED if name not in KEYED] + KEYED[::6]
"""All that are DataFrame operations, and some keyed functions: ``test_keyed.py`` puts all of these to the proof."""


def test_what_is_covered() -> None:
    """What is left out follows the clock or goes back to a checkpoint."""
    assert len(COVERED) >= 108
    missing = {gap.name for name in set(SCENARIOS) - set(COVERED) for gap in gaps_of(SCENARIOS[name])}
    assert missing == {"processing_time", "processing_trigger", "restore"}


@pytest.mark.spark
@pytest.mark.parametrize("name", RUN)
def test_same_as_flink(name: str, spark_rows: Callable[[Scenario], Rows]) -> None:
    recorded = map(json.loads, (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    assert spark_rows(SCENARIOS[name]) == compared(recorded)
