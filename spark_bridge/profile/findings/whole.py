"""The causes of a stream of any length, with exact numbers: found in a part of it, counted in all of it.

Records that come more than once in a stream of any length: Spark brings equal ones together, tasks count them.

When exactly a clock begins and ends to be wrong, in a stream of which only some stretches were looked at.

These bracket the moment; the records of that clock between them are fetched, and the rules fitted once more.
"""

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from tidemark.spark_bridge.profile.counts.counting import Counting, figures_of
from tidemark.spark_bridge.profile.counts.feed import Feed, Task
from tidemark.spark_bridge.profile.counts.figures import Wanted
from tidemark.spark_bridge.profile.findings.defects import MOST_COPIES as MOST_COPIES
from tidemark.spark_bridge.profile.findings.defects import empty_channel, one_block
from tidemark.spark_bridge.profile.findings.finding import EVER, Cause, Rule, Where, applied, put_right
from tidemark.spark_bridge.profile.findings.fitting import BESIDE, fitted
from tidemark.spark_bridge.profile.findings.judge import AHEAD, is_too_small
from tidemark.spark_bridge.profile.findings.near import STRETCH, Columns, Near, identities
from tidemark.spark_bridge.profile.findings.records import (
    LEAST,
    NOWHERE,
    AnotherUnit,
    Back,
    Between,
    Clocks,
    Expectations,
    Levels,
    Mask,
    Progress,
    Records,
    Sign,
    numbered,
)
from tidemark.spark_bridge.profile.findings.recount import (
    Clock,
    Count,
    Counts,
    First,
    Late,
    Matcher,
    Silence,
    at_once,
    counts_of,
    edged,
    first_late,
    joined,
    late_of,
    recounted,
    silent,
    too_small,
    without_timestamps,
)
from tidemark.spark_bridge.watermarks.behind import Longs, Parts, Piece


@dataclass(frozen=True)
class Left:
    """The records of ``feed`` that are left after all signs of ``matcher``, as a feed without keys and values."""

    feed: Feed
    matcher: Matcher

    def mapped(self, work: Task, schema: dict[str, str], *, keys: bool = False, values: bool = False) -> DataFrame:
        """What ``work`` makes of all parts."""
        own = self.matcher.shipped()

        def left(pieces: Iterator[Piece]) -> Iterator[Piece]:
            for seen in own.seen(pieces):
                yield seen.among(len(own.signs))

        return self.feed.mapped(lambda pieces: work(left(pieces)), schema, keys=bool(own.keys))


