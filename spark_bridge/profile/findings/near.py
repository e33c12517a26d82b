"""The records of local Parquet files that the findings look at: tasks choose them, and Spark brings them together.

Only what is chosen becomes texts and leaves a task; the number of a record is that of its row.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame

from spark_bridge.profile.behind import Longs
from spark_bridge.profile.findings.copies import mixed
from spark_bridge.profile.parquet import ParquetFeed, Reader
from spark_bridge.profile.parts import Piece

STRETCH: Final = 1024
"""So many records that follow one another are looked at or left out together."""

_SCHEMA: Final = "kind BIGINT, item BIGINT, ts BIGINT, at BIGINT, channel BIGINT, key STRING, value STRING"
_NEAR, _FAR, _CROWD = range(3)
_SPREAD: Final = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Near:
    """Chosen records, in order: ``items`` are their numbers in the stream, ``columns`` what ``Records`` has of them.

    ``keys``: the text of each number in the column of keys, by place. ``far``: numbers of ts, key and value of all
    records with some timestamps; None where so few timestamps are in use that some of them do not stand for all.
    """

    items: Longs
    columns: dict[str, Longs]
    keys: list[str]
    far: Longs | None


def near(feed: ParquetFeed, every: int, far: int) -> Near:
    """One of ``every`` stretches whole, and the largest timestamp of each of the others.

    ``far``: the timestamps for ``Near.far`` are one of so many; 0 for none. Every record has to be readable.
    """
    read = _chosen(feed, every, far).toArrow()
    kind = read.column("kind").to_numpy()
    table = read.filter(pa.array(kind == _NEAR)).sort_by("item")
    reader = feed.reader
    wanted = {"ts": True, "at": reader.at, "channel": reader.channel}
    columns = {name: table.column(name).to_numpy() for name, is_there in wanted.items() if is_there}
    keys: list[str] = []
    if reader.key is not None:
        columns["key"], keys = _coded(table.column("key"))
    if reader.value is not None:
        columns["value"], _ = _coded(table.column("value"))
    return Near(table.column("item").to_numpy(), columns, keys, None if not far else _identities(read, kind))


def _identities(read: pa.Table, kind: Longs) -> Longs | None:
    if (kind == _CROWD).any():
        return None
    table = read.filter(pa.array(kind == _FAR))
    found: NDArray[np.uint64] = table.column("ts").to_numpy().view(np.uint64)
    if len(np.unique(found)) < STRETCH:
        return None
    for name in ("key", "value"):
        found = mixed(mixed(found) ^ _coded(table.column(name))[0].view(np.uint64))
    return found.view(np.int64)


def _coded(column: pa.ChunkedArray) -> tuple[Longs, list[str]]:
    """A number for each text, and the texts by number; nothing at all is the empty text."""
    found = column.combine_chunks().fill_null("").dictionary_encode()
    return found.indices.to_numpy().astype(np.int64), found.dictionary.to_pylist()


def _chosen(feed: ParquetFeed, every: int, far: int) -> DataFrame:
    reader = feed.reader

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from _of_part(reader, number, every, far)

    return feed.ids().mapInArrow(run, _SCHEMA)


def _of_part(reader: Reader, number: int, every: int, far: int) -> Iterator[pa.RecordBatch]:
    names, start = (reader.key, reader.value), reader.parts[number][2]
    for table in reader.tables(number, *names):
        piece = reader.piece(number, table)
        texts = [None if name is None else table.column(name) for name in names]
        yield _taken(_NEAR, near_rows(piece.timestamps, start, every), start, piece, texts)
        if far:
            rows = np.flatnonzero(piece.timestamps.view(np.uint64) * _SPREAD < np.uint64(2**64 // far))
            is_crowd = len(rows) > STRETCH + 8 * len(table) // far
            yield _taken(_CROWD if is_crowd else _FAR, rows[:1] if is_crowd else rows, start, piece, texts)
        start += len(table)


def _taken(kind: int, rows: Longs, start: int, piece: Piece, texts: list[pa.ChunkedArray | None]) -> pa.RecordBatch:
    columns = [
        pa.array(np.full(len(rows), kind)),
        pa.array(rows + start),
        pa.array(piece.timestamps[rows]),
        pa.nulls(len(rows), pa.int64()) if piece.ats is None else pa.array(piece.ats[rows]),
        pa.array(piece.channels[rows].astype(np.int64)),
    ]
    for text in texts:
        own = pa.nulls(len(rows), pa.string())
        columns.append(own if text is None else text.take(pa.array(rows)).cast(pa.string()).combine_chunks())
    return pa.RecordBatch.from_arrays(columns, names=[each.split()[0] for each in _SCHEMA.split(", ")])


def near_rows(timestamps: Longs, start: int, every: int) -> Longs:
    """Which of some records in a row are looked at; the first one is number ``start``."""
    places = np.arange(0, len(timestamps), STRETCH)
    whole = mixed((places + start).astype(np.uint64)) % np.uint64(every) == 0
    chosen = np.repeat(whole, STRETCH)[: len(timestamps)]
    full = len(timestamps) // STRETCH
    highest = places[:full] + timestamps[: full * STRETCH].reshape(full, STRETCH).argmax(axis=1)
    chosen[highest] = True
    if full < len(places):
        chosen[places[full] + timestamps[places[full] :].argmax()] = True
    return np.flatnonzero(chosen)
