"""What a cut asks of the whole stream, and the plainest answer: a list of records."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.spark_bridge.cut.judge import Judge
from tidemark.spark_bridge.cut.rules import Levels, Maxima, Place, Rules, StreamRecord, levels_of


@dataclass(frozen=True, slots=True)
class Among:
    """Which records are meant: those of a channel (its number), of a key, from a place on, or all (None)."""

    channel: int | None = None
    key: str | None = None
    since: Place | None = None

    def has(self, record: StreamRecord) -> bool:
        return (
            (self.channel is None or record.channel == self.channel)
            and (self.key is None or record.key == self.key)
            and (self.since is None or record.place >= self.since)
        )


ALL = Among()


class Whole(Protocol):
    """A stream of any length. Whatever is answered has the size of a cut, or one record for each channel."""

    @property
    def channels(self) -> Sequence[int | str]:
        """What the stream itself calls its channels, by their number."""

    def record(self, number: int) -> StreamRecord | None:
        """The record of that number, from 0; None if there are fewer."""

    def number(self, records: Sequence[StreamRecord]) -> list[int]:
        """The numbers of these records, from 0."""

    def dropped(self, rules: Rules, among: Among, most: int) -> list[StreamRecord]:
        """The first ``most`` records that are dropped, in order."""

    def first(self, among: Among, most: int) -> list[StreamRecord]:
        """The first ``most`` records, dropped or not, in order."""

    def maxima(self, before: Sequence[Place | None]) -> list[Maxima]:
        """What the channels have brought before each of these places; None stands for the end of the stream."""

    def levels(self, before: Sequence[Place]) -> list[Levels]:
        """The largest timestamp of each channel before each of these places."""

    def reached(self, ts: int) -> Maxima:
        """For each channel its first record at or after ``ts``; channels without one are absent."""

    def inside(self, key: str, window: TimeWindow, most: int) -> tuple[list[StreamRecord], int]:
        """The first ``most`` records of ``key`` with a time in ``window``, in order, and how many there are."""


@dataclass(frozen=True, slots=True)
class Listed:
    """Records in memory, in order. ``place`` of a record is its number."""

    records: Sequence[StreamRecord]
    channels: Sequence[int | str] = (0,)

    def record(self, number: int) -> StreamRecord | None:
        return self.records[number] if number < len(self.records) else None

    def number(self, records: Sequence[StreamRecord]) -> list[int]:
        return [record.place[0] for record in records]

    def dropped(self, rules: Rules, among: Among, most: int) -> list[StreamRecord]:
        judge = Judge(rules, {})
        found = (each for each in self.records if judge.drops(each.channel, each.ts) and among.has(each))
        return list(islice(found, most))

    def first(self, among: Among, most: int) -> list[StreamRecord]:
        return self._those(among.has, most)

    def maxima(self, before: Sequence[Place | None]) -> list[Maxima]:
        found: dict[Place | None, Maxima] = {}
        maxima: dict[int, StreamRecord] = {}
        records = iter(self.records)
        record = next(records, None)
        for place in sorted({place for place in before if place is not None}):
            while record is not None and record.place < place:
                bring(maxima, record)
                record = next(records, None)
            found[place] = dict(maxima)
        if None in before:
            for rest in [] if record is None else [record, *records]:
                bring(maxima, rest)
            found[None] = maxima
        return [found[place] for place in before]

    def levels(self, before: Sequence[Place]) -> list[Levels]:
        return [levels_of(maxima) for maxima in self.maxima(before)]

    def reached(self, ts: int) -> Maxima:
        found: dict[int, StreamRecord] = {}
        for record in self.records:
            if record.ts >= ts:
                found.setdefault(record.channel, record)
        return found

    def inside(self, key: str, window: TimeWindow, most: int) -> tuple[list[StreamRecord], int]:
        those = self._those(lambda each: each.key == key and window.start <= each.ts < window.end, len(self.records))
        return those[:most], len(those)

    def _those(self, wanted: Callable[[StreamRecord], bool], most: int) -> list[StreamRecord]:
        return [record for record in self.records if wanted(record)][:most]


def bring(maxima: dict[int, StreamRecord], record: StreamRecord) -> None:
    """Take ``record`` into account: of equal timestamps the first record counts."""
    known = maxima.get(record.channel)
    if known is None or record.ts > known.ts:
        maxima[record.channel] = record