@dataclass(frozen=True)
class Whole:
    """A stream: its ``parts``, its ``columns``, and what was asked about it. Some of it was ``looked`` at.

    ``known``: how many records are late with the bound that was asked for, and which bound would do.
    """

    feed: Feed
    parts: Parts
    columns: Columns
    expected: Expectations
    looked: Near
    known: tuple[int, int] | None = None

    @property
    def records(self) -> int:
        """How many readable records there are."""
        return sum(self.parts.records)

    def counted(self, found: Sequence[Cause]) -> list[Cause]:
        """The causes ``found`` in what was looked at, in the order in which they were taken out, with the numbers of
        the whole. A few passes; none if nothing is found."""
        if [each.code for each in found] == ["no-timestamps"]:
            return self._without_timestamps(found[0])
        found = with_exact_times(self.feed, self.parts.starts, self.looked, found)
        signed = [each for each in found if each.sign is not None]
        idle = [each for each in found if each.code == "idle-channel"]
        twice = next((each for each in found if each.sign is None and each.code in ("duplicates", "replay")), None)
        seen = sum(records > 0 for records in self.parts.records)
        empty = empty_channel(self.records, seen, self.expected.channels)
        whole = [] if empty is None else [empty]
        if self.known is not None and not (signed or idle or twice):
            return [*whole, *self._too_small_at_once(*self.known)]
        matcher, counts = self._counts(signed, idle)
        idle, counts.silences = _at_once(idle, counts.silences)
        own = [
            recounted(
                cause,
                count,
                self.records if cause.code == "wrong-unit" else total,
                self._number(matcher, cause.where.key),
            )
            for cause, count, total in zip(signed, counts.signs, counts.left, strict=False)
        ]
        back = next((number for number, each in enumerate(signed) if isinstance(each.sign, Back)), None)
        lates = self._lates(own, matcher, counts, back)
        own = [replace(each, records=each.records + lates.pushed.get(number, 0)) for number, each in enumerate(own)]
        backlog = lates.between if back is not None else [0] * len(idle)
        own += [
            silent(cause, silence, self.records, some)
            for cause, silence, some in zip(idle, counts.silences, backlog, strict=True)
        ]
        if twice is not None or back is not None:
            own = self._with_copies(own, twice, matcher, counts, back)
        own = [each for each in own if each.records]
        return [*own, *whole, *self._too_small(matcher, counts, lates)]

    def _without_timestamps(self, cause: Cause) -> list[Cause]:
        zero = Between(0, 0)
        matcher = Matcher([] if cause.sign is None else [cause.sign, zero], [], self.parts.starts)
        if not matcher.signs:
            matcher = Matcher([zero], [], self.parts.starts)
        counts = counts_of(self.feed, matcher, len(self.parts.records), [], [])
        return [without_timestamps(cause, counts.signs, self.records, self.parts.unreadable)]

    def _counts(self, signed: Sequence[Cause], idle: Sequence[Cause]) -> tuple[Matcher, Counts]:
        """Who tells which records are whose, and how many there are."""
        matcher = self._matcher(signed, idle)
        sets = self._sets(signed)
        if not signed and not idle:
            return matcher, Counts([], [self.records], [], {0: self.parts})
        matcher = edged(self.feed, matcher)
        middles = [(channel, _middle(each.where)) for each in idle for channel in each.where.names]
        return matcher, counts_of(self.feed, matcher, len(self.parts.records), sets, middles)

    def _matcher(self, signed: Sequence[Cause], idle: Sequence[Cause]) -> Matcher:
        signs: list[Sign] = []
        keys: list[str] = []
        for cause in signed:
            sign: Sign = cause.sign
            if cause.where.key is not None:
                texts = {each: self.looked.keys[each] for each in cause.where.keys}
                keys += [text for text in texts.values() if text not in keys]
                sign = numbered(sign, {each: keys.index(text) for each, text in texts.items()})
            signs.append(sign.widened(2 * self.looked.every * STRETCH) if isinstance(sign, Back) else sign)
        clock = None
        if idle:
            before = sum(isinstance(sign, Clocks | AnotherUnit | Between) for sign in signs)
            sound = self.looked.records
            for cause in signed[:before]:
                matches = cause.sign.look(sound, LEAST)
                sound, left = put_right(cause.rules, sound, np.ones(len(sound), np.bool_), matches.taken)
                sound = sound.where(left)
            clock = Clock(before, Levels.of(Progress(sound)) if sound.at is None and len(sound) else NOWHERE)
        numbers = {self.looked.keys.index(text): number for number, text in enumerate(keys)}
        rules = [tuple(_numbered(rule, numbers) for rule in cause.rules) for cause in signed]
        return Matcher(signs, keys, self.parts.starts, clock, rules)

    def _number(self, matcher: Matcher, key: int | None) -> int | None:
        """What tasks call a key."""
        return None if key is None else list(matcher.keys).index(self.looked.keys[key])

    def _sets(self, signed: Sequence[Cause]) -> list[int]:
        """The sets of records whose late ones are wanted, each by the number of signs before."""
        sets = {each for number, cause in enumerate(signed) if cause.sort in AHEAD for each in (number, number + 1)}
        return sorted(sets | ({len(signed)} if self.expected.bound is not None else set()))

    def _lates(self, own: Sequence[Cause], matcher: Matcher, counts: Counts, back: int | None) -> Late:
        ahead = [number for number, each in enumerate(own) if each.sort in AHEAD]
        between = []
        if back is not None:
            ends = [self.records if each.next is None else each.next[0] for each in counts.silences]
            between = [(back, each.last[0], end) for each, end in zip(counts.silences, ends, strict=True)]
        is_small = self.expected.bound is not None
        if not (ahead or between or is_small):
            return Late({}, {}, [])
        return late_of(self.feed, matcher, counts.sets, self.expected.bound or 0, self.expected.wanted, ahead, between)

    def _with_copies(
        self, own: Sequence[Cause], twice: Cause | None, matcher: Matcher, counts: Counts, back: int | None
    ) -> list[Cause]:
        """``own`` and ``twice``, with the copies counted."""
        timed = sum(isinstance(sign, AnotherUnit | Between) for sign in matcher.signs)
        left = sum(isinstance(sign, Clocks | AnotherUnit | Between | Back) for sign in matcher.signs)
        found = again(self.feed, matcher, self.columns, self.records, timed=timed, left=left, back=back)
        causes = list(own)
        if back is not None and own[back].code in ("replay", "backfill"):
            numbers = {**own[back].numbers, "again": found.back}
            if found.back > own[back].numbers["count"] / 2:
                causes[back] = replace(own[back], code="replay", sort="again", numbers=numbers, rules=())
            elif own[back].code == "replay":
                causes[back] = replace(own[back], sort="backlog", numbers=numbers)
        total = counts.left[left]
        if twice is not None and found.copies.number > MOST_COPIES * total:
            if one_block(found.items, found.timestamps, found.copies.number, total):
                reached = Levels.of(Progress(applied(rules_of(own), self.looked.records)[0])).at(found.items)
                numbers = {"count": 0, "again": 0, "item": 0, "by": int((reached - found.timestamps).max())}
                twice = replace(twice, code="replay", sort="again", numbers=numbers)
            else:
                twice = replace(twice, code="duplicates", sort="", numbers={"count": 0, "total": 0})
            causes.append(recounted(twice, found.copies, total))
        return causes

    def _too_small(self, matcher: Matcher, counts: Counts, lates: Late) -> list[Cause]:
        rest = len(matcher.signs)
        if self.expected.bound is None or rest not in lates.by_set:
            return []
        late, records = lates.by_set[rest], counts.left[rest]
        if not is_too_small(late.number, records, self.expected):
            return []
        parts = counts.sets[rest]
        counting = Counting(parts.before, len(parts.records), self.expected.wanted)
        figures = figures_of(
            Left(self.feed, matcher), counting, Wanted(parts.records, (), Fraction(self.expected.target))
        )
        return [too_small(late, records, self.expected, figures.recommended)]

    def _too_small_at_once(self, late: int, needed: int) -> list[Cause]:
        """The same if there is no other cause and only the first of the late records has to be found."""
        if self.expected.bound is None or not is_too_small(late, self.records, self.expected):
            return []
        count = first_late(self.feed, self.parts, self.expected.bound, self.expected.wanted)
        return [too_small(replace(count, number=late), self.records, self.expected, needed)]


