"""The second pass: what is counted of each part, given what was there before it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from spark_bridge.profile.behind import UNSEEN, Longs, Maxima
from spark_bridge.profile.parts import Name, Piece
from spark_bridge.profile.reading import BEHIND, ENDS, EXCESS, FIRED, HELD
from spark_bridge.profile.tally import Counted, Tally
from spark_bridge.profile.windows import Windows, excess, seen


class Rows(NamedTuple):
    """Columns of one length: see ``reading`` for the figures."""

    figure: Longs
    slot: Longs
    value: Longs
    number: Longs


@dataclass(slots=True)
class Told:
    """A part by the way: ``maxima`` at its end, and how many records its ``head`` has."""

    maxima: Maxima
    head: int = 0


@dataclass(frozen=True, slots=True)
class Counting:
    """``before``: the channels' largest timestamps before each part. ``wanted``: how many channels must be there.

    Of a part that is not in ``before`` it is enough to know its ceiling: no record before it has a larger timestamp. As
    soon as every channel has brought that much, it does not matter any more what they brought before. The records up to
    there, the part's head, are left out; they are counted when ``before`` is known.
    """

    before: Mapping[Name, Longs]
    channels: int
    wanted: int = 1
    windows: Windows | None = None
    ceilings: Mapping[Name, int] = field(default_factory=dict)

    def rows(self, pieces: Iterable[Piece], told: dict[Name, Told] | None = None) -> Iterator[Rows]:
        """What ``pieces`` add to each figure, all or part of it at a time. Raises ``KeyError`` for an unknown part.

        What else is known of each part goes to ``told``.
        """
        tally = Tally(self.channels + (self.windows is not None))
        held = np.zeros(self.channels, np.int64)
        part, maxima, latest, is_head = None, Maxima(np.zeros(1, np.int64)), 0, False
        own = Told(maxima)
        for piece in pieces:
            if not len(piece.timestamps):
                continue
            if piece.part != part:
                part, is_head = piece.part, piece.part not in self.before
                before = np.full(self.channels, UNSEEN) if is_head else self.before[part]
                maxima, latest = Maxima(before, self.wanted), int(before.max())
                own = Told(maxima)
                if told is not None:
                    told[part] = own
            if is_head:
                end = maxima.reaches(self.ceilings[part], piece.timestamps, piece.channels)
                own.head += end
                is_head = end == len(piece.timestamps)
                latest = max(latest, int(piece.timestamps[:end].max(initial=UNSEEN)))
                maxima.block(piece.timestamps[:end], piece.channels[:end])
                if is_head:
                    continue
                piece = piece.since(end)
            block = maxima.block(piece.timestamps, piece.channels)
            held += block.held
            tally.add(0 if self.channels == 1 else piece.channels, block.behind(piece.timestamps))
            if self.windows is not None:
                clocks = np.maximum(np.maximum.accumulate(piece.timestamps), latest)
                latest = int(clocks[-1])
                clocks = clocks if piece.ats is None else piece.ats
                found = seen(self.windows, block, piece.timestamps, maxima.whole, clocks)
                tally.add(self.channels, found.excess)
                yield _rows(ENDS, found.ends, np.ones(len(found.ends), np.int64))
                yield _rows(FIRED, found.fired, found.clocks)
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
