"""The figures of a stream from what its tasks have counted, and how it goes on from beginning to end.

Quantiles and late shares are exact, from how often each value occurs, in rising order and in one go, so that memory
stays flat. A quantile p is the smallest value with at least that share of the records at or below it, so it is the
value of the record of a certain rank, counted from 1. Shares are fractions: nothing is rounded.

In tumbling windows records are dropped or late. The watermark is ``m - bound - 1`` after each record, and undefined
until every channel of the stream has brought a record, as in the operator's valve. A window ``[start, end)`` fires when
the watermark reaches ``end - 1``, that is when ``m >= end + bound``; with ``m >= end + bound + lateness`` its state is
gone and a record for it is dropped. Source: ``WindowOperator.isWindowLate``, ``EventTimeTrigger``.

A *slice* is a stretch of equally many records, so that it means the same with arrivals and without them, and one
timestamp far in the future stretches no axis. The same pass counts what windows would drop, for every sum of bound and
lateness on the curve: with a bound ``b`` and a lateness ``l`` a record is dropped when its ``excess`` over a bound of 0
is more than ``b + l``, so one count answers for both.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tidemark.spark_bridge.watermarks.behind import UNSEEN, Block, Longs, Maxima, Name, Parts, Piece


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


def bounds_of_a_curve(bounds: Iterable[int], longest: int) -> list[int]:
    """0, every bound ``bounds`` for, and ten in each decade up to the first that is at least ``longest`` (ms)."""
    curve, decade = {0, *bounds}, 1
    while decade <= max(longest, 1) * 10:
        curve |= {each * decade // 10 for each in _DECADE}
        decade *= 10
    end = min((each for each in curve if each >= longest), default=0)
    return sorted(each for each in curve if each <= end or each in set(bounds))


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
    _accepted: Below = field(init=False)
    _held: Longs = field(init=False)
    _windows: dict[int, list[tuple[Longs, Longs]]] = field(default_factory=lambda: {ENDS: [], FIRED: []})

    def __post_init__(self) -> None:
        wanted, total = self.wanted, sum(self.wanted.records)
        within = rank_within(wanted.target, total)
        self._whole = Ranked(np.array([*_ranks(total), within], np.int64))
        self._channels = [Ranked(np.array(_ranks(records), np.int64)) for records in wanted.records]
        self._below = Below(bounds_of_a_curve(wanted.bounds, _FURTHEST))
        self._excess = Ranked(np.array([within], np.int64))
        self._accepted = Below([0, wanted.windows.lateness if wanted.windows else 0])
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
            self._accepted.add(value, number)
        elif figure == HELD:
            self._held[value] += number
        else:
            self._windows[figure].append((value, number))

    def _window_figures(self, windows: Windows) -> WindowFigures:
        on_time, kept = self._accepted.numbers.tolist()
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


SLICES: Final = 120
"""A stream has at most so many slices."""

DROPPED: Final = -1
"""The slice of a row that counts what windows drop; its channel is the place of a limit."""


class SliceRow(NamedTuple):
    """What a task adds to one slice and channel. Times in ms.

    ``total`` and ``longest``: how far the records are behind, added up and at most. ``held``: for how many records the
    channel held the watermark. ``began``: the earliest arrival, or without arrivals the smallest timestamp.
    """

    slice: int
    channel: int
    records: int
    total: float
    longest: int
    held: int
    began: int


TYPES: Final = dict.fromkeys(SliceRow._fields, "bigint") | {"total": "double"}
"""The columns of a row as Spark declares them."""


class Slice(NamedTuple):
    """One channel in one slice. ``mean`` and ``longest``: how far its records are behind (ms). ``held_share``: of all
    records of the slice. ``began``: see ``SliceRow``, of the whole slice; ``first`` is the number of its first record.
    """

    number: int
    first: int
    began: int
    channel: int
    records: int
    mean: float
    longest: int
    held_share: float


@dataclass(frozen=True, slots=True)
class Course:
    """The whole course. ``dropped``: for rising sums of bound and lateness (ms), how many records windows drop."""

    slices: tuple[Slice, ...]
    dropped: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Slicing:
    """What tasks do. ``before`` and ``starts``: see ``Parts``. ``limits``: rising sums of bound and lateness (ms)."""

    before: Mapping[Name, Longs]
    starts: Mapping[Name, int]
    records: int
    channels: int
    wanted: int = 1
    size: int | None = None
    limits: tuple[int, ...] = ()

    @classmethod
    def of(cls, parts: Parts, wanted: int, size: int | None, limits: Sequence[int]) -> "Slicing":
        """The slicing of a stream whose first pass found ``parts``."""
        records = sum(parts.records)
        return cls(parts.before, parts.starts, records, len(parts.records), wanted, size, tuple(limits))

    def rows(self, pieces: Iterable[Piece]) -> Iterator[tuple[Any, ...]]:
        """The columns of the rows of all ``pieces``."""
        found: dict[tuple[int, int], SliceRow] = {}
        dropped = np.zeros(len(self.limits) + 1, np.int64)
        part, maxima, place = None, Maxima(np.zeros(1, np.int64)), 0
        for piece in pieces:
            if piece.part != part and len(piece.timestamps):
                part, maxima = piece.part, Maxima(self.before[piece.part], self.wanted)
                place = self.starts[piece.part]
            for number, start, end in self._stretches(place, len(piece.timestamps)):
                timestamps, channels = piece.timestamps[start:end], piece.channels[start:end]
                block = maxima.block(timestamps, channels)
                times = timestamps if piece.ats is None else piece.ats[start:end]
                self._add(found, number, channels.astype(np.int64), block.behind(timestamps), block.held, times)
                if self.size is not None:
                    late = excess(Windows(self.size), block, timestamps)
                    over = np.searchsorted(self.limits, late, side="left")
                    dropped += np.bincount(over, minlength=len(dropped))
            place += len(piece.timestamps)
        rows = list(found.values())
        rows += [SliceRow(DROPPED, limit, number, 0.0, 0, 0, 0) for limit, number in enumerate(dropped.tolist())]
        yield tuple(zip(*rows, strict=True))

    def course(self, rows: Iterable[Sequence[Any]]) -> Course:
        """The course, from the rows of all tasks."""
        found: dict[tuple[int, int], SliceRow] = {}
        dropped = [0] * (len(self.limits) + 1)
        for row in map(SliceRow._make, rows):
            if row.slice == DROPPED:
                dropped[row.channel] += row.records
            else:
                _merge(found, row)
        whole: dict[int, tuple[int, int]] = {}
        for (number, _), row in found.items():
            records, began = whole.get(number, (0, row.began))
            whole[number] = records + row.records, min(began, row.began)
        slices = tuple(
            Slice(
                number,
                -(-number * self.records // self.slices),
                whole[number][1],
                channel,
                row.records,
                row.total / row.records if row.records else 0.0,
                row.longest,
                row.held / whole[number][0] if whole[number][0] else 0.0,
            )
            for (number, channel), row in sorted(found.items())
        )
        above = np.cumsum(dropped[::-1])[::-1].tolist()  # a record is over all the limits below its own place
        return Course(slices, () if self.size is None else tuple(zip(self.limits, above[1:], strict=True)))

    @property
    def slices(self) -> int:
        """How many slices the stream has."""
        return max(1, min(SLICES, self.records))

    def _stretches(self, place: int, records: int) -> Iterator[tuple[int, int, int]]:
        """The slices that ``records`` from number ``place`` on belong to, each with its first record and its end."""
        start = 0
        while start < records:
            number = (place + start) * self.slices // self.records
            end = min(-(-(number + 1) * self.records // self.slices) - place, records)
            yield number, start, end
            start = end

    def _add(
        self,
        found: dict[tuple[int, int], SliceRow],
        number: int,
        channels: Longs,
        behind: Longs,
        held: Longs,
        at: Longs,
    ) -> None:
        records = np.bincount(channels, minlength=self.channels)
        totals = np.bincount(channels, weights=behind, minlength=self.channels)
        longest = np.zeros(self.channels, np.int64)
        np.maximum.at(longest, channels, behind)
        began = int(at.min())
        for channel in np.flatnonzero((records > 0) | (held > 0)).tolist():
            delay = float(totals[channel]), int(longest[channel])
            _merge(found, SliceRow(number, channel, int(records[channel]), *delay, int(held[channel]), began))


def _merge(found: dict[tuple[int, int], SliceRow], row: SliceRow) -> None:
    place = row.slice, row.channel
    if (known := found.get(place)) is not None:
        row = row._replace(
            records=known.records + row.records,
            total=known.total + row.total,
            longest=max(known.longest, row.longest),
            held=known.held + row.held,
            began=min(known.began, row.began),
        )
    found[place] = row
