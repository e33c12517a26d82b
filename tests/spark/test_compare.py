"""The comparison inside Spark: what counts as equal, and how differences are shown."""

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
from tidemark.spark_bridge.results.digests import Digests
from tidemark.spark_bridge.results.report import Difference, Report

from tests.spark.spark_sides import outcome_of
from tidemark import simulator

PANE = {
    "row": "pane", "key": "a", "start": 0, "end": 5000, "timing": "on-time", "pane": 0, "value": 7,
    "timestamp": 4999, "watermark": 4999, "at": 0, "item": 3,
}  # fmt: skip
DROPPED = {
    "row": "dropped", "input": "events", "key": True, "ts": -1, "value": None, "watermark": None, "at": 0, "item": 5,
}  # fmt: skip


def outcome(spark: Any, simulator: list[dict[str, Any]], other: list[dict[str, Any]]) -> Any:
    """The outcome of comparing two lists of rows."""
    return outcome_of(spark, list(map(columns_of, simulator)), list(map(columns_of, other)))


EQUAL = [
    ([PANE, PANE, DROPPED], [DROPPED, PANE, PANE]),
    ([PANE | {"value": 3}], [PANE | {"value": 3.0}]),
    ([PANE | {"value": 0.1 + 0.2}], [PANE | {"value": 0.3}]),
    ([PANE | {"value": 2**53 + 1}], [PANE | {"value": float(2**53)}]),
    ([PANE | {"value": -1e300}], [PANE | {"value": -1e300 * (1 + 1e-10)}]),
    ([PANE | {"value": [1, {"b": 1.0, "a": None}]}], [PANE | {"value": [1.0, {"a": None, "b": 1}]}]),
    ([PANE | {"value": 0.5}, PANE | {"value": 0.25}], [PANE | {"value": 0.25}, PANE | {"value": 0.5 + 1e-12}]),
]

NOT_EQUAL = [
    ([PANE], [PANE | {"value": 8}], ["value"]),
    ([PANE], [PANE | {"value": "7"}], ["value"]),
    ([PANE], [PANE | {"value": None}], ["value"]),
    ([PANE], [PANE | {"key": 1}], ["key"]),
    ([PANE | {"key": 1}], [PANE | {"key": "1"}], ["key"]),
    ([PANE | {"value": 2**62}], [PANE | {"value": 2**62 + 1}], ["value"]),
    ([PANE | {"value": 0.3}], [PANE | {"value": 0.3000001}], ["value"]),
    ([DROPPED], [DROPPED | {"watermark": 0}], ["watermark"]),
    ([PANE, PANE], [PANE], []),
]


def at_items(cases: list[Any], side: int) -> list[dict[str, Any]]:
    """One side's rows of all cases; item and time of a row are those of its case."""
    times = ("start", "end", "timestamp", "ts")
    return [
        row | {"item": number} | {name: row[name] + number * 5000 for name in times if name in row}
        for number, case in enumerate(cases)
        for row in case[side]
    ]


@pytest.mark.spark
def test_digests_equal_those_of_spark(spark: Any) -> None:
    """Python computes Spark's own hash, so the rows of the two sides need not be brought together."""
    from tidemark.spark_bridge.execution.compare import digests_of
    from tidemark.spark_bridge.execution.rows import SCHEMA

    values = (7, -1, 2.5, -1e300, None, "ü x", [1, {"b": 0.1}], 2**62)
    rows = [columns_of(row | {"value": value}) for value in values for row in (PANE, DROPPED, PANE | {"key": "é"})]
    digests = Digests()
    for row in rows + rows[:3]:
        digests.add(row)
    assert digests.found() == digests_of(spark.createDataFrame(rows + rows[:3], SCHEMA))


@pytest.mark.spark
def test_equal(spark: Any) -> None:
    found = outcome(spark, at_items(EQUAL, 0), at_items(EQUAL, 1))
    assert found.differences == ()
    assert found.differing == 0
    assert found.counts["spark"] == found.counts["simulator"] == {"pane": 9, "dropped": 1}


