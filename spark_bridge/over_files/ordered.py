"""The records of files in the order in which they came, each with its number: sorted only where the files are not.

A pass finds what each part of the stream brings (``watermarks.parts``): how many records come before it, and the
largest timestamp of each channel by then. Where the files hold all records in order, a record's number follows from
these and from its place in the file. Else Spark sorts the records once, and keeps them on disk.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.files.finding import PARQUET
from tidemark.spark_bridge.files.stream import OwnStream
from tidemark.spark_bridge.profile.counts.feed import (
    Feed,
    ParquetFeed,
    SparkFeed,
    feed_by_arrival,
    feed_of,
    parquet_feed,
)
from tidemark.spark_bridge.profile.counts.passes import parts_of
from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.spark.columns import long
from tidemark.spark_bridge.watermarks.parts import Parts

_MOST_LITERALS: Final = 1_000
"""So many numbers stand in an expression; more are joined."""


@dataclass(frozen=True, slots=True)
class InOrder:
    """The readable records of ``stream``: ``table`` has its columns and ``item``, the number of the record from 0.

    ``feed`` has the same records as pieces, with keys and values, for tasks; ``parts``: what its parts bring.
    ``is_kept``: whether they lie on disk, and not only in the files.
    """

    stream: OwnStream
    feed: Feed
    parts: Parts
    table: DataFrame
    is_kept: bool

    @property
    def records(self) -> int:
        """How many there are."""
        return sum(self.parts.records)


@contextmanager
def in_order(stream: OwnStream) -> Iterator[InOrder]:
    """``stream`` in order, as long as the block lasts. Runs a job or two, and sorts if it has to."""
    kept: list[DataFrame] = []

    def keep(table: DataFrame) -> DataFrame:
        kept.append(table.persist(StorageLevel.DISK_ONLY))
        return table

    try:
        yield _in_order(stream, None if stream.found.format == PARQUET else keep(_readable(stream)), kept)
    finally:
        if session.is_alive():
            for table in reversed(kept):
                table.unpersist()


def _in_order(stream: OwnStream, texts: DataFrame | None, kept: list[DataFrame]) -> InOrder:
    """``texts``: what was read of files that take long to read; None for those that tasks may read again."""
    channels = len(stream.channels)
    feed = _feed(stream) if texts is None else SparkFeed(texts, stream.by_arrival)
    parts = parts_of(feed, channels)
    if texts is not None:
        parts = parts.with_unreadable(stream.counted())
    if parts.in_order and (texts is not None or not parts.unreadable):
        table = stream.everything if texts is None else texts
        return InOrder(stream, feed, parts, _numbered(table, _bases(feed, parts)), texts is not None)
    arrived = feed_by_arrival(stream if texts is None else replace(stream, everything=texts), sum(parts.records))
    kept.append(arrived.table)
    parts = parts_of(arrived, channels).with_unreadable(parts.unreadable)
    return InOrder(stream, arrived, parts, _numbered(arrived.table, _bases(arrived, parts)), True)


def _readable(stream: OwnStream) -> DataFrame:
    """The readable records, with ``row`` counting these alone."""
    return stream.table.withColumn("row", F.monotonically_increasing_id())


def _feed(stream: OwnStream) -> Feed:
    """Tasks read Parquet themselves where keys and values are then the same."""
    here = session.current_place().startswith("local")
    feed = parquet_feed(stream, session.parallelism(), keys=True) if here else None
    return feed_of(stream) if feed is None or not _has_values(feed, stream) else feed


def _has_values(feed: ParquetFeed, stream: OwnStream) -> bool:
    """Whether the values that tasks read are those of the table, whole numbers or doubles."""
    name = stream.columns.value
    if name is None:
        return True
    if feed.reader.value is None:
        return False
    type, kind = pq.read_schema(feed.reader.paths[0]).field(name).type, stream.everything.schema["value"].dataType
    is_alike = {"bigint": pa.types.is_integer, "double": pa.types.is_floating}.get(kind.simpleString())
    return is_alike is not None and bool(is_alike(type))


def _bases(feed: Feed, parts: Parts) -> dict[tuple[int, int], int]:
    """For each file and block, what is to be added to the row of a record to have its number."""
    if isinstance(feed, ParquetFeed):
        return {(file, 0): start for file, group, start in feed.reader.parts if group == 0}
    return {(file, block): start - row for (file, block, row), start in parts.starts.items()}


def _numbered(table: DataFrame, bases: Mapping[tuple[int, int], int]) -> DataFrame:
    files = 1 + max((file for file, _ in bases), default=0)
    if files <= _MOST_LITERALS and not any(block for _, block in bases):
        return table.withColumn("item", F.col("row") + _chosen([bases.get((file, 0), 0) for file in range(files)]))
    rows = [(*place, base) for place, base in bases.items()]
    known = table.sparkSession.createDataFrame(rows, "file INT, block BIGINT, base BIGINT")
    joined = table.join(F.broadcast(known), ["file", "block"])
    return joined.withColumn("item", F.col("row") + F.col("base")).drop("base")


def _chosen(numbers: list[int]) -> Column:
    """The number of the record's file."""
    if len(numbers) == 1:
        return long(numbers[0])
    return F.get(F.expr(f"array({','.join(f'{number}L' for number in numbers)})"), F.col("file"))
