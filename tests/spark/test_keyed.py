"""The keyed functions without Spark, compared with the recorded rows of real Flink operators and with the simulator."""

import json
from collections import Counter
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import Advance, Checkpoint, End, Item, Record, Restore, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import (
    AfterEndOfWindow,
    BoundedOutOfOrderness,
    EventTimeTrigger,
    EveryElement,
    Function,
    InputSpec,
    MonotonousTimestamps,
    Over,
    ProcessingTimeTrigger,
    Scenario,
    Session,
    Sliding,
    TemporalJoin,
    TimeEvictor,
    Tumbling,
    Window,
    WindowJoin,
    WindowTopN,
)
from tidemark.spark_bridge import gaps_of
from tidemark.spark_bridge.keyed import clusters
from tidemark.spark_bridge.keyed.clusters import AT_ONCE, LATE, WAITED, Clusters, Records
from tidemark.spark_bridge.keyed.context import Arrival, by_key
from tidemark.spark_bridge.keyed.datastream import KeyedWindows
from tidemark.spark_bridge.plan.batch import plan_of, replayed, replays_of
from tidemark.spark_bridge.plan.operators import KeyedPlan

from tests.examples import examples
from tests.library import recorded
from tests.random_scenarios.flink import Uses, scenarios
from tests.random_scenarios.operators import operators, row_operators, table_functions, table_windows, window_top_ns
from tests.spark.plain import keyed_rows
from tests.spark.plain_ordered import ordered_rows, rows_of_plan
from tests.spark.spark_sides import compared
from tidemark import simulator

NO_CLOCK = Uses(items=40, restores=0, channels=3)
GOLDEN = Path(__file__).parent.parent / "golden"


def is_by_key(scenario: Scenario) -> bool:
    """Whether each key is processed independently; the tests of ordered tasks below cover the others."""
    operator = plan_of(scenario).operator
    return isinstance(operator, KeyedPlan) and not operator.ordered


KEYED = {
    name: scenario for name, scenario in recorded().items() if not gaps_of(scenario, "batch") and is_by_key(scenario)
}