@pytest.mark.spark
@pytest.mark.journey
def test_not_equal(spark: Any) -> None:
    found = outcome(spark, at_items(NOT_EQUAL, 0), at_items(NOT_EQUAL, 1))
    assert [each.members for each in found.differences] == [members for _, _, members in NOT_EQUAL]
    assert [each.simulator["item"] for each in found.differences] == list(range(len(NOT_EQUAL)))
    assert found.differing == len(NOT_EQUAL)


@pytest.mark.spark
def test_no_rows_equal_only_no_rows(spark: Any) -> None:
    assert outcome(spark, [], []).differing == 0
    assert outcome(spark, [], [DROPPED]).differing == 1


@pytest.mark.spark
def test_shows_a_bounded_number_of_differences(spark: Any) -> None:
    """A thousand wrong panes are counted; the first hundred, by item, reach the driver."""
    left = [PANE | {"item": item} for item in range(1000)]
    found = outcome(spark, left, [row | {"value": 8} for row in left])
    assert found.differing == 1000
    assert [difference.simulator["item"] for difference in found.differences] == list(range(100))


@pytest.mark.spark
def test_unmatched_rows_are_paired_with_similar_ones(spark: Any) -> None:
    """Each of two panes with a wrong end is shown beside its own correct row."""
    left = [PANE, PANE | {"key": "b"}]
    found = outcome(spark, left, [row | {"end": 5001} for row in left])
    assert [(each.simulator["key"], each.spark["key"], each.members) for each in found.differences] == [
        ("a", "a", ["end"]),
        ("b", "b", ["end"]),
    ]


@pytest.mark.spark
def test_rows_of_one_key_window_and_pane_are_paired_before_the_first_hundred_are_chosen(spark: Any) -> None:
    """Every pane of two hundred keys is fired by another watermark, and later, so that the last ones come first."""
    left = [PANE | {"key": f"k{number}", "item": number} for number in range(200)]
    right = [row | {"watermark": 4998, "item": 999 - row["item"]} for row in left]
    found = outcome(spark, left, right)
    assert found.differing == 200
    assert [(each.simulator["key"], each.spark["key"]) for each in found.differences] == [
        (f"k{number}", f"k{number}") for number in range(100)
    ]


@pytest.mark.spark
def test_report_shows_both_sides() -> None:
    difference = Difference(PANE, PANE | {"value": 8})
    report = Report("x", "batch", "native", 3, 1, 1, (difference,), 0.5, "4", "17")
    assert not report.equal
    assert report.as_json()["first_difference"] == {"simulator": PANE, "spark": PANE | {"value": 8}}
    assert "differs in:  value" in report.as_text()


@pytest.mark.spark
def test_rows_survive_the_way_to_columns_and_back() -> None:
    """No member of a row is lost on the way."""
    from tidemark.spark_bridge.results.canonical import row_of

    assert row_of(columns_of(PANE)) == PANE
    assert row_of(columns_of(DROPPED)) == DROPPED
    assert len(columns_of(PANE)) == len(COLUMNS)


# Planted faults: whatever is wrong on Spark's side, in a row or in the plan, the comparison finds it.
#
# All faults in rows are compared at once. Each has its own copy of all rows, distinguished by the item numbers.

DISORDERED = Generated(120, 7, 3, 100, disorder=1500, late_millionths=150_000, late_by=3000, values=(1, 9), end=True)
LISTS = Scenario(
    name="lists",
    operator=Window(Tumbling(2000), EventTimeTrigger(), Function("process", "collect"), allowed_lateness=2000),
    stream=DISORDERED,
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
STEADY = replace(DISORDERED, disorder=0, late_millionths=0)  # every distance is a multiple of 100 ms
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


SEEKING = replace(DISORDERED, events=1500, keys=5, every=50, late_millionths=50_000, border_millionths=300_000)
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
