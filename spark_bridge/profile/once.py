"""Parts, counts and the records that the findings look at, all from one pass over Parquet files.

What came before a part is not known meanwhile, but the files say how large a timestamp any record before it may have.
After its head a part needs no more (``Counting``). The heads, mostly a few hundred records, are counted afterwards.
"""

import pickle
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from pyspark import StorageLevel
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_bridge.profile.behind import UNSEEN
from spark_bridge.profile.counting import Counting, Rows, Told
from spark_bridge.profile.findings.near import Columns, Far, Taken, chosen, sampling
from spark_bridge.profile.parquet import ParquetFeed
from spark_bridge.profile.parts import Name, Parts, Piece, Summary, Sums
from spark_bridge.profile.passes import COUNTS, figures_from
from spark_bridge.profile.reading import Figures, Wanted
from spark_bridge.profile.windows import Windows

_SCHEMA: Final = COUNTS | {"note": "binary"}


@dataclass(frozen=True)
class Note:
    """What a task tells beside its counts: its parts, how many records their heads have, and the chosen ones."""

    summaries: list[Summary]
    heads: dict[Name, int]
    taken: list[Taken | Far]


@dataclass(frozen=True)
class Once:
    """What one pass has found. ``table`` holds the counts until ``unpersist``; ``heads`` reads what they leave out."""

    table: DataFrame
    heads: ParquetFeed
    parts: Parts
    taken: list[Taken | Far]
    every: int

    def figures(self, counting: Counting, wanted: Wanted) -> Figures:
        """The figures of the whole stream. ``counting`` knows what came before each part."""
        counts = self.table.where(F.col("note").isNull()).drop("note")
        return figures_from(counts.unionByName(self.heads.mapped(counting.rows, COUNTS)), wanted)


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

    def work(pieces: Iterator[Piece]) -> Iterator[tuple[Any, ...]]:
        sums: dict[Name, Sums] = {}
        taken: list[Taken | Far] = []
        told: dict[Name, Told] = {}

        def summed() -> Iterator[Piece]:
            for piece in pieces:
                own = sums.setdefault(piece.part, Sums(channels))
                own.unreadable += piece.unreadable
                if piece.ats is not None and len(piece.ats):
                    own.add_arrivals(piece.ats)
                yield piece

        def looked() -> Iterator[Piece]:
            places: dict[Name, int] = {}
            for piece in summed():
                taken.extend(chosen([piece], every, far, places))
                yield piece

        for rows in counting.rows(looked(), told):
            yield (*rows, [None] * len(rows.figure))
        for part, own in told.items():
            sums[part].records, sums[part].lowest = own.maxima.records, own.maxima.lowest
            sums[part].highest = own.maxima.before
        found = [each for part, brought in sums.items() for each in brought.summaries(part)]
        note = pickle.dumps(Note(found, {part: own.head for part, own in told.items()}, taken))
        yield (*([0] for _ in Rows._fields), [note])

    mapped = feed.mapped(work, _SCHEMA, keys=columns.key, values=columns.value)
    table = mapped.persist(StorageLevel.MEMORY_AND_DISK)
    notes: list[Note] = [pickle.loads(row[0]) for row in table.where("note IS NOT NULL").select("note").collect()]
    parts = Parts.of((each for note in notes for each in note.summaries), channels)
    heads = {name: records for note in notes for name, records in note.heads.items() if records}
    return Once(table, replace(feed, heads=heads), parts, [each for note in notes for each in note.taken], every)
