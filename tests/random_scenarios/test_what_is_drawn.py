"""A few hundred random scenarios have every part of the model, every kind of row, and times that meet exactly."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import combinations, product
from typing import Any, get_args

import pytest

import simulator
from simulator.generators.base import WatermarkStrategy
from simulator.scenario import model
from simulator.trace.events import RowsWithdrawn, WindowSkippedLate
from simulator.values.items import Advance, BatchEnd, Checkpoint, End, Item, Record, Restore, Status, Watermark
from tests.random_scenarios import flink, spark
from tests.random_scenarios.drawn import drawn
from tests.random_scenarios.operators import operators
from tests.random_scenarios.windows import COMPUTES

Row = dict[str, Any]


def parts_of(value: Any) -> Iterator[Any]:
    """``value`` and all that is in it, of the model's classes."""
    yield value
    if isinstance(value, tuple):
        for each in value:
            yield from parts_of(each)
    for name in getattr(type(value), "__dataclass_fields__", ()):
        if name not in ("marks", "file"):
            yield from parts_of(getattr(value, name))


@pytest.fixture(scope="module")
def by_flink() -> list[model.Scenario]:
    return drawn(flink.scenarios(), 700)


@pytest.fixture(scope="module")
def parts(by_flink: list[model.Scenario]) -> list[Any]:
    """All parts of these scenarios, and of more operators."""
    return [part for whole in (*by_flink, *drawn(operators(), 1500)) for part in parts_of(whole)]


@pytest.fixture(scope="module")
def by_spark() -> list[model.Scenario]:
    return drawn(spark.scenarios(), 350)


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
    assert {(each.api, each.time) for each in windows} == set(product(("datastream", "sql"), ("event", "processing")))
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


def rows_of(scenario: model.Scenario) -> list[Row]:
    return list(simulator.run_rows(scenario))


def test_every_kind_of_row_comes_out(by_flink: list[model.Scenario]) -> None:
    counted = Counter(row["row"] for scenario in by_flink for row in rows_of(scenario))
    for kind in ("pane", "joined", "group", "emitted", "late", "dropped", "watermark"):
        assert counted[kind] >= 3, counted
    timings = Counter(row["timing"] for scenario in by_flink for row in rows_of(scenario) if row["row"] == "pane")
    assert set(timings) == {"early", "on-time", "late"}


# --- borders -------------------------------------------------------------------------------------------------------


def records_of(scenario: model.Scenario) -> list[Record]:
    return [item for item in scenario.stream if isinstance(item, Record) and item.ts is not None]  # type: ignore[union-attr]


def watermark_on_an_end(scenario: model.Scenario) -> bool:
    """The watermark is that of the last moment of a window, which fires it; 1 ms less would not."""
    ends = {row["end"] for row in rows_of(scenario) if row["row"] in ("pane", "group", "joined")}
    return any(row["row"] == "watermark" and row["ts"] + 1 in ends for row in rows_of(scenario))


def watermark_on_a_cleanup(scenario: model.Scenario) -> bool:
    """The watermark is at the end of a window's lateness, which clears it."""
    lateness = getattr(scenario.operator, "allowed_lateness", 0)
    rows = rows_of(scenario)
    ends = {row["end"] + lateness for row in rows if row["row"] in ("pane", "group", "joined") and row["end"]}
    return lateness > 0 and any(row["row"] == "watermark" and row["ts"] + 1 in ends for row in rows)


def record_just_too_late(scenario: model.Scenario) -> bool:
    """A record's window was cleared by exactly this watermark; 1 ms less and it would count."""
    lateness = getattr(scenario.operator, "allowed_lateness", 0)
    _, trace = simulator.run_traced(scenario)
    skipped = [step for step in trace if isinstance(step.event, WindowSkippedLate)]
    return any(step.watermark == step.event.window.end - 1 + lateness for step in skipped)


def records_a_gap_apart(scenario: model.Scenario) -> bool:
    """Two sessions touch, which merges them; 1 ms more would not."""
    gap = getattr(getattr(scenario.operator, "assigner", None), "gap", None)
    return any(one.key == two.key and abs(one.ts - two.ts) == gap for one, two in combinations(records_of(scenario), 2))


def records_a_bound_apart(scenario: model.Scenario) -> bool:
    """A pair is at the end of an interval join's interval."""
    join = scenario.operator
    if not isinstance(join, model.IntervalJoin):
        return False
    left, right = ([each for each in records_of(scenario) if each.input == side] for side in ("left", "right"))
    return any(two.ts - one.ts in (join.lower, join.upper) for one in left for two in right if one.key == two.key)


def record_as_late_as_can_be(scenario: model.Scenario) -> bool:
    """A record is exactly as far out of order as its generator's bound allows."""
    spec = scenario.inputs[0].watermark
    records = records_of(scenario)
    return spec.bound > 0 and any(one.ts - two.ts == spec.bound for one, two in combinations(records, 2))


def clock_on_an_end(scenario: model.Scenario) -> bool:
    """The clock stands at the end of a window by the clock."""
    ends = {row["end"] for row in rows_of(scenario) if row["row"] == "pane"}
    by_clock = getattr(scenario.operator, "time", "") == "processing"
    return by_clock and any(getattr(item, "at", None) in ends - {None} for item in scenario.stream)  # type: ignore[union-attr]


def firing_withdrawn(scenario: model.Scenario) -> bool:
    """A restore takes rows back."""
    _, trace = simulator.run_traced(scenario)
    return any(isinstance(step.event, RowsWithdrawn) for step in trace)


MEETINGS = [
    watermark_on_an_end,
    watermark_on_a_cleanup,
    record_just_too_late,
    records_a_gap_apart,
    records_a_bound_apart,
    record_as_late_as_can_be,
    clock_on_an_end,
    firing_withdrawn,
]


@pytest.mark.parametrize("meets", MEETINGS, ids=lambda each: each.__name__)
def test_times_meet_exactly(meets: Callable[[model.Scenario], bool], by_flink: list[model.Scenario]) -> None:
    assert sum(map(meets, by_flink)) >= 3


# --- Spark's rules -------------------------------------------------------------------------------------------------


def test_every_kind_of_spark_is_drawn(by_spark: list[model.Scenario]) -> None:
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
    counted = Counter(row["row"] for scenario in by_spark for row in rows_of(scenario))
    assert all(counted[kind] >= 20 for kind in ("pane", "joined", "dropped", "batch")), counted
    assert any(row["row"] == "pane" and row["watermark"] == row["end"] for each in by_spark for row in rows_of(each))


# --- the same again ------------------------------------------------------------------------------------------------


def test_the_same_number_draws_the_same_scenarios_again() -> None:
    assert drawn(flink.scenarios(), 9) == drawn(flink.scenarios(), 9)
