"""The second pass: what is counted of each part, given what was there before it."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from tidemark.spark_bridge.profile.behind import UNSEEN, Longs, Maxima
from tidemark.spark_bridge.profile.parts import Name, Piece
from tidemark.spark_bridge.profile.reading import BEHIND, ENDS, EXCESS, FIRED, HELD
from tidemark.spark_bridge.profile.tally import Counted, Tally
from tidemark.spark_bridge.profile.windows import Windows, ends_on_time, excess, fired, over


class Rows(NamedTuple):
    """Columns of one length: see ``reading`` for the figures."""

    figure: Longs
    slot: Longs
    value: Longs
    number: Longs

    @classmethod
    def summed(cls, parts: Sequence["Rows"]) -> "Rows":
        """All ``parts`` in order of figure, value and slot, the numbers of equal ones added up."""
        columns = [np.concatenate([*each, np.zeros(0, np.int64)]) for each in zip(*parts, strict=True)]
        figure, slot, value, number = columns or [np.zeros(0, np.int64)] * len(cls._fields)
        order = np.lexsort((slot, value, figure))
        figure, slot, value, number = figure[order], slot[order], value[order], number[order]
        differs = (figure[1:] != figure[:-1]) | (slot[1:] != slot[:-1]) | (value[1:] != value[:-1])
        starts = np.flatnonzero(np.concatenate((np.ones(min(len(order), 1), bool), differs)))
        return cls(
            figure[starts], slot[starts], value[starts], np.add.reduceat(number, starts) if len(order) else number
        )


KEPT: Final = 4096
"""A head of up to so many records is kept."""


@dataclass(slots=True)
class Told:
    """A part by the way: ``maxima`` at its end, and how many records its ``head`` has, which are ``kept`` if they are
    few."""

    maxima: Maxima
    head: int = 0
    kept: list[Piece] = field(default_factory=list)

    def add(self, piece: Piece) -> None:
        """The next records of the head."""
        self.head += len(piece.timestamps)
        if self.head > KEPT:
            self.kept.clear()
        elif len(piece.timestamps):
            # Copied, so that not all of the piece that they come from is held.
            ats = None if piece.ats is None else piece.ats.copy()
            self.kept.append(Piece(piece.part, piece.timestamps.copy(), piece.channels.copy(), ats))


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
        part, maxima, is_head = None, Maxima(np.zeros(1, np.int64)), False
        own = Told(maxima)
        for piece in pieces:
            if not len(piece.timestamps):
                continue
            if piece.part != part:
                part, is_head = piece.part, piece.part not in self.before
                before = np.full(self.channels, UNSEEN) if is_head else self.before[part]
                maxima = Maxima(before, self.wanted)
                own = Told(maxima)
                if told is not None:
                    told[part] = own
            if is_head:
                end = maxima.reaches(self.ceilings[part], piece.timestamps, piece.channels)
                own.add(piece.until(end))
                is_head = end == len(piece.timestamps)
                maxima.block(piece.timestamps[:end], piece.channels[:end])
                if is_head:
                    continue
                piece = piece.since(end)
            block = maxima.block(piece.timestamps, piece.channels)
            held += block.held
            behind = block.behind(piece.timestamps)
            tally.add(0 if self.channels == 1 else piece.channels, behind)
            if self.windows is not None:
                late = over(self.windows, block, piece.timestamps, behind)
                tally.add(self.channels, late.excess)
                tally.add_zeros(self.channels, len(behind) - len(late.excess))
                ends = ends_on_time(self.windows, piece.timestamps, late)
                yield _rows(ENDS, ends, np.ones(len(ends), np.int64))
                yield _rows(FIRED, *fired(self.windows, block, maxima.whole, piece.ats))
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
