"""The records of a stream as pieces for tasks, part by part: read by Spark, whatever they are in.

The records of local Parquet files as pieces: tasks read the columns that count themselves, without Spark's rows.

Only what reads alike by both ways: times that are whole numbers or instants, channels that are whole numbers or texts.
For everything else ``parquet_feed`` has no answer, and Spark reads.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray
from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.scenario.tables.times import FURTHEST
from tidemark.spark_bridge.files.request import DEFAULT_ZONE, PARQUET
from tidemark.spark_bridge.files.stream import NULL_KEY, FileStream
from tidemark.spark_bridge.watermarks.behind import Longs, Name, Piece

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


def feed_of(stream: FileStream) -> SparkFeed:
    """The records in the order of the files."""
    return SparkFeed(stream.everything, stream.by_arrival)


def feed_by_arrival(stream: FileStream, records: int) -> SparkFeed:
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


_PER_MS: Final = {"s": 0, "ms": 1, "us": 1_000, "ns": 1_000_000}
"""How many of a unit make a ms; of seconds it is the other way round."""

_TASKS: Final = 4
"""So many tasks for each core: the last one to end keeps few cores waiting."""


@dataclass(frozen=True, slots=True)
class Time:
    """A column of times and its ``unit``."""

    name: str
    unit: str

    def ms(self, column: pa.ChunkedArray) -> tuple[Longs, NDArray[np.bool_] | None]:
        """ms since 1970, and which of them are readable: None if all are."""
        valid = None if not column.null_count else column.is_valid().to_numpy()
        if valid is not None:
            column = column.cast(pa.int64()).fill_null(0)
        numbers: Longs = column.cast(pa.int64()).to_numpy()
        most = FURTHEST // 1000 if self.unit == "s" else FURTHEST
        if len(numbers) and self.unit in ("s", "ms") and (numbers.min() < -most or numbers.max() > most):
            within = (numbers >= -most) & (numbers <= most)
            numbers, valid = np.where(within, numbers, 0), within if valid is None else within & valid
        if self.unit == "s":
            return numbers * 1000, valid
        return (numbers if self.unit == "ms" else numbers // _PER_MS[self.unit]), valid


@dataclass(frozen=True, slots=True)
class Reader:
    """``parts``: file, row group and number of the first row of each. ``names``: the channels as texts, in order.

    ``key`` and ``value`` are None too where they do not read alike.
    """

    paths: tuple[str, ...]
    parts: tuple[tuple[int, int, int], ...]
    ts: Time
    at: Time | None
    channel: str | None
    key: str | None
    value: str | None
    names: tuple[str, ...]

    def pieces(self, number: int, *, keys: bool, values: bool = False) -> Iterator[Piece]:
        """The pieces of a part, with or without keys and values."""
        key, value = self.key if keys else None, self.value if values else None
        for table in self.tables(number, key, value):
            yield self.piece(number, table, key, value)

    def tables(self, number: int, *more: str | None) -> Iterator[pa.Table]:
        """The columns of a part that count, and ``more``, about ``PIECE`` rows at a time."""
        file, group, _ = self.parts[number]
        wanted = [self.ts.name, self.at and self.at.name, self.channel, *more]
        names = list(dict.fromkeys(each for each in wanted if each is not None))
        with pq.ParquetFile(self.paths[file], read_dictionary=[self.channel] if self.channel else None) as opened:
            for batch in opened.iter_batches(PIECE, row_groups=[group], columns=names):
                yield pa.Table.from_batches([batch])

    def piece(self, number: int, table: pa.Table, key: str | None = None, value: str | None = None) -> Piece:
        """What a table of ``tables`` holds, with the texts of the column ``key`` and with the column ``value``."""
        part = self.name(number)
        timestamps, valid = self.ts.ms(table.column(self.ts.name))
        ats = None
        if self.at is not None:
            ats, at_valid = self.at.ms(table.column(self.at.name))
            valid = at_valid if valid is None else valid if at_valid is None else valid & at_valid
        channels = self._channels(table)
        texts = table.column(key).cast(pa.string()).fill_null(NULL_KEY) if key is not None else None
        values = table.column(value) if value is not None else None
        if valid is None or valid.all():
            return Piece(part, timestamps, channels, ats, 0, texts, values)
        ats = None if ats is None else ats[valid]
        texts, values = (None if each is None else each.filter(pa.array(valid)) for each in (texts, values))
        return Piece(part, timestamps[valid], channels[valid], ats, int(np.count_nonzero(~valid)), texts, values)

    @property
    def records(self) -> int:
        """How many records there are, readable or not."""
        return sum(pq.read_metadata(path).num_rows for path in self.paths)

    def name(self, number: int) -> Name:
        """The name of a part."""
        return (*self.parts[number][:2], 0)

    def _channels(self, table: pa.Table) -> NDArray[np.uint16]:
        if self.channel is None:
            return np.zeros(len(table), np.uint16)
        column = table.column(self.channel).combine_chunks()
        counted = self.names == tuple(map(str, range(len(self.names))))
        if counted and not column.null_count and pa.types.is_integer(column.type):
            own: NDArray[np.uint16] = column.to_numpy().astype(np.uint16)
            return own
        column = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
        texts = pa.concat_arrays([column.dictionary.cast(pa.string()), pa.array([""])])
        indices: Longs = column.indices.fill_null(len(texts) - 1).to_numpy()
        return self._numbers(texts)[indices]

    def _numbers(self, texts: pa.Array) -> NDArray[np.uint16]:
        """The number of each channel; 0 for one that no readable record has."""
        found = pc.index_in(texts.fill_null(""), value_set=pa.array(self.names, pa.string()))
        numbers: NDArray[np.uint16] = found.fill_null(0).to_numpy(zero_copy_only=False).astype(np.uint16)
        return numbers


@dataclass(frozen=True, slots=True)
class ParquetFeed:
    """A task for some row groups each, ``tasks`` at most."""

    spark: SparkSession
    reader: Reader
    tasks: int

    def mapped(self, work: Task, schema: dict[str, str], *, keys: bool = False, values: bool = False) -> DataFrame:
        """What ``work`` makes of all parts; its pieces have ``keys`` and ``values`` only if they are asked for."""
        reader = self.reader

        def pieces(batches: Iterator[pa.RecordBatch]) -> Iterator[Piece]:
            for number in (number for batch in batches for number in batch.column(0).to_pylist()):
                yield from reader.pieces(number, keys=keys, values=values)

        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for columns in work(pieces(batches)):
                yield batch_of(columns, schema)

        ids = self.spark.range(0, len(reader.parts), 1, min(len(reader.parts), self.tasks))
        return ids.mapInArrow(run, ", ".join(f"{name} {type}" for name, type in schema.items()))

    @property
    def records(self) -> int:
        """How many records there are, readable or not."""
        return self.reader.records

    def pieces(self) -> Iterator[Piece]:
        """The pieces of all parts, in order, without keys and values; read here."""
        for number in range(len(self.reader.parts)):
            yield from self.reader.pieces(number, keys=False)


def parquet_feed(stream: FileStream, parallelism: int, *, keys: bool = False) -> ParquetFeed | None:
    """A feed for ``stream`` if its files are Parquet and here, and the columns read alike without Spark.

    ``keys``: they will be asked for.
    """
    columns, found = stream.columns, stream.found
    if found.format != PARQUET or not found.is_here or columns.ts is None:
        return None
    schema = pq.read_schema(found.paths[0])
    channel = columns.channel if len(stream.channels) > 1 else None
    key = columns.key if keys else None
    if not {each for each in (columns.ts, columns.at, channel, key) if each is not None} <= set(schema.names):
        return None  # a member of a struct
    ts = _time(schema, columns.ts, columns.ts_unit, columns.zone)
    at = None if columns.at is None else _time(schema, columns.at, columns.at_unit, columns.zone)
    if ts is None or (at is None) != (columns.at is None):
        return None
    if not all(_is_plain(schema.field(each).type) for each in (channel, key) if each is not None):
        return None
    key, value = (
        name if name in schema.names and is_alike(schema.field(name).type) else None
        for name, is_alike in ((columns.key, _is_plain), (columns.value, _is_plain_value))
    )
    names = tuple(map(str, stream.channels))
    reader = Reader(found.paths, _parts(found.paths), ts, at, channel, key, value, names)
    return ParquetFeed(stream.everything.sparkSession, reader, parallelism * _TASKS)


def _parts(paths: Iterable[str]) -> tuple[tuple[int, int, int], ...]:
    found, start = [], 0
    for file, path in enumerate(paths):
        metadata = pq.read_metadata(path)
        for group in range(metadata.num_row_groups):
            found.append((file, group, start))
            start += metadata.row_group(group).num_rows
    return tuple(found)


def _is_plain(type: pa.DataType) -> bool:
    """Whether a value has one text, the same for Spark."""
    return bool(pa.types.is_signed_integer(type) or pa.types.is_string(type))


def _is_plain_value(type: pa.DataType) -> bool:
    """Whether equal values have equal texts, and others have not."""
    return _is_plain(type) or bool(pa.types.is_floating(type))


def _time(schema: pa.Schema, name: str, unit: str | None, zone: str | None) -> Time | None:
    type = schema.field(name).type
    if pa.types.is_signed_integer(type) and unit in (None, *_PER_MS):
        return Time(name, unit or "ms")
    if pa.types.is_timestamp(type) and (type.tz is not None or zone in (None, DEFAULT_ZONE)):
        return Time(name, type.unit)
    return None
