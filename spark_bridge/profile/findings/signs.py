"""How the records of a cause are told from others, in any stretch of a stream: the rules find a cause and its limits by
what they look at, a sign then finds its records among all that there are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from tidemark.spark_bridge.profile.findings.records import (
    LEAST,
    WIDTH,
    Longs,
    Mask,
    Progress,
    Reals,
    Records,
    against_others,
)

MARGIN = 3 * WIDTH
"""So many records before and after a stretch tell all that a sign wants to know of its surroundings."""

AROUND = 64
"""So many records in a row are one place of the stream."""


class Told(NamedTuple):
    """``counted``: the records of the cause. ``taken``: these, and others that are not judged any further.

    ``by``: how far they are off at most (ms), where this belongs to the cause. ``level``: see ``Sign.look``.
    """

    counted: Mask
    taken: Mask
    by: int = 0
    level: int = LEAST


class Sign(Protocol):
    """``margin``: whether the records before and after a stretch matter. ``levels``: see ``Levels``."""

    @property
    def margin(self) -> bool: ...

    @property
    def levels(self) -> "Levels": ...

    def look(self, records: Records, level: int) -> Told:
        """Which of some records in a row it is. ``level``: where the stream was before (ms), ``LEAST`` if unknown."""


@dataclass(frozen=True)
class Levels:
    """Where the stream was: at each of the rising ``items`` the largest middle of the timestamps so far (ms)."""

    items: Longs = field(default_factory=lambda: np.zeros(0, np.int64))
    reached: Longs = field(default_factory=lambda: np.zeros(0, np.int64))

    @classmethod
    def of(cls, progress: Progress) -> "Levels":
        """Those of the records in ``progress``, one for each time that it goes on.

        A middle is known only when the records after it have come.
        """
        reached = np.maximum.accumulate(progress.reached)
        steps = np.flatnonzero(np.diff(reached, prepend=LEAST))
        known = np.minimum(steps + WIDTH, len(reached) - 1)
        return cls(progress.records.item[known], reached[steps])

    def before(self, item: int) -> int:
        """Where the stream was when the record of that number came."""
        place = int(np.searchsorted(self.items, item)) - 1
        return LEAST if place < 0 else int(self.reached[place])

    def at(self, items: Longs) -> Longs:
        """Where the stream was when each of the records of these numbers came, after the first of all."""
        return self.reached[np.maximum(np.searchsorted(self.items, items) - 1, 0)]

    def only(self, starts: Mapping[Any, int]) -> "Levels":
        """The same for records of these numbers alone: small enough for every task."""
        items = np.array(sorted(set(starts.values())), np.int64)
        reached = np.array([self.before(item) for item in items.tolist()], np.int64)
        return Levels(items - 1, reached)


NOWHERE = Levels()


@dataclass(frozen=True)
class AnotherUnit:
    """A timestamp is ``10 ** power`` times its arrival, or ``truth`` (ms) where that is given, for one of ``powers``;
    the share ``near`` may be between."""

    truth: int | None
    near: float
    powers: tuple[int, ...]
    margin: bool = False
    levels: Levels = NOWHERE

    def ratios(self, records: Records) -> Reals:
        """How many times its arrival each timestamp is."""
        truth = np.full(len(records), self.truth) if self.truth is not None else records.at
        assert truth is not None
        ratios: Reals = np.divide(records.ts, truth, out=np.zeros(len(records)), where=truth > 0)
        return ratios

    def of_power(self, ratios: Reals, power: int) -> Mask:
        """Which are off by that power of ten."""
        found: Mask = np.abs(ratios * 10.0**-power - 1) < self.near
        return found

    def look(self, records: Records, level: int) -> Told:
        ratios, found = self.ratios(records), np.zeros(len(records), np.bool_)
        for power in self.powers:
            found |= self.of_power(ratios, power)
        return Told(found, found)


@dataclass(frozen=True)
class Between:
    """A timestamp from ``low`` to ``high`` (ms)."""

    low: int
    high: int
    margin: bool = False
    levels: Levels = NOWHERE

    def look(self, records: Records, level: int) -> Told:
        found = (records.ts >= self.low) & (records.ts <= self.high)
        return Told(found, found)


@dataclass(frozen=True)
class Off:
    """The records of a ``group`` (None: of all) are off by ``by`` ms in some parts of the stream.

    ``starts``: the number of the first record of each part but the first. ``inside``: the parts in which all are off;
    ``around``: those in which some may be. ``base``: what is added to every distance from arrival anyway.
    """

    column: str
    group: int | None
    by: int
    starts: Longs
    inside: NDArray[np.bool_]
    around: NDArray[np.bool_]
    base: float
    margin: bool
    levels: Levels = NOWHERE

    def look(self, records: Records, level: int) -> Told:
        part = np.searchsorted(self.starts, records.item, side="right")
        is_it = self.around[part]
        near = np.zeros(len(records), np.bool_) if self.group is None else self.inside[part]
        if self.group is not None:
            own = getattr(records, self.column) == self.group
            is_it = is_it & own
        if not is_it.any():
            return Told(is_it, is_it)
        if records.at is not None:
            off = records.ts - records.at - self.base
        else:
            off = np.zeros(len(records))
            off[own] = against_others(records, own)
        is_it = is_it & (near | (np.abs(off - self.by) <= 0.5 * abs(self.by)))
        return Told(is_it, is_it)


@dataclass(frozen=True)
class Several:
    """Groups of one column that are off by the same time, each in parts of the stream of its own."""

    signs: tuple[Off, ...]
    levels: Levels = NOWHERE

    @property
    def margin(self) -> bool:
        return any(sign.margin for sign in self.signs)

    def look(self, records: Records, level: int) -> Told:
        found = np.zeros(len(records), np.bool_)
        for sign in self.signs:
            found |= sign.look(records, level).counted
        return Told(found, found)


@dataclass(frozen=True)
class Ahead:
    """A timestamp is more than ``least`` ms ahead of all around it. ``usual``: how far they all are from arrival."""

    least: float
    usual: int | None
    levels: Levels = NOWHERE

    @property
    def margin(self) -> bool:
        return self.usual is None

    def look(self, records: Records, level: int) -> Told:
        progress = Progress(records, level, self.usual)
        found = progress.ahead > self.least
        by = int(progress.ahead[found].max()) if found.any() else 0
        return Told(found, found, by, LEAST if self.usual is not None else int(progress.reached.max()))


@dataclass(frozen=True)
class Back:
    """A timestamp is more than ``least`` ms behind where the stream was, and so is a ``share`` of those around it.

    ``first``, ``last``: the numbers between which it is; ``near``: between these, others that are behind belong to it.
    """

    least: float
    share: float
    usual: int | None
    first: int
    last: int
    near: tuple[int, int]
    levels: Levels = NOWHERE
    margin: bool = True

    def look(self, records: Records, level: int) -> Told:
        progress = Progress(records, level, self.usual)
        reached = int(progress.reached.max())
        outside = records.item[-1] < min(self.first, self.near[0]) or records.item[0] > max(self.last, self.near[1])
        if outside:
            nothing = np.zeros(len(records), np.bool_)
            return Told(nothing, nothing, 0, reached)
        back = progress.back
        counted = back > self.least
        counted &= (share_around(counted) >= self.share) & (records.item >= self.first) & (records.item <= self.last)
        near = (records.item >= self.near[0]) & (records.item <= self.near[1]) & (back > 0)
        return Told(counted, counted | near, int(back[counted].max()) if counted.any() else 0, reached)

    def widened(self, records: int) -> "Back":
        """The same where so many records more may belong to it on either side."""
        return replace(self, first=self.first - records, last=self.last + records)


Clocks = Off | Several
"""The signs of clocks that are wrong by a constant."""


def owned(sign: Sign, records: Records) -> Mask:
    """The records of the groups that ``sign`` is about, off or not; all where it is about no group."""
    signs = sign.signs if isinstance(sign, Several) else (sign,) if isinstance(sign, Off) else ()
    groups = [each.group for each in signs if each.group is not None]
    return np.isin(getattr(records, signs[0].column), groups) if groups else np.ones(len(records), np.bool_)


def numbered(sign: Sign, numbers: Mapping[int, int]) -> Sign:
    """``sign`` with other numbers for the groups that it is about."""
    if isinstance(sign, Several):
        return replace(sign, signs=tuple(replace(each, group=numbers[each.group or 0]) for each in sign.signs))
    return replace(sign, group=numbers[sign.group or 0]) if isinstance(sign, Off) else sign


def share_around(found: Mask) -> Reals:
    """Of the records around each one, the share that is found."""
    shares: Reals = np.convolve(found, np.ones(AROUND), "full")[AROUND // 2 :][: len(found)] / min(AROUND, len(found))
    return shares
