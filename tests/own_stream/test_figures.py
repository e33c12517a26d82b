"""The figures of a profile from parts in any order, beside plain loops, and beside what the simulator drops."""

import io
import json
from fractions import Fraction
from pathlib import Path
from random import Random
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import model
from tidemark.spark_bridge import stream_page
from tidemark.spark_bridge.commands import main
from tidemark.spark_bridge.files import opening
from tidemark.spark_bridge.files.request import Columns, Files
from tidemark.spark_bridge.profile.counts.counting import Counting
from tidemark.spark_bridge.profile.counts.figures import Figures, Reading, Wanted, Windows, bounds_of_a_curve, over
from tidemark.spark_bridge.watermarks.behind import UNSEEN, Maxima, Parts, Piece, summaries

from tests.examples import examples

# How far each record is behind, by the kernel and by the plain loop of the definition.

Records = list[tuple[int, int]]
"""(channel, timestamp) of each record, in order."""

RECORDS = st.lists(st.tuples(st.integers(0, 4), st.integers(-20, 20)), max_size=60)
MANY = st.lists(st.tuples(st.integers(0, 20), st.integers(-20, 20)), max_size=60)


def plain(records: Records, wanted: int) -> tuple[list[int], list[int], list[bool]]:
    """Word for word: how far each record is behind, the channel that held m (-1: undefined), whether all were there."""
    largest: dict[int, int] = {}
    behind, holders, whole = [], [], []
    everyone = {channel for channel, _ in records}
    for channel, ts in records:
        whole.append(set(largest) == everyone and len(largest) >= wanted)
        if largest and len(largest) >= wanted:
            m = min(largest.values())
            behind.append(max(0, m - ts))
            holders.append(min(each for each in largest if largest[each] == m))
        else:
            behind.append(0)
            holders.append(-1)
        largest[channel] = max(ts, largest.get(channel, ts))
    return behind, holders, whole


@settings(deadline=None)
@given(RECORDS | MANY, st.integers(1, 6), st.integers(1, 60))
def test_blocks_give_what_the_definition_says(records: Records, wanted: int, size: int) -> None:
    names = sorted({channel for channel, _ in records})
    maxima = Maxima(np.full(max(len(names), 1), UNSEEN), wanted)
    behind, whole, held = [], [], np.zeros(max(len(names), 1), np.int64)
    for start in range(0, len(records), size):
        part = records[start : start + size]
        channels = np.array([names.index(channel) for channel, _ in part], np.uint16)
        timestamps = np.array([ts for _, ts in part], np.int64)
        block = maxima.block(timestamps, channels)
        behind += block.behind(timestamps).tolist()
        whole += [place >= block.whole_from for place in range(len(part))]
        held += block.held
    by_loop, holders, everyone = plain(records, wanted)
    assert behind == by_loop
    assert whole == everyone
    assert held.tolist()[: len(names)] == [holders.count(place) for place in names]


@pytest.mark.parametrize("step", [1, 1_000])
def test_a_thousand_channels_share_one_block(step: int) -> None:
    """With a step of 1 s many channels have the same largest timestamp: the first of them holds the others back."""
    random = np.random.default_rng(7)
    channels = random.integers(0, 1_000, 5_000).astype(np.uint16)
    timestamps = np.arange(5_000) * 10 - random.integers(0, 5_000, 5_000)
    timestamps -= timestamps % step
    block = Maxima(np.full(1_000, UNSEEN)).block(timestamps, channels)
    behind, holders, _ = plain(list(zip(channels.tolist(), timestamps.tolist(), strict=True)), 1)
    assert block.behind(timestamps).tolist() == behind
    assert block.held.tolist() == [holders.count(channel) for channel in range(1_000)]


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


# ``python -m spark_bridge profile``: small files through Spark, beside plain loops over the same records.


