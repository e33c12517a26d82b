"""The figures of a stream from what its tasks have counted, read in order of the values, so that memory stays flat."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

import numpy as np
from tidemark.spark_bridge.profile.behind import Longs
from tidemark.spark_bridge.profile.figures import QUANTILES, Below, Ranked, bounds_of_a_curve, rank_of, rank_within
from tidemark.spark_bridge.profile.windows import Windows, waits

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
