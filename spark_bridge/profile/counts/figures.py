"""What becomes of the records in tumbling windows: dropped or late, and how long a window waits for its firing.

The watermark is ``m - bound - 1`` after each record, and undefined until every channel of the stream has brought a
record, as in the operator's valve. A window ``[start, end)`` fires when the watermark reaches ``end - 1``, that is when
``m >= end + bound``; with ``m >= end + bound + lateness`` its state is gone and a record for it is dropped.
Source: ``WindowOperator.isWindowLate``, ``EventTimeTrigger``.

Quantiles and late shares, exact, from how often each value occurs, in rising order and in one go.

A quantile p is the smallest value with at least that share of the records at or below it, so it is the value of the
record of a certain rank, counted from 1. Shares are fractions: nothing is rounded.

The figures of a stream from what its tasks have counted, read in order of the values, so that memory stays flat.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tidemark.spark_bridge.watermarks.behind import UNSEEN, Block, Longs


@dataclass(frozen=True, slots=True)
class Windows:
    """Tumbling windows of ``size``, with the ``bound`` of the watermark and the allowed ``lateness`` (ms)."""

    size: int
    bound: int = 0
    lateness: int = 0

    def ends(self, timestamps: Longs) -> Longs:
        """The end of each record's window."""
        return (timestamps // self.size + 1) * self.size


class Over(NamedTuple):
    """The records at ``places`` of a block whose windows the watermark has reached, with the ``excess`` of each: the
    smallest lateness with which its window still takes it, the distance from the window's last moment to the watermark,
    plus 1.
    """

    places: Longs
    excess: Longs


def over(windows: Windows, block: Block, timestamps: Longs, behind: Longs) -> Over:
    """What comes after its window. ``behind``: of each record; only one that is late can be too late for its window."""
    places = np.flatnonzero(behind > windows.bound)
    places = places[np.searchsorted(places, block.whole_from) :]
    found = block.lowest[places] - windows.ends(timestamps[places]) - windows.bound + 1
    is_over = found > 0
    return Over(places[is_over], found[is_over])


def excess(windows: Windows, block: Block, timestamps: Longs) -> Longs:
    """The excess of each record, 0 for one whose window the watermark has not reached yet."""
    found = np.zeros(len(timestamps), np.int64)
    places, values = over(windows, block, timestamps, block.behind(timestamps))
    found[places] = values
    return found


def ends_on_time(windows: Windows, timestamps: Longs, late: Over) -> Longs:
    """The ends of the windows that have a record before they fire, each once."""
    numbers = timestamps // windows.size
    if len(late.places):
        is_on_time = np.ones(len(numbers), bool)
        is_on_time[late.places] = False
        numbers = numbers[is_on_time]
    found = numbers[:1]
    if len(numbers) > 1:
        found = np.unique(np.concatenate((found, numbers[1:][numbers[1:] != numbers[:-1]])))
    return (found + 1) * windows.size


def fired(windows: Windows, block: Block, after: int, ats: Longs | None) -> tuple[Longs, Longs]:
    """The last window's end that each firing watermark of a block reaches, and when that was: the arrival of the record
    that raised it (``ats``), or without arrivals the largest timestamp by then.

    ``after``: m after the last record, ``UNSEEN`` while undefined.
    """
    records, steps = len(block.lowest), block.steps.places
    steps = np.insert(steps, np.searchsorted(steps, block.whole_from), block.whole_from)
    places = np.append(steps[steps < records], records)
    m = np.append(block.lowest, after)[places]
    is_defined = (m != UNSEEN) & (places >= block.whole_from)
    reached = (np.where(is_defined, m, 0) - windows.bound) // windows.size * windows.size
    risen = is_defined[1:] & (~is_defined[:-1] | (reached[1:] > reached[:-1]))
    by = places[1:][risen] - 1  # what is so before a record is so since the one before it
    return reached[1:][risen], block.highest_at(by) if ats is None else ats[by]


def waits(windows: Windows, ends: Longs, fired: Longs, clocks: Longs) -> Longs:
    """How long after its end each of the windows fires that fire at all; ``ends`` and ``fired`` rise.

    A window fires with the first watermark that reaches its end or a later one.
    """
    places = np.searchsorted(fired, ends)
    does = places < len(fired)
    return clocks[places[does]] - ends[does]


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


BEHIND: Final = 0
"""How far behind records are; ``slot`` is the channel."""
EXCESS: Final = 1
"""The smallest lateness with which a record's window takes it."""
HELD: Final = 2
"""For how many records a channel (the value) held the watermark."""
ENDS: Final = 3
"""The end of a window that has a record before it fires."""
FIRED: Final = 4
"""The last window's end that a watermark reaches; the number is when that was."""

_FURTHEST: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Wanted:
    """``records``: of each channel. ``bounds``: that were asked for. ``target``: the share of late records allowed."""

    records: Sequence[int]
    bounds: tuple[int, ...] = ()
    target: Fraction = Fraction(1, 1000)
    windows: Windows | None = None


@dataclass(frozen=True, slots=True)
class Spread:
    """Quantiles of how far records are behind (ms)."""

    p50: int
    p90: int
    p99: int
    p999: int
    longest: int


@dataclass(frozen=True, slots=True)
class WindowFigures:
    """What happens in the windows. ``wait``: quantiles p50 and p99 (ms), None if no window fires.

    ``lateness_instead``: the smallest lateness that keeps the dropped share within the target.
    """

    dropped: int
    late: int
    lateness_instead: int
    wait: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class Figures:
    """What the counts say. ``late``: how many records are late for each bound. ``held``: by channel, in records."""

    behind: Spread
    channels: tuple[Spread, ...]
    held: tuple[int, ...]
    late: tuple[tuple[int, int], ...]
    recommended: int
    windows: WindowFigures | None


@dataclass(slots=True)
class Reading:
    """Reads batches of (figure, slot, value, number), in order of figure and value."""

    wanted: Wanted
    _whole: Ranked = field(init=False)
    _channels: list[Ranked] = field(init=False)
    _below: Below = field(init=False)
    _excess: Ranked = field(init=False)
    _kept: Below = field(init=False)
    _held: Longs = field(init=False)
    _windows: dict[int, list[tuple[Longs, Longs]]] = field(default_factory=lambda: {ENDS: [], FIRED: []})

    def __post_init__(self) -> None:
        wanted, total = self.wanted, sum(self.wanted.records)
        within = rank_within(wanted.target, total)
        self._whole = Ranked(np.array([*_ranks(total), within], np.int64))
        self._channels = [Ranked(np.array(_ranks(records), np.int64)) for records in wanted.records]
        self._below = Below(bounds_of_a_curve(wanted.bounds, _FURTHEST))
        self._excess = Ranked(np.array([within], np.int64))
        self._kept = Below([0, wanted.windows.lateness if wanted.windows else 0])
        self._held = np.zeros(len(wanted.records), np.int64)

    def add(self, figure: Longs, slot: Longs, value: Longs, number: Longs) -> None:
        """The next batch."""
        starts = np.flatnonzero(np.diff(figure, prepend=-1))
        for start, end in zip(starts, [*starts[1:], len(figure)], strict=True):
            part = slice(start, end)
            self._add(int(figure[start]), slot[part], value[part], number[part])

    def figures(self) -> Figures:
        """After the last batch."""
        whole, total = self._whole, sum(self.wanted.records)
        curve = bounds_of_a_curve(self.wanted.bounds, whole.longest)
        below = dict(zip(self._below.limits, self._below.numbers.tolist(), strict=True))
        return Figures(
            behind=_spread(whole),
            channels=tuple(map(_spread, self._channels)),
            held=tuple(self._held.tolist()),
            late=tuple((bound, total - below[bound]) for bound in curve),
            recommended=int(whole.found[-1]),
            windows=None if self.wanted.windows is None else self._window_figures(self.wanted.windows),
        )

    def _add(self, figure: int, slot: Longs, value: Longs, number: Longs) -> None:
        if figure == BEHIND:
            self._whole.add(value, number)
            self._below.add(value, number)
            order = np.argsort(slot, kind="stable")
            for own in np.split(order, np.flatnonzero(np.diff(slot[order])) + 1):
                self._channels[slot[own[0]]].add(value[own], number[own])
        elif figure == EXCESS:
            self._excess.add(value, number)
            self._kept.add(value, number)
        elif figure == HELD:
            self._held[value] += number
        else:
            self._windows[figure].append((value, number))

    def _window_figures(self, windows: Windows) -> WindowFigures:
        on_time, kept = self._kept.numbers.tolist()
        ends, _ = _joined(self._windows[ENDS])
        waited = np.sort(waits(windows, ends, *_joined(self._windows[FIRED])))
        quantiles = [rank_of(QUANTILES[name], len(waited)) - 1 for name in ("p50", "p99")]
        return WindowFigures(
            dropped=self._excess.records - kept,
            late=kept - on_time,
            lateness_instead=int(self._excess.found[0]),
            wait=(int(waited[quantiles[0]]), int(waited[quantiles[1]])) if len(waited) else None,
        )


def _ranks(records: int) -> list[int]:
    return [rank_of(share, records) for share in QUANTILES.values()]


def _spread(ranked: Ranked) -> Spread:
    p50, p90, p99, p999 = ranked.found.tolist()[:4]
    return Spread(p50, p90, p99, p999, ranked.longest)


def _joined(parts: list[tuple[Longs, Longs]]) -> tuple[Longs, Longs]:
    empty = np.zeros(0, np.int64)
    values, numbers = zip(*parts, strict=True) if parts else ((empty,), (empty,))
    return np.concatenate(values), np.concatenate(numbers)
