"""How far each timestamp is from where the stream is when the record arrives."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from spark_bridge.profile.findings.records import LEAST, Longs, Records, nearby, running_median

Reals = NDArray[np.float64]

WIDTH = 65
"""So many records tell where a stream without arrivals is."""


@dataclass(frozen=True)
class Progress:
    """Where the stream is at each record: its arrival, or what the timestamps around it say.

    All figures are ms; ``off`` is positive for a timestamp that is ahead.
    """

    records: Records

    @cached_property
    def reached(self) -> Longs:
        """The middle of the timestamps around each record."""
        return running_median(self.records.ts, WIDTH)

    @cached_property
    def off(self) -> Longs:
        """The timestamp minus the arrival, or minus what the timestamps around it say."""
        return self.records.ts - (self.reached if self.records.at is None else self.records.at)

    @cached_property
    def ahead(self) -> Longs:
        """How far each timestamp is ahead of all that is around it: the first one after a quiet night is not ahead.

        Without arrivals, what comes later tells. Of the last few records nobody knows, unless an earlier time follows.
        """
        if self.records.at is not None:
            return self.off - int(np.median(self.off))
        reached = np.maximum(nearby(self.reached, WIDTH)[1], np.maximum.accumulate(self.reached))
        last = self.records.ts[-WIDTH:]
        reached[-WIDTH:] = np.maximum(reached[-WIDTH:], np.append(np.maximum.accumulate(last[:0:-1])[::-1], last[-1]))
        return self.records.ts - reached

    @cached_property
    def before(self) -> Longs:
        """Where the stream was before each record, by the records that came earlier alone."""
        reached = np.maximum.accumulate(self.reached)
        return np.concatenate([np.full(min(WIDTH, len(reached)), LEAST), reached[:-WIDTH]])

    @cached_property
    def back(self) -> Longs:
        """How far each timestamp has jumped back from where the stream was before; 0 where it has not."""
        jumped = np.where(self.before > self.records.ts, self.before - np.minimum(self.records.ts, self.before), 0)
        if self.records.at is not None:
            late = int(np.median(self.off)) - self.off
            jumped = np.minimum(jumped, late)
        return jumped

    @cached_property
    def time(self) -> Longs:
        """A time that never goes back: the arrival, or how far the stream has come."""
        if self.records.at is not None:
            return self.records.at
        return np.concatenate([np.full(min(WIDTH, len(self.before)), self.records.ts.min()), self.before[WIDTH:]])

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
    order = np.lexsort((figure, cell))
    count = np.bincount(cell, minlength=groups * parts)
    start = np.concatenate([[0], np.cumsum(count)[:-1]])
    sorted_figure = figure[order].astype(np.float64)

    def at(q: float) -> Reals:
        place = np.minimum(start + (count * q).astype(np.int64), len(figure) - 1)
        return np.where(count > 0, sorted_figure[place], np.nan).reshape(groups, parts)

    return Cells(count.reshape(groups, parts), at(share), at(0.5), at(1 - share))


def against_others(records: Records, is_it: NDArray[np.bool_]) -> Longs:
    """The timestamps of some records minus the middle between the ones of others just before and after each."""
    places = np.arange(len(records))
    before = np.maximum.accumulate(np.where(is_it, -1, places))
    after = np.minimum.accumulate(np.where(is_it, len(records), places)[::-1])[::-1]
    before, after = before[is_it], after[is_it]
    alone = (before < 0) & (after >= len(records))
    first = records.ts[np.clip(np.where(before < 0, after, before), 0, len(records) - 1)]
    second = records.ts[np.clip(np.where(after >= len(records), before, after), 0, len(records) - 1)]
    return np.where(alone, 0, records.ts[is_it] - (first + (second - first) // 2))