def two_channels() -> tuple[Records, list[int]]:
    """Two channels, of which one is slow; arrivals 10 ms apart, two of them equal."""
    random = Random(5)
    channels = [random.choice((3, 8)) for _ in range(600)]
    ats = [place // 2 * 20 for place in range(600)]
    return [(c, at - random.randint(0, 300) - 40 * (c == 8)) for c, at in zip(channels, ats, strict=True)], ats


def csv(path: Path, records: Records, ats: list[int]) -> None:
    rows = [
        f"{ts},{at},k{place % 2},{channel}" for place, ((channel, ts), at) in enumerate(zip(records, ats, strict=True))
    ]
    path.write_text("\n".join(["ts,at,key,partition", *rows, ""]))


def profiled(*arguments: str) -> dict[str, Any]:
    out, err = io.StringIO(), io.StringIO()
    assert main(["profile", *arguments, "--json"], out, err) == 0, err.getvalue()
    found: dict[str, Any] = json.loads(out.getvalue())
    return found


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_every_moment_belongs_to_a_stage_that_the_page_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records, ats = two_channels()
    csv(tmp_path / "a.csv", records, ats)
    told: list[str] = []
    looked_at = opening.open_files

    def opened(*given: Any, **named: Any) -> Any:
        told.append("the files are looked at")
        return looked_at(*given, **named)

    monkeypatch.setattr(opening, "open_files", opened)
    stream_page.profile(
        Files((str(tmp_path / "a.csv"),), Columns("ts")),
        stream_page.profile_request({}),
        lambda stage, done, total: told.append(f"{stage} {done}/{total}"),
        Event(),
    )
    stages = [part for name in stream_page.STREAM_STAGES for part in (f"{name} 0/1", f"{name} 1/1")]
    stages.insert(stages.index("open 1/1"), "the files are looked at")
    assert list(dict.fromkeys(told)) == stages


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
def test_a_missing_key_is_the_empty_text_as_in_a_run(tmp_path: Path, name: str) -> None:
    rows = [{"ts": 0, "key": None}, {"ts": 10_000, "key": ""}, {"ts": 500, "key": ""}]
    if name == "a.jsonl":
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pq.write_table(pa.Table.from_pylist(rows), tmp_path / name)
    found = profiled(str(tmp_path / name), "--ts", "ts", "--key", "key", "--window", "1s", "--lateness", "1m")
    assert (found["keys"], found["windows"]["late_firings"]) == (1, 1)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_files_in_order_and_files_to_be_sorted_have_the_figures_of_a_plain_loop(tmp_path: Path) -> None:
    records, ats = two_channels()
    for name, places in (("a", range(300)), ("b", range(300, 600))):
        csv(tmp_path / f"{name}.csv", [records[place] for place in places], [ats[place] for place in places])
    columns = ("--ts", "ts", "--ts-unit", "ms", "--at", "at", "--key", "key", "--channel", "partition")
    windows = ("--bound", "100ms", "--lateness", "50ms", "--window", "1s")
    (tmp_path / "b.csv").rename(tmp_path / "0.csv")
    found = profiled(str(tmp_path), *columns, *windows)

    behind, holders, _ = plain(records, 1)
    assert (found["records"], found["unreadable"]) == (600, 0)
    assert found["keys"] == 2
    assert (found["first_ts"], found["last_ts"]) == (min(ts for _, ts in records), max(ts for _, ts in records))
    assert (found["first_at"], found["last_at"]) == (0, ats[-1])
    assert [each["channel"] for each in found["channels"]] == [3, 8]
    assert [each["holds_share"] for each in found["channels"]] == [holders.count(each) / 600 for each in (3, 8)]
    assert {each["bound"]: each["late"] for each in found["bounds"]}[100] == sum(each > 100 for each in behind)
    assert found["behind"]["max"] == max(behind)

    rows = run_rows(scenario_of([((3, 8).index(channel), ts) for channel, ts in records], 2, Windows(1000, 100, 50)))
    assert found["windows"]["dropped"] == sum(row["row"] == "dropped" for row in rows)
    assert found["windows"]["late_firings"] == sum(row.get("timing") == "late" for row in rows) > 0
    assert found["recommended"]["lateness_instead"] > 50

    # Parquet in order, in several row groups, is read without Spark.
    names = {"key": [f"k{place % 2}" for place in range(600)], "partition": [str(channel) for channel, _ in records]}
    times = {"ts": [ts for _, ts in records], "at": ats}
    table = pa.table({name: pa.array(column, pa.timestamp("ms", "UTC")) for name, column in times.items()} | names)
    pq.write_table(table, tmp_path / "all.parquet", row_group_size=170)
    columns = ("--ts", "ts", "--at", "at", "--key", "key", "--channel", "partition")
    typed = profiled(str(tmp_path / "all.parquet"), *columns, *windows)
    # The code reads another type.
    for one, of_text in ((typed, found), *zip(typed["findings"], found["findings"], strict=True)):
        assert one.pop("cure") != of_text.pop("cure")
    assert typed == found
