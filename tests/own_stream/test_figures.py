"""The figures of a profile from parts in any order, beside plain loops, and beside what the simulator drops."""

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import model
from tidemark.spark_bridge.profile.counts.counting import Counting
from tidemark.spark_bridge.profile.counts.figures import Figures, Reading, Wanted, Windows, bounds_of_a_curve, over
from tidemark.spark_bridge.watermarks.behind import UNSEEN, Maxima, Parts, Piece, summaries

from tests.examples import examples
from tests.own_stream.test_behind import RECORDS, Records, plain


def figures_of(
    records: Records,
    size: int,
    channels: int,
    *,
    wanted: int = 1,
    windows: Windows | None = None,
    target: Fraction = Fraction(1, 10),
    bounds: tuple[int, ...] = (),
    ats: list[int] | None = None,
) -> Figures:
    """The figures, from parts of ``size`` records of which each comes in two pieces; each part is a task of its own."""
    pieces = []
    for start in range(0, len(records), size):
        for places in np.array_split(np.arange(start, min(start + size, len(records))), 2):
            if len(places):
                part = [records[place] for place in places]
                columns = [np.array(each) for each in zip(*part, strict=True)]
                arrived = None if ats is None else np.array([ats[place] for place in places])
                pieces.append(Piece((0, 0, start), columns[1], columns[0].astype(np.uint16), arrived))
    tasks = [
        [piece for piece in pieces if piece.part == name] for name in dict.fromkeys(piece.part for piece in pieces)
    ]
    parts = Parts.of((each for task in reversed(tasks) for each in summaries(task, channels)), channels)
    counting = Counting(parts.before, channels, wanted, windows)
    batches = [batch for task in tasks for batch in counting.rows(task)]
    rows = [row for batch in batches for row in zip(*(column.tolist() for column in batch), strict=True)]
    totals: dict[tuple[int, int, int], int] = {}
    for figure, slot, value, number in rows:
        totals[figure, value, slot] = totals.get((figure, value, slot), 0) + number
    reading = Reading(Wanted(parts.records, bounds, target, windows))
    in_order = [(figure, slot, value, number) for (figure, value, slot), number in sorted(totals.items())]
    for start in range(0, len(in_order), 3):
        reading.add(*(np.array(column) for column in zip(*in_order[start : start + 3], strict=True)))
    return reading.figures()


def quantile(values: list[int], share: Fraction) -> int:
    """The smallest value with at least ``share`` of all values at or below it."""
    return min((each for each in values if sum(v <= each for v in values) >= share * len(values)), default=0)


@settings(max_examples=examples(50), deadline=None)
@given(RECORDS, st.integers(1, 6), st.integers(1, 60), st.fractions(0, 1, max_denominator=20))
def test_quantiles_and_late_records_are_those_of_all_values(
    records: Records, wanted: int, size: int, target: Fraction
) -> None:
    names = sorted({channel for channel, _ in records})
    known = [(names.index(channel), ts) for channel, ts in records]
    figures = figures_of(known, size, max(len(names), 1), wanted=wanted, target=target, bounds=(3, 17))
    behind, holders, _ = plain(known, wanted)
    spreads = [(behind, figures.behind)]
    for number, spread in enumerate(figures.channels):
        spreads.append(([b for b, (channel, _) in zip(behind, known, strict=True) if channel == number], spread))
    for values, spread in spreads:
        shares = [quantile(values, Fraction(share)) for share in ("0.5", "0.9", "0.99", "0.999")]
        assert [spread.p50, spread.p90, spread.p99, spread.p999, spread.longest] == [*shares, max(values, default=0)]
    assert dict(figures.late) == {bound: sum(each > bound for each in behind) for bound, _ in figures.late}
    assert {0, 3, 17} <= dict(figures.late).keys()
    allowed = [b for b in range(50) if sum(each > b for each in behind) <= target * len(behind)]
    assert figures.recommended == allowed[0]
    assert list(figures.held)[: len(names)] == [holders.count(channel) for channel in range(len(names))]


def stream(seed: int) -> Records:
    """A full stream: the short ones that Hypothesis prefers seldom have a record at the very edge of a window."""
    random = Random(seed)
    channels = random.randint(1, 3)
    records = [(random.randrange(channels), place + random.randint(-12, 12)) for place in range(random.randint(1, 50))]
    names = sorted({channel for channel, _ in records})
    return [(names.index(channel), ts) for channel, ts in records]


