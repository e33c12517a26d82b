"""A few hundred random scenarios contain every part of the model, every kind of row, and times that meet exactly."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, get_args

import pytest
from tidemark.simulator.engine.generators import WatermarkStrategy
from tidemark.simulator.engine.trace.events import RowsWithdrawn, WindowSkippedLate
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.engine.values.items import (
    Advance,
    BatchEnd,
    Checkpoint,
    End,
    Item,
    Record,
    Restore,
    Status,
    Watermark,
)
from tidemark.simulator.scenario import model

from tests.random_scenarios import flink, spark
from tests.random_scenarios.drawn import drawn
from tests.random_scenarios.operators import operators
from tests.random_scenarios.windows import COMPUTES
from tidemark import simulator

Row = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """A scenario with what its run produced. Runs are shared by all tests, because they are slow."""

    scenario: model.Scenario
    rows: list[Row]
    steps: list[Step]
    """The steps with an event that is one of ``EVENTS``."""


EVENTS = (RowsWithdrawn, WindowSkippedLate)


def run(scenario: model.Scenario) -> Run:
    rows, trace = simulator.run_traced(scenario)
    return Run(scenario, rows, [step for step in trace if isinstance(step.event, EVENTS)])


def parts_of(value: Any) -> Iterator[Any]:
    """``value`` and everything in it that belongs to the model."""
    yield value
    if isinstance(value, tuple):
        for each in value:
            yield from parts_of(each)
    for name in getattr(type(value), "__dataclass_fields__", ()):
        if name not in ("marks", "file"):
            yield from parts_of(getattr(value, name))


@pytest.fixture(scope="module")
def by_flink() -> list[model.Scenario]:
    return drawn(flink.scenarios(), 400)


@pytest.fixture(scope="module")
def flink_runs(by_flink: list[model.Scenario]) -> list[Run]:
    return list(map(run, by_flink))


@pytest.fixture(scope="module")
def parts(by_flink: list[model.Scenario]) -> list[Any]:
    """All parts of these scenarios and of some more operators."""
    return [part for whole in (*by_flink, *drawn(operators(), 450)) for part in parts_of(whole)]


@pytest.fixture(scope="module")
def by_spark() -> list[model.Scenario]:
    return drawn(spark.scenarios(), 150)


def test_every_part_of_the_model_is_drawn(parts: list[Any]) -> None:
    seen = set(map(type, parts))
    unions = (
        model.Assigner,
        model.Trigger,
        model.TableTrigger,
        model.WatermarkSpec,
        model.PeriodicTrigger,
        model.Evictor,
        model.Operator,
        Item,
    )
    wanted = {part for union in unions for part in get_args(union)} - {model.SparkWindow, model.SparkJoin, BatchEnd}
    assert wanted - seen == set()
    assert {Record, Watermark, Status, Advance, Checkpoint, Restore, End} <= seen


def test_every_choice_within_a_part_is_drawn(parts: list[Any]) -> None:
    windows = [each for each in parts if isinstance(each, model.Window)]
    functions = {(each.call, each.compute) for each in parts if isinstance(each, model.Function)}
    assert functions == {(call, compute) for call in COMPUTES for compute in COMPUTES[call]} | {("event-sort", None)}
    assert {(each.api, each.time) for each in windows} == set(
        product(("datastream", "sql", "tvf"), ("event", "processing"))
    )
    assert {each.late_output for each in windows} == {"drop", "side"}
    assert {each.updates for each in windows} == {True, False}
    joins = {(each.type, each.join) for each in parts if isinstance(each, model.WindowJoin)}
    assert joins == {("window-join", "inner"), *(("co-group", join) for join in ("inner", "left", "right", "full"))}
    generators = [each for each in parts if isinstance(each, WatermarkStrategy)]
    assert {each.type for each in generators} == set(flink.GENERATORS)
    assert {each.type for each in generators if each.emit} == {"bounded-out-of-orderness", "monotonous", "sql"}
    assert {each.type for each in generators if each.idle_timeout} == set(flink.GENERATORS) - {"none"}
    records = [each for each in parts if isinstance(each, Record)]
    assert {None, int, float, str, dict} <= {each.value if each.value is None else type(each.value) for each in records}
    assert any(each.ts is None for each in records)


def test_every_kind_of_row_is_emitted(flink_runs: list[Run]) -> None:
    counted = Counter(row["row"] for each in flink_runs for row in each.rows)
    for kind in ("pane", "joined", "group", "emitted", "late", "dropped", "watermark"):
        assert counted[kind] >= 3, counted
    assert {row["timing"] for each in flink_runs for row in each.rows if row["row"] == "pane"} == {
        "early",
        "on-time",
        "late",
    }


# --- borders -------------------------------------------------------------------------------------------------------


def records_of(scenario: model.Scenario) -> list[Record]:
    return [item for item in scenario.stream if isinstance(item, Record) and item.ts is not None]  # type: ignore[union-attr]


def lateness_of(scenario: model.Scenario) -> int:
    return getattr(scenario.operator, "allowed_lateness", 0)


def watermark_on_an_end(each: Run) -> bool:
    """A watermark is exactly a window's maximum timestamp, so the window fires; 1 ms less and it would not."""
    ends = {row["end"] for row in each.rows if row["row"] in ("pane", "group", "joined")}
    return any(row["row"] == "watermark" and row["ts"] + 1 in ends for row in each.rows)