def _numbered(rule: Rule, keys: Mapping[int, int]) -> Rule:
    return rule.called(keys) if rule.column == "key" else rule


def rules_of(found: Sequence[Cause]) -> list[Rule]:
    """What all causes need, in the order in which they were taken out."""
    return [rule for cause in found for rule in cause.rules]


def _at_once(idle: Sequence[Cause], silences: Sequence[Silence]) -> tuple[list[Cause], list[Silence]]:
    """For each cause the silence of all its channels."""
    found, start = [], 0
    for cause in idle:
        end = start + len(cause.where.names)
        found.append(at_once(cause, silences[start:end]))
        start = end
    return [cause for cause, _ in found], [silence for _, silence in found]


def _middle(where: Where) -> int:
    """The number of a record in the middle of a silence."""
    assert where.first is not None
    assert where.last is not None
    return (where.first + where.last) // 2


RECORDS: Final = 1_000_000
"""About so many records are compared by one task."""

SOME: Final = 20_000
"""At most so many of the copies that a task finds tell where they are."""

SCHEMA: Final = dict.fromkeys(("number", "item", "ts", "time", "flags"), "bigint")
"""What a task tells of each record: its identity, its number, its timestamp, its time, and what it is counted for."""
_LEFT, _BACK = 1, 2


class Again(NamedTuple):
    """``copies``: among the records that were left. ``back``: so many copies are records of the sign that was named.

    ``items``, ``timestamps``: of some copies, by chance.
    """

    copies: Count
    back: int
    items: Longs
    timestamps: Longs


