"""Spark's rows equal the recorded rows of real Flink operators, without the simulator in between."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tidemark.spark_bridge import gaps_of
from tidemark.spark_bridge.plan.batch import BatchPlan, plan_of
from tidemark.spark_bridge.plan.operators import KeyedPlan

from tests.library import recorded
from tests.spark.spark_sides import WITHOUT_TWIN, Rows, compared

GOLDEN = Path(__file__).parent.parent / "golden"
SCENARIOS = recorded()
COVERED = [name for name, scenario in SCENARIOS.items() if not gaps_of(scenario)]
KEYED = [name for name in COVERED if isinstance(plan_of(SCENARIOS[name]).operator, KeyedPlan)]
TABLE_FUNCTIONS = [name for name in COVERED if name not in KEYED and name.startswith("tvf-")]
RUN = [name for name in COVERED if name not in KEYED + TABLE_FUNCTIONS] + TABLE_FUNCTIONS[::5] + KEYED[::6]
"""All DataFrame operations, of window table functions, which share them, some; and some keyed functions, ordered ones
included; ``test_keyed.py`` tests all of the latter without Spark."""


def _kind(name: str) -> tuple[type, type, str]:
    """What distinguishes ways through the bridge: the operator, its plan, and how its watermarks are computed."""
    scenario = SCENARIOS[name]
    return type(scenario.operator), type(plan_of(scenario).operator), plan_of(scenario).way


FIRST = list({_kind(name): name for name in reversed(RUN)}.values())
"""A recording for each kind of plan."""
OTHERS = [name for name in RUN if name not in FIRST]
TOGETHER = [FIRST, *(OTHERS[at : at + 13] for at in range(0, len(OTHERS), 13))]
"""What Spark runs at once."""


def test_every_recording_is_covered_but_those_of_parts_without_a_twin() -> None:
    gaps = [gap.name for name in SCENARIOS if name not in COVERED for gap in gaps_of(SCENARIOS[name])]
    assert set(gaps) <= WITHOUT_TWIN
    assert len(gaps) < len(COVERED) / 8


@pytest.fixture(scope="module")
def found() -> dict[str, Rows]:
    """The rows of all that has run."""
    return {}


@pytest.mark.spark
@pytest.mark.parametrize("name", [*(pytest.param(name, marks=pytest.mark.journey) for name in FIRST), *OTHERS])
def test_same_as_flink(
    name: str, found: dict[str, Rows], rows_together: Callable[[dict[str, BatchPlan]], dict[str, Rows]]
) -> None:
    if name not in found:
        group = next(names for names in TOGETHER if name in names)
        found |= rows_together({each: plan_of(SCENARIOS[each]) for each in group})
    recorded = map(json.loads, (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    assert found[name] == compared(recorded)
