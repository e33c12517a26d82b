"""The channels of Parquet files as the files tell them, and where Spark has to look instead."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from tidemark.spark_bridge.files.opening import channels_of
from tidemark.spark_bridge.files.request import Columns, Files, FilesError, find

COLUMNS = Columns(ts="ts", channel="channel")


def said(path: Path, columns: Columns = COLUMNS, most: int = 100) -> set[str] | None:
    return channels_of(find(Files((str(path),))), columns, most)


def write(path: Path, **columns: Any) -> None:
    pq.write_table(pa.table(columns), path, row_group_size=3)


def test_the_channels_of_all_files_and_row_groups(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", ts=[1, 2, 3, 4, 5], channel=["b", None, "b", "a", "10"])
    write(tmp_path / "b.parquet", ts=[1], channel=["c"])
    assert said(tmp_path) == {"10", "a", "b", "c", ""}
    write(tmp_path / "b.parquet", ts=[1, 2, 3, 4], channel=[7, None, -1, 7])
    assert said(tmp_path / "b.parquet") == {"7", "", "-1"}
    assert len(said(tmp_path, most=1) or ()) > 1


def test_numbers_are_read_until_all_that_the_file_speaks_of_have_been_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    unique = pc.unique
    monkeypatch.setattr(pc, "unique", lambda values: read.append(len(values)) or unique(values))
    whole = pa.array([4, 5, 6, *[4] * 300_000])
    pq.write_table(pa.table({"ts": range(len(whole)), "channel": whole}), tmp_path / "a.parquet")
    assert said(tmp_path) == {"4", "5", "6"}
    assert sum(read) < len(whole) / 2
    with_gap = pa.array([4, *[6] * 300_000, 7, None])
    pq.write_table(pa.table({"ts": range(len(with_gap)), "channel": with_gap}), tmp_path / "a.parquet")
    assert said(tmp_path) == {"4", "6", "7", ""}
    last_without = pa.array([4] * 300_000 + [None])
    pq.write_table(pa.table({"ts": range(len(last_without)), "channel": last_without}), tmp_path / "a.parquet")
    assert said(tmp_path) == {"4", ""}


@pytest.mark.parametrize(
    "columns",
    [
        {"ts": [1, None], "channel": [1, 2]},
        {"ts": [1, 2**60], "channel": [1, 2]},
        {"ts": [1, -(2**60)], "channel": [1, 2]},
        {"ts": ["1", "2"], "channel": [1, 2]},
        {"ts": [1, 2], "channel": [1.0, 2.0]},
        {"ts": [1, 2], "at": [None, 2], "channel": [1, 2]},
    ],
)
def test_where_a_record_may_be_unreadable_or_a_channel_has_several_texts_spark_looks(
    tmp_path: Path, columns: dict[str, list[Any]]
) -> None:
    write(tmp_path / "a.parquet", **columns)
    assert (
        said(tmp_path / "a.parquet", Columns(ts="ts", at="at" if "at" in columns else None, channel="channel")) is None
    )


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"ts": range(9000), "channel": range(9000)}), path, compression="gzip")
    content = bytearray(path.read_bytes())
    start = pq.read_metadata(path).row_group(0).column(1).data_page_offset
    content[start : start + 2000] = b"\xff" * 2000
    path.write_bytes(content)
    with pytest.raises(FilesError, match=r"a\.parquet"):
        said(path, most=10_000)
