"""The passes over a stream, as Spark jobs: what parts bring, how often values occur, the figures of all counts.

Values are counted exactly in memory that does not grow with the stream. A task counts the small values of each slot (a
channel, or another figure) in one table, and the others sorted. When there are too many of these, they are handed out,
and Spark adds up what all tasks handed out.
"""

import pickle
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.profile.counts.feed import Feed
from tidemark.spark_bridge.profile.counts.figures import (
    BEHIND,
    ENDS,
    EXCESS,
    FIRED,
    HELD,
    Course,
    Figures,
    Reading,
    Slicing,
    Wanted,
    Windows,
    ends_on_time,
    excess,
    fired,
    over,
)
from tidemark.spark_bridge.profile.counts.figures import TYPES as SLICE_TYPES
from tidemark.spark_bridge.watermarks.behind import TYPES, Longs, Maxima, Name, Parts, Piece, Summary, summaries

CELLS: Final = 1 << 21
"""How many counters the table of the small values has in all."""

MOST_HELD: Final = 1 << 19
"""How many other values are held before they are handed out."""


class Counted(NamedTuple):
    """Columns of one length: in ``slot``, ``value`` was seen ``number`` times."""

    slot: Longs
    value: Longs
    number: Longs


class Tally:
    """Counts values >= 0 in each of ``slots``."""

    def __init__(self, slots: int) -> None:
        self.slots, self.width = slots, max(CELLS // slots, 1)
        # The slots of a value lie side by side: mostly the values are much smaller than the table is wide, and then
        # only its beginning is ever touched.
        self._small = np.zeros(slots * self.width, np.int64)
        self._others: list[Counted] = []
        self._held = 0

    def add(self, slot: NDArray[np.integer] | int, values: Longs) -> None:
        """Count ``values``, each in its own slot, or all in one."""
        if not len(values):
            return
        if values.max() >= self.width:
            small = values < self.width
            slots, others = np.broadcast_to(np.asarray(slot), values.shape), ~small
            self._hold(Counted(slots[others].astype(np.int64), values[others], np.ones(int(others.sum()), np.int64)))
            slot, values = slots[small], values[small]
        places = values
        if self.slots > 1:
            places = values * self.slots
            places += slot
        found = np.bincount(places)
        self._small[: len(found)] += found

    def add_zeros(self, slot: int, number: int) -> None:
        """Count 0 ``number`` times."""
        self._small[slot] += number

    def full(self) -> Iterator[Counted]:
        """What has to be handed out by now."""
        if self._held > MOST_HELD:
            self._others = [_summed(self._others)]
            self._held = len(self._others[0].slot)
            if self._held > MOST_HELD // 2:
                yield self._others.pop()
                self._held = 0

    def rest(self) -> Iterator[Counted]:
        """All that was counted and not handed out."""
        places = np.flatnonzero(self._small)
        yield Counted(places % self.slots, places // self.slots, self._small[places])
        if self._others:
            yield _summed(self._others)

    def _hold(self, counted: Counted) -> None:
        self._others.append(counted)
        self._held += len(counted.slot)


def _summed(parts: list[Counted]) -> Counted:
    slot, value, number = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((value, slot))
    slot, value, number = slot[order], value[order], number[order]
    first = np.ones(len(slot), bool)
    first[1:] = (slot[1:] != slot[:-1]) | (value[1:] != value[:-1])
    starts = np.flatnonzero(first)
    return Counted(slot[starts], value[starts], np.add.reduceat(number, starts))


class Rows(NamedTuple):
    """Columns of one length: see ``reading`` for the figures."""

    figure: Longs
    slot: Longs
    value: Longs
    number: Longs


@dataclass(frozen=True, slots=True)
class Counting:
    """``before``: the channels' largest timestamps before each part. ``wanted``: how many channels must be there."""

    before: Mapping[Name, Longs]
    channels: int
    wanted: int = 1
    windows: Windows | None = None

    def rows(self, pieces: Iterable[Piece]) -> Iterator[Rows]:
        """What ``pieces`` add to each figure, all or part of it at a time. Raises ``KeyError`` for an unknown part."""
        tally = Tally(self.channels + (self.windows is not None))
        held = np.zeros(self.channels, np.int64)
        part, maxima = None, Maxima(np.zeros(1, np.int64))
        for piece in pieces:
            if not len(piece.timestamps):
                continue
            if piece.part != part:
                part, maxima = piece.part, Maxima(self.before[piece.part], self.wanted)
            block = maxima.block(piece.timestamps, piece.channels)
            held += block.held
            behind = block.behind(piece.timestamps)
            tally.add(0 if self.channels == 1 else piece.channels, behind)
            if self.windows is not None:
                late = over(self.windows, block, piece.timestamps, behind)
                tally.add(self.channels, late.excess)
                tally.add_zeros(self.channels, len(behind) - len(late.excess))
                ends = ends_on_time(self.windows, piece.timestamps, late)
                yield _rows(ENDS, ends, np.ones(len(ends), np.int64))
                yield _rows(FIRED, *fired(self.windows, block, maxima.whole, piece.ats))
            yield from map(self._counted, tally.full())
        yield from map(self._counted, tally.rest())
        holders = np.flatnonzero(held)
        yield _rows(HELD, holders, held[holders])

    def accepted(self, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Longs, Longs]]:
        """Each piece, the end of each record's window, and 1 for a late record that it takes, 0 on time, -1 dropped."""
        assert self.windows is not None
        part, maxima = None, Maxima(np.zeros(1, np.int64))
        for piece in pieces:
            if not len(piece.timestamps):
                continue
            if piece.part != part:
                part, maxima = piece.part, Maxima(self.before[piece.part], self.wanted)
            block = maxima.block(piece.timestamps, piece.channels)
            late = excess(self.windows, block, piece.timestamps)
            yield piece, self.windows.ends(piece.timestamps), np.where(late > self.windows.lateness, -1, late > 0)

    def _counted(self, counted: Counted) -> Rows:
        slot, value, number = counted
        is_behind = slot < self.channels
        return Rows(np.where(is_behind, BEHIND, EXCESS), np.where(is_behind, slot, 0), value, number)


def _rows(figure: int, value: Longs, number: Longs) -> Rows:
    return Rows(np.full(len(value), figure), np.zeros(len(value), np.int64), value, number)


_ACCEPTED = {"key": "string", "end": "bigint", "late": "bigint", "records": "bigint"}
COUNTS = dict.fromkeys(Rows._fields, "bigint")
"""The columns of what tasks count, as Spark declares them."""


def parts_of(feed: Feed, channels: int) -> Parts:
    """What each part brings: a few numbers for each part and channel, put together here."""

    def work(pieces: Iterator[Piece]) -> Iterator[tuple[Any, ...]]:
        found = list(summaries(pieces, channels))
        if found:
            yield tuple(zip(*found, strict=True))

    return Parts.of((Summary(*row) for row in feed.mapped(work, TYPES).collect()), channels)


def figures_of(feed: Feed, counting: Counting, wanted: Wanted) -> Figures:
    """The figures of the whole stream.

    The tasks count, Spark adds up, and one task reads the sums in order; the driver gets the figures alone.
    """
    counts = feed.mapped(counting.rows, COUNTS)
    summed = counts.groupBy("figure", "slot", "value").agg(F.sum("number").alias("number"))
    return _read(summed.repartition(1).sortWithinPartitions("figure", "value"), wanted)


def late_firings_of(feed: Feed, counting: Counting, *, has_keys: bool) -> int:
    """How many results come again because of late records.

    Each late record of a window that is still kept makes it fire, and the first firing of all is no late one.
    """
    late = feed.mapped(partial(_accepted, counting), _ACCEPTED, keys=has_keys)
    windows = late.groupBy("key", "end").agg(F.sum("late").alias("late"), F.sum("records").alias("records"))
    again = F.when(F.col("late") == F.col("records"), F.col("late") - F.lit(1)).otherwise(F.col("late"))
    row = windows.agg(F.sum(again)).first()
    return int(row[0] or 0) if row else 0


def course_of(feed: Feed, slicing: Slicing) -> Course:
    """How the stream goes on: a few hundred numbers for each task."""
    return slicing.course(feed.mapped(slicing.rows, SLICE_TYPES).collect())


def _accepted(counting: Counting, pieces: Iterator[Piece]) -> Iterator[tuple[Any, ...]]:
    """For each key and window of a piece, how many records it takes, and how many of them after it may have fired."""
    for piece, ends, late in counting.accepted(pieces):
        keys = pa.nulls(len(piece.timestamps), pa.string()) if piece.keys is None else piece.keys
        kept = pa.array(late >= 0)
        table = pa.table({"key": keys, "end": ends, "late": late}).filter(kept)
        found = table.group_by(["key", "end"]).aggregate([("late", "sum"), ("late", "count")])
        yield tuple(found.column(name).combine_chunks() for name in ("key", "end", "late_sum", "late_count"))


def _read(summed: DataFrame, wanted: Wanted) -> Figures:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        reading = Reading(wanted)
        for batch in batches:
            if len(batch):
                reading.add(*(batch.column(name).to_numpy() for name in Rows._fields))
        yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(reading.figures())])], names=["figures"])

    row = summed.mapInArrow(run, "figures BINARY").first()
    if row is None:  # no record at all can be read, so no task had anything to do
        return Reading(wanted).figures()
    figures: Figures = pickle.loads(row.figures)
    return figures
