"""Planted faults: whatever is wrong on Spark's side, in a row or in the plan, the comparison finds it.

All faults in rows are compared at once. Each has its own copy of all rows, distinguished by the item numbers.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from tidemark.simulator.engine.values.items import Checkpoint, End, Record, Restore, Status
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    EventTimeTrigger,
    Frame,
    Function,
    Generated,
    InputSpec,
    IntervalJoin,
    Over,
    ProcessingTimeTrigger,
    Scenario,
    Session,
    Sliding,
    Tumbling,
    Window,
    WindowJoin,
    WindowTopN,
)
from tidemark.simulator.scenario.stream import items
from tidemark.spark_bridge.plan.batch import BatchPlan, plan_of
from tidemark.spark_bridge.plan.faults import BEARERS, Fault, broken, faulty_plan, planted
from tidemark.spark_bridge.results.canonical import COLUMNS, COMPARED, Columns, columns_of

from tests.spark.spark_sides import outcome_of
from tidemark import simulator

STREAM = Generated(120, 7, 3, 100, disorder=1500, late_millionths=150_000, late_by=3000, values=(1, 9), end=True)
LISTS = Scenario(
    name="lists",
    operator=Window(Tumbling(2000), EventTimeTrigger(), Function("process", "collect"), allowed_lateness=2000),
    stream=STREAM,
    inputs=(InputSpec("events", 2, BoundedOutOfOrderness(500)),),
)
SUM = Function("aggregate", "sum")
SUMS = replace(LISTS, name="sums", operator=replace(LISTS.operator, function=SUM))
SLIDING = replace(SUMS, name="sliding", operator=replace(SUMS.operator, assigner=Sliding(2000, 1000)))
EDGE = replace(
    SUMS,
    name="edge",
    stream=(Record("a", 100, 1), Record("a", 4000, 2), Record("a", 1100, 4), End()),
    inputs=(InputSpec("events", 1, BoundedOutOfOrderness(0)),),
)
"""The last record arrives when the watermark is exactly at the cleanup time of its window."""
SILENT = replace(
    SUMS, name="silent", stream=(Record("a", 100, 1), Status("idle", channel=1), Record("a", 4000, 2), End())
)
CLOCK = replace(SUMS, name="clock", operator=replace(SUMS.operator, trigger=ProcessingTimeTrigger(), time="processing"))
RESTORED = replace(
    EDGE,
    name="restored",
    stream=(Checkpoint("c"), Record("a", 100, 1), Record("a", 9000, 2), Record("a", 9001, 2), Restore("c"), End()),
)
"""The second record fires a window, and its replay fires that window again."""
SESSIONS = replace(SUMS, name="sessions", operator=replace(SUMS.operator, assigner=Session(400)))
SIDES = tuple(replace(LISTS.inputs[0], name=name) for name in ("left", "right"))
STEADY = replace(STREAM, disorder=0, late_millionths=0)  # every distance is a multiple of 100 ms
JOIN = replace(LISTS, name="join", operator=IntervalJoin(-500, 499), inputs=SIDES, stream=STEADY)

CASE = 1_000_000
"""The items of a case are those of the stream plus this, times the number of the case."""

ROW_FAULTS = [(SUMS if fault is Fault.LESS else LISTS, fault) for fault in BEARERS]
PLAN_FAULTS = [
    (SUMS, Fault.BOUND),
    (SUMS, Fault.CHANNELS),
    (SILENT, Fault.IDLE),
    (CLOCK, Fault.TIMER),
    (RESTORED, Fault.WITHDRAWN),
    (EDGE, Fault.LATENESS),
    (SLIDING, Fault.SIZE),
    (SLIDING, Fault.OFFSET),
    (SESSIONS, Fault.SIZE),
    (JOIN, Fault.SIZE),
]


SEEKING = replace(STREAM, events=1500, keys=5, every=50, late_millionths=50_000, border_millionths=300_000)
"""Its records meet the borders of any operator. Without ``borders`` no lateness that is a millisecond wrong shows."""
AT_BORDERS = [
    (replace(SUMS, stream=SEEKING), Fault.LATENESS),
    (replace(SLIDING, stream=SEEKING), Fault.LATENESS),
    (replace(SESSIONS, stream=SEEKING), Fault.LATENESS),
    (replace(JOIN, operator=WindowJoin("co-group", Tumbling(2000), EventTimeTrigger(), "event", None, 700, "full"),
             stream=SEEKING), Fault.LATENESS),
    (replace(SUMS, operator=WindowTopN(Sliding(2000, 1000), 2), stream=SEEKING), Fault.SIZE),
    (replace(SUMS, operator=Over(Frame(range=1000), SUM), stream=SEEKING), Fault.SIZE),
    (replace(SUMS, operator=Over(Frame(rows=2), SUM), stream=SEEKING), Fault.SIZE),
    (replace(JOIN, stream=SEEKING), Fault.SIZE),
    (replace(JOIN, operator=IntervalJoin(-1000, 2000), stream=SEEKING), Fault.SIZE),
]  # fmt: skip


def rows_of(scenario: Scenario) -> list[Columns]:
    return [columns_of(row) for row in simulator.run_rows(scenario) if row["row"] in COMPARED]


def at_case(rows: list[Columns], number: int) -> Iterator[Columns]:
    item = COLUMNS.index("item")
    return ((*row[:item], row[item] + number * CASE, *row[item + 1 :]) for row in rows)


def with_fault(rows: list[Columns], fault: Fault) -> list[Columns]:
    """The rows with the fault in the first row that can carry it."""
    bearer = BEARERS[fault]
    for place, columns in enumerate(rows):
        row = dict(zip(COLUMNS, columns, strict=True))
        if row["row"] in bearer.kinds and bearer.timing in (None, row["timing"]) and bearer.fit(row):
            return [*rows[:place], *planted(columns, fault), *rows[place + 1 :]]
    raise AssertionError(fault)


def compared(spark: Any, ours: list[Columns], theirs: list[Columns]) -> set[int]:
    """The cases in which the comparison finds a difference."""
    outcome = outcome_of(spark, ours, theirs)
    rows = (row for each in outcome.differences for row in (each.simulator, each.spark))
    return {row["item"] // CASE for row in rows if row is not None}


def test_every_fault_is_planted() -> None:
    assert {fault for _, fault in ROW_FAULTS + PLAN_FAULTS} == set(Fault)
    assert len(Fault) >= 15


@pytest.mark.parametrize(("scenario", "fault"), AT_BORDERS)
def test_a_fault_of_a_millisecond_changes_rows_of_a_stream_that_seeks_borders(scenario: Scenario, fault: Fault) -> None:
    """Both sides have the stream of the sound scenario, as in a check: ``faulty_plan`` keeps its borders."""
    assert faulty_plan(scenario, fault).borders == plan_of(scenario).borders
    sound = replace(scenario, stream=tuple(items(scenario)))
    wrong = broken(sound, fault)
    assert wrong.operator != sound.operator
    assert Counter(rows_of(wrong)) != Counter(rows_of(sound))


@pytest.mark.journey
@pytest.mark.spark
def test_a_fault_in_a_row_is_found(spark: Any) -> None:
    ours, theirs = [], []
    for number, (scenario, fault) in enumerate(ROW_FAULTS):
        rows = rows_of(scenario)
        ours += at_case(rows, number)
        theirs += at_case(with_fault(rows, fault), number)
    sound = len(ROW_FAULTS)
    ours += at_case(rows_of(LISTS), sound)
    theirs += at_case(rows_of(LISTS), sound)
    assert compared(spark, ours, theirs) == set(range(sound))


@pytest.mark.spark
def test_a_fault_in_the_plan_is_found(
    spark: Any, rows_together: Callable[[dict[str, BatchPlan]], dict[str, Counter[Columns]]]
) -> None:
    plans = {str(number): faulty_plan(scenario, fault) for number, (scenario, fault) in enumerate(PLAN_FAULTS)}
    wrong = rows_together(plans)
    ours, theirs = [], []
    for number, (scenario, fault) in enumerate(PLAN_FAULTS):
        assert plans[str(number)] != plan_of(scenario), fault
        own, other = Counter(rows_of(scenario)), wrong[str(number)]
        ours += at_case(some(own - other), number)
        theirs += at_case(some(other - own), number)
    assert compared(spark, ours, theirs) == set(range(len(PLAN_FAULTS)))


def some(rows: Counter[Columns]) -> list[Columns]:
    """A few of the rows; the comparison fetches no more than a hundred differences for all cases."""
    return list(rows.elements())[:5]
