"""Keyed state: which key group a key belongs to, and what a snapshot shares with the running state."""

import gc
from collections import Counter
from random import Random
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator.engine.assigners.table import CumulativeWindowAssigner, SlidingWindowAssigner
from tidemark.simulator.engine.operators.group_window_functions import HeldPanes
from tidemark.simulator.engine.state import (
    AggregatingState,
    KeyedStateBackend,
    ListState,
    ReducingState,
    StateTable,
    java_hash_code,
    key_group,
)
from tidemark.simulator.engine.timers import Timer, TimerQueue
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.items import End, Item, Record, key_of
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.window import Grid, TimeWindow, sliding_windows, tumbling_windows
from tidemark.simulator.resting import COLLECTOR_AT_REST
from tidemark.simulator.scenario import model, parse

from tests.engine.transcript import row_lines, scenario_text
from tidemark import simulator

WINDOW = TimeWindow(0, 5000)


def test_hash_codes_are_javas() -> None:
    assert java_hash_code("abc") == 96354
    assert java_hash_code("") == 0
    assert java_hash_code("polygenelubricants") == -(2**31)
    assert java_hash_code(1) == 1
    assert java_hash_code(-1) == 0
    assert java_hash_code(2**32 + 5) == 4
    assert java_hash_code(key_of(True)) == 1231
    assert java_hash_code("😀") == 31 * 0xD83D + 0xDE00


def test_every_key_has_a_group() -> None:
    groups = Counter(key_group(f"k{number}") for number in range(10_000))
    assert min(groups) == 0
    assert max(groups) == 127
    assert max(groups.values()) < 4 * 10_000 // 128


def test_later_updates_do_not_change_a_snapshot() -> None:
    backend = KeyedStateBackend()
    lists, sums = ListState(backend, "list"), ReducingState(backend, "sum", lambda left, right: left + right)
    for value in (1, 2):
        lists.add("a", WINDOW, value)
        lists.add("b", WINDOW, value)
        sums.add("a", WINDOW, value)
    snapshot = backend.snapshot()
    lists.add("a", WINDOW, 3)
    sums.add("a", WINDOW, 3)
    sums.clear("b", WINDOW)

    assert snapshot["list"][("a", WINDOW)] == [1, 2]
    assert snapshot["sum"][("a", WINDOW)] == 3
    assert lists.get("a", WINDOW) == [1, 2, 3]


def test_a_table_reports_what_it_still_shares_with_the_snapshot() -> None:
    backend = KeyedStateBackend()
    lists = ListState(backend, "list")
    lists.add("a", WINDOW, 1)
    lists.add("b", WINDOW, 1)
    backend.snapshot()
    lists.add("a", WINDOW, 2)
    table = backend.table("list")

    assert table.shared == {("b", WINDOW)}
    assert table.versions == {("a", WINDOW): 1}


def test_the_same_name_is_the_same_state() -> None:
    backend = KeyedStateBackend()
    one, other = ListState(backend, "list"), ListState(backend, "list")
    one.add("a", WINDOW, 1)
    assert other.get("a", WINDOW) == [1]


def test_a_snapshot_can_be_restored_twice() -> None:
    backend = KeyedStateBackend()
    lists = ListState(backend, "list")
    lists.add("a", WINDOW, 1)
    snapshot = backend.snapshot()
    for value in (2, 3):
        lists.add("a", WINDOW, value)
        backend.restore(snapshot)
        assert lists.get("a", WINDOW) == [1]
    lists.add("a", WINDOW, 4)
    assert snapshot["list"][("a", WINDOW)] == [1]


def test_state_can_be_inspected_by_name_key_group_and_entry() -> None:
    backend = KeyedStateBackend()
    lists = ListState(backend, "window-contents")
    lists.add("a", WINDOW, 1)
    lists.add("b", WINDOW, 2)
    backend.snapshot()
    lists.add("a", WINDOW, 3)

    seen = backend.inspect()["window-contents"]
    assert list(seen) == sorted(seen)
    assert seen[key_group("a")][("a", WINDOW)] == ([1, 3], 1, False)
    assert seen[key_group("b")][("b", WINDOW)] == ([2], 0, True)