STREAMS = st.integers(0, 10**9).map(stream)
WINDOWS = st.builds(Windows, st.integers(1, 9), st.integers(0, 9), st.integers(0, 9))


@settings(max_examples=examples(25), deadline=None)
@given(STREAMS, st.integers(1, 60), WINDOWS, st.fractions(0, 1, max_denominator=20))
def test_windows_lose_what_the_simulator_drops(records: Records, size: int, windows: Windows, target: Fraction) -> None:
    channels = len({channel for channel, _ in records})
    found = figures_of(records, size, channels, windows=windows, target=target).windows
    assert found is not None
    rows = run_rows(scenario_of(records, channels, windows))
    assert found.dropped == sum(row["row"] == "dropped" for row in rows)
    instead, allowed = found.lateness_instead, target * len(records)
    assert dropped(records, channels, windows, instead) <= allowed
    assert not instead or dropped(records, channels, windows, instead - 1) > allowed


def dropped(records: Records, channels: int, windows: Windows, lateness: int) -> int:
    rows = run_rows(scenario_of(records, channels, Windows(windows.size, windows.bound, lateness)))
    return sum(row["row"] == "dropped" for row in rows)


@pytest.mark.parametrize("bound", [0, 3])
@pytest.mark.parametrize("ts", [0, 4, 9])
def test_a_window_is_over_when_a_record_has_brought_its_end_and_the_bound(ts: int, bound: int) -> None:
    windows = Windows(10, bound)
    for first in range(8, 18):
        timestamps, channels = np.array([first, ts]), np.zeros(2, np.uint16)
        block = Maxima(np.full(1, UNSEEN)).block(timestamps, channels)
        found = over(windows, block, timestamps, block.behind(timestamps))
        assert dict(zip(found.places.tolist(), found.excess.tolist(), strict=True)) == (
            {1: first - 10 - bound + 1} if first >= 10 + bound else {}
        )


@settings(max_examples=examples(25), deadline=None)
@given(STREAMS, st.integers(1, 60), WINDOWS, st.booleans())
def test_a_window_waits_from_its_end_to_its_firing(
    records: Records, size: int, windows: Windows, has_arrivals: bool
) -> None:
    channels = len({channel for channel, _ in records})
    ats = [7 * place for place in range(len(records))] if has_arrivals else None
    found = figures_of(records, size, channels, windows=windows, ats=ats).windows
    assert found is not None
    rows: list[dict[str, Any]] = [dict(row) for row in run_rows(scenario_of(records, channels, windows))]
    steps = [(row["ts"], row["item"]) for row in rows if row["row"] == "watermark"]
    latest = [max(ts for _, ts in records[: place + 1]) for place in range(len(records))]
    waited = {}
    for row in rows:
        # A window of one key that a late record opens fires at once: the watermark has not fired it.
        if row["row"] == "pane" and row["timing"] == "on-time":
            reached = next(item for ts, item in steps if ts >= row["end"] - 1)
            if row["item"] == reached:
                waited[row["end"]] = (latest if ats is None else ats)[reached] - row["end"]
    values = list(waited.values())
    assert found.wait == ((quantile(values, Fraction(1, 2)), quantile(values, Fraction(99, 100))) if values else None)


def scenario_of(records: Records, channels: int, windows: Windows) -> model.Scenario:
    """The same stream as a scenario, with two keys in turns."""
    items = tuple(
        Record(key=f"key-{place % 2}", ts=ts, value=1, channel=channel, at=place)
        for place, (channel, ts) in enumerate(records)
    )
    operator = model.Window(
        model.Tumbling(windows.size),
        model.EventTimeTrigger(),
        model.Function("aggregate", "sum"),
        allowed_lateness=windows.lateness,
    )
    inputs = (model.InputSpec("events", channels, model.BoundedOutOfOrderness(windows.bound)),)
    return model.Scenario("own", operator, items, inputs)


@pytest.mark.parametrize(("asked", "longest"), [((), 0), ((), 1), ((7, 90_000), 1_234), ((), 10**12)])
def test_the_curve_rises_from_0_past_the_longest_delay(asked: tuple[int, ...], longest: int) -> None:
    curve = bounds_of_a_curve(asked, longest)
    assert curve == sorted(set(curve))
    assert {0, *asked} <= set(curve)
    assert curve[-1] >= longest
    assert len(curve) < 150
