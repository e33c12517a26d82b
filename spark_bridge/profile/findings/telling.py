"""What tasks do with the signs of causes: they go through their pieces and tell which records belong to which cause.

A sign may have to see the records before and after a stretch, so each piece is seen together with the end of the one
before it and the beginning of the next one, over the borders of parts too (``edges``).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tidemark.spark_bridge.profile.findings.finding import Rule, put_right
from tidemark.spark_bridge.profile.findings.records import LEAST, Longs, Mask, Progress, Records, running_median
from tidemark.spark_bridge.profile.findings.signs import MARGIN, Ahead, Back, Levels, Sign, Told
from tidemark.spark_bridge.watermarks.parts import Name, Piece


class Edges(NamedTuple):
    """The first and the last records of a part, and the largest middle of its timestamps (ms)."""

    first: Records
    last: Records
    reached: int


@dataclass(frozen=True)
class Clock:
    """The time of each record (see ``Progress.time``) is told by those that are left after so many ``signs``."""

    signs: int
    levels: Levels


@dataclass(frozen=True)
class Seen:
    """A piece with what is told of its records, by sign.

    ``by_sign``: the records, before the first sign and after each of them; only timestamps that a sign puts right make
    a difference. ``left``: which of them no sign has taken, in the same way. ``times``: by the clock.
    """

    piece: Piece
    by_sign: Sequence[Records]
    told: Sequence[Told]
    left: Sequence[Mask]
    times: Longs

    @property
    def records(self) -> Records:
        """The records after all signs."""
        return self.by_sign[-1]

    def among(self, number: int) -> Piece:
        """What is left after so many signs: no arrivals, keys and values."""
        left = self.left[number]
        return Piece(self.piece.part, self.by_sign[number].ts[left], self.piece.channels[left])


@dataclass(frozen=True)
class Teller:
    """``signs``: in the order in which they are judged. ``keys``: the texts that they are about; others have -1.

    ``starts``: the number of the first record of each part. ``rules``: of each sign, those that put its records right.
    """

    signs: Sequence[Sign]
    keys: Sequence[str]
    starts: Mapping[Name, int]
    clock: Clock | None = None
    rules: Sequence[tuple[Rule, ...]] = ()
    edges: Mapping[Name, Edges] = field(default_factory=dict)

    @cached_property
    def before(self) -> Mapping[Name, int]:
        """Where the stream was before each part, by all records (ms)."""
        found, reached = dict[Name, int](), LEAST
        for name in sorted(self.edges):
            found[name] = reached
            reached = max(reached, self.edges[name].reached)
        return found

    def level(self, part: Name, signs: int, levels: Levels) -> int:
        """Where the stream was before ``part``, by the records that are left after so many signs.

        If nothing was taken out that is off, all records tell it, else ``levels``.
        """
        if all(isinstance(sign, Ahead | Back) for sign in self.signs[:signs]) and part in self.before:
            return self.before[part]
        return levels.before(self.starts[part])

    @property
    def margin(self) -> bool:
        """Whether the records around a stretch matter."""
        return self.clock is not None or any(sign.margin for sign in self.signs)

    def shipped(self) -> "Teller":
        """The same with only as much of the levels as tasks need."""
        signs = [replace(sign, levels=sign.levels.only(self.starts)) for sign in self.signs]  # type: ignore[type-var]
        clock = None if self.clock is None else replace(self.clock, levels=self.clock.levels.only(self.starts))
        return replace(self, signs=signs, clock=clock)

    def seen(self, pieces: Iterable[Piece]) -> Iterator[Seen]:
        """All ``pieces`` that have records, in order."""
        part, levels, level = None, list[int](), 0
        for piece, around, start in self._surrounded(pieces):
            if piece.part != part:
                part = piece.part
                levels = [self.level(part, number, sign.levels) for number, sign in enumerate(self.signs)]
                level = 0 if self.clock is None else self.level(part, self.clock.signs, self.clock.levels)
            own = slice(start, start + len(piece.timestamps))
            left = np.ones(len(around), np.bool_)
            lefts, tolds, times = [left[own]], list[Told](), around.ts
            by_sign = [part_of(around, own)]
            for number, sign in enumerate(self.signs):
                if self.clock is not None and number == self.clock.signs:
                    times, level = _times(around, left, level)
                told = sign.look(around.where(left), levels[number]) if left.any() else Told(left[:0], left[:0])
                levels[number] = max(levels[number], told.level)
                counted, taken = _spread(told.counted, left), _spread(told.taken, left)
                rules = self.rules[number] if number < len(self.rules) else ()
                around, left = put_right(rules, around, left, taken)
                by_sign.append(part_of(around, own) if rules else by_sign[-1])
                lefts.append(left[own])
                tolds.append(Told(counted[own], taken[own], told.by))
            if self.clock is not None and self.clock.signs == len(self.signs):
                times, level = _times(around, left, level)
            yield Seen(piece, by_sign, tolds, lefts, times[own])

    def _surrounded(self, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Records, int]]:
        """Each piece, the records that it is seen with, and where its own begin among them."""
        if not self.margin:
            yield from ((piece, own, 0) for piece, own in self.records(pieces))
            return
        names = sorted(self.starts)
        before = {later: earlier for earlier, later in pairwise(names)}
        after = dict(pairwise(names))
        held: tuple[Piece, Records, Records | None] | None = None
        for piece, own in self.records(pieces):
            edge = self.edges.get(before.get(piece.part, piece.part))
            earlier = edge.last if edge is not None and piece.part in before else None
            if held is not None:
                same = held[0].part == piece.part
                yield _together(*held, part_of(own, slice(0, MARGIN)) if same else self._first(after, held[0].part))
                if same:
                    earlier = part_of(joined([held[2], held[1]]), slice(-MARGIN, None))
            held = piece, own, earlier
        if held is not None:
            yield _together(*held, self._first(after, held[0].part))

    def _first(self, after: Mapping[Name, Name], part: Name) -> Records | None:
        edge = self.edges.get(after[part]) if part in after else None
        return None if edge is None else edge.first

    def records(self, pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Records]]:
        """All ``pieces`` that have records, with these."""
        part, place = None, 0
        for piece in pieces:
            if not len(piece.timestamps):
                continue
            if piece.part != part:
                part, place = piece.part, self.starts[piece.part]
            yield piece, records_of(piece, place, self.keys)
            place += len(piece.timestamps)


def records_of(piece: Piece, item: int, keys: Sequence[str]) -> Records:
    """The records of a piece, the first of which has that number."""
    key = None
    if keys and piece.keys is not None:
        found = pc.index_in(piece.keys, value_set=pa.array(keys, pa.string())).fill_null(-1)
        key = found.to_numpy().astype(np.int64)
    items = np.arange(item, item + len(piece.timestamps))
    return Records(items, piece.timestamps, piece.ats, piece.channels.astype(np.int64), key)


def edges_of(pieces: Iterable[Piece], teller: Teller) -> Iterator[tuple[Name, Edges]]:
    """The edges of the parts that ``pieces`` belong to."""
    part, first, last, reached = None, None, None, LEAST
    for piece, own in teller.records(pieces):
        if piece.part != part:
            if part is not None and first is not None and last is not None:
                yield part, Edges(first, last, reached)
            part, first, last, reached = piece.part, None, None, LEAST
        reached = max(reached, int(running_median(own.ts).max()))
        if first is None or len(first) < MARGIN:
            first = part_of(joined([first, own]), slice(0, MARGIN))
        last = part_of(joined([last, part_of(own, slice(-MARGIN, None))]), slice(-MARGIN, None))
    if part is not None and first is not None and last is not None:
        yield part, Edges(first, last, reached)


_COLUMNS = ("item", "ts", "at", "channel", "key")


def part_of(records: Records, some: slice) -> Records:
    """A stretch of them."""
    there = ((name, getattr(records, name)) for name in _COLUMNS)
    columns: dict[str, Any] = {name: own[some] for name, own in there if own is not None}
    return Records(**columns)


def joined(some: Sequence[Records | None]) -> Records:
    """All of them, one after another."""
    there = [each for each in some if each is not None]
    if len(there) == 1:
        return there[0]
    names = [name for name in _COLUMNS if getattr(there[0], name) is not None]
    columns: dict[str, Any] = {name: np.concatenate([getattr(each, name) for each in there]) for name in names}
    return Records(**columns)


def _together(piece: Piece, own: Records, earlier: Records | None, later: Records | None) -> tuple[Piece, Records, int]:
    return piece, joined([earlier, own, later]), 0 if earlier is None else len(earlier)


def _times(records: Records, sound: Mask, level: int) -> tuple[Longs, int]:
    if records.at is not None:
        return records.at, level
    if not sound.any():
        return records.ts, level
    progress = Progress(records.where(sound), level)
    times = progress.time[np.maximum(np.cumsum(sound) - 1, 0)]
    return times, max(level, int(progress.reached.max()))


def _spread(found: Mask, left: Mask) -> Mask:
    """What is found among those that are ``left``, among all."""
    whole = np.zeros(len(left), np.bool_)
    whole[left] = found
    return whole
