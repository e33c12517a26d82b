"""How a stream goes on from beginning to end: the delay of each channel and who holds the watermark, slice by slice.

A slice is a stretch of equally many records, so that it means the same with arrivals and without them, and one
timestamp far in the future stretches no axis. The same pass counts what windows would drop, for every sum of bound and
lateness on the curve: with a bound ``b`` and a lateness ``l`` a record is dropped when its ``excess`` over a bound of 0
is more than ``b + l``, so one count answers for both.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from tidemark.spark_bridge.profile.counts.figures import Windows, excess
from tidemark.spark_bridge.watermarks.behind import Longs, Maxima
from tidemark.spark_bridge.watermarks.parts import Name, Parts, Piece

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


@dataclass(frozen=True, slots=True)
class Slice:
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
