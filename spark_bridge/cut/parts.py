"""What each part of a stream brings, put together in order: a few numbers for each part and channel."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate, groupby
from typing import NamedTuple

from tidemark.spark_bridge.cut.rules import Levels, Place, Rules


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
