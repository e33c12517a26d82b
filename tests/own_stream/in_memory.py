"""Records in memory as a feed of pieces, so that what tasks and driver do together is tried without Spark."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from tidemark.spark_bridge.profile.counts.feed import Task, batch_of
from tidemark.spark_bridge.profile.findings.finding import Cause, Where
from tidemark.spark_bridge.profile.findings.judge import in_order, judged
from tidemark.spark_bridge.profile.findings.near import Columns, near
from tidemark.spark_bridge.profile.findings.records import Expectations, Records
from tidemark.spark_bridge.profile.findings.whole import Whole
from tidemark.spark_bridge.profile.judging import far_copies
from tidemark.spark_bridge.watermarks.behind import Parts, Piece, summaries


@dataclass
class Made:
    """What tasks have made: stands in for a table of Spark's."""

    batches: list[pa.RecordBatch]

    def collect(self) -> list[tuple[Any, ...]]:
        return [tuple(row.values()) for batch in self.batches for row in batch.to_pylist()]

    def repartition(self, parts: int, column: str) -> "Made":
        assert (parts, column) == (1, "number")
        return self

    def mapInArrow(self, work: Any, schema: str) -> "Made":
        return Made(list(work(iter(self.batches))))


@dataclass
class Feed:
    """``records`` in parts of ``part`` records and pieces of ``piece``."""

    records: Records
    part: int
    piece: int

    def mapped(self, work: Task, schema: dict[str, str], *, keys: bool = False, values: bool = False) -> Any:
        starts = range(0, len(self.records), self.part)
        tasks = (work(self.pieces(start, keys=keys, values=values)) for start in starts)
        return Made([batch_of(columns, schema) for task in tasks for columns in task])

    def pieces(self, start: int, *, keys: bool = False, values: bool = False) -> Iterator[Piece]:
        own, end = self.records, min(start + self.part, len(self.records))
        for first in range(start, end, self.piece):
            some = slice(first, min(first + self.piece, end))
            channel = np.zeros(len(own), np.int64) if own.channel is None else own.channel
            key = None if own.key is None or not keys else pa.chunked_array([[str(e) for e in own.key[some].tolist()]])
            value = None if own.value is None or not values else pa.chunked_array([pa.array(own.value[some])])
            at = None if own.at is None else own.at[some]
            yield Piece((0, start, 0), own.ts[some], channel[some].astype(np.uint16), at, 0, key, value)


def counted(records: Records, asked: Expectations, every: int, known: tuple[int, int] | None = None) -> list[Cause]:
    """The same as ``uncounted``, most harmful first."""
    return in_order(uncounted(records, asked, every, known))


def uncounted(records: Records, asked: Expectations, every: int, known: tuple[int, int] | None = None) -> list[Cause]:
    """The causes, in the order in which they are taken out, of ``records``.

    One stretch of ``every`` is looked at; keys are as in ``records``."""
    feed = Feed(records, len(records) // 3 + 1, len(records) // 14 + 1)
    channels = 1 if records.channel is None else int(records.channel.max()) + 1
    found = [each for start in range(0, len(records), feed.part) for each in summaries(feed.pieces(start), channels)]
    parts = replace(Parts.of(found, channels), unreadable=records.unreadable)
    columns = Columns(records.key is not None, records.value is not None, records.channel is not None)
    looked = near(feed, parts, columns, -(-len(records) // every))
    few = records.unreadable * len(looked.records) // len(records)
    causes = judged(replace(looked.records, unreadable=few), asked)
    whole = Whole(feed, parts, columns, asked, looked, known)
    causes = whole.counted([*causes, *far_copies(looked, causes)])
    numbers = {place: int(key) for place, key in enumerate(looked.keys)}
    return [
        replace(
            each,
            where=_called(each.where, looked.keys),
            rules=tuple(rule.called(numbers) if rule.column == "key" else rule for rule in each.rules),
        )
        for each in causes
    ]


def _called(where: Where, keys: list[str]) -> Where:
    """With the numbers that the keys have in ``records``."""
    if where.column == "key":
        return where.called([int(keys[each]) for each in where.names])
    return where if where.key is None else replace(where, key=int(keys[where.key]))