WHOLE = {
    name: scenario
    for name, scenario in recorded().items()
    if isinstance(scenario.operator, Over | WindowTopN) and plan_of(scenario).way == "native"
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


# Processing-time timers and restores, compared with recorded rows of Flink and with the simulator.


def is_ordered(scenario: Scenario) -> bool:
    """Whether the clock or a restore matters, so that the rows of a key depend on the order of all items."""
    operator = plan_of(scenario).operator
    return isinstance(operator, KeyedPlan) and operator.ordered


ORDERED = {
    name: scenario for name, scenario in recorded().items() if not gaps_of(scenario, "batch") and is_ordered(scenario)
}


def test_the_clock_and_checkpoints_are_among_the_recordings() -> None:
    assert sum(name.startswith("checkpoint-") for name in ORDERED) >= 11
    assert sum(name.startswith("processing-") for name in ORDERED) >= 8


def test_every_temporal_join_is_among_the_recordings() -> None:
    assert sum(isinstance(each.operator, TemporalJoin) for each in ORDERED.values()) >= 10


@pytest.mark.parametrize("name", ORDERED)
def test_ordered_tasks_are_the_same_as_flink(name: str) -> None:
    recorded = map(json.loads, (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    assert ordered_rows(ORDERED[name]) == compared(recorded)


@pytest.mark.parametrize("file", ["session_zones.jsonl", "group_windows_in_zones.jsonl"])
def test_windows_in_a_session_zone_are_those_of_flink_sql_jobs(file: str) -> None:
    for line in (GOLDEN.parent / "engine" / file).read_text(encoding="utf-8").splitlines():
        job = json.loads(line)
        scenario = parse(json.dumps({"scenario": 1, "name": "zoned", **job["scenario"]}), "zoned.json", json=True)
        given_rows = ordered_rows(scenario)
        panes = Counter((row[1], row[2], row[3]) for row in given_rows.elements() if row[0] == "pane")
        recorded = Counter((json.dumps(row["key"]), row["start"], row["end"]) for row in job["rows"])
        assert panes == recorded
        assert given_rows == compared(simulator.run_rows(scenario)), (
            "values and all else, which the simulator has right"
        )


ZONES = ("Africa/Monrovia", "America/Los_Angeles", "Asia/Shanghai", "Australia/Lord_Howe", "Pacific/Apia")


@settings(max_examples=examples(120))
@given(scenarios(st.one_of(table_functions(zones=ZONES), table_windows(zones=ZONES)), Uses(items=40, channels=3)))
def test_windows_in_a_session_zone_are_those_of_the_simulator(scenario: Scenario) -> None:
    rows = simulator.run_rows(scenario)
    if not gaps_of(scenario, "batch") and all(row["row"] != "error" for row in rows):
        assert ordered_rows(scenario) == compared(rows)


@settings(max_examples=examples(250))
@given(scenarios(operators(unchecked=True), Uses(items=40, channels=3)))
def test_ordered_tasks_are_the_same_as_the_simulator(scenario: Scenario) -> None:
    """On random scenarios, except those on which the engine itself fails."""
    if gaps_of(scenario, "batch") or not is_ordered(scenario):
        return
    rows = simulator.run_rows(scenario)
    if any(row["row"] == "error" for row in rows):
        return
    assert ordered_rows(scenario) == compared(rows)


@settings(max_examples=examples(120))
@given(scenarios(row_operators(), Uses(items=40, channels=2)))
def test_ordered_tasks_are_the_same_as_the_simulator_row_by_row(scenario: Scenario) -> None:
    """Temporal joins, and OVER and deduplication in streams with restores."""
    if is_ordered(scenario):
        assert ordered_rows(scenario) == compared(simulator.run_rows(scenario))


TICKS = (InputSpec("events", 1, BoundedOutOfOrderness(0, 100)),)
"""A watermark every 100 ms of the clock."""


def by_clock(assigner: Session | Sliding | Tumbling, *stream: Item) -> Scenario:
    """Sums in processing-time windows, with watermarks emitted by the same clock."""
    window = Window(assigner, ProcessingTimeTrigger(), Function("aggregate", "sum"), time="processing")
    return Scenario("by-clock", window, stream, TICKS)


def watermarks(scenario: Scenario) -> dict[str, int | None]:
    """The watermark at which each key's last window fired: the same on both sides."""
    rows = simulator.run_rows(scenario)
    assert ordered_rows(scenario) == compared(rows)
    return {row["key"]: row["watermark"] for row in rows if row["row"] == "pane"}


def test_a_timer_set_before_the_last_tick_fires_before_the_next_tick() -> None:
    """At 300 both are due. The timer was set at 50, the tick at 200: the window still sees the previous watermark."""
    fired = watermarks(by_clock(Session(250), Record("a", 7, 1, at=50), Record("b", 1000, 1, at=250), Advance(100)))
    assert fired == {"a": 6}


def test_a_timer_set_after_the_last_tick_fires_after_the_next_tick() -> None:
    assert watermarks(by_clock(Session(80), Record("a", 7, 1, at=220), Advance(80))) == {"a": 6}


def test_a_timer_that_fires_before_a_tick_sets_its_next_before_the_next_tick() -> None:
    """At 300 the timer of ``a`` fires before the tick. The timer of ``b``, then set for 400, precedes that tick too."""
    stream = (Record("a", 7, 1, at=50), Record("b", 8, 1, at=150), Record("c", 1000, 1, at=320), Advance(80))
    assert watermarks(by_clock(Session(250), *stream)) == {"a": 7, "b": 7}


def test_after_a_restore_the_timer_is_set_before_the_ticks() -> None:
    stream = (Record("a", 7, 1, at=50), Checkpoint("c"), Restore("c", at=200), Record("b", 1000, 1), Advance(100))
    assert watermarks(by_clock(Session(250), *stream)) == {"a": None}


def test_rows_emitted_on_the_way_to_a_restore_are_withdrawn() -> None:
    """The window fires at 100, which is withdrawn, and fires again at the clock time of the restore."""
    scenario = by_clock(Tumbling(100), Record("a", 7, 1, at=50), Checkpoint("c"), Restore("c", at=450), Advance(100))
    assert [(row[11], row[12]) for row in ordered_rows(scenario)] == [(450, 2)]
    assert watermarks(scenario) == {"a": None}


def test_a_second_restore_replays_everything_since_the_checkpoint() -> None:
    """The record before the first restore and the one between the two, each once."""
    window = Window(Tumbling(1000), EventTimeTrigger(), Function("process", "collect"))
    stream = (
        *(Checkpoint("c"), Record("a", 1, 1), Restore("c"), Record("a", 2, 2), Restore("c"), Record("a", 3, 3)),
        End(),
    )
    scenario = Scenario("twice", window, stream)
    assert [row[8] for row in ordered_rows(scenario)] == ["[1,2,3]"]
    assert ordered_rows(scenario) == compared(simulator.run_rows(scenario))


def test_restores_unroll_into_the_replayed_stream() -> None:
    """The name of a void checkpoint may be reused. Statuses and ends are replayed, waiting is not."""
    a, b, wait = Record("a", 1, 1, at=5), Record("b", 2, 2, at=6), Advance(10)
    stream = (a, Checkpoint("c"), b, Checkpoint("d"), wait, Restore("c", at=30), Checkpoint("d"), End(), Restore("d"))
    happened = replays_of(stream)
    assert happened is not None
    again = b._replace(at=None)
    assert happened.items == (
        *(a, Checkpoint("c"), b, Checkpoint("d"), wait, Advance(0, 30), Restore("c", at=30), again),
        *(Checkpoint("d"), End(), Advance(0), Restore("d"), End()),
    )
    assert happened.numbers == (0, 1, 2, 3, 4, 5, 5, 2, 6, 7, 8, 8, 7)
    assert happened.withdrawn == {2, 3, 4, 5, 9, 10}
    assert replayed(stream) == 2


def test_a_record_without_a_timestamp_has_none_in_a_joined_row() -> None:
    join = WindowJoin("window-join", Tumbling(1000), ProcessingTimeTrigger(), "processing")
    stream = (Record("a", None, 1, "left"), Record("a", 5, 2, "right"), Advance(1000))
    scenario = Scenario("pair", join, stream, (InputSpec("left"), InputSpec("right")))
    rows = [row for row in simulator.run_rows(scenario) if row["row"] == "joined"]
    assert [row["left"] for row in rows] == [{"ts": None, "value": 1}]
    assert ordered_rows(scenario) == compared(rows)


def test_a_time_evictor_keeps_all_records_if_the_first_has_no_timestamp() -> None:
    """If only a later record has none, Flink fails, and so does the simulator."""
    window = Window(
        *(Tumbling(1000), ProcessingTimeTrigger(), Function("process", "collect"), "datastream", "processing"),
        evictor=TimeEvictor(10),
    )
    stream = (Record("a", None, 1), Record("a", 5, 2), Record("b", 5, 3), Record("b", 50, 4))
    scenario = Scenario("evicted", window, (*stream, Advance(1000)))
    rows = simulator.run_rows(scenario)
    assert [row["value"] for row in rows] == [[1, 2], [4]]
    assert ordered_rows(scenario) == compared(rows)


def test_a_time_evictor_uses_the_timestamps_that_a_generator_assigns() -> None:
    """A record without a timestamp gets the lowest one. Among records of its own kind, that lies before a cutoff that
    overflows."""
    window = Window(
        *(Tumbling(1000), ProcessingTimeTrigger(), Function("process", "collect"), "datastream", "processing"),
        evictor=TimeEvictor(10),
    )
    stream = (Record("a", None, 1), Record("a", 5, 2), Record("b", None, 3), Record("c", 5, 4), Record("c", None, 5))
    inputs = (InputSpec("events", 1, MonotonousTimestamps()),)
    scenario = Scenario("stamped", window, (*stream, Advance(1000)), inputs)
    rows = simulator.run_rows(scenario)
    assert [row["value"] for row in rows if row["row"] == "pane"] == [[2], [], [4]]
    assert ordered_rows(scenario) == compared([row for row in rows if row["row"] == "pane"])


def test_only_the_input_with_a_generator_assigns_timestamps() -> None:
    join = WindowJoin("window-join", Tumbling(1000), ProcessingTimeTrigger(), "processing", TimeEvictor(10))
    stream = (
        *(Record("a", None, 1, "left"), Record("a", 50, 2, "left"), Record("a", None, 3, "right")),
        *(Record("b", None, 4, "right"), Record("b", 50, 5, "right"), Record("b", 50, 6, "left")),
    )
    inputs = (InputSpec("left"), InputSpec("right", 1, MonotonousTimestamps()))
    scenario = Scenario("one-side", join, (*stream, Advance(1000)), inputs)
    rows = [row for row in simulator.run_rows(scenario) if row["row"] == "joined"]
    assert [(row["left"]["value"], row["right"]["value"]) for row in rows] == [(1, 3), (2, 3), (6, 5)]
    assert ordered_rows(scenario) == compared(rows)


def test_a_merged_sql_session_that_reappears_has_no_previous_result() -> None:
    trigger = AfterEndOfWindow(EveryElement())
    window = Window(Session(5), trigger, Function("aggregate", "sum"), "sql", updates=True)
    stream = (Record("a", 0, 1), Record("a", 7, 2), Record("a", 4, 3), Checkpoint("c"), Restore("c"))
    scenario = Scenario("again", window, (*stream[:3], Watermark(50), *stream[3:], Record("a", 7, 9)))
    rows = simulator.run_rows(scenario)
    assert [row["change"] for row in rows if row["row"] == "pane"][-1] == "+I"
    assert ordered_rows(scenario) == compared(rows)


def test_a_late_processing_time_timer_is_a_difference() -> None:
    scenario = by_clock(Tumbling(100), Record("a", 7, 1, at=50), Advance(200))
    plan = plan_of(scenario)
    assert isinstance(plan.operator, KeyedPlan)
    assert rows_of_plan(replace(plan, pause=2), plan.operator) != compared(simulator.run_rows(scenario))


# Sessions by clusters, beside the keyed function that takes every record in order of arrival.

Row = tuple[int, ...]
STREAM = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 30)), min_size=1, max_size=40)


