"""The rules by which records of one's own are judged, and what a cut asks of the whole stream by them.

The rules are tumbling windows, a bound, a lateness, a watermark after each record. They are written for the bridge;
that the simulator does the same is proved by every cut, which the simulator runs. A stream answers part by part, with a
few numbers for each part and channel; the plainest answer is a list of records.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import accumulate, groupby, islice
from typing import Any, Final, NamedTuple, Protocol

from tidemark.simulator.engine.values.time import MAX, Milliseconds, window_start
from tidemark.simulator.engine.values.window import TimeWindow

MINUTE: Final = 60_000

Place = tuple[int, ...]
"""Where a record stands in the order of the stream; places compare as the records follow each other."""


class StreamRecord(NamedTuple):
    """A readable record. ``channel`` counts from 0; ``ts`` and ``at`` in ms, ``at`` None where no arrival is known."""

    place: Place
    channel: int
    ts: int
    at: int | None
    key: str
    value: Any


Maxima = Mapping[int, StreamRecord]
"""For each channel that has brought a record the first one with its largest timestamp."""


Levels = Mapping[int, int]
"""For each channel that has brought a record its largest timestamp (ms)."""


class Fate(Enum):
    """What the window operator does with a record that arrives."""

    IN_TIME = "in_time"
    LATE = "late"
    """Its window has fired, but accepts it by its lateness and fires again."""
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Rules:
    """``size`` of the tumbling windows (>= 1), ``bound`` and ``lateness`` (>= 0), all in ms.

    ``channels`` is the number of channels that must each have brought a record before there is a watermark.
    """

    channels: int = 1
    size: Milliseconds = MINUTE
    bound: Milliseconds = 0
    lateness: Milliseconds = 0

    def window_of(self, ts: int) -> TimeWindow:
        """The window that holds ``ts``; windows align to the epoch."""
        start = window_start(ts, 0, self.size)
        return TimeWindow(start, start + self.size)

    def fires_from(self, window: TimeWindow) -> int:
        """The least timestamp that every channel must have brought for ``window`` to fire."""
        return window.end + self.bound

    def over_from(self, window: TimeWindow) -> int:
        """The least timestamp that every channel must have brought for ``window`` to accept nothing any more."""
        return min(window.end + self.lateness + self.bound, MAX)

    def watermark(self, levels: Levels) -> int | None:
        """The operator's watermark at these ``levels``, None while a channel has brought no record."""
        return None if len(levels) < self.channels else min(levels.values()) - self.bound - 1

    def fate(self, ts: int, watermark: int | None) -> Fate:
        """What becomes of a record with timestamp ``ts`` that arrives at ``watermark``."""
        last = self.window_of(ts).max_timestamp
        if watermark is None or last > watermark:
            return Fate.IN_TIME
        return Fate.LATE if last + self.lateness > watermark else Fate.DROPPED


def levels_of(maxima: Maxima) -> Levels:
    """The largest timestamps alone."""
    return {channel: record.ts for channel, record in maxima.items()}


def holder(maxima: Maxima, channels: int) -> int:
    """The channel that holds the watermark: the first that has brought nothing, else that with the least maximum."""
    silent = next((channel for channel in range(channels) if channel not in maxima), None)
    return min(maxima, key=lambda channel: (maxima[channel].ts, channel)) if silent is None else silent


class Judge:
    """Goes through records in order, from ``levels``: what the channels have brought before."""

    def __init__(self, rules: Rules, levels: Levels) -> None:
        self._rules = rules
        self._levels = dict(levels)
        self._least = self._lowest()

    def drops(self, channel: int, ts: int) -> bool:
        """Whether the next record is dropped."""
        rules, least = self._rules, self._least
        dropped = least is not None and ts < least and rules.over_from(rules.window_of(ts)) <= least
        known = self._levels.get(channel)
        if known is None or ts > known:
            self._levels[channel] = ts
            if known is None or known == least:
                self._least = self._lowest()
        return dropped

    def passes(self, highest: Levels, lowest: int) -> bool:
        """Go past the next records at once, if none of them can be dropped; else nothing happens.

        ``highest``: their largest timestamp on each channel; ``lowest``: the smallest of all.
        """
        levels = dict(self._levels)
        for channel, ts in highest.items():
            levels[channel] = max(ts, levels.get(channel, ts))
        least = min(levels.values()) if len(levels) >= self._rules.channels else None
        if least is not None and self._rules.over_from(self._rules.window_of(lowest)) <= least:
            return False
        self._levels, self._least = levels, least
        return True

    def _lowest(self) -> int | None:
        """The least of the channels' largest timestamps, None while a channel has brought nothing."""
        return min(self._levels.values()) if len(self._levels) >= self._rules.channels else None


class Brought(NamedTuple):
    """What a part brings on one channel: how many records, their least and their largest timestamp (ms)."""

    part: Place
    channel: int
    records: int
    lowest: int
    highest: int


class Reached(NamedTuple):
    """A timestamp (ms) at or above which the channel has its first record in this part."""

    part: Place
    channel: int
    ts: int


class Parts:
    """The parts of a stream; their names sort as they follow one another."""

    def __init__(self, brought: Iterable[Brought]) -> None:
        self._brought = {part: list(own) for part, own in groupby(sorted(brought), key=lambda each: each.part)}
        self.names = list(self._brought)
        counts = [sum(each.records for each in own) for own in self._brought.values()]
        self._starts = [0, *accumulate(counts)]

    @property
    def records(self) -> int:
        """How many records all parts have."""
        return self._starts[-1]

    def of_number(self, number: int) -> tuple[Place, int] | None:
        """The part of the record of that number, and the number of the part's first record."""
        if not 0 <= number < self._starts[-1]:
            return None
        index = bisect_right(self._starts, number) - 1
        return self.names[index], self._starts[index]

    def start(self, part: Place) -> int:
        """The number of the part's first record."""
        return self._starts[self.names.index(part)]

    def split(self, parts: Sequence[Place], records: int) -> tuple[list[Place], list[Place]]:
        """The first of ``parts``, with that many records or a few more, and the rest."""
        found = list(parts)
        total = 0
        for index, part in enumerate(found):
            total += sum(each.records for each in self._brought[part])
            if total >= records:
                return found[: index + 1], found[index + 1 :]
        return found, []

    def levels(self, before: Place | None) -> Levels:
        """What the channels have brought before that part; None stands for the end."""
        found: dict[int, int] = {}
        for part, own in self._brought.items():
            if before is not None and part >= before:
                break
            for each in own:
                found[each.channel] = max(each.highest, found.get(each.channel, each.highest))
        return found

    def reached(self, wanted: Levels) -> list[Reached]:
        """Where each channel first reaches the timestamp that is wanted of it; those that never do are absent."""
        found: dict[int, Reached] = {}
        for part, own in self._brought.items():
            for each in own:
                if each.channel in wanted and each.channel not in found and each.highest >= wanted[each.channel]:
                    found[each.channel] = Reached(part, each.channel, wanted[each.channel])
        return list(found.values())

    def that_may_drop(self, rules: Rules) -> list[Place]:
        """The parts in which a record may be dropped: the earliest of their windows is over before they end."""
        found = []
        levels: dict[int, int] = {}
        for part, own in self._brought.items():
            for each in own:
                levels[each.channel] = max(each.highest, levels.get(each.channel, each.highest))
            if len(levels) >= rules.channels:
                earliest = rules.window_of(min(each.lowest for each in own))
                if rules.over_from(earliest) <= min(levels.values()):
                    found.append(part)
        return found


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
