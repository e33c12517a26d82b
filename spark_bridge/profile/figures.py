"""Quantiles and late shares, exact, from how often each value occurs, in rising order and in one go.

A quantile p is the smallest value with at least that share of the records at or below it, so it is the value of the
record of a certain rank, counted from 1. Shares are fractions: nothing is rounded.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Final

import numpy as np
from numpy.typing import NDArray
from tidemark.spark_bridge.profile.behind import Longs

QUANTILES: Final = {
    "p50": Fraction(1, 2),
    "p90": Fraction(9, 10),
    "p99": Fraction(99, 100),
    "p999": Fraction(999, 1000),
}

_DECADE: Final = (10, 12, 16, 20, 25, 32, 40, 50, 63, 80)


def rank_of(share: Fraction, records: int) -> int:
    """The rank (from 1) of the record that has the quantile ``share``."""
    return ceil(share * records)


def rank_within(target: Fraction, records: int) -> int:
    """How many records must be at or below a bound, so that those above it are at most ``target`` of all."""
    return records - floor(target * records)


def bounds_of_a_curve(asked: Iterable[int], longest: int) -> list[int]:
    """0, every bound ``asked`` for, and ten in each decade up to the first that is at least ``longest`` (ms)."""
    curve, decade = {0, *asked}, 1
    while decade <= max(longest, 1) * 10:
        curve |= {each * decade // 10 for each in _DECADE}
        decade *= 10
    end = min((each for each in curve if each >= longest), default=0)
    return sorted(each for each in curve if each <= end or each in set(asked))


@dataclass(slots=True)
class Ranked:
    """Values in rising order, each with how often it occurs; finds those of the wanted ``ranks``, and the ``longest``.

    ``found``: the value of each rank, 0 until it was met.
    """

    ranks: NDArray[np.int64]
    found: Longs = field(init=False)
    records: int = 0
    longest: int = 0

    def __post_init__(self) -> None:
        self.found = np.zeros(len(self.ranks), np.int64)

    def add(self, values: Longs, numbers: Longs) -> None:
        """The next values, none of them smaller than those before."""
        upto = self.records + np.cumsum(numbers)
        met = (self.ranks > self.records) & (self.ranks <= upto[-1])
        self.found[met] = values[np.searchsorted(upto, self.ranks[met])]
        self.records = int(upto[-1])
        self.longest = int(values[-1])


@dataclass(slots=True)
class Below:
    """Values in any order, each with how often it occurs; counts those at or below each of the rising ``limits``."""

    limits: Sequence[int]
    numbers: Longs = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = np.zeros(len(self.limits), np.int64)

    def add(self, values: Longs, numbers: Longs) -> None:
        """More values, in rising order within themselves."""
        upto = np.concatenate(([0], np.cumsum(numbers)))
        self.numbers += upto[np.searchsorted(values, np.asarray(self.limits, np.int64), side="right")]