def watermark_on_a_cleanup(each: Run) -> bool:
    """A watermark reaches exactly the end of a window's lateness, so the window is cleaned up."""
    lateness = lateness_of(each.scenario)
    ends = {row["end"] + lateness for row in each.rows if row["row"] in ("pane", "group", "joined") and row["end"]}
    return lateness > 0 and any(row["row"] == "watermark" and row["ts"] + 1 in ends for row in each.rows)


def record_just_too_late(each: Run) -> bool:
    """Exactly the current watermark cleaned up a record's window; 1 ms less and the record would count."""
    lateness = lateness_of(each.scenario)
    skipped = [(step.watermark, step.event) for step in each.steps if isinstance(step.event, WindowSkippedLate)]
    return any(watermark == event.window.end - 1 + lateness for watermark, event in skipped)


def records_a_gap_apart(each: Run) -> bool:
    """Two sessions touch, so they merge; 1 ms more and they would not."""
    gap = getattr(getattr(each.scenario.operator, "assigner", None), "gap", None)
    pairs = combinations(records_of(each.scenario), 2)
    return any(one.key == two.key and abs(one.ts - two.ts) == gap for one, two in pairs)


def records_a_bound_apart(each: Run) -> bool:
    """Two records are as far apart as the interval of an interval join allows."""
    join = each.scenario.operator
    if not isinstance(join, model.IntervalJoin):
        return False
    records = records_of(each.scenario)
    left, right = ([record for record in records if record.input == side] for side in ("left", "right"))
    return any(two.ts - one.ts in (join.lower, join.upper) for one in left for two in right if one.key == two.key)


def record_as_late_as_allowed(each: Run) -> bool:
    """A record is exactly as far out of order as its generator's bound allows."""
    spec = each.scenario.inputs[0].watermark
    pairs = combinations(records_of(each.scenario), 2)
    return spec.bound > 0 and any(one.ts - two.ts == spec.bound for one, two in pairs)


def clock_on_an_end(each: Run) -> bool:
    """The clock reads exactly the end of a processing-time window."""
    ends = {row["end"] for row in each.rows if row["row"] == "pane"}
    in_processing_time = getattr(each.scenario.operator, "time", "") == "processing"
    return in_processing_time and any(getattr(item, "at", None) in ends - {None} for item in each.scenario.stream)  # type: ignore[union-attr]


def firing_withdrawn(each: Run) -> bool:
    """A restore withdraws rows."""
    return any(isinstance(step.event, RowsWithdrawn) for step in each.steps)


MEETINGS = [
    watermark_on_an_end,
    watermark_on_a_cleanup,
    record_just_too_late,
    records_a_gap_apart,
    records_a_bound_apart,
    record_as_late_as_allowed,
    clock_on_an_end,
    firing_withdrawn,
]


@pytest.mark.parametrize("meets", MEETINGS, ids=lambda each: each.__name__)
def test_times_meet_exactly(meets: Callable[[Run], bool], flink_runs: list[Run]) -> None:
    # How often depends on which modules are loaded, of which Hypothesis draws the constants.
    assert any(map(meets, flink_runs))


# --- Spark's rules -------------------------------------------------------------------------------------------------


def test_every_choice_by_sparks_rules_is_drawn(by_spark: list[model.Scenario]) -> None:
    operators = [scenario.operator for scenario in by_spark]
    windows = [each for each in operators if isinstance(each, model.SparkWindow)]
    assert {(type(each.assigner), each.output_mode) for each in windows} == {
        *product((model.Tumbling, model.Sliding), ("append", "update", "complete")),
        *product((model.Session,), ("append", "complete")),
    }
    assert {each.function.compute for each in windows} == {"sum", "count", "min", "max", "avg"}
    joins = [each for each in operators if isinstance(each, model.SparkJoin)]
    assert {each.watermark_policy for each in joins} == {"min", "max"}
    assert {each.lower is None for each in joins} == {True, False}
    rows = [row for scenario in by_spark for row in simulator.run_rows(scenario)]
    counted = Counter(row["row"] for row in rows)
    assert all(counted[kind] >= 20 for kind in ("pane", "joined", "dropped", "batch")), counted
    assert any(row["row"] == "pane" and row["watermark"] == row["end"] for row in rows)


# --- determinism ---------------------------------------------------------------------------------------------------


def test_drawing_twice_returns_the_same_scenarios() -> None:
    assert drawn(flink.scenarios(), 9) == drawn(flink.scenarios(), 9)
