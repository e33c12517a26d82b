"""How far each timestamp is from where the stream is when the record arrives."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from tidemark.spark_bridge.profile.findings.records import LEAST, MOST, Longs, Records, nearby, running_median

Reals = NDArray[np.float64]

WIDTH = 65
"""So many records tell where a stream without arrivals is."""

BESIDE = 3
"""So many records of others on either side of one tell where the stream is without it."""


@dataclass(frozen=True)
class Progress:
    """Where the stream is at each record: its arrival, or what the timestamps around it say.

    All figures are ms; ``off`` is positive for a timestamp that is ahead. If these are records from the middle of a
    stream, ``level`` is where it was before, and ``usual`` how far timestamps are from arrival (else their median).
    """

    records: Records
    level: int = LEAST
    usual: int | None = None

    @cached_property
    def reached(self) -> Longs:
        """The middle of the timestamps around each record."""
        return running_median(self.records.ts, WIDTH)

    @cached_property
    def off(self) -> Longs:
        """The timestamp minus the arrival, or minus what the timestamps around it say."""
        return self.records.ts - (self.reached if self.records.at is None else self.records.at)

    @cached_property
    def middle(self) -> int:
        """How far timestamps are from arrival, as a rule."""
        return int(np.median(self.off)) if self.usual is None else self.usual

    @cached_property
    def ahead(self) -> Longs:
        """How far each timestamp is ahead of all that is around it: the first one after a quiet night is not ahead.

        Without arrivals, what comes later tells. Of the last few records nobody knows, unless an earlier time follows.
        """
        if self.records.at is not None:
            return self.off - self.middle
        so_far = np.maximum(np.maximum.accumulate(self.reached), self.level)
        reached = np.maximum(nearby(self.reached, WIDTH)[1], so_far)
        last = self.records.ts[-WIDTH:]
        reached[-WIDTH:] = np.maximum(reached[-WIDTH:], np.append(np.maximum.accumulate(last[:0:-1])[::-1], last[-1]))
        return self.records.ts - reached

    @cached_property
    def before(self) -> Longs:
        """Where the stream was before each record, by the records that came earlier alone."""
        reached = np.maximum(np.maximum.accumulate(self.reached), self.level)
        return np.concatenate([np.full(min(WIDTH, len(reached)), self.level), reached[:-WIDTH]])

    @cached_property
    def back(self) -> Longs:
        """How far each timestamp has jumped back from where the stream was before; 0 where it has not."""
        jumped = np.where(self.before > self.records.ts, self.before - np.minimum(self.records.ts, self.before), 0)
        if self.records.at is not None:
            late = self.middle - self.off
            jumped = np.minimum(jumped, late)
        return jumped

    @cached_property
    def time(self) -> Longs:
        """A time that never goes back: the arrival, or how far the stream has come."""
        if self.records.at is not None:
            return self.records.at
        first = self.records.ts.min() if self.level == LEAST else self.level
        return np.concatenate([np.full(min(WIDTH, len(self.before)), first), self.before[WIDTH:]])

    def spread(self, share: float) -> int:
        """How far the middle ``share`` of the records are apart."""
        low, high = np.quantile(self.off, [(1 - share) / 2, (1 + share) / 2])
        return int(high - low)


@dataclass(frozen=True)
class Cells:
    """Quantiles of a figure for each group of records in each part of the stream: arrays of groups × parts."""

    count: Longs
    low: Reals
    middle: Reals
    high: Reals


def cells(figure: Longs, group: Longs, groups: int, parts: int, share: float = 0.1) -> Cells:
    """The quantiles of ``figure``; a cell without records has NaN."""
    part = np.arange(len(figure)) * parts // max(len(figure), 1)
    cell = group * parts + part
    count = np.bincount(cell, minlength=groups * parts)
    start = np.concatenate([[0], np.cumsum(count)[:-1]])
    sorted_figure = _sorted(figure, cell, groups * parts)

    def at(q: float) -> Reals:
        place = np.minimum(start + (count * q).astype(np.int64), len(figure) - 1)
        return np.where(count > 0, sorted_figure[place], np.nan).reshape(groups, parts)

    return Cells(count.reshape(groups, parts), at(share), at(0.5), at(1 - share))


def _sorted(figure: Longs, cell: Longs, cells: int) -> Reals:
    """``figure`` in rising order, cell by cell."""
    low, high = (int(figure.min()), int(figure.max())) if len(figure) else (0, 0)
    if (high - low + 1) * cells < 2**62:  # one number for both is sorted much faster than two of them
        width = high - low + 1
        both = np.sort(cell * width + (figure - low))
        return (both % width + low).astype(np.float64)
    return figure[np.lexsort((figure, cell))].astype(np.float64)


def against_others(records: Records, is_it: NDArray[np.bool_]) -> Longs:
    """The timestamps of some records minus the middle of those of others just before and after each.

    Several on either side: where sources take turns, the neighbour of one may always be the one that is wrong.
    """
    others = records.ts[~is_it]
    if not len(others):
        return np.zeros(np.count_nonzero(is_it), np.int64)
    before = np.cumsum(~is_it)[is_it]
    low, high = np.maximum(before - BESIDE, 0), np.minimum(before + BESIDE, len(others))
    places = low[:, None] + np.arange(2 * BESIDE)
    # At either end of the stream there are others on one side alone.
    around = np.where(places < high[:, None], others[np.minimum(places, len(others) - 1)], MOST)
    ordered, width = np.sort(around, axis=1), high - low
    first = np.take_along_axis(ordered, ((width - 1) // 2)[:, None], 1)[:, 0]
    second = np.take_along_axis(ordered, (width // 2)[:, None], 1)[:, 0]
    apart: Longs = records.ts[is_it] - (first + (second - first) // 2)
    return apart