# Windows of thousands of panes: only the panes that hold state are looked up, and the rows stay the same.

PANES = """
    type: window
    api: sql
    assigner: {type: %s}
    function: {call: aggregate, compute: sum}
"""


@pytest.mark.parametrize(
    "assigner",
    [
        "cumulative, max_size: 10s, step: 1ms",
        "sliding, size: 10s, slide: 1ms",
        "sliding, size: 69999ms, slide: 7ms",
    ],
)
def test_a_row_in_ten_thousand_windows_is_looked_up_once_or_twice_in_each(assigner: str) -> None:
    """Not once for every pane that a window could have: that would take 10^8 lookups, or more with panes of 1 ms."""
    stream = "- {ts: 1, key: a, value: 5}\n- {ts: 1, key: a, value: 6}\n- {end: true}"
    scenario = parse(scenario_text(PANES % assigner, stream), "transcript.yaml")
    with patch.object(AggregatingState, "get", autospec=True, side_effect=AggregatingState.get) as get:
        rows = [row for row in simulator.run_rows(scenario) if row["row"] == "pane"]
    assert len(rows) >= 9_999
    assert {row["value"] for row in rows} == {11}
    assert get.call_count <= 2 * len(rows)


def test_a_restore_brings_back_cleaned_up_panes() -> None:
    operator = PANES % "cumulative, max_size: 6, step: 2"
    stream = """
        - {ts: 1, key: a, value: 1}
        - {ts: 4, key: a, value: 2}
        - {checkpoint: c}
        - {ts: 3, key: a, value: 4}
        - {ts: 2, key: b, value: 9}
        - {watermark: 9}
        - {restore: c}
    """
    assert row_lines(operator, stream, kinds="pane") == [
        "pane a [0, 2) on-time #0 = 1",
        "pane a [0, 4) on-time #0 = 5",
        "pane b [0, 4) on-time #0 = 9",
        "pane a [0, 6) on-time #0 = 7",
        "pane b [0, 6) on-time #0 = 9",
    ]


@pytest.mark.parametrize("offset", [0, -3, MAX - 1, MIN + 4])
@pytest.mark.parametrize("make", [SlidingWindowAssigner, CumulativeWindowAssigner])
def test_held_panes_agree_with_a_search_through_all_panes(
    make: type[SlidingWindowAssigner | CumulativeWindowAssigner], offset: int
) -> None:
    """Even where an offset near the limits of 64 bits puts a pane off the grid of the windows."""
    random, assigner, table = Random(offset), make(15, 5, offset), StateTable("window-aggs")
    held = HeldPanes(table)
    for number in range(600):
        time = random.choice((random.randrange(-60, 60), random.randrange(MAX - 90, MAX - 30), 2 - offset))
        pane = assigner.assign_pane(time)
        if ("a", pane) not in table.entries:
            table.put(("a", pane), 1)
            held.add("a", pane)
        elif random.random() < 0.4:
            table.remove(("a", pane))
            held.remove("a", pane)
        if number == 300:
            table.restore(table.snapshot())
        for window in assigner.assign_windows(time):
            assert isinstance(window, TimeWindow)
            panes = [each for each in assigner.split_into_panes(window) if ("a", each) in table.entries]
            if window.end > window.start:
                assert held.within("a", window, assigner.pane_size) == panes


# The windows of a grid, remembered or not, are those that the formulas give.

LENGTHS = st.integers(1, 60) | st.integers(1, MAX)
INSTANTS = st.integers(-100, 100) | st.integers(MIN, MIN + 200) | st.integers(MAX - 200, MAX) | st.integers(MIN, MAX)


