"""A long stream: the causes are found in a part of it, and their numbers are those of the whole."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario import parse
from tidemark.spark_bridge import stream_page
from tidemark.spark_bridge.commands import main
from tidemark.spark_bridge.files.opening import files_as_stream
from tidemark.spark_bridge.files.request import Columns, Files
from tidemark.spark_bridge.profile.counts.counting import parts_of
from tidemark.spark_bridge.profile.counts.feed import ParquetFeed, Reader, Time, feed_of, parquet_feed
from tidemark.spark_bridge.profile.findings.finding import Cause, Finding
from tidemark.spark_bridge.profile.findings.judge import causes
from tidemark.spark_bridge.profile.findings.near import STRETCH, near_rows
from tidemark.spark_bridge.profile.findings.records import Expectations, Records
from tidemark.spark_bridge.profile.findings.recount import first_late
from tidemark.spark_bridge.profile.judging import MOST, Ordered, findings_of
from tidemark.spark_bridge.spark.stages import Stages
from tidemark.spark_bridge.watermarks.behind import Parts, summaries

from tests.own_stream.in_memory import counted
from tests.own_stream.test_findings import MINUTE, calm, changed
from tests.own_stream.trial import records_of
from tests.own_stream.troubles import healthy

Make = Callable[[Records], Records]
N = 40_000
HOUR = 60 * MINUTE


def again(records: Records, twice: np.ndarray, after: int) -> Records:
    """The records with some of them sent again, so much later."""
    assert records.at is not None
    at = np.concatenate([records.at, records.at[twice] + after])
    order = np.argsort(at, kind="stable")
    columns = {
        name: np.concatenate([own, own[twice]])[order]
        for name in ("ts", "channel", "key", "value")
        if (own := getattr(records, name)) is not None
    }
    return Records(np.arange(len(order)), at=at[order], **columns)


def backlog(records: Records) -> Records:
    assert records.at is not None
    late = (records.channel == 0) & (records.item > 12_000) & (records.item < 27_000)
    back = records.at[27_000] + np.arange(len(records)) // 50
    at = np.where(late, back, records.at)
    order = np.argsort(at, kind="stable")
    columns = {name: getattr(records, name)[order] for name in ("ts", "channel", "key", "value")}
    return Records(records.item, at=at[order], **columns)


def scaled(records: Records, by: int) -> Records:
    return replace(records, ts=records.ts * by)


def later(records: Records, by: int) -> Records:
    return replace(records, ts=records.ts + by)


def without(records: Records, gone: np.ndarray) -> Records:
    return replace(records.where(~gone), item=np.arange(int((~gone).sum())))


CASES: dict[str, tuple[Make, Expectations]] = {
    "half in seconds": (lambda r: replace(r, ts=np.where(r.key == 3, r.ts // 1000, r.ts)), Expectations()),
    "all in seconds": (lambda r: replace(r, ts=r.ts // 1000), Expectations()),
    "no timestamps": (lambda r: replace(r, ts=np.where(r.item % 5 > 0, 0, r.ts)), Expectations()),
    "unreadable": (lambda r: replace(r, unreadable=90_000), Expectations()),
    "a channel an hour behind": (lambda r: changed(r, r.channel == 2, -HOUR), Expectations(bound=5000)),
    "a channel an hour ahead": (lambda r: changed(r, r.channel == 2, HOUR), Expectations(bound=5000)),
    "since record 9,000": (lambda r: changed(r, (r.channel == 1) & (r.item > 8999), -2 * HOUR), Expectations()),
    "everybody an hour ahead": (lambda r: changed(r, r.item >= 0, HOUR), Expectations()),
    "all in microseconds, and the future": (
        lambda r: scaled(changed(r, np.isin(r.item, [9_876, 23_456]), 5 * HOUR), 1000),
        Expectations(bound=5000),
    ),
    "all in microseconds, and a channel stops": (
        lambda r: scaled(without(r, (r.channel == 0) & (r.item > 25_000)), 1000),
        Expectations(bound=5000),
    ),
    "all two hours behind, and sent again": (
        lambda r: later(again(r, (r.item > 5_000) & (r.item < 9_000), 20 * MINUTE), -2 * HOUR),
        Expectations(),
    ),
    "all two hours ahead, and a small bound": (
        lambda r: later(replace(r, channel=None), 2 * HOUR),
        Expectations(bound=300),
    ),
    "an hour ahead for a while, and a channel stops": (
        lambda r: without(changed(r, r.item < 20_000, HOUR), (r.channel == 0) & (r.item > 35_000)),
        Expectations(bound=5000),
    ),
    "a key seven minutes ahead": (lambda r: changed(r, r.key == 4, 7 * MINUTE), Expectations(bound=5000)),
    "two clocks": (
        lambda r: changed(changed(r, r.key == 4, 7 * MINUTE), r.channel == 1, -HOUR),
        Expectations(bound=5000),
    ),
    "keys an hour ahead": (lambda r: changed(r, np.isin(r.key, (2, 4, 5)), HOUR), Expectations(bound=5000)),
    "keys an hour behind, some later": (
        lambda r: changed(r, (r.key == 2) | ((r.key == 5) & (r.item > 20_000)), -HOUR),
        Expectations(bound=5000),
    ),
    "channels in two zones, and keys": (
        lambda r: changed(changed(r, r.channel == 1, -HOUR), np.isin(r.key, (1, 3)), 7 * MINUTE),
        Expectations(bound=5000),
    ),
    "keys in two units": (
        lambda r: replace(
            r, ts=np.where(np.isin(r.key, (1, 2)), r.ts // 1000, np.where(r.key == 5, r.ts * 1000, r.ts))
        ),
        Expectations(),
    ),
    "two channels stop": (
        lambda r: without(replace(r, channel=r.item % 5), np.isin(r.item % 5, (1, 3)) & (r.item > 25_000)),
        Expectations(bound=5000),
    ),
    "two channels pause": (
        lambda r: without(
            replace(r, channel=r.item % 5), np.isin(r.item % 5, (0, 4)) & (r.item > 9_000) & (r.item < 19_000)
        ),
        Expectations(bound=5000),
    ),
    "the future": (lambda r: changed(r, np.isin(r.item, [9_876, 23_456]), 5 * HOUR), Expectations(bound=5000)),
    "one of four channels": (lambda r: r, Expectations(channels=4)),
    "a channel stops": (lambda r: without(r, (r.channel == 0) & (r.item > 25_000)), Expectations(bound=5000)),
    "a channel pauses": (
        lambda r: without(r, (r.channel == 0) & (r.item > 9_000) & (r.item < 19_000)),
        Expectations(bound=5000),
    ),
    "sent again": (lambda r: again(r, (r.item > 5_000) & (r.item < 9_000), 3 * HOUR), Expectations(bound=5000)),
    "a backlog": (backlog, Expectations(bound=5000)),
    "twice": (lambda r: again(r, r.item % 37 == 0, 0), Expectations(bound=5000)),
    "twice, far away": (lambda r: again(r, r.item % 37 == 0, HOUR // 9 + 5), Expectations()),
    "a small bound": (lambda r: replace(r, channel=None), Expectations(bound=300)),
}

WITHOUT_ARRIVALS = (
    "a channel an hour behind", "since record 9,000", "a key seven minutes ahead", "the future", "a channel stops",
    "twice", "a small bound",
)  # fmt: skip


def told(found: list[Cause]) -> list[object]:
    """What is exact: codes, places and counts. Durations follow from what was looked at, but for a second."""
    estimated = {"by", "silent", "constant", "needed"}
    return [
        (
            each.code,
            each.sort,
            each.records,
            each.where.called(sorted(each.where.names) or [None]),
            {n: v for n, v in each.numbers.items() if n not in estimated},
        )
        for each in found
    ]


@pytest.mark.parametrize("name", CASES)
def test_the_numbers_are_those_of_the_whole_stream(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidemark.spark_bridge.profile.findings.whole.figures_of", needed)
    make, asked = CASES[name]
    records = make(calm(N))
    exact = causes(records, asked)
    assert exact, "there is a cause"
    assert told(counted(records, asked, 4)) == told(exact)
    if name in WITHOUT_ARRIVALS:
        records = replace(records, at=None)
        assert told(counted(records, asked, 4)) == told(causes(records, asked))


def test_what_the_figures_know_of_a_small_bound_is_not_counted_again() -> None:
    records = replace(calm(N), channel=None)
    (exact,) = causes(records, Expectations(bound=300))
    known = exact.records, exact.numbers["needed"]
    assert counted(records, Expectations(bound=300), 4, known) == [exact]
    assert counted(records, Expectations(bound=300), 4, (5, 300)) == []


def test_the_first_late_record_of_files_is_found_without_spark(tmp_path: Path) -> None:
    records = replace(calm(N), channel=None)
    pq.write_table(pa.table({"ts": records.ts}), tmp_path / "a.parquet", row_group_size=9_000)
    rows = tuple((0, group, 9_000 * group) for group in range(5))
    reader = Reader((str(tmp_path / "a.parquet"),), rows, Time("ts", "ms"), None, None, None, None, ("0",))
    feed = ParquetFeed(cast("SparkSession", None), reader, 1)
    parts = Parts.of(summaries(feed.pieces(), 1), 1)
    found = first_late(feed, parts, 700, 1)
    assert found.first is not None
    assert found.first.item == int(np.argmax(records.behind() > 700)) > 0


def test_a_healthy_stream_has_no_causes_either_way() -> None:
    for number in range(8):
        stream = healthy(np.random.default_rng([81, number]), 30_000)
        records = records_of(stream)
        assert counted(records, Expectations(stream.bound, stream.channels), 3) == [], stream.name


def needed(*_: object) -> object:
    """Stands in for the figures of a pass by Spark."""

    class Figures:
        recommended = 1

    return Figures()


# The findings of files: the same as those of the records in memory, looked at as a whole or in part.


def found(path: Path, most: int = MOST, *, by_tasks: bool = False, **columns: str) -> list[Finding]:
    files = Files((str(path),), Columns(**columns))
    with files_as_stream(files, Stages(None, Event())) as stream:
        feed = parquet_feed(stream, 2) if by_tasks else feed_of(stream)
        assert feed is not None
        ordered = Ordered(stream, feed, parts_of(feed, len(stream.channels)))
        return findings_of(ordered, Expectations(bound=5000), most=most)


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_findings_of_a_file_whole_and_thinned_out(tmp_path: Path) -> None:
    records = calm(40_000)
    wrong = (records.channel == 1) & (records.item > 9999)
    records = changed(records, wrong, -2 * HOUR)
    table = {name: getattr(records, name) for name in ("ts", "at", "key", "value")}
    table["channel"] = pa.array([f"phone {number}" for number in records.channel.tolist()])  # type: ignore[union-attr]
    pq.write_table(pa.table(table), tmp_path / "a.parquet", row_group_size=10_000)
    columns = {"ts": "ts", "ts_unit": "ms", "at": "at", "key": "key", "value": "value", "channel": "channel"}

    (finding,) = found(tmp_path, **columns)
    assert (finding.code, finding.records) == ("zone-offset", np.count_nonzero(wrong))
    first, last = (int(records.item[np.flatnonzero(wrong)[place]]) for place in (0, -1))
    assert finding.where == {"channel": "phone 1", "at": int(records.at[first]), "from": first, "to": last}  # type: ignore[index]

    assert found(tmp_path, by_tasks=True, **columns) == [finding]
    assert found(tmp_path, most=15_000, **columns) == [finding]


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_tasks_look_at_whole_stretches_and_at_the_largest_timestamp_of_the_others() -> None:
    timestamps = np.random.default_rng(7).integers(0, 10**6, 10_500)
    rows = near_rows(timestamps, (0, 0, 0), 4096, 4)
    stretches = np.split(np.arange(10_500), range(STRETCH, 10_500, STRETCH))
    whole = [stretch for stretch in stretches if np.isin(stretch, rows).all()]
    assert 0 < len(whole) < len(stretches)
    for stretch in stretches:
        taken = np.intersect1d(stretch, rows)
        assert len(taken) in (1, len(stretch))
        assert timestamps[taken].max() == timestamps[stretch].max()
    assert near_rows(timestamps, (0, 0, 0), 4096, 1).tolist() == list(range(10_500))


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_the_one_timestamp_of_the_future_is_found_in_a_stream_that_is_thinned_out(tmp_path: Path) -> None:
    records = calm(40_000, channels=1)
    records = changed(records, records.item == 23_456, 5 * HOUR)
    assert records.key is not None
    rows = [f"{ts},k{key}" for ts, key in zip(records.ts.tolist(), records.key.tolist(), strict=True)]
    text = "\n".join(["ts,key", *rows])
    (tmp_path / "a.csv").write_text(text + "\n", encoding="utf-8")
    (finding,) = found(tmp_path / "a.csv", most=8_000, ts="ts", key="key")
    assert (finding.code, finding.where["from"]) == ("future-timestamps", 23_456)
    assert finding.where["at"] == records.ts[23_456]


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_copies_and_a_small_bound_are_counted_by_spark(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    ts = 1_780_000_000_000 + np.arange(40_000) * 100 - rng.exponential(2_000, 40_000).astype(np.int64)
    key = np.char.add("k", rng.integers(0, 900, 40_000).astype(str))
    places = np.sort(np.concatenate([np.arange(40_000), np.flatnonzero(np.arange(40_000) % 37 == 5)]))
    pq.write_table(pa.table({"ts": ts[places], "key": key[places]}), tmp_path / "a.parquet", row_group_size=10_000)
    columns = {"ts": "ts", "ts_unit": "ms", "key": "key"}
    exact = found(tmp_path, **columns)
    copies = {each.code: each.records for each in exact}["duplicates"]
    assert copies == len(places) - 40_000
    for by_tasks in (False, True):
        thinned = found(tmp_path, most=15_000, by_tasks=by_tasks, **columns)
        assert [(each.code, each.where) for each in thinned] == [(each.code, each.where) for each in exact]
        assert {each.code: each.records for each in thinned}["duplicates"] == copies


# Several findings of one code: each is shown by records of its own, on the page and on the command line.


def quiet(*_: Any) -> None:
    """Progress that nobody watches."""


@pytest.mark.spark
@pytest.mark.usefixtures("spark")
def test_each_of_two_wrong_zones_is_shown_by_its_own_records(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random = np.random.default_rng(5)
    at = 10**12 + np.sort(random.integers(0, HOUR, 3000))
    sources = {"north": 0, "south": 0, "west": 8 * HOUR, "east": -90 * 60_000}
    rows = [
        f"{when - int(random.exponential(300)) + sources[source]},{when},k{random.integers(5)},{source}"
        for when, source in zip(at.tolist(), random.choice(list(sources), len(at)).tolist(), strict=True)
    ]
    file = tmp_path / "day.csv"
    file.write_text("\n".join(["time,arrival,key,source", *rows]) + "\n")
    columns = {"ts": "time", "at": "arrival", "key": "key", "channel": "source"}
    files = Files((str(file),), Columns(**columns))
    zones = [each for each in found(file, **columns) if each.code == "zone-offset"]
    assert {each.where["channel"] for each in zones} == {"west", "east"}

    request = stream_page.profile_request({"bounds": (2000,)})
    shown = stream_page.cut(files, zones[1], request, quiet, Event())
    stream = parse(shown).stream
    assert isinstance(stream, tuple)
    cut = {each.ts for each in stream if isinstance(each, Record)}
    of_zones = ({int(row.split(",")[0]) for row in rows if row.endswith(str(each.where["channel"]))} for each in zones)
    assert [bool(cut & own) for own in of_zones] == [False, True]

    options = [part for role, name in columns.items() for part in (f"--{role}", name)]
    asked = ["cut", str(file), *options, "--bound", "2s", "--around"]
    assert main([*asked, "finding:zone-offset:2"]) == 0
    assert capsys.readouterr().out == shown.replace('"cut-zone-offset"', '"cut-zone-offset-2"')
