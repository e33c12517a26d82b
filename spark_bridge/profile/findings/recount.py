"""The causes of a stream that is too long to be looked at as a whole, counted: every record of it is held against the
signs of the causes that were found in a part of it. So the numbers are exact, not estimates.

Tasks go through their pieces and tell which records belong to which cause. A sign may have to see the records before
and after a stretch, so each piece is seen together with the end of the one before it and the beginning of the next one,
over the borders of parts too (``edges``).

One pass counts the records of each cause, another one those that come late because of it. Where nothing is found,
there is none.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice, pairwise
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from tidemark.spark_bridge.profile.counts.feed import Feed, ParquetFeed
from tidemark.spark_bridge.profile.findings.defects import NEARLY_ALL
from tidemark.spark_bridge.profile.findings.finding import Cause, Rule, Where, put_right
from tidemark.spark_bridge.profile.findings.records import (
    LEAST,
    MARGIN,
    Ahead,
    Back,
    Expectations,
    Levels,
    Longs,
    Mask,
    Match,
    Progress,
    Records,
    Sign,
    owned,
    running_median,
)
from tidemark.spark_bridge.watermarks.behind import Maxima, Name, Parts, Piece, Summary, Sums


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
    matches: Sequence[Match]
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
class Matcher:
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

    def shipped(self) -> "Matcher":
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
            lefts, all_matches, times = [left[own]], list[Match](), around.ts
            by_sign = [part_of(around, own)]
            for number, sign in enumerate(self.signs):
                if self.clock is not None and number == self.clock.signs:
                    times, level = _times(around, left, level)
                matches = sign.look(around.where(left), levels[number]) if left.any() else Match(left[:0], left[:0])
                levels[number] = max(levels[number], matches.level)
                counted, taken = _spread(matches.counted, left), _spread(matches.taken, left)
                rules = self.rules[number] if number < len(self.rules) else ()
                around, left = put_right(rules, around, left, taken)
                by_sign.append(part_of(around, own) if rules else by_sign[-1])
                lefts.append(left[own])
                all_matches.append(Match(counted[own], taken[own], matches.by))
            if self.clock is not None and self.clock.signs == len(self.signs):
                times, level = _times(around, left, level)
            yield Seen(piece, by_sign, all_matches, lefts, times[own])

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


def edges_of(pieces: Iterable[Piece], matcher: Matcher) -> Iterator[tuple[Name, Edges]]:
    """The edges of the parts that ``pieces`` belong to."""
    part, first, last, reached = None, None, None, LEAST
    for piece, own in matcher.records(pieces):
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


LOOKED_THROUGH: Final = 16
"""So many pieces of a stream are looked through by the driver."""


class First(NamedTuple):
    """The number of a record, its timestamp and its arrival (ms)."""

    item: int
    ts: int
    at: int | None

    @property
    def time(self) -> int:
        """The arrival, or the timestamp where there are no arrivals."""
        return self.ts if self.at is None else self.at


@dataclass
class Count:
    """``number`` records from ``first`` to number ``last``, off by at most ``by`` ms.

    ``own``: so many records there are of the channels or keys that they are of.
    ``channels``, ``keys``: the smallest and the largest of their numbers, None where there are none.
    """

    number: int = 0
    first: First | None = None
    last: int = -1
    by: int = 0
    channels: tuple[int, int] | None = None
    keys: tuple[int, int] | None = None
    own: int = 0

    def add(self, records: Records, which: Mask, by: int = 0) -> None:
        """Count some records more."""
        places = np.flatnonzero(which)
        if len(places):
            first = _first(records, int(places[0]))
            channels, keys = (_range(column, places) for column in (records.channel, records.key))
            self.merge(Count(len(places), first, int(records.item[places[-1]]), by, channels, keys))

    def merge(self, other: "Count") -> None:
        """Count what was counted elsewhere."""
        self.number += other.number
        self.own += other.own
        self.last, self.by = max(self.last, other.last), max(self.by, other.by)
        self.channels, self.keys = _widest(self.channels, other.channels), _widest(self.keys, other.keys)
        if other.first is not None and (self.first is None or other.first < self.first):
            self.first = other.first


def _range(column: Longs | None, places: Longs) -> tuple[int, int] | None:
    return None if column is None else (int(column[places].min()), int(column[places].max()))


def _widest(one: tuple[int, int] | None, other: tuple[int, int] | None) -> tuple[int, int] | None:
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])


@dataclass(frozen=True)
class Silence:
    """A channel that brings nothing around a record: before it ``last`` and after it ``next`` are the nearest ones,
    each with its time by the clock. ``before``: how many records of the channel there are up to ``last``. ``end``: the
    last record of all."""

    last: tuple[int, int] = (-1, 0)
    next: tuple[int, int] | None = None
    before: int = 0
    first: First | None = None
    end: tuple[int, int] = (-1, 0)

    def merged(self, other: "Silence") -> "Silence":
        """What both tell."""
        later = max((self, other), key=lambda each: each.last)
        nexts = [each.next for each in (self, other) if each.next is not None]
        return Silence(
            later.last, min(nexts, default=None), self.before + other.before, later.first, max(self.end, other.end)
        )


@dataclass
class Counts:
    """What the first pass finds: for each sign its records, how many are ``left`` before and after each of them, and
    what the ``sets`` that were asked for bring."""

    signs: list[Count]
    left: list[int]
    silences: list[Silence]
    sets: dict[int, Parts] = field(default_factory=dict)
    summaries: list[tuple[int, Summary]] = field(default_factory=list)


@dataclass(frozen=True)
class Late:
    """What the second pass finds. ``by_set``: the late records of each set. ``pushed``: see ``late_of``. ``between``:
    how many records of a sign are between two numbers."""

    by_set: Mapping[int, Count]
    pushed: Mapping[int, int]
    between: Sequence[int]


def edged(feed: Feed, matcher: Matcher) -> Matcher:
    """``matcher`` with the edges of all parts, if it needs any. A pass."""
    if not matcher.margin:
        return matcher
    own = matcher.shipped()
    found: dict[Name, Edges] = {}
    for each in _run(feed, lambda pieces: edges_of(pieces, own), keys=bool(matcher.keys)):
        found[each[0]] = each[1]
    return replace(matcher, edges=found)


def counts_of(
    feed: Feed, matcher: Matcher, channels: int, sets: Sequence[int], silent: Sequence[tuple[int, int]]
) -> Counts:
    """The records of each sign, and what each of ``sets`` (left after so many signs) brings. A pass.

    ``silent``: channels, and the number of a record at which each of them brings nothing.
    """
    own = matcher.shipped()

    def work(pieces: Iterator[Piece]) -> Iterator[Counts]:
        counts = Counts([Count() for _ in own.signs], [0] * (len(own.signs) + 1), [Silence() for _ in silent])
        brought: dict[tuple[int, Name], Sums] = {}
        for seen in own.seen(pieces):
            each = zip(counts.signs, own.signs, seen.matches, seen.by_sign, seen.left, strict=False)
            for count, sign, matches, records, left in each:
                count.add(records, matches.counted, matches.by)
                count.own += int(np.count_nonzero(left & owned(sign, records)))
            for number, left in enumerate(seen.left):
                counts.left[number] += int(np.count_nonzero(left))
            for number, (channel, item) in enumerate(silent):
                counts.silences[number] = counts.silences[number].merged(_silence(seen, channel, item))
            for number in sets:
                among = seen.among(number)
                if len(among.timestamps):
                    brought.setdefault((number, among.part), Sums(channels)).add(among)
        counts.summaries = [(number, each) for (number, part), sums in brought.items() for each in sums.summaries(part)]
        yield counts

    whole = Counts([Count() for _ in own.signs], [0] * (len(own.signs) + 1), [Silence() for _ in silent])
    for each in _run(feed, work, keys=bool(matcher.keys)):
        for count, more in zip(whole.signs, each.signs, strict=True):
            count.merge(more)
        whole.left = [one + other for one, other in zip(whole.left, each.left, strict=True)]
        whole.silences = [one.merged(other) for one, other in zip(whole.silences, each.silences, strict=True)]
        whole.summaries += each.summaries
    for number in sets:
        whole.sets[number] = Parts.of((each for own, each in whole.summaries if own == number), channels)
    return whole


def _first(records: Records, place: int) -> First:
    at = None if records.at is None else int(records.at[place])
    return First(int(records.item[place]), int(records.ts[place]), at)


def _silence(seen: Seen, channel: int, item: int) -> Silence:
    records, times = seen.records, seen.times
    assert records.channel is not None
    end = int(records.item[-1]), int(times[-1])
    places = np.flatnonzero(records.channel == channel)
    before = places[records.item[places] <= item]
    after = places[len(before) :]
    following = None if not len(after) else (int(records.item[after[0]]), int(times[after[0]]))
    if not len(before):
        return Silence(next=following, end=end)
    last = int(before[-1])
    first = _first(records, last)
    return Silence((first.item, int(times[last])), following, len(before), first, end)


def late_of(
    feed: Feed,
    matcher: Matcher,
    parts: Mapping[int, Parts],
    bound: int,
    wanted: int,
    ahead: Sequence[int],
    between: Sequence[tuple[int, int, int]],
) -> Late:
    """The records of each of the sets in ``parts`` that are late with ``bound``. A pass.

    ``ahead``: signs whose records push the watermark; of those that they leave, so many more are late with them than
    without them. ``between``: a sign and two numbers of records.
    """
    own = matcher.shipped()

    def work(pieces: Iterator[Piece]) -> Iterator[tuple[dict[int, Count], dict[int, int], list[int]]]:
        late, made, inside = {number: Count() for number in parts}, dict.fromkeys(ahead, 0), [0] * len(between)
        part, maxima = None, dict[int, Maxima]()
        for seen in own.seen(pieces):
            if seen.piece.part != part:
                part = seen.piece.part
                maxima = {number: _maxima(each, part, wanted) for number, each in parts.items()}
            are_late = {number: _late(each, seen, number, bound) for number, each in maxima.items()}
            for number, is_late in are_late.items():
                late[number].add(seen.by_sign[number], is_late)
            for number in ahead:
                others = seen.left[number + 1] & ~seen.matches[number].counted
                before, after = (int(np.count_nonzero(are_late[each] & others)) for each in (number, number + 1))
                made[number] += before - after
            for place, (sign, first, last) in enumerate(between):
                inner = (seen.records.item > first) & (seen.records.item < last)
                inside[place] += int(np.count_nonzero(seen.matches[sign].taken & inner))
        yield late, made, inside

    late, made, inside = {number: Count() for number in parts}, dict.fromkeys(ahead, 0), [0] * len(between)
    for found, some, within in _run(feed, work, keys=bool(matcher.keys)):
        for number, count in found.items():
            late[number].merge(count)
        made = {number: made[number] + some[number] for number in ahead}
        inside = [one + other for one, other in zip(inside, within, strict=True)]
    return Late(late, {number: max(0, made[number]) for number in ahead}, inside)


def first_late(feed: Feed, parts: Parts, bound: int, wanted: int) -> Count:
    """The first record that is late with ``bound``, and there is one: mostly it is among the very first records.

    These are read here if that is possible; else it takes a pass.
    """
    matcher = Matcher([], [], parts.starts)
    if isinstance(feed, ParquetFeed):
        part, maxima = None, Maxima(np.zeros(1, np.int64))
        for seen in matcher.seen(islice(feed.pieces(), LOOKED_THROUGH)):
            if seen.piece.part != part:
                part, maxima = seen.piece.part, _maxima(parts, seen.piece.part, wanted)
            found = Count()
            found.add(seen.records, _late(maxima, seen, 0, bound))
            if found.number:
                return found
    return late_of(feed, matcher, {0: parts}, bound, wanted, [], []).by_set[0]


def _maxima(parts: Parts, part: Name, wanted: int) -> Maxima:
    """What the channels have brought before ``part``; where it has none of these records itself it does not matter."""
    return Maxima(parts.before.get(part, np.zeros(len(parts.records), np.int64)), wanted)


def _late(maxima: Maxima, seen: Seen, number: int, bound: int) -> Mask:
    """Which of the records that are left after so many signs are late."""
    among, found = seen.among(number), np.zeros(len(seen.left[number]), np.bool_)
    if len(among.timestamps):
        found[seen.left[number]] = maxima.block(among.timestamps, among.channels).behind(among.timestamps) > bound
    return found


def _run(feed: Feed, work: Callable[[Iterator[Piece]], Iterator[Any]], *, keys: bool) -> Iterator[Any]:
    """What ``work`` makes of the pieces of all tasks."""

    def pickled(pieces: Iterator[Piece]) -> Iterator[tuple[Any, ...]]:
        for found in work(pieces):
            yield ([pickle.dumps(found)],)

    for row in feed.mapped(pickled, {"found": "binary"}, keys=keys).collect():
        yield pickle.loads(row[0])


def recounted(cause: Cause, count: Count, total: int, key: int | None = None) -> Cause:
    """``cause`` with the records that its sign tells, among ``total``. ``key``: the number of its key in the counts."""
    if count.first is None:
        return replace(cause, records=0)
    numbers, where, sort = dict(cause.numbers), cause.where, cause.sort
    exact = {"count": count.number, "total": total, "item": count.first.item, "again": count.number, "own": count.own}
    if cause.sign is not None:
        del exact["again"]  # so many of these, not all
    numbers |= {name: number for name, number in exact.items() if name in numbers}
    if cause.code == "wrong-unit":
        numbers["ts"] = count.first.ts
        sort = "all" if count.number > NEARLY_ALL * total else "some"
    elif cause.code == "future-timestamps":
        sort = "one" if count.number == 1 else "few"
        if count.channels != (where.channel, where.channel):
            where = replace(where, channel=None)
        if count.keys != (key, key):
            where = replace(where, key=None)
    if count.by:
        numbers["by"] = numbers["by"] if cause.code == "zone-offset" else count.by
    at = None if cause.code == "wrong-unit" else count.first.time
    where = replace(where, at=at, first=count.first.item, last=count.last)
    return replace(cause, records=count.number, where=where, sort=sort, numbers=numbers)


def without_timestamps(cause: Cause, counts: Sequence[Count], records: int, unreadable: int) -> Cause:
    """The cause of a stream whose timestamps say nothing. ``counts``: of the constant if there is one, and of zeros."""
    alike, zeros = counts[0] if len(counts) > 1 else Count(), counts[-1].number
    is_zero = cause.numbers["constant"] == 0
    if is_zero:
        zeros = max(zeros, alike.number)
    bad = unreadable + (max(alike.number, zeros) if is_zero else alike.number + zeros)
    numbers = cause.numbers | {
        "total": records + unreadable, "unreadable": unreadable, "alike": max(alike.number, zeros)
    }  # fmt: skip
    sort = "unreadable" if unreadable >= bad / 2 else "constant"
    first = None if alike.first is None else alike.first.item
    return replace(cause, records=bad, where=Where(first=first), sort=sort, numbers=numbers)


def at_once(cause: Cause, silences: Sequence[Silence]) -> tuple[Cause, Silence]:
    """The time in which all channels of ``cause`` are silent, from their ``silences``; the last one comes first."""
    order = sorted(range(len(silences)), key=lambda each: silences[each].last, reverse=True)
    nexts = [each.next for each in silences if each.next is not None]
    names = cause.where.names
    return (
        replace(cause, where=cause.where.called([names[each] for each in order])),
        replace(silences[order[0]], next=min(nexts, default=None)),
    )


def silent(cause: Cause, silence: Silence, records: int, backlog: int) -> Cause:
    """The cause of a channel that is silent. ``backlog``: so many records meanwhile are one, and do not count."""
    if silence.first is None:
        return replace(cause, records=0)
    until, ends = silence.end if silence.next is None else silence.next
    others = (records if silence.next is None else until) - silence.first.item - 1 - backlog
    numbers = {"silent": ends - silence.last[1], "others": others, "records_before": silence.before}
    where = replace(cause.where, at=silence.first.time, first=silence.first.item, last=until)
    sort = "stops" if silence.next is None else "pauses"
    return replace(cause, records=others, where=where, sort=sort, numbers=numbers)


def too_small(late: Count, records: int, expected: Expectations, needed: int) -> Cause:
    """The cause of records that are ``late`` for no other reason."""
    assert late.first is not None
    where = Where(None, None, late.first.time, late.first.item, None)
    numbers = {
        "bound": expected.bound, "count": late.number, "total": records, "needed": needed, "target": expected.target
    }  # fmt: skip
    return Cause("bound-too-small", late.number, where, "", numbers)
