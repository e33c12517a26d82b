"""The findings of a stream in files: Spark reads the records that are looked at, the rules judge them.

Up to ``MOST`` records are looked at, one by one. Of a longer stream these are whole stretches, chosen by a hash, and
from each of the others the record with the largest timestamp, which may be one of the future. Counts are then scaled
up; the numbers of records in ``where`` are always exact.
"""

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_bridge.execution.expressions import long, quotient
from spark_bridge.files.stream import OwnStream
from spark_bridge.profile.findings.copies import MOST as MOST_COPIES
from spark_bridge.profile.findings.copies import by_chance
from spark_bridge.profile.findings.finding import Cause, Finding, Where
from spark_bridge.profile.findings.judge import causes, in_order
from spark_bridge.profile.findings.near import STRETCH, Near, near
from spark_bridge.profile.findings.records import Asked, Longs, Records
from spark_bridge.profile.findings.wording import worded
from spark_bridge.profile.parquet import ParquetFeed

MOST: Final = 1_000_000
"""So many records fit into the driver's memory with ease."""

_COUNTS: Final = ("count", "total", "others", "records_before", "again", "alike", "unreadable")


@dataclass(frozen=True)
class Looked:
    """The records that are looked at, where they are, and how many of the stream each stands for.

    ``near``: more of them, if tasks have chosen them without Spark's rows.
    """

    records: Records
    places: dict[str, Longs]
    factor: float
    near: Near | None = None


def findings_of(
    stream: OwnStream, records: int, unreadable: int, asked: Asked, feed: ParquetFeed | None = None, *, most: int = MOST
) -> list[Finding]:
    """What is wrong with ``stream``, most harmful first. Runs a few jobs.

    ``records`` (readable) and ``unreadable``: how many there are. ``most``: how many may be looked at.
    ``feed``: reads the stream in the order of its records, if there is one.
    """
    if feed is not None and not unreadable and _has_all(stream, feed):
        looked = _near(feed, records, most)
    else:
        looked = _looked_at(stream, records, unreadable, most)
    found = [_scaled(cause, looked.factor) for cause in causes(looked.records, asked)]
    if looked.factor > 1:
        found += _far_copies(stream, records, looked, found)
    return [_named(stream, looked, cause, asked) for cause in in_order(found)]


def _has_all(stream: OwnStream, feed: ParquetFeed) -> bool:
    return (feed.reader.key, feed.reader.value) == (stream.columns.key, stream.columns.value)


def _near(feed: ParquetFeed, records: int, most: int) -> Looked:
    factor = max(1.0, records / most)
    found = near(feed, int(np.ceil(factor)), int(np.ceil(factor)) * 2 if factor > 1 else 0)
    looked = Records(np.arange(len(found.items)), unreadable=0, **found.columns)
    return Looked(looked, {}, max(1.0, records / max(len(looked), 1)), found)


def _looked_at(stream: OwnStream, records: int, unreadable: int, most: int) -> Looked:
    columns = stream.columns
    table = stream.table.select(
        "file", "block", "row", "ts", "at",
        F.col("channel").cast("bigint").alias("channel"),
        F.xxhash64("key").alias("key"),
        F.xxhash64("value").alias("value"),
    )  # fmt: skip
    factor = max(1.0, records / most)
    if factor > 1:
        table = _thinned(stream, table, records, int(np.ceil(factor)))
    read = table.toArrow()
    wanted = ["file", "block", "row", *columns.named]
    arrays = {name: read.column(name).to_numpy().astype(np.int64) for name in wanted}
    order = np.lexsort([arrays[name] for name in reversed(stream.order)])
    arrays = {name: array[order] for name, array in arrays.items()}
    places = {name: arrays[name] for name in stream.order}
    arrays = {name: array for name, array in arrays.items() if name not in ("file", "block", "row")}
    factor = max(1.0, records / max(len(order), 1))
    few = round(unreadable / factor)
    return Looked(Records(np.arange(len(order)), unreadable=few, **arrays), places, factor)


