"""The records that the findings are made from, and how those of a cause are told from others.

Records are columns of one length, in the order of the stream; ``Progress`` says how far each timestamp is from where
the stream is when the record arrives. The rules find a cause and its limits by what they look at, a ``Sign`` then finds
its records among all that there are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from tidemark.spark_bridge.watermarks.behind import Longs as Longs

Mask = NDArray[np.bool_]

LEAST = np.iinfo(np.int64).min
MOST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Expectations:
    """What was asked about a stream: a bound (ms), the number of channels, the share of late records allowed."""

    bound: int | None = None
    channels: int | None = None
    target: float = 0.001

    @property
    def wanted(self) -> int:
        """How many channels must have brought a record before there is a watermark."""
        return self.channels or 1


@dataclass(frozen=True)
class Records:
    """Readable records. ``item`` is the number of each in the stream, from 0; times are in ms.

    ``at``, ``key``, ``value`` and ``channel`` are None where the stream has no such column. A key or a value is any
    number that stands for it: equal ones have equal numbers. ``unreadable`` records are none of these.
    """

    item: Longs
    ts: Longs
    at: Longs | None = None
    channel: Longs | None = None
    key: Longs | None = None
    value: Longs | None = None
    unreadable: int = 0

    def __len__(self) -> int:
        return len(self.ts)

    def where(self, wanted: Mask) -> "Records":
        """The wanted records alone."""
        if wanted.all():
            return self
        found = {name: getattr(self, name) for name in ("item", "ts", "at", "channel", "key", "value")}
        return replace(self, **{name: column[wanted] for name, column in found.items() if column is not None})

    def moved(self, by: Longs) -> "Records":
        """The same records with other timestamps."""
        return replace(self, ts=self.ts + by)

    @cached_property
    def channels(self) -> int:
        """How many channels bring a record."""
        return 1 if self.channel is None else len(distinct(self.channel)[0])

    def behind(self, wanted: int = 1) -> Longs:
        """How far each record is behind the slowest of the channels that have brought a record before; at least 0.

        It is 0 while fewer than ``wanted`` channels have brought one.
        """
        lowest, began = np.full(len(self), MOST), []
        for number in [None] if self.channel is None else distinct(self.channel)[0]:
            began.append(0 if number is None else int(np.argmax(self.channel == number)))
            own = self.ts if number is None else np.where(self.channel == number, self.ts, LEAST)
            reached = np.concatenate([[LEAST], np.maximum.accumulate(own)[:-1]])
            np.minimum(lowest, np.where(reached == LEAST, MOST, reached), out=lowest)
        lowest[lowest == MOST] = LEAST
        lowest[: len(self) if len(began) < wanted else sorted(began)[wanted - 1] + 1] = LEAST
        return np.where(lowest > self.ts, lowest - np.minimum(self.ts, lowest), 0)

    def late(self, bound: int | None, wanted: int = 1) -> int:
        """How many records are at or behind the watermark when they arrive."""
        return int(np.count_nonzero(self.behind(wanted) > (bound or 0)))


def distinct(values: Longs) -> tuple[Longs, Longs]:
    """The different values, rising, and which of them each one is. Small numbers are told apart without sorting."""
    if len(values) and values.min() >= 0 and values.max() <= 2 * len(values):
        there = np.bincount(values) > 0
        return np.flatnonzero(there), (np.cumsum(there) - 1)[values]
    names, place = np.unique(values, return_inverse=True)
    return names, place


def different(values: Longs) -> int:
    """How many different values there are. NumPy's own ``unique`` hashes them, which takes a hundred times as long."""
    ordered = np.sort(values)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + min(len(ordered), 1)


