"""A record that is moved or typed to a place is found there: in the text, in the run and in the picture."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.values.items import Advance, End, Record
from tidemark.simulator.explore.runs import run_of
from tidemark.ui.author.draft import Draft, draft_of
from tidemark.ui.author.edits import by_arrival, edited

from tests.examples import examples

HEAD = """scenario: 1
name: places
inputs: {events: {channels: 2, watermark: {generator: bounded-out-of-orderness, bound: 2s}}}
operator: {type: window, assigner: {type: session, gap: 3s}, function: {call: aggregate, compute: sum}}
stream:
"""
END = 40_000

ARRIVALS = st.lists(st.integers(0, END).map(lambda ms: ms - ms % 500), min_size=2, max_size=8).map(sorted)


def draft(arrivals: list[int]) -> Draft:
    """Records ``a``, ``b``, … that arrive then, and the end of input after them."""
    lines = [
        f"  - {{ts: {at}ms, key: {'abcdefgh'[number]}, value: {number}, at: {at}ms, channel: {number % 2}}}\n"
        for number, at in enumerate(arrivals)
    ]
    return draft_of("".join([HEAD, *lines, f"  - {{end: true, at: {END}ms}}\n"]))


def found(moved: Draft, key: str) -> tuple[int, dict[str, Any]]:
    """The index of the record of ``key`` in the stream, and the record as the picture shows it at the end."""
    assert moved.scenario is not None
    stream = moved.scenario.stream
    assert isinstance(stream, tuple)
    item = next(number for number, each in enumerate(stream) if isinstance(each, Record) and each.key == key)
    facts = run_of(moved.scenario).facts
    assert facts.arrival_axis == "at"
    return item, [row for row in facts.by_name()["records"] if row["item"] == item][-1]


def in_order(moved: Draft) -> bool:
    assert moved.scenario is not None
    stream = moved.scenario.stream
    assert isinstance(stream, tuple)
    at = [item.at for item in stream if isinstance(item, Record) and item.at is not None]
    return at == sorted(at) and isinstance(stream[-1], End)


@settings(max_examples=examples(120), deadline=None)
@given(ARRIVALS, st.integers(0, 7), st.integers(0, END + 5_000), st.integers(0, END))
def test_a_dragged_record_lands_where_it_was_held(arrivals: list[int], number: int, at: int, ts: int) -> None:
    number %= len(arrivals)
    moved, chosen = edited(draft(arrivals), {"kind": "place", "item": number, "at": at, "ts": ts})
    item, record = found(moved, "abcdefgh"[number])
    assert (record["arrival"], record["ts"], item) == (at, ts, chosen)
    assert in_order(moved)


@settings(max_examples=examples(120), deadline=None)
@given(ARRIVALS, st.integers(0, 7), st.integers(0, END + 5_000))
def test_a_record_whose_arrival_was_typed_is_sorted_to_where_it_belongs(
    arrivals: list[int], number: int, at: int
) -> None:
    number %= len(arrivals)
    moved, chosen = edited(draft(arrivals), {"kind": "cell", "item": number, "column": "at", "typed": f"{at}ms"})
    item, record = found(moved, "abcdefgh"[number])
    assert (record["arrival"], item) == (at, chosen)
    assert in_order(moved)


@pytest.mark.parametrize("to", [-3, 1, 7, 10_000])
def test_a_record_moved_by_items_stays_before_the_end_of_input(to: int) -> None:
    text = "".join(
        [HEAD, *(f"  - {{ts: {n}s, key: {key}, value: 1}}\n" for n, key in enumerate("abc")), "  - {end: true}\n"]
    )
    moved, chosen = edited(draft_of(text), {"kind": "place", "item": 0, "to": to})
    assert chosen == min(max(to, 0), 2)
    assert moved.text.rstrip().endswith("- {end: true}")


def test_an_item_without_an_arrival_stays_with_the_one_before_it() -> None:
    items = (Record("a", 0, at=0), Record("b", 0, at=5), Advance(1), Record("c", 0, at=9), End())
    assert by_arrival(items, 0, 6) == 2
    assert by_arrival(items, 3, 6) == 3
    assert by_arrival(items, 3, 2) == 1
    assert by_arrival(items, 0, 99) == 3


def test_freezing_the_run_keeps_the_goals_that_count_events() -> None:
    text = draft([1_000, 2_000]).text + "goals: [{rows: pane, count: 9}, {event: ChannelIdle, at_least: 0}]\n"
    frozen, _ = edited(draft_of(text), {"kind": "freeze"})
    assert frozen.scenario is not None
    assert [(goal.rows, goal.event, goal.count) for goal in frozen.scenario.goals] == [
        ("pane", None, 2),
        (None, "ChannelIdle", None),
    ]
