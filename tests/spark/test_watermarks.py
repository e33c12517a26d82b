"""Watermarks computed in order, without Spark: idle channels, statuses, the sql generator's own emissions."""

import json
import tracemalloc
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import Advance, End, Record, Status, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    EventTimeTrigger,
    Function,
    Generated,
    InputSpec,
    IntervalJoin,
    MonotonousTimestamps,
    Process,
    Scenario,
    Session,
    SqlWatermark,
    Tumbling,
    Window,
)
from tidemark.spark_bridge.plan.batch import CHUNK_MAXIMA, CHUNKS, BatchPlan, Chunks, chunks_of, plan_of, prefix_of
from tidemark.spark_bridge.plan.coverage import gaps_of
from tidemark.spark_bridge.plan.items import RECORDS, course_of, listed
from tidemark.spark_bridge.plan.operators import KeyedPlan
from tidemark.spark_bridge.results import boundaries
from tidemark.spark_bridge.results.boundaries import Boundaries, Boundary, boundaries_of
from tidemark.spark_bridge.results.canonical import COMPARED, columns_of, key_text, plain_value, row_of, value_of
from tidemark.spark_bridge.results.report import Report
from tidemark.spark_bridge.watermarks.order import Wiring

from tests.examples import examples
from tests.library import recorded
from tests.random_scenarios.flink import Uses, scenarios
from tests.spark.plain import passed
from tests.watermarks import watermark_spec
from tidemark import simulator

GOLDEN = Path(__file__).parent.parent / "golden"
IN_ORDER = {
    name: plan
    for name, scenario in recorded().items()
    if not gaps_of(scenario, "batch") and (plan := plan_of(scenario)).watermark_in_order
    if not (isinstance(plan.operator, KeyedPlan) and plan.operator.keeps_watermark)
}
"""But for operators that keep their watermark over a restore: they forward it again, while the inputs start again."""
SORT = Process(Function("event-sort"))
JOIN = IntervalJoin(-500, 500)


def moves_of(plan: BatchPlan) -> list[tuple[int, int, int]]:
    """(watermark, clock, item) of each move that the bridge finds, except those that a restore withdraws."""
    course = course_of(plan)
    moves = ((step.watermark, step.at, course.number_of(step.item)) for step in passed(plan)[1])
    return [(watermark, at, item) for watermark, at, item in moves if item is not None]


def watermark_rows(rows: list[dict[str, Any]]) -> list[tuple[int, int, int]]:
    """(watermark, clock, item) of each watermark row."""
    return [(row["ts"], row["at"], row["item"]) for row in rows if row["row"] == "watermark"]