def running_median(values: Longs, width: int = 65, stride: int = 8) -> Longs:
    """The median of the ``width`` values around each one, at every ``stride``-th; the others take the nearest."""
    if len(values) <= width:
        return np.full(len(values), int(np.median(values)) if len(values) else 0)
    windows = np.lib.stride_tricks.sliding_window_view(values, width)[::stride]
    medians = np.partition(windows, width // 2, axis=1)[:, width // 2]
    place = np.clip((np.arange(len(values)) - width // 2 + stride // 2) // stride, 0, len(medians) - 1)
    return medians[place]


def nearby(values: Longs, reach: int) -> tuple[Longs, Longs]:
    """The smaller and the larger of the values ``reach`` places before and after each one, and of itself."""
    before = np.concatenate([values[:reach], values[:-reach]]) if len(values) > reach else values
    after = np.concatenate([values[reach:], values[-reach:]]) if len(values) > reach else values
    return np.minimum(np.minimum(before, after), values), np.maximum(np.maximum(before, after), values)


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


MARGIN = 3 * WIDTH
"""So many records before and after a stretch tell all that a sign wants to know of its surroundings."""

AROUND = 64
"""So many records in a row are one place of the stream."""


class Match(NamedTuple):
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

    def look(self, records: Records, level: int) -> Match:
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

    def look(self, records: Records, level: int) -> Match:
        ratios, found = self.ratios(records), np.zeros(len(records), np.bool_)
        for power in self.powers:
            found |= self.of_power(ratios, power)
        return Match(found, found)


@dataclass(frozen=True)
class Between:
    """A timestamp from ``low`` to ``high`` (ms)."""

    low: int
    high: int
    margin: bool = False
    levels: Levels = NOWHERE

    def look(self, records: Records, level: int) -> Match:
        found = (records.ts >= self.low) & (records.ts <= self.high)
        return Match(found, found)


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

    def look(self, records: Records, level: int) -> Match:
        part = np.searchsorted(self.starts, records.item, side="right")
        is_it = self.around[part]
        near = np.zeros(len(records), np.bool_) if self.group is None else self.inside[part]
        if self.group is not None:
            own = getattr(records, self.column) == self.group
            is_it = is_it & own
        if not is_it.any():
            return Match(is_it, is_it)
        if records.at is not None:
            off = records.ts - records.at - self.base
        else:
            off = np.zeros(len(records))
            off[own] = against_others(records, own)
        is_it = is_it & (near | (np.abs(off - self.by) <= 0.5 * abs(self.by)))
        return Match(is_it, is_it)


@dataclass(frozen=True)
class Several:
    """Groups of one column that are off by the same time, each in parts of the stream of its own."""

    signs: tuple[Off, ...]
    levels: Levels = NOWHERE

    @property
    def margin(self) -> bool:
        return any(sign.margin for sign in self.signs)

    def look(self, records: Records, level: int) -> Match:
        found = np.zeros(len(records), np.bool_)
        for sign in self.signs:
            found |= sign.look(records, level).counted
        return Match(found, found)


@dataclass(frozen=True)
class Ahead:
    """A timestamp is more than ``least`` ms ahead of all around it. ``usual``: how far they all are from arrival."""

    least: float
    usual: int | None
    levels: Levels = NOWHERE

    @property
    def margin(self) -> bool:
        return self.usual is None

    def look(self, records: Records, level: int) -> Match:
        progress = Progress(records, level, self.usual)
        found = progress.ahead > self.least
        by = int(progress.ahead[found].max()) if found.any() else 0
        return Match(found, found, by, LEAST if self.usual is not None else int(progress.reached.max()))


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

    def look(self, records: Records, level: int) -> Match:
        progress = Progress(records, level, self.usual)
        reached = int(progress.reached.max())
        outside = records.item[-1] < min(self.first, self.near[0]) or records.item[0] > max(self.last, self.near[1])
        if outside:
            nothing = np.zeros(len(records), np.bool_)
            return Match(nothing, nothing, 0, reached)
        back = progress.back
        counted = back > self.least
        counted &= (share_around(counted) >= self.share) & (records.item >= self.first) & (records.item <= self.last)
        near = (records.item >= self.near[0]) & (records.item <= self.near[1]) & (back > 0)
        return Match(counted, counted | near, int(back[counted].max()) if counted.any() else 0, reached)

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
