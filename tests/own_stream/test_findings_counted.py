"""A long stream: the causes are found in a part of it, and their numbers are those of the whole."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from tidemark.spark_bridge.profile.counts.feed import ParquetFeed, Reader, Time
from tidemark.spark_bridge.profile.findings.finding import Cause
from tidemark.spark_bridge.profile.findings.judge import causes
from tidemark.spark_bridge.profile.findings.records import Expectations, Records
from tidemark.spark_bridge.profile.findings.recount import first_late
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
