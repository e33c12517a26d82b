"""The findings of a stream in files: its records in order, what tasks have chosen of them, judged by the rules.

Up to ``MOST`` records are looked at, one by one. Of a longer stream these are whole stretches, chosen by a hash, and
from each of the others the record with the largest timestamp, which may be one of the future. What is found there is
then counted in the whole stream (``whole``), so that all numbers are exact.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Final

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.files.stream import FileStream
from tidemark.spark_bridge.profile.counts.counting import Counting, figures_of, parts_of
from tidemark.spark_bridge.profile.counts.feed import Feed, ParquetFeed, feed_by_arrival, feed_of, parquet_feed
from tidemark.spark_bridge.profile.counts.figures import Figures, Wanted
from tidemark.spark_bridge.profile.findings.cures import cures_of
from tidemark.spark_bridge.profile.findings.defects import MOST_COPIES as MOST_COPIES
from tidemark.spark_bridge.profile.findings.defects import by_chance
from tidemark.spark_bridge.profile.findings.finding import Cause, Finding, applied
from tidemark.spark_bridge.profile.findings.judge import harm, judged
from tidemark.spark_bridge.profile.findings.near import Columns, Near, near
from tidemark.spark_bridge.profile.findings.records import Expectations, different
from tidemark.spark_bridge.profile.findings.whole import Whole, rules_of
from tidemark.spark_bridge.profile.findings.wording import cure_bound, worded
from tidemark.spark_bridge.profile.profile import Humps
from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.spark.columns import long
from tidemark.spark_bridge.watermarks.behind import Parts

MOST: Final = 1_000_000
"""So many records fit into the driver's memory with ease."""


@dataclass(frozen=True)
class Ordered:
    """``feed`` reads the records in order, which are in ``parts``."""

    stream: FileStream
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


def columns_of(stream: FileStream) -> Columns:
    """Which columns ``stream`` has."""
    return Columns(stream.columns.key is not None, stream.columns.value is not None, len(stream.channels) > 1)


@contextmanager
def in_order(stream: FileStream, *, keys: bool, as_written: bool = True) -> Iterator[Ordered]:
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


_CLOCKS: Final = ("zone-offset", "skewed-source")


@dataclass(frozen=True)
class Judged:
    """``findings``, most harmful first. ``cure``: what they need together, by engine; {} if there is nothing.

    ``causes``: theirs, with the stream's own names, in the order in which they were taken out.
    """

    findings: list[Finding]
    cure: dict[str, str]
    causes: list[Cause]


def findings_of(
    ordered: Ordered, expected: Expectations, known: tuple[int, int] | None = None, *, most: int = MOST
) -> list[Finding]:
    """What is wrong with a stream, most harmful first: see ``judged_stream``."""
    return judged_stream(ordered, expected, known, most=most).findings


def judged_stream(
    ordered: Ordered, expected: Expectations, known: tuple[int, int] | None = None, *, most: int = MOST
) -> Judged:
    """What is wrong with a stream, and what cures it. Runs a few jobs.

    ``known``: how many records are late with the bound that was asked for, and which bound would do, if that is known.
    ``most``: how many may be looked at.
    """
    ordered = ordered.complete()
    stream, parts = ordered.stream, ordered.parts
    records = sum(parts.records)
    looked = ordered.near(most)
    every = looked.every
    unreadable = parts.unreadable * len(looked.records) // max(records, 1) if every > 1 else parts.unreadable
    found = judged(replace(looked.records, unreadable=unreadable), expected)
    if every > 1:
        whole = Whole(ordered.feed, parts, ordered.columns, expected, looked, known)
        found = whole.counted([*found, *far_copies(looked, found)])
    keys, written = dict(enumerate(looked.keys)), stream.written
    own = [
        replace(each, numbers=each.numbers | {"total": records}) if each.code in _CLOCKS else each for each in found
    ]  # in the order in which they were taken out: later ones are found in what is put right
    findings = [
        worded(cause, expected.bound, stream.channels, keys, written, own[:place]) for place, cause in enumerate(own)
    ]
    causes = [each.cause for each in findings]
    cure = cures_of(causes, cure_bound(expected.bound), written) if any(each.cures for each in findings) else {}
    return Judged(sorted(findings, key=lambda each: harm(each.cause)), cure, causes)


def far_copies(looked: Near, found: list[Cause]) -> list[Cause]:
    """Copies that are no neighbours, in all records with some timestamps."""
    if looked.far is None or any(cause.code in ("duplicates", "replay", "no-timestamps") for cause in found):
        return []
    total, alike = len(looked.far), different(looked.far)
    share = (total - alike) / max(total, 1)
    records, _, dropped = applied(rules_of(found), looked.records)
    if share <= MOST_COPIES or share * len(records) < 2.5 * by_chance(records.where(~dropped)):
        return []
    return [Cause("duplicates", total - alike, numbers={"count": total - alike, "total": total})]


STEP: Final = 900_000
"""Delays are counted in steps of 15 minutes: clocks in wrong zones are off by such."""

LEAST_MS: Final = 1_800_000
"""Records that are behind by less need no second hump to explain it."""

_FAR: Final = 0.01
"""The least share of the records that is a hump of its own."""

_STRAY: Final = 0.02
"""The most of a hump that may be elsewhere: in between, or with other sources."""

_MOST: Final = 100_000


def humps_in(beside: DataFrame, names: tuple[str, ...]) -> Humps | None:
    """The column of ``names`` that separates two humps of the delays. Runs a job.

    ``beside``: ``ts`` and ``at`` of each record, and the columns as ``c0``, ``c1`` and so on.
    """
    step = F.round((F.col("at") - F.col("ts")) / long(STEP)).cast("bigint").alias("step")
    cells = F.array(*(F.coalesce(F.col(f"c{place}").cast("string"), F.lit("")) for place in range(len(names))))
    delays = beside.where(F.col("ts").isNotNull() & F.col("at").isNotNull()).select(step, F.posexplode(cells))
    rows = delays.groupBy("step", "pos", "col").count().limit(_MOST).collect()
    return separated(((row["step"], names[row["pos"]], row["col"], row["count"]) for row in rows), names)


def separated(counts: Iterable[tuple[int, str, str, int]], names: tuple[str, ...]) -> Humps | None:
    """The same of (step, column, value, records)."""
    counted = list(counts)
    steps = Counter[int]()
    for step, column, _, records in counted:
        if column == names[0]:
            steps[step] += records
    total = steps.total()
    if not total:
        return None
    (near, _), *_ = steps.most_common(1)
    others = [(records, step) for step, records in steps.items() if abs(step - near) >= 2]
    far = max(others, default=(0, near))[1]
    in_far = sum(steps[far + each] for each in (-1, 0, 1) if abs(far + each - near) > 1)
    between = sum(records for step, records in steps.items() if min(near, far) + 1 < step < max(near, far) - 1)
    if in_far < _FAR * total or between > _STRAY * in_far:
        return None
    for name in names:
        own, whole = Counter[str](), Counter[str]()
        for step, column, value, records in counted:
            if column == name:
                whole[value] += records
                own[value] += records if abs(step - far) <= 1 and abs(step - near) > 1 else 0
        values = [value for value, records in own.most_common() if records > _STRAY * in_far]
        apart = sum(own[value] for value in values) >= (1 - _STRAY) * in_far
        if apart and 0 < len(values) <= len(whole) / 2:
            return Humps(name, tuple(sorted(values)), in_far, (far - near) * STEP)
    return None
