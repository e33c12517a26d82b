"""Parts, counts and the records that the findings look at, all from one pass over Parquet files.

What came before a part is not known meanwhile, but the files say how large a timestamp any record before it may have.
After its head a part needs no more (``Counting``). The heads, mostly a few hundred records, are counted afterwards: the
short ones by the driver, which gets them along with the counts. Whatever is too much for it stays with Spark.

A stream in the order in which its records came: who reads it, and what is known of its parts.
"""

import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Final

import numpy as np
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.files.stream import OwnStream
from tidemark.spark_bridge.profile.counts.counting import Counting, Rows, Told
from tidemark.spark_bridge.profile.counts.feed import Feed, ParquetFeed, feed_by_arrival, feed_of, parquet_feed
from tidemark.spark_bridge.profile.counts.figures import Figures, Reading, Wanted, Windows
from tidemark.spark_bridge.profile.counts.passes import COUNTS, as_table, figures_from, figures_of, parts_of
from tidemark.spark_bridge.profile.findings.near import Columns, Far, Near, Taken, chosen, near, put_together, sampling
from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.watermarks.behind import UNSEEN
from tidemark.spark_bridge.watermarks.parts import Name, Parts, Piece, Summary, Sums

_SCHEMA: Final = COUNTS | {"note": "binary"}

NOTED: Final = 1 << 21
"""About so many counts, and as many records of heads, go to the driver from all tasks; more of them stay with Spark."""


@dataclass(frozen=True)
class Note:
    """What a task tells at its end.

    ``kept``: heads of its parts; ``heads``: how many records those of other parts have. ``taken``: the chosen records.
    ``counts``: None if they are rows of the table.
    """

    summaries: list[Summary]
    kept: list[Piece]
    heads: dict[Name, int]
    taken: list[Taken | Far]
    counts: Rows | None


@dataclass(frozen=True)
class Once:
    """What one pass has found. ``noted``: what it counted, beside the rows of ``table``, which is there until
    ``unpersist``. ``kept`` is not counted yet, nor is what ``heads`` reads, None if that is nothing."""

    table: DataFrame | None
    noted: list[Rows]
    kept: list[Piece]
    heads: ParquetFeed | None
    parts: Parts
    taken: list[Taken | Far]
    every: int

    def figures(self, counting: Counting, wanted: Wanted) -> Figures:
        """The figures of the whole stream. ``counting`` knows what came before each part."""
        noted = Rows.summed([*self.noted, *counting.rows(self.kept)])
        more = [] if self.table is None else [self.table.where(F.col("note").isNull()).drop("note")]
        if self.heads is not None:
            more.append(self.heads.mapped(counting.rows, COUNTS))
        if more:
            return figures_from(reduce(DataFrame.unionByName, more, as_table(more[0].sparkSession, noted)), wanted)
        reading = Reading(wanted)
        if len(noted.figure):
            reading.add(*noted)
        return reading.figures()

    def unpersist(self) -> None:
        """Let go of what Spark keeps."""
        if self.table is not None:
            self.table.unpersist()


def once(
    feed: ParquetFeed, channels: int, wanted: int, windows: Windows | None, columns: Columns, most: int
) -> Once | None:
    """One pass over ``feed``; None if the files do not say enough. ``most``: so many records are chosen, about."""
    ceilings = feed.ceilings()
    if ceilings is None:
        return None
    nothing = np.full(channels, UNSEEN)
    before = {feed.reader.name(number): nothing for number in range(len(feed.reader.parts))}
    before = {name: own for name, own in before.items() if name not in ceilings}
    counting = Counting(before, channels, wanted, windows, ceilings)
    every, far = sampling(feed.records, most)
    room = NOTED // feed.tasks

    def work(pieces: Iterator[Piece]) -> Iterator[tuple[Any, ...]]:
        sums: dict[Name, Sums] = {}
        taken: list[Taken | Far] = []
        told: dict[Name, Told] = {}

        def looked() -> Iterator[Piece]:
            places: dict[Name, int] = {}
            for piece in pieces:
                own = sums.setdefault(piece.part, Sums(channels))
                own.unreadable += piece.unreadable
                if piece.ats is not None and len(piece.ats):
                    own.add_arrivals(piece.ats)
                taken.extend(chosen([piece], every, far, places))
                yield piece

        counts: list[Rows] = []
        size, is_noted = 0, True
        for rows in counting.rows(looked(), told):
            counts.append(rows)
            size += len(rows.figure)
            if size > room:
                is_noted = False
                yield from ((*each, [None] * len(each.figure)) for each in counts)
                counts, size = [], 0
        if not is_noted:
            yield from ((*each, [None] * len(each.figure)) for each in counts)
        note = _note(sums, told, taken, Rows.summed(counts) if is_noted else None, room)
        yield (*([0] for _ in Rows._fields), [pickle.dumps(note)])

    mapped = feed.mapped(work, _SCHEMA, keys=columns.key, values=columns.value)
    table = mapped.persist(StorageLevel.MEMORY_AND_DISK)
    notes: list[Note] = [pickle.loads(row[0]) for row in table.where("note IS NOT NULL").select("note").collect()]
    noted = [note.counts for note in notes if note.counts is not None]
    if len(noted) == len(notes):
        table.unpersist()
    heads = {name: records for note in notes for name, records in note.heads.items()}
    return Once(
        None if len(noted) == len(notes) else table,
        noted,
        [piece for note in notes for piece in note.kept],
        replace(feed, heads=heads) if heads else None,
        Parts.of((each for note in notes for each in note.summaries), channels),
        [each for note in notes for each in note.taken],
        every,
    )


