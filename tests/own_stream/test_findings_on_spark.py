"""The findings of files: the same as those of the records in memory, looked at as a whole or in part."""

from pathlib import Path
from threading import Event

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tidemark.spark_bridge.files.opening import own_stream
from tidemark.spark_bridge.files.request import Columns, Files
from tidemark.spark_bridge.profile.counts.counting import parts_of
from tidemark.spark_bridge.profile.counts.feed import feed_of, parquet_feed
from tidemark.spark_bridge.profile.findings.finding import Finding
from tidemark.spark_bridge.profile.findings.near import STRETCH, near_rows
from tidemark.spark_bridge.profile.findings.records import Expectations
from tidemark.spark_bridge.profile.judging import MOST, Ordered, findings_of
from tidemark.spark_bridge.spark.stages import Stages

from tests.own_stream.test_findings import calm, changed

pytestmark = [pytest.mark.spark, pytest.mark.usefixtures("spark")]

HOUR = 3_600_000


def found(path: Path, most: int = MOST, *, by_tasks: bool = False, **columns: str) -> list[Finding]:
    files = Files((str(path),), Columns(**columns))
    with own_stream(files, Stages(None, Event())) as stream:
        feed = parquet_feed(stream, 2) if by_tasks else feed_of(stream)
        assert feed is not None
        ordered = Ordered(stream, feed, parts_of(feed, len(stream.channels)))
        return findings_of(ordered, Expectations(bound=5000), most=most)


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
    for by_tasks in (False, True):
        assert found(tmp_path, most=15_000, by_tasks=by_tasks, **columns) == [finding]


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


def test_copies_and_a_small_bound_are_counted_by_spark(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    ts = 1_780_000_000_000 + np.arange(40_000) * 100 - rng.exponential(2_000, 40_000).astype(np.int64)
    key = np.char.add("k", rng.integers(0, 900, 40_000).astype(str))
    places = np.sort(np.concatenate([np.arange(40_000), np.flatnonzero(np.arange(40_000) % 37 == 5)]))
    pq.write_table(pa.table({"ts": ts[places], "key": key[places]}), tmp_path / "a.parquet", row_group_size=10_000)
    columns = {"ts": "ts", "ts_unit": "ms", "key": "key"}
    exact = found(tmp_path, by_tasks=True, **columns)
    copies = {each.code: each.records for each in exact}["duplicates"]
    assert copies == len(places) - 40_000
    for by_tasks in (False, True):
        thinned = found(tmp_path, most=15_000, by_tasks=by_tasks, **columns)
        assert [(each.code, each.where) for each in thinned] == [(each.code, each.where) for each in exact]
        assert {each.code: each.records for each in thinned}["duplicates"] == copies