@given(LENGTHS, st.integers(1, 60) | st.integers(1, MAX), st.integers(-70, 70), st.lists(INSTANTS, max_size=12))
def test_a_grid_finds_the_windows_of_the_formula(size: int, slide: int, offset: int, instants: list[int]) -> None:
    slide = max(slide, -(-size // 8))  # at most eight windows for each instant
    grid = Grid(size, slide, offset)
    for instant in instants * 2:  # the second time from memory
        try:
            expected = tuple(sliding_windows(instant, size, slide, offset))
        except EngineFailure:
            continue
        assert tuple(grid.windows_of(instant)) == (
            tumbling_windows(instant, size, offset) if size == slide else expected
        )


@given(LENGTHS, st.integers(-70, 70), st.lists(INSTANTS, max_size=12))
def test_a_grid_without_overlap_gives_the_one_window(size: int, offset: int, instants: list[int]) -> None:
    grid = Grid(size, size, offset)
    for instant in instants * 2:
        assert tuple(grid.windows_of(instant)) == tumbling_windows(instant, size, offset)


# The timer queue equals a plain list of timers that is sorted for each answer.

TIMES = st.integers(0, 12) | st.sampled_from((MIN, MAX))
CALLS = st.lists(st.tuples(st.sampled_from(("add", "add", "remove", "pop", "head")), TIMES, st.sampled_from("ab")))


@given(CALLS)
def test_timers_leave_by_timestamp_then_by_order_of_registration(calls: list[tuple[str, int, str]]) -> None:
    queue, plain = TimerQueue(), list[Timer]()
    for call, time, key in calls:
        timer: Timer = (time, key, None)
        due = sorted(plain, key=lambda each: each[0])  # stable: those of one timestamp stay in order of registration
        if call == "add":
            assert queue.add(timer) == (timer not in plain)
            if timer not in plain:
                plain.append(timer)
        elif call == "remove":
            assert queue.remove(timer) == (timer in plain)
            plain = [each for each in plain if each != timer]
        elif call == "head":
            assert queue.head() == (due[0][0] if due else None)
        else:
            first = due[0] if due and due[0][0] <= time else None
            assert queue.pop_due(time) == first
            plain = [each for each in plain if each != first]
        assert queue.in_order() == sorted(plain, key=lambda each: each[0])
        assert len(queue) == len(plain)
        assert all(queue.earliest <= each[0] for each in plain)


def test_a_restored_queue_keeps_the_order_and_forgets_the_rest() -> None:
    queue = TimerQueue()
    for time in (5, 9, 3):
        queue.add((time, "a", None))
    queue.restore([(4, "b", None), (4, "a", None), (2, "c", None)])
    assert [queue.pop_due(MAX) for _ in range(4)] == [(2, "c", None), (4, "b", None), (4, "a", None), None]


# The collector of cycles rests while a trace grows, and works again afterwards.

TUMBLING = model.Window(model.Tumbling(10), model.EventTimeTrigger(), model.Function("aggregate", "sum"))
INPUTS = (model.InputSpec("events", 1, model.BoundedOutOfOrderness(0)),)


def run(*stream: Item, trace: simulator.Trace | None) -> list[bool]:
    seen: list[bool] = []
    simulator.run(model.Scenario("rest", TUMBLING, stream, INPUTS), lambda row: seen.append(gc.isenabled()), trace)
    return seen


def test_it_rests_during_a_traced_run_alone() -> None:
    assert not any(run(Record("a", 1, 1), End(), trace=simulator.Trace()))
    assert gc.isenabled()
    assert all(run(Record("a", 1, 1), End(), trace=None))


def test_it_works_again_after_a_run_that_was_stopped() -> None:
    with pytest.raises(simulator.TraceTooLong):
        run(Record("a", 1, 1), End(), trace=simulator.Trace(limit=3))
    assert gc.isenabled()


def test_the_last_of_several_runs_wakes_it() -> None:
    with COLLECTOR_AT_REST:
        assert not any(run(Record("a", 1, 1), End(), trace=simulator.Trace()))
        assert not gc.isenabled()
    assert gc.isenabled()