def again(
    feed: Feed, matcher: Matcher, columns: Columns, records: int, *, timed: int, left: int, back: int | None
) -> Again:
    """The records with the timestamp, key and value of an earlier one.

    ``records``: about how many there are. Compared are those that are left after ``timed`` signs, counted those that
    are left after ``left`` signs. ``back``: the sign whose copies are counted too. A pass, and a shuffle.
    """
    own = matcher.shipped()

    def numbered(pieces: Iterator[Piece]) -> Iterator[tuple[Any, ...]]:
        for seen in own.seen(pieces):
            among = seen.left[timed]
            flags = seen.left[left] * _LEFT
            if back is not None:
                flags = flags + seen.matches[back].counted * _BACK
            ts, own_at = seen.by_sign[timed].ts, seen.records.at
            times = seen.records.ts if own_at is None else own_at
            same = identities(seen.piece._replace(timestamps=ts))
            columns = (same, seen.records.item, seen.records.ts, times, flags.astype(np.int64))
            yield tuple(column[among] for column in columns)

    rows = feed.mapped(numbered, SCHEMA, keys=columns.key, values=columns.value)
    parts = rows.repartition(max(records // RECORDS, 1), "number")
    whole, total, some = Count(), 0, list[tuple[Longs, Longs]]()
    for row in parts.mapInArrow(_counted, "found BINARY").collect():
        count, of_back, *which = pickle.loads(row[0])
        whole.merge(count)
        total += of_back
        some.append(tuple(which))
    empty = np.zeros(0, np.int64)
    items, timestamps = (np.concatenate([empty, *(each[column] for each in some)]) for column in (0, 1))
    order = np.argsort(items)
    return Again(whole, total, items[order], timestamps[order])


def _counted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    held = [batch for batch in batches if len(batch)]
    if not held:
        return
    table = pa.Table.from_batches(held)
    number, item, ts, time, flags = (table.column(name).to_numpy() for name in SCHEMA)
    order = np.lexsort((item, number))
    is_copy = np.zeros(len(order), np.bool_)
    is_copy[order[1:]] = number[order[1:]] == number[order[:-1]]
    copies = np.flatnonzero(is_copy & (flags & _LEFT > 0))
    count = Count()
    if len(copies):
        first = copies[np.argmin(item[copies])]
        count = Count(len(copies), First(int(item[first]), int(time[first]), None), int(item[copies].max()))
    some = copies[:: len(copies) // SOME + 1]
    found = pickle.dumps((count, int(np.count_nonzero(is_copy & (flags & _BACK > 0))), item[some], ts[some]))
    yield pa.RecordBatch.from_arrays([pa.array([found])], names=["found"])


Span = tuple[int, int]


def with_exact_times(feed: Feed, starts: Any, looked: Near, found: Sequence[Cause]) -> list[Cause]:
    """``found`` with rules whose times are exact. A pass, if there are any that are limited in time by arrivals."""
    if looked.records.at is None:
        return [replace(each, rules=tuple(_open(rule) for rule in each.rules)) for each in found]
    spans = {number: _spans(each, looked.records) for number, each in enumerate(found) if _is_timed(each)}
    if not spans:
        return list(found)
    every = sorted(span for own in spans.values() for span in own)
    keys = looked.keys if any(each.where.key is not None for each in found) else []
    more = _fetched(feed, Matcher([], keys, starts), every, found, list(spans))
    own = replace(looked.records, value=None, key=looked.records.key if keys else None)
    records = _sorted(joined([own, *more]))
    causes = list[Cause]()
    for number, cause in enumerate(found):
        if number in spans:
            is_it = cause.sign.look(records, LEAST).counted
            cause = fitted(cause, records, is_it)
        records, _, dropped = applied(cause.rules, records)
        records = records.where(~dropped)
        causes.append(cause)
    return causes


def _open(rule: Rule) -> Rule:
    """Between the timestamps that were looked at there may be others: only beyond all of them there are none."""
    ranges = tuple(each for each in rule.ts if None in each)
    return rule if rule.drops or not ranges else replace(rule, ts=ranges)


def _is_timed(cause: Cause) -> bool:
    is_clock = cause.code in ("zone-offset", "skewed-source") and cause.sign is not None
    return is_clock and any(rule.at != EVER for rule in cause.rules)


def _spans(cause: Cause, records: Records) -> list[Span]:
    """The numbers of the records around each moment at which a clock changes."""
    assert records.at is not None
    found = list[Span]()
    last = len(records) - 1
    for limit in {each for rule in cause.rules for each in rule.at if each is not None}:
        place = int(np.searchsorted(records.at, limit))
        own = np.flatnonzero(_own(cause, records))
        middle = int(np.searchsorted(own, place))
        low = own[max(middle - BESIDE, 0)] if len(own) else 0
        high = own[min(middle + BESIDE, len(own) - 1)] if len(own) else last
        found.append((int(records.item[low]), int(records.item[high])))
    return found


def _own(cause: Cause, records: Records) -> Mask:
    column = cause.where.column
    return np.isin(getattr(records, column), cause.where.names) if column else np.ones(len(records), np.bool_)


def _fetched(
    feed: Feed, matcher: Matcher, spans: Sequence[Span], found: Sequence[Cause], numbers: list[int]
) -> list[Records]:
    causes = [replace(found[number], sign=None) for number in numbers]

    def work(pieces: Iterator[Piece]) -> Iterator[tuple[Any, ...]]:
        for _, records in matcher.records(pieces):
            inside = np.zeros(len(records), np.bool_)
            for low, high in spans:
                inside |= (records.item >= low) & (records.item <= high)
            if not inside.any():
                continue
            mine = np.logical_or.reduce([_own(each, records) for each in causes])
            yield ([pickle.dumps(replace(records.where(inside & mine), value=None))],)

    rows = feed.mapped(work, {"records": "binary"}, keys=bool(matcher.keys)).collect()
    return [pickle.loads(row[0]) for row in rows]


def _sorted(records: Records) -> Records:
    _, place = np.unique(records.item, return_index=True)
    columns = {name: getattr(records, name) for name in ("item", "ts", "at", "channel", "key")}
    return Records(**{name: own[place] for name, own in columns.items() if own is not None})
