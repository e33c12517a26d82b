"""The findings of a stream in files: what tasks have chosen of it is judged by the rules.

Up to ``MOST`` records are looked at, one by one. Of a longer stream these are whole stretches, chosen by a hash, and
from each of the others the record with the largest timestamp, which may be one of the future. What is found there is
then counted in the whole stream (``whole``), so that all numbers are exact.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from spark_bridge.files.stream import OwnStream
from spark_bridge.profile.feeding import Feed, feed_of
from spark_bridge.profile.findings.copies import MOST as MOST_COPIES
from spark_bridge.profile.findings.copies import by_chance
from spark_bridge.profile.findings.finding import Cause, Finding
from spark_bridge.profile.findings.judge import in_order, judged
from spark_bridge.profile.findings.near import Columns, Near, near
from spark_bridge.profile.findings.records import Asked
from spark_bridge.profile.findings.whole import Whole
from spark_bridge.profile.findings.wording import worded
from spark_bridge.profile.parquet import ParquetFeed
from spark_bridge.profile.parts import Parts
from spark_bridge.profile.passes import parts_of

MOST: Final = 1_000_000
"""So many records fit into the driver's memory with ease."""


def findings_of(
    stream: OwnStream, feed: Feed, parts: Parts, asked: Asked, late: int | None = None, *, most: int = MOST
) -> list[Finding]:
    """What is wrong with ``stream``, most harmful first. Runs a few jobs.

    ``feed`` reads it in the order of its records, which are in ``parts``. ``late``: how many are late with the bound
    that was asked for, if that is known. ``most``: how many may be looked at.
    """
    own = stream.columns
    if isinstance(feed, ParquetFeed) and (feed.reader.key, feed.reader.value) != (own.key, own.value):
        feed = feed_of(stream)
        parts = parts_of(feed, len(stream.channels))
    columns = Columns(own.key is not None, own.value is not None, len(stream.channels) > 1)
    records = sum(parts.records)
    every = max(1, -(-records // most))
    looked = near(feed, parts, columns, every)
    unreadable = parts.unreadable * len(looked.records) // max(records, 1) if every > 1 else parts.unreadable
    found = judged(replace(looked.records, unreadable=unreadable), asked)
    if every > 1:
        found = Whole(feed, parts, columns, asked, looked, every, late).counted([*found, *far_copies(looked, found)])
    keys = dict(enumerate(looked.keys))
    return [worded(cause, asked.bound, stream.channels, keys, own.named) for cause in in_order(found)]


def far_copies(looked: Near, found: list[Cause]) -> list[Cause]:
    """Copies that are no neighbours, in all records with some timestamps."""
    if looked.far is None or any(cause.code in ("duplicates", "replay", "no-timestamps") for cause in found):
        return []
    total, alike = len(looked.far), len(np.unique(looked.far))
    share = (total - alike) / max(total, 1)
    if share <= MOST_COPIES or share * len(looked.records) < 2.5 * by_chance(looked.records):
        return []
    return [Cause("duplicates", total - alike, numbers={"count": total - alike, "total": total})]