def _thinned(stream: OwnStream, table: DataFrame, records: int, every: int) -> DataFrame:
    """One of ``every`` stretches whole, and the largest timestamp of each of the others."""
    stretch = F.xxhash64(*_stretch(stream, table, records))
    table = table.withColumn("stretch", stretch)
    kept = F.pmod("stretch", long(every)) == 0
    whole = table.where(kept).drop("stretch")
    row = F.struct(*(F.col(name) for name in whole.columns))
    others = table.where(~kept).groupBy("stretch").agg(F.max_by(row, "ts").alias("row")).select("row.*")
    return whole.unionByName(others)


def _stretch(stream: OwnStream, table: DataFrame, records: int) -> list[Column]:
    """About ``STRETCH`` records that follow one another."""
    if not stream.by_arrival:
        return [F.col("file"), F.col("block"), quotient(F.col("row"), STRETCH)]
    first, last = table.agg(F.min("at"), F.max("at")).collect()[0]
    width = max((last - first) * STRETCH // max(records, 1), 1)
    return [quotient(F.col("at") - long(first), width)]


def _scaled(cause: Cause, factor: float) -> Cause:
    if factor == 1:
        return cause
    few = int(cause.numbers["count"]) if cause.code == "future-timestamps" else 0
    numbers = dict(cause.numbers)
    if not few:
        numbers |= {name: round(value * factor) for name, value in numbers.items() if name in _COUNTS}
    return replace(cause, records=few + round((cause.records - few) * factor), numbers=numbers)


def _far_copies(stream: OwnStream, records: int, looked: Looked, found: list[Cause]) -> list[Cause]:
    """Copies that are no neighbours, in a sample of all that records may be."""
    if any(cause.code in ("duplicates", "replay", "no-timestamps") for cause in found):
        return []
    if looked.near is not None and looked.near.far is not None:
        total, alike = len(looked.near.far), len(np.unique(looked.near.far))
    else:
        total, alike = _sampled(stream, int(looked.factor * 2))
    share = (total - alike) / max(total, 1)
    if share <= MOST_COPIES or share * len(looked.records) < 2.5 * by_chance(looked.records):
        return []
    numbers = {"count": round(share * records), "total": records}
    return [Cause("duplicates", numbers["count"], Where(), "", numbers)]


def _sampled(stream: OwnStream, every: int) -> tuple[int, int]:
    """How many records there are among one of ``every`` that records may be, and how many that differ."""
    number = F.xxhash64("ts", *(name for name in ("key", "value") if getattr(stream.columns, name) is not None))
    sample = stream.table.select(number.alias("number")).where(F.pmod("number", long(every)) == 0)
    total, alike = sample.groupBy("number").count().agg(F.sum("count"), F.count("*")).collect()[0]
    return total or 0, alike


def _named(stream: OwnStream, looked: Looked, cause: Cause, asked: Asked) -> Finding:
    where = cause.where
    if looked.factor > 1:
        first, last = (None if each is None else _number_of(stream, looked, each) for each in (where.first, where.last))
        cause = replace(cause, where=replace(where, first=first, last=last))
        if "item" in cause.numbers:
            cause = replace(cause, numbers={**cause.numbers, "item": first})
    keys: dict[int, str] = {}
    if where.key is not None and looked.near is not None:
        keys[where.key] = looked.near.keys[where.key]
    elif where.key is not None:
        own = stream.table.where(F.xxhash64("key") == long(where.key)).select("key").first()
        keys[where.key] = "" if own is None or own[0] is None else str(own[0])
    return worded(cause, asked.bound, stream.channels, keys, stream.columns.named)


def _number_of(stream: OwnStream, looked: Looked, place: int) -> int:
    """How many records come before the one at ``place``."""
    if looked.near is not None:
        return int(looked.near.items[place])
    earlier = F.lit(False)
    for name in reversed(stream.order):
        own = long(int(looked.places[name][place]))
        earlier = (F.col(name) < own) | ((F.col(name) == own) & earlier)
    return stream.table.where(earlier).count()
