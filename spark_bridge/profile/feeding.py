"""The records of a stream as pieces for tasks, part by part: read by Spark, whatever they are in."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.files.stream import OwnStream
from tidemark.spark_bridge.profile.behind import Longs
from tidemark.spark_bridge.profile.parts import Name, Piece

PIECE: Final = 1 << 18
"""About so many records make a piece."""

SORTED: Final = 2_000_000
"""About so many records are sorted by one task."""

_IN_PARTITION: Final = (1 << 33) - 1
"""The bits of Spark's own numbers that count within a partition."""

Task = Callable[[Iterator[Piece]], Iterator[tuple[Any, ...]]]
"""What is done with the pieces of a task: makes columns of one length."""


class Feed(Protocol):
    """Where the records come from. ``work`` runs in tasks, each of which has all of any part that it has a piece of."""

    def mapped(self, work: Task, schema: dict[str, str], *, keys: bool = False, values: bool = False) -> DataFrame:
        """What ``work`` makes of all parts; its pieces have ``keys`` and ``values`` only if they are asked for."""


@dataclass(frozen=True, slots=True)
class SparkFeed:
    """Parts as Spark itself cuts the files. ``table`` has ``file``, ``block``, ``row``, ``ts``, ``channel``, ``at``,
    ``key``, ``value``.
    """

    table: DataFrame
    has_arrivals: bool

    def mapped(self, work: Task, schema: dict[str, str], *, keys: bool = False, values: bool = False) -> DataFrame:
        """What ``work`` makes of all parts; its pieces have ``keys`` and ``values`` only if they are asked for."""
        wanted = {"at": self.has_arrivals, "key": keys, "value": values}
        more = [name for name, is_wanted in wanted.items() if is_wanted]
        names = ["file", "block", "row", "ts", "channel", *more]

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for columns in work(_pieces(batches)):
                yield batch_of(columns, schema)

        return self.table.select(*names).mapInArrow(run, ", ".join(f"{name} {type}" for name, type in schema.items()))


def feed_of(stream: OwnStream) -> SparkFeed:
    """The records in the order of the files."""
    return SparkFeed(stream.everything, stream.by_arrival)


def feed_by_arrival(stream: OwnStream, records: int) -> SparkFeed:
    """The readable records in order of arrival: sorted once, and kept on disk until ``unpersist`` of its table.

    There ``file`` numbers the parts and ``row`` the records of each. ``records``: how many there are.
    """
    columns = stream.table.select("file", "block", "row", "ts", "channel", "at", "key", "value")
    columns = columns.repartitionByRange(records // SORTED + 1, *stream.order).sortWithinPartitions(*stream.order)
    number = F.monotonically_increasing_id().bitwiseAND(F.lit(_IN_PARTITION))
    place = {"file": F.spark_partition_id(), "block": F.lit(0).cast("bigint"), "row": number}
    return SparkFeed(columns.withColumns(place).persist(StorageLevel.DISK_ONLY), stream.by_arrival)


def batch_of(columns: tuple[Any, ...], schema: dict[str, str]) -> pa.RecordBatch:
    """Columns as Arrow, of Spark's types."""
    types = {
        "bigint": pa.int64(), "double": pa.float64(), "boolean": pa.bool_(), "string": pa.string(),
        "binary": pa.binary(),
    }  # fmt: skip
    arrays = [pa.array(column, types[type]) for column, type in zip(columns, schema.values(), strict=True)]
    return pa.RecordBatch.from_arrays(arrays, names=list(schema))


def _pieces(batches: Iterator[pa.RecordBatch]) -> Iterator[Piece]:
    """Pieces of about ``PIECE`` records from batches of any size: a few large steps cost less than many small ones."""
    part: Name | None = None
    held: list[pa.RecordBatch] = []
    size = 0
    for batch in batches:
        for start, end in _runs(batch):
            run = batch.slice(start, end - start)
            place = (run.column("file")[0].as_py(), run.column("block")[0].as_py())
            if part is None or part[:2] != place or size >= PIECE:
                if held and part is not None:
                    yield _piece(part, held)
                held, size = [], 0
            if part is None or part[:2] != place:
                part = (*place, run.column("row")[0].as_py())
            held.append(run)
            size += len(run)
    if held and part is not None:
        yield _piece(part, held)


def _runs(batch: pa.RecordBatch) -> list[tuple[int, int]]:
    """The stretches of one file and block."""
    if not len(batch):
        return []
    file, block = (batch.column(name).to_numpy(zero_copy_only=False) for name in ("file", "block"))
    edges = np.flatnonzero((file[1:] != file[:-1]) | (block[1:] != block[:-1])) + 1
    return list(zip([0, *edges.tolist()], [*edges.tolist(), len(file)], strict=True))


def _piece(part: Name, batches: list[pa.RecordBatch]) -> Piece:
    table = pa.Table.from_batches(batches)
    total = len(table)
    if table.column("ts").null_count:
        table = table.filter(table.column("ts").is_valid())
    channels = table.column("channel").to_numpy().astype(np.uint16)
    ats = _longs(table, "at") if "at" in table.column_names else None
    keys, values = (table.column(name) if name in table.column_names else None for name in ("key", "value"))
    return Piece(part, _longs(table, "ts"), channels, ats, total - len(table), keys, values)


def _longs(table: pa.Table, name: str) -> Longs:
    column: Longs = table.column(name).to_numpy()
    return column
