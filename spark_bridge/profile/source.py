"""A stream in the order in which its records came: who reads it, and what is known of its parts."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from tidemark.spark_bridge import session
from tidemark.spark_bridge.files.stream import OwnStream
from tidemark.spark_bridge.profile.counting import Counting
from tidemark.spark_bridge.profile.feeding import Feed, feed_by_arrival, feed_of
from tidemark.spark_bridge.profile.findings.near import Columns, Near, near, put_together
from tidemark.spark_bridge.profile.once import Once, once
from tidemark.spark_bridge.profile.parquet import ParquetFeed, parquet_feed
from tidemark.spark_bridge.profile.parts import Parts
from tidemark.spark_bridge.profile.passes import figures_of, parts_of
from tidemark.spark_bridge.profile.reading import Figures, Wanted
from tidemark.spark_bridge.profile.windows import Windows

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