@pytest.mark.parametrize("name", IN_ORDER)
def test_same_as_flink(name: str) -> None:
    lines = (GOLDEN / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    assert moves_of(IN_ORDER[name]) == watermark_rows([json.loads(line) for line in lines])


def test_every_kind_is_recorded() -> None:
    assert len(IN_ORDER) >= 9


# --- random streams ------------------------------------------------------------------------------------------------


FEW_TIMES = Uses(
    items=30,
    keys=(("a",),),
    channels=3,
    controls=("watermark", "status", "status", "advance", "end"),
    values=st.just(1),
)
"""Streams with everything that moves or holds a watermark."""


TWO_AT_ONCE = Scenario(
    "two-at-once",
    JOIN,
    (
        Watermark(5, "left", 0),
        Watermark(8, "left", 1),
        Watermark(20, "right"),
        Status("idle", "left", 1),
        Status("idle", "left", 0),
    ),
    (InputSpec("left", 2), InputSpec("right")),
)
"""The last status moves the watermark twice: to the flushed watermark of the left input, then to the right input's."""


BEHIND = Scenario(
    "behind",
    SORT,
    (
        Status("idle", channel=2),
        Watermark(10, channel=0),
        Watermark(20, channel=1),
        Status("active", channel=2),
        *(Status("idle", channel=channel) for channel in (1, 0, 2)),
    ),
    (InputSpec("events", 3),),
)
"""The last channel to turn idle was not aligned: it did not hold back the watermark, so nothing moves."""

LATER = replace(
    BEHIND,
    stream=(
        *(Status("idle", channel=2), Watermark(15, channel=0), Watermark(20, channel=1)),
        *(Status("idle", channel=1), Status("active", channel=2), Status("idle", channel=0)),
        *(Status("active", channel=1), Watermark(6, channel=2)),
    ),
)
"""The only active channel is ahead of the watermark; this takes effect with the next watermark of any channel."""


def both(scenario: Scenario) -> tuple[list[Any], list[Any]]:
    """For both sides: each move with its clock and item, and each late record with the watermark at its arrival."""
    plan = plan_of(scenario)
    course = course_of(plan)
    rows = list(simulator.run_rows(scenario))
    slack = 0 if scenario.operator is SORT else 1
    came = ((each.ts, each.before, course.number_of(each.item)) for each in passed(plan)[0]['"a"'])
    late = [(ts, before, item) for ts, before, item in came if ts + slack <= before and item is not None]
    dropped = [(row["ts"], row["watermark"], row["item"]) for row in rows if row["row"] == "dropped"]
    return [*moves_of(plan), *late], watermark_rows(rows) + dropped


def test_a_channel_turns_idle_before_it_is_aligned() -> None:
    ours, theirs = both(BEHIND)
    assert ours == theirs == [(10, 0, 2)]


def test_an_active_channel_ahead_of_the_watermark_takes_effect_later() -> None:
    ours, theirs = both(LATER)
    assert ours == theirs == [(15, 0, 2), (20, 0, 7)]


def test_one_status_may_move_the_watermark_twice() -> None:
    ours, theirs = both(TWO_AT_ONCE)
    assert ours == theirs == [(5, 0, 2), (8, 0, 4), (20, 0, 4)]


@pytest.mark.parametrize("generator", ["sql", "punctuated"])
def test_a_generator_does_not_emit_the_final_watermark_twice(generator: str) -> None:
    inputs = (InputSpec("events", 1, watermark_spec(generator)),)
    lost = (Record("a", 3, 1), Status("idle"), Record("a", MAX, 1), End(), Record("a", 4, 1))
    ours, theirs = both(Scenario("lost", SORT, lost, inputs))
    assert ours == theirs == [(3, 0, 0)]


def test_a_watermark_pending_at_the_end_of_input_is_emitted_by_the_next_tick() -> None:
    inputs = (InputSpec("events", 1, SqlWatermark(0, 1000)),)
    stream = (Record("a", MAX - 500, 1), Record("a", MAX, 1), End(), Advance(1500))
    ours, theirs = both(Scenario("waits", SORT, stream, inputs))
    assert ours == theirs == [(MAX - 500, 0, 0), (MAX, 1000, 3)]


@settings(max_examples=examples(200))
@given(scenarios(st.sampled_from([SORT, JOIN]), FEW_TIMES))
def test_same_as_the_simulator(scenario: Scenario) -> None:
    ours, theirs = both(scenario)
    assert ours == theirs


# --- long streams --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("generator", ["monotonous", "sql"])
def test_a_long_silence_costs_nothing(generator: str) -> None:
    """Some 10^14 ticks without a record: the channel is idle at the first that sees it, and at no other."""
    passage = Wiring(((watermark_spec(generator, 0, 1, 1000), 2),), 0, False).passage()
    passage.come_to(0, 10)
    passage.record(0, 5000)
    passage.come_to(1, 20)
    passage.record(1, 3000)
    passage.come_to(2, 500)
    passage.record(0, 5100)
    passage.come_to(3, 10**17)
    moves = [(move.after, move.item) for move in passage.moves]
    # The first channel's last watermark is forwarded when the second, which holds it back, is found idle.
    assert moves[-1] == (5100, 3)
    assert 1020 <= passage.moves[-1].at <= 1500


def test_pending_ticks_do_not_pile_up() -> None:
    """Each record makes the tick obsolete that would have found its channel idle a day later."""
    passage = Wiring(((MonotonousTimestamps(1, 86_400_000), 1),), 0, False).passage()
    tracemalloc.start()
    for number in range(5000):
        passage.come_to(number, number * 3)
        passage.record(0, number)
        passage.moves.clear()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100_000


# The canonical form keeps every value: both sides of a check share it, so no check would notice what it loses.

VALUES = [
    0,
    3,
    -7,
    2**53 + 1,
    10**30,
    0.5,
    -2.25,
    1e300,
    None,
    "",
    "7",
    "é",
    True,
    [1, 2.5, "x"],
    {"a": [1], "b": None},
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    back = plain_value(*value_of(value))
    assert back == value
    assert type(back) is type(value)


def test_whole_doubles_are_integers_up_to_where_doubles_are_exact() -> None:
    assert value_of(3.0) == value_of(3) == ("3", None)
    assert value_of(2.0**53) == (None, 2.0**53)
    assert value_of(0.30000000000000004) != value_of(0.3)


def test_keys_of_different_types_differ() -> None:
    assert len({key_text(key) for key in (1, "1", True, "true")}) == 4


@pytest.mark.parametrize(
    "name", ["tumbling-allowed-lateness", "sql-late-updates", "interval-join-basic", "co-group-late"]
)
def test_a_row_comes_back_as_it_was(name: str) -> None:
    rows = [row for row in simulator.run_rows(load(GOLDEN / f"{name}.yaml")) if row["row"] in COMPARED]
    assert rows
    assert [row_of(columns_of(row)) for row in rows] == rows


# How often comparisons stood exactly at their boundary: counted from a trace, told by the report.

SUM = Function("aggregate", "sum")
TUMBLING = Scenario(
    "tumbling",
    Window(Tumbling(5000), EventTimeTrigger(), SUM, allowed_lateness=2000),
    stream=(
        Record("a", 4999, 1),
        Watermark(4998),
        Record("a", 0, 1),  # a millisecond before the window fires
        Watermark(4999),
        Record("a", 1, 1),  # exactly then
        Watermark(6998),
        Record("a", 7, 1),  # a millisecond before its lateness ends
        Watermark(6999),
        Record("a", 9, 1),  # exactly then: dropped
        Watermark(7000),
        Record("a", 8, 1),  # a millisecond behind
    ),
    inputs=(InputSpec("events"),),
)


def counted(scenario: Scenario) -> dict[str, tuple[int | None, int | None, int | None]]:
    return {each.formula: (each.before, each.exactly, each.behind) for each in boundaries_of(scenario).found}


def test_the_comparisons_of_windows() -> None:
    assert counted(TUMBLING) == {
        "max_timestamp + allowed_lateness <= watermark": (1, 1, 1),
        "max_timestamp <= watermark": (1, 1, 0),
        "start <= timestamp < end": (1, 1, 1),
        "timer <= watermark": (None, 2, 0),
    }


def test_sessions_that_touch() -> None:
    operator = replace(TUMBLING.operator, assigner=Session(100), allowed_lateness=0)
    stream = (Record("a", 0, 1), Record("a", 100, 1), Record("a", 299, 1), Record("b", 0, 1), Record("b", 99, 1))
    assert counted(replace(TUMBLING, operator=operator, stream=stream))["start <= other_end"] == (None, 1, 1)


def test_both_bounds_of_an_interval_join() -> None:
    inputs = (InputSpec("left"), InputSpec("right"))
    stream = [Record("a", 1000, 1, "left"), *(Record("a", ts, 1, "right") for ts in (800, 801, 900, 1200))]
    found = counted(Scenario("join", IntervalJoin(-200, 200), tuple(stream), inputs))
    assert found == {"left + lower <= right": (None, 1, 1), "right <= left + upper": (None, 1, 0)}


def test_a_comparison_that_is_told_only_if_it_holds_is_not_called_missed() -> None:
    stream = (Watermark(10), Record("a", 9, 1), Record("a", 11, 1), End())
    found = boundaries_of(Scenario("sort", Process(Function("process", "event-sort")), stream, (InputSpec("events"),)))
    assert {each.formula: each.exactly for each in found.found} == {
        "timer <= watermark": 0,
        "timestamp <= watermark": 0,
        "timestamp > watermark": 0,
    }
    late = Boundary("timestamp < watermark", None, None, 3)
    assert Boundaries(4, (late,)).missed == ()


@pytest.mark.parametrize(("share", "missed"), [(0, True), (100_000, False)])
def test_the_report_warns_where_nothing_stood_exactly(share: int, missed: bool) -> None:
    stream = Generated(3000, 7, 100, 10, 4000, 20_000, 20_000, border_millionths=share)
    inputs = (InputSpec("events", 1, BoundedOutOfOrderness(2000)),)
    found = boundaries_of(replace(TUMBLING, stream=stream, inputs=inputs))
    report = Report("x", "batch", "native", 3000, 1, 0, (), 0.5, "4", "17", boundaries=found)
    assert ("No record was exactly at: max_timestamp + allowed_lateness <= watermark" in report.as_text()) is missed
    assert ("borders: 0.1" in report.as_text()) is missed
    assert report.as_json()["boundaries"]["items"] == 3000
    assert bool(report.as_json()["boundaries"]["missed"]) is missed


def test_a_long_run_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundaries, "MOST_ITEMS", 3)
    assert boundaries_of(TUMBLING).items == 3
    monkeypatch.setattr(boundaries, "MOST_STEPS", 4)
    assert boundaries_of(TUMBLING).items < 3


# The driver's part: the prefix maximum, compared with the plain definition, and the ticks that send watermarks.


def test_the_watermark_of_a_record_is_sent_by_the_next_tick_and_of_one_that_comes_at_a_tick_by_the_one_after() -> None:
    scenario = Scenario(
        "ticks",
        Window(Tumbling(1000), EventTimeTrigger(), Function("aggregate", "sum")),
        tuple(Record("a", 100 + at, 1, at=at) for at in (0, 199, 200, 201, 400, 900)),
        (InputSpec("events", 1, BoundedOutOfOrderness(0, 200)),),
    )
    records, _ = listed(plan_of(scenario))
    ticks = [(row[RECORDS.index("at")], row[RECORDS.index("tick_at")]) for row in records]
    assert ticks == [(0, 200), (199, 200), (200, 400), (201, 400), (400, 600), (900, None)]


candidates = st.lists(st.lists(st.one_of(st.none(), st.integers(-9, 9)), min_size=2, max_size=2), min_size=1)


@given(candidates)
def test_prefix_is_the_running_maximum(table: list[list[int | None]]) -> None:
    maxima = [(chunk, c, each) for chunk, row in enumerate(table) for c, each in enumerate(row) if each is not None]
    prefix = prefix_of(reversed(maxima), Chunks(len(table), 1, len(table)), 2)
    for chunk in range(len(table)):
        before = tuple(max([MIN, *(row[c] for row in table[:chunk] if row[c] is not None)]) for c in range(2))
        assert prefix.before[chunk] == before
        after = prefix.before[chunk + 1] if chunk + 1 < len(table) else None
        assert after is None or prefix.after[chunk] == min(after)


@given(st.integers(0, 10**9 + 1), st.integers(1, 10**6))
def test_chunks_hold_every_item_and_stay_few(items: int, channels: int) -> None:
    """However long the stream is, the driver holds a bounded number of maxima."""
    chunks = chunks_of(items, channels)
    assert (chunks.count - 1) * chunks.size < max(items, 1) <= chunks.count * chunks.size
    assert chunks.count <= CHUNKS
    assert chunks.count == 1 or chunks.count * channels <= CHUNK_MAXIMA