def _note(
    sums: dict[Name, Sums], told: dict[Name, Told], taken: list[Taken | Far], counts: Rows | None, room: int
) -> Note:
    kept: list[Piece] = []
    heads: dict[Name, int] = {}
    for part, own in told.items():
        sums[part].records, sums[part].lowest = own.maxima.records, own.maxima.lowest
        sums[part].highest = own.maxima.before
        if own.kept and own.head <= room:
            kept += own.kept
            room -= own.head
        elif own.head:
            heads[part] = own.head
    found = [each for part, brought in sums.items() for each in brought.summaries(part)]
    return Note(found, kept, heads, taken, counts)


MOST: Final = 1_000_000
"""So many records fit into the driver's memory with ease."""


@dataclass(frozen=True)
class Ordered:
    """``feed`` reads the records in order, which are in ``parts``. ``counted``: what is known of them already."""

    stream: OwnStream
    feed: Feed
    parts: Parts
    counted: Once | None = None

    @property
    def columns(self) -> Columns:
        """Which columns the stream has."""
        return columns_of(self.stream)

    def figures(self, counting: Counting, wanted: Wanted) -> Figures:
        """The figures of the whole stream."""
        if self.counted is not None:
            return self.counted.figures(counting, wanted)
        return figures_of(self.feed, counting, wanted)

    def complete(self) -> "Ordered":
        """The same with a feed that has keys and values, too. A pass, if it is another one."""
        own = self.stream.columns.key, self.stream.columns.value
        if not isinstance(self.feed, ParquetFeed) or own == (self.feed.reader.key, self.feed.reader.value):
            return self
        feed = feed_of(self.stream)
        return Ordered(self.stream, feed, parts_of(feed, len(self.stream.channels)))

    def near(self, most: int) -> Near:
        """The records that the findings look at, ``most`` of them, about. A pass, if they are not there."""
        if self.counted is not None and most == MOST:
            return put_together(self.counted.taken, self.parts, self.columns, self.counted.every)
        return near(self.feed, self.parts, self.columns, most)


def columns_of(stream: OwnStream) -> Columns:
    """Which columns ``stream`` has."""
    return Columns(stream.columns.key is not None, stream.columns.value is not None, len(stream.channels) > 1)


@contextmanager
def in_order(
    stream: OwnStream, *, keys: bool, wanted: int = 1, windows: Windows | None = None, as_written: bool = True
) -> Iterator[Ordered]:
    """``stream`` in order of arrival: sorted, if the files are not. A pass, or two.

    ``keys``: they will be asked for. ``wanted``, ``windows``: see ``Counting``, of which as much as can be is done.
    ``as_written``: whether the records are those of the files, which may be read in another way then.
    """
    channels = len(stream.channels)
    here = session.current_place().startswith("local")
    read = parquet_feed(stream, session.parallelism(), keys=keys) if here and as_written else None
    counted = None if read is None else once(read, channels, wanted, windows, columns_of(stream), MOST)
    arrived = None
    try:
        feed: Feed = read or feed_of(stream)
        parts = parts_of(feed, channels) if counted is None else counted.parts
        if not parts.in_order:
            arrived = feed_by_arrival(stream, sum(parts.records))
            yield Ordered(stream, arrived, parts_of(arrived, channels).with_unreadable(parts.unreadable))
        else:
            yield Ordered(stream, feed, parts, counted)
    finally:
        if session.is_alive():
            if arrived is not None:
                arrived.table.unpersist()
            if counted is not None:
                counted.unpersist()