def arrivals(stream: list[tuple[int, int]], bound: int) -> list[tuple[int, Arrival]]:
    """(key, record) of all records in order, as one channel brings them; the value is the item."""
    found, watermark = [], MIN
    for item, (key, ts) in enumerate(stream):
        found.append((key, Arrival(item, 0, watermark, 0, ts, item)))
        watermark = max(watermark, ts - bound - 1)
    return found


def one_by_one(stream: list[tuple[int, Arrival]], sessions: Window) -> Counter[Row]:
    rows: Counter[Row] = Counter()
    for key, records in groupby(sorted(stream, key=itemgetter(0)), key=itemgetter(0)):
        for row in by_key(partial(KeyedWindows, sessions), MAX, (record for _, record in records)):
            if row.span is None:
                assert row.by is not None
                rows[LATE, key, row.by.ts, 0, row.value, row.by.before, row.by.item] += 1
                continue
            by = (0, 0) if row.by is None else (row.by.before, row.by.item)
            kind = WAITED if row.by is None else AT_ONCE
            rows[kind, key, *row.span, row.pane or 0, row.value, *by] += 1
    return rows


def by_time(stream: list[tuple[int, Arrival]], gap: int) -> Records:
    """The records as Spark hands them over: by key, cluster and arrival."""
    rows = []
    for key, records in groupby(sorted(stream, key=lambda each: (each[0], each[1].ts, each[1].item)), itemgetter(0)):
        start = previous = -(10**6)
        for _, record in records:
            is_behind = record.ts < record.before + 2
            spoils = is_behind and record.before >= record.ts + gap - 1
            if record.ts - previous > gap:
                start = record.ts
            elif is_behind:
                spoils = spoils or record.before >= previous + gap - 1
            previous = record.ts
            before = record.before if is_behind else MIN
            rows.append((key, start, record.item, record.ts, record.value, before, int(spoils)))
    return Records(*(np.array(column) for column in zip(*sorted(rows), strict=True)))


