"""Spark's rows beside the recorded rows of real Flink operators, without the simulator between them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from spark_sides import Rows, compared

from simulator.scenario import load
from simulator.scenario.model import Scenario
from spark_bridge import gaps_of

GOLDEN = Path(__file__).parent.parent / "golden"
SCENARIOS = {file.stem: load(file) for file in sorted(GOLDEN.glob("*.yaml"))}
COVERED = [name for name, scenario in SCENARIOS.items() if not gaps_of(scenario)]


def test_what_is_covered() -> None:
    """Every recorded tumbling, sliding and sorting scenario by the event-time trigger, and nothing else, is."""
    families = ("tumbling-", "sliding-", "event-sort-", "watermark-")
    assert len(COVERED) >= 34
    assert all(name.startswith(families) for name in COVERED)
    missing = {name for name in SCENARIOS if name.startswith(families)} - set(COVERED)
    assert {gap.name for name in missing for gap in gaps_of(SCENARIOS[name])} == {
        "status",
        "idleness",
        "sql",
        "sql_watermark",
    }


@pytest.mark.spark
@pytest.mark.parametrize("name", COVERED)
def test_same_as_flink(name: str, spark_rows: Callable[[Scenario], Rows]) -> None:
    recorded = map(json.loads, (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    assert spark_rows(SCENARIOS[name]) == compared(recorded)
