"""A stream in the order in which its records came: who reads it, and what is known of its parts."""

from collections.abc import Iterator
from contextlib import contextmanager

from spark_bridge import session
from spark_bridge.files.stream import OwnStream
from spark_bridge.profile.feeding import Feed, feed_by_arrival, feed_of
from spark_bridge.profile.parquet import parquet_feed
from spark_bridge.profile.parts import Parts
from spark_bridge.profile.passes import parts_of


@contextmanager
def in_order(stream: OwnStream, *, keys: bool) -> Iterator[tuple[Feed, Parts]]:
    """The feed of ``stream`` and its parts, in order of arrival: sorted, if the files are not. A pass, or two.

    ``keys``: they will be asked for.
    """
    channels = len(stream.channels)
    here = session.current_place().startswith("local")
    read = parquet_feed(stream, session.parallelism(), keys=keys) if here else None
    feed: Feed = read or feed_of(stream)
    parts = parts_of(feed, channels)
    if parts.in_order:
        yield feed, parts
        return
    arrived = feed_by_arrival(stream, sum(parts.records))
    try:
        yield arrived, parts_of(arrived, channels).with_unreadable(parts.unreadable)
    finally:
        arrived.table.unpersist()
