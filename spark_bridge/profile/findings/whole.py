"""The causes of a stream of any length, with exact numbers: found in a part of it, counted in all of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from pyspark.sql import DataFrame
from tidemark.spark_bridge.profile.counting import Counting
from tidemark.spark_bridge.profile.feeding import Feed, Task
from tidemark.spark_bridge.profile.findings.again import again
from tidemark.spark_bridge.profile.findings.borders import with_exact_times
from tidemark.spark_bridge.profile.findings.copies import MOST as MOST_COPIES
from tidemark.spark_bridge.profile.findings.copies import one_block
from tidemark.spark_bridge.profile.findings.exact import at_once, recounted, silent, too_small, without_timestamps
from tidemark.spark_bridge.profile.findings.finding import Cause, Where
from tidemark.spark_bridge.profile.findings.judge import AHEAD, is_too_small
from tidemark.spark_bridge.profile.findings.near import STRETCH, Columns, Near
from tidemark.spark_bridge.profile.findings.progress import Progress
from tidemark.spark_bridge.profile.findings.records import LEAST, Asked
from tidemark.spark_bridge.profile.findings.recount import Counts, Late, Silence, counts_of, edged, first_late, late_of
from tidemark.spark_bridge.profile.findings.repairs import Rule, applied, put_right
from tidemark.spark_bridge.profile.findings.signs import (
    NOWHERE,
    AnotherUnit,
    Back,
    Between,
    Clocks,
    Levels,
    Sign,
    numbered,
)
from tidemark.spark_bridge.profile.findings.sources import empty_channel
from tidemark.spark_bridge.profile.findings.telling import Clock, Teller
from tidemark.spark_bridge.profile.parts import Parts, Piece
from tidemark.spark_bridge.profile.passes import figures_of
from tidemark.spark_bridge.profile.reading import Wanted


@dataclass(frozen=True)
class Left:
    """The records of ``feed`` that are left after all signs of ``teller``, as a feed without keys and values."""

    feed: Feed
    teller: Teller

    def mapped(self, work: Task, schema: dict[str, str], *, keys: bool = False, values: bool = False) -> DataFrame:
        """What ``work`` makes of all parts."""
        own = self.teller.shipped()

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
    asked: Asked
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
        empty = empty_channel(self.records, seen, self.asked.channels)
        whole = [] if empty is None else [empty]
        if self.known is not None and not (signed or idle or twice):
            return [*whole, *self._too_small_at_once(*self.known)]
        teller, counts = self._counts(signed, idle)
        idle, counts.silences = _at_once(idle, counts.silences)
        own = [
            recounted(
                cause,
                count,
                self.records if cause.code == "wrong-unit" else total,
                self._number(teller, cause.where.key),
            )
            for cause, count, total in zip(signed, counts.signs, counts.left, strict=False)
        ]
        back = next((number for number, each in enumerate(signed) if isinstance(each.sign, Back)), None)
        lates = self._lates(own, teller, counts, back)
        own = [replace(each, records=each.records + lates.made.get(number, 0)) for number, each in enumerate(own)]
        backlog = lates.between if back is not None else [0] * len(idle)
        own += [
            silent(cause, silence, self.records, some)
            for cause, silence, some in zip(idle, counts.silences, backlog, strict=True)
        ]
        if twice is not None or back is not None:
            own = self._with_copies(own, twice, teller, counts, back)
        own = [each for each in own if each.records]
        return [*own, *whole, *self._too_small(teller, counts, lates)]

    def _without_timestamps(self, cause: Cause) -> list[Cause]:
        zero = Between(0, 0)
        teller = Teller([] if cause.sign is None else [cause.sign, zero], [], self.parts.starts)
        if not teller.signs:
            teller = Teller([zero], [], self.parts.starts)
        counts = counts_of(self.feed, teller, len(self.parts.records), [], [])
        return [without_timestamps(cause, counts.signs, self.records, self.parts.unreadable)]

    def _counts(self, signed: Sequence[Cause], idle: Sequence[Cause]) -> tuple[Teller, Counts]:
        """Who tells which records are whose, and how many there are."""
        teller = self._teller(signed, idle)
        sets = self._sets(signed)
        if not signed and not idle:
            return teller, Counts([], [self.records], [], {0: self.parts})
        teller = edged(self.feed, teller)
        middles = [(channel, _middle(each.where)) for each in idle for channel in each.where.names]
        return teller, counts_of(self.feed, teller, len(self.parts.records), sets, middles)

    def _teller(self, signed: Sequence[Cause], idle: Sequence[Cause]) -> Teller:
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
                told = cause.sign.look(sound, LEAST)
                sound, left = put_right(cause.rules, sound, np.ones(len(sound), np.bool_), told.taken)
                sound = sound.where(left)
            clock = Clock(before, Levels.of(Progress(sound)) if sound.at is None and len(sound) else NOWHERE)
        numbers = {self.looked.keys.index(text): number for number, text in enumerate(keys)}
        rules = [tuple(_numbered(rule, numbers) for rule in cause.rules) for cause in signed]
        return Teller(signs, keys, self.parts.starts, clock, rules)

    def _number(self, teller: Teller, key: int | None) -> int | None:
        """What tasks call a key."""
        return None if key is None else list(teller.keys).index(self.looked.keys[key])

    def _sets(self, signed: Sequence[Cause]) -> list[int]:
        """The sets of records whose late ones are wanted, each by the number of signs before."""
        sets = {each for number, cause in enumerate(signed) if cause.sort in AHEAD for each in (number, number + 1)}
        return sorted(sets | ({len(signed)} if self.asked.bound is not None else set()))

    def _lates(self, own: Sequence[Cause], teller: Teller, counts: Counts, back: int | None) -> Late:
        ahead = [number for number, each in enumerate(own) if each.sort in AHEAD]
        between = []
        if back is not None:
            ends = [self.records if each.next is None else each.next[0] for each in counts.silences]
            between = [(back, each.last[0], end) for each, end in zip(counts.silences, ends, strict=True)]
        is_small = self.asked.bound is not None
        if not (ahead or between or is_small):
            return Late({}, {}, [])
        return late_of(self.feed, teller, counts.sets, self.asked.bound or 0, self.asked.wanted, ahead, between)

    def _with_copies(
        self, own: Sequence[Cause], twice: Cause | None, teller: Teller, counts: Counts, back: int | None
    ) -> list[Cause]:
        """``own`` and ``twice``, with the copies counted."""
        timed = sum(isinstance(sign, AnotherUnit | Between) for sign in teller.signs)
        left = sum(isinstance(sign, Clocks | AnotherUnit | Between | Back) for sign in teller.signs)
        found = again(self.feed, teller, self.columns, self.records, timed=timed, left=left, back=back)
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

    def _too_small(self, teller: Teller, counts: Counts, lates: Late) -> list[Cause]:
        rest = len(teller.signs)
        if self.asked.bound is None or rest not in lates.by_set:
            return []
        late, records = lates.by_set[rest], counts.left[rest]
        if not is_too_small(late.number, records, self.asked):
            return []
        parts = counts.sets[rest]
        counting = Counting(parts.before, len(parts.records), self.asked.wanted)
        figures = figures_of(Left(self.feed, teller), counting, Wanted(parts.records, (), Fraction(self.asked.target)))
        return [too_small(late, records, self.asked, figures.recommended)]

    def _too_small_at_once(self, late: int, needed: int) -> list[Cause]:
        """The same if there is no other cause and only the first of the late records has to be found."""
        if self.asked.bound is None or not is_too_small(late, self.records, self.asked):
            return []
        count = first_late(self.feed, self.parts, self.asked.bound, self.asked.wanted)
        return [too_small(replace(count, number=late), self.records, self.asked, needed)]


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