def in_blocks(records: Records, compute: str, gap: int, lateness: int, size: int) -> Counter[Row]:
    batches = [records.where(slice(start, start + size)) for start in range(0, len(records.key), size)]
    rows: Counter[Row] = Counter()
    for found in Clusters(gap, lateness, compute).rows(batches):
        for kind, key, start, end, pane, value, number, before, item in zip(*found, strict=True):
            shown = number if compute == "count" and kind != LATE else value
            own: tuple[Any, ...] = (0,) if kind == LATE else (end, pane)
            rows[tuple(map(int, (kind, key, start, *own, shown, before, item)))] += 1
    return rows


@pytest.mark.parametrize("compute", ["sum", "max", "count"])
@settings(max_examples=examples(120), deadline=None)
@given(
    stream=STREAM, bound=st.integers(0, 12), gap=st.integers(1, 8), lateness=st.integers(0, 9), size=st.integers(1, 50)
)
def test_rows_of_clusters_are_those_of_the_keyed_function(
    stream: list[tuple[int, int]], bound: int, gap: int, lateness: int, size: int, compute: str
) -> None:
    given_ = arrivals(stream, bound)
    sessions = Window(Session(gap), EventTimeTrigger(), Function("aggregate", compute), allowed_lateness=lateness)
    expected = one_by_one(given_, sessions)
    assert in_blocks(by_time(given_, gap), compute, gap, lateness, size) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clusters, "HELD", 3)  # as if the clusters were too long to be held
        assert in_blocks(by_time(given_, gap), compute, gap, lateness, size) == expected
