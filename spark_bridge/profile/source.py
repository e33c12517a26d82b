"""A stream in the order in which its records came: who reads it, and what is known of its parts."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from tidemark.spark_bridge.files.stream import OwnStream
from tidemark.spark_bridge.profile.counts.counting import Counting
from tidemark.spark_bridge.profile.counts.feed import Feed, ParquetFeed, feed_by_arrival, feed_of, parquet_feed
from tidemark.spark_bridge.profile.counts.figures import Figures, Wanted
from tidemark.spark_bridge.profile.counts.passes import figures_of, parts_of
from tidemark.spark_bridge.profile.findings.near import Columns, Near, near
from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.watermarks.parts import Parts

MOST: Final = 1_000_000
"""So many records fit into the driver's memory with ease."""


@dataclass(frozen=True)
class Ordered:
    """``feed`` reads the records in order, which are in ``parts``."""

    stream: OwnStream
    feed: Feed
    parts: Parts

    @property
    def columns(self) -> Columns:
        """Which columns the stream has."""
        return columns_of(self.stream)

    def figures(self, counting: Counting, wanted: Wanted) -> Figures:
        """The figures of the whole stream."""
        return figures_of(self.feed, counting, wanted)

    def complete(self) -> "Ordered":
        """The same with a feed that has keys and values, too. A pass, if it is another one."""
        own = self.stream.columns.key, self.stream.columns.value
        if not isinstance(self.feed, ParquetFeed) or own == (self.feed.reader.key, self.feed.reader.value):
            return self
        feed = feed_of(self.stream)
        return Ordered(self.stream, feed, parts_of(feed, len(self.stream.channels)))

    def near(self, most: int) -> Near:
        """The records that the findings look at, ``most`` of them, about. A pass."""
        return near(self.feed, self.parts, self.columns, most)


def columns_of(stream: OwnStream) -> Columns:
    """Which columns ``stream`` has."""
    return Columns(stream.columns.key is not None, stream.columns.value is not None, len(stream.channels) > 1)


@contextmanager
def in_order(stream: OwnStream, *, keys: bool, as_written: bool = True) -> Iterator[Ordered]:
    """``stream`` in order of arrival: sorted, if the files are not. A pass, or two.

    ``keys``: they will be asked for. ``as_written``: whether the records are those of the files, which may be read in
    another way then.
    """
    channels = len(stream.channels)
    here = session.current_place().startswith("local")
    feed: Feed | None = parquet_feed(stream, session.parallelism(), keys=keys) if here and as_written else None
    feed = feed or feed_of(stream)
    parts = parts_of(feed, channels)
    if parts.in_order:
        yield Ordered(stream, feed, parts)
        return
    arrived = feed_by_arrival(stream, sum(parts.records))
    try:
        yield Ordered(stream, arrived, parts_of(arrived, channels).with_unreadable(parts.unreadable))
    finally:
        if session.is_alive():
            arrived.table.unpersist()
