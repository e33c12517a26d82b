"""How far each record is behind the watermark: the smallest of the channels' largest timestamps before it.

For each record, in order, ``m`` is the minimum, over the channels seen so far, of the largest timestamp that the
channel has brought before this record, and the record is ``max(0, m - ts)`` behind. With a bound ``b`` and a watermark
after each record, ``watermark = m - b - 1 >= ts`` exactly when the record is more than ``b`` behind, so one figure
answers for every bound.

Each channel's largest timestamp is a step function of the place in the block, with a step for each record that raises
it. The smallest of them is found pair by pair, as in a tournament: the cost grows with records × log(channels).
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]

UNSEEN: Final = np.iinfo(np.int64).min
"""The largest timestamp of a channel that has brought nothing."""

_NOTHING: Final = np.iinfo(np.int64).max
"""A channel that has brought nothing does not take part in the minimum."""


class Steps(NamedTuple):
    """A step function: from each of the rising ``places`` (the first is 0) it has the value beside it.

    ``holders``: which channel that value is of.
    """

    places: Longs
    values: Longs
    holders: Longs


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of a stream, as seen by the watermark.

    ``lowest``: m before each record (ms), right from ``defined_from`` on and without meaning before. ``whole_from``:
    from there on every channel of the stream, and as many as are ``wanted``, have brought a record. ``held``: for how
    many records each channel held the minimum (the first of equals).
    """

    lowest: Longs
    defined_from: int
    whole_from: int
    held: Longs

    def behind(self, timestamps: Longs) -> Longs:
        """How far each record is behind (ms, >= 0); 0 where m is undefined."""
        behind: Longs = np.maximum(self.lowest - timestamps, 0)
        behind[: self.defined_from] = 0
        return behind


class Maxima:
    """The largest timestamp of each channel so far (``before``, ms); goes through a stream block by block.

    ``wanted``: m is undefined while fewer channels than that have brought a record. ``records``, ``lowest``: how many
    records it has gone through, and their smallest timestamp (ms), by channel.
    """

    def __init__(self, before: Longs, wanted: int = 1) -> None:
        self.before = before.copy()
        self.wanted = max(wanted, 1)
        self.records = np.zeros(len(before), np.int64)
        self.lowest = np.full(len(before), np.iinfo(np.int64).max)

    def block(self, timestamps: Longs, channels: NDArray[np.uint16] | NDArray[np.int32]) -> Block:
        """What the next records see: their ``timestamps`` (ms) and the index of each one's channel."""
        records, count = len(timestamps), len(self.before)
        began = np.where(self.before == UNSEEN, records, -1)
        steps = []
        places = np.arange(records) if count == 1 else np.argsort(channels, kind="stable")
        ends = np.searchsorted(channels[places], np.arange(count), side="right")
        start = 0
        for channel, end in enumerate(ends.tolist()):
            own = places[start:end]
            start = end
            steps.append(self._steps(channel, own, timestamps[own]))
            if len(own) and began[channel] == records:
                began[channel] = own[0]
        lowest = smallest(steps)
        lengths = np.diff(lowest.places, append=records)
        began.sort()
        defined_from = records if self.wanted > count else min(int(began[self.wanted - 1]) + 1, records)
        seen = np.maximum(lowest.places + lengths - np.maximum(lowest.places, defined_from), 0)
        held = np.bincount(lowest.holders, weights=seen, minlength=count).astype(np.int64)
        whole_from = records if self.wanted > count else min(int(began[-1]) + 1, records)
        return Block(np.repeat(lowest.values, lengths), defined_from, whole_from, held)

    def reaches(self, ceiling: int, timestamps: Longs, channels: NDArray[np.uint16] | NDArray[np.int32]) -> int:
        """Before which of the next records every channel has brought a timestamp of at least ``ceiling``.

        Their number if this is so before none of them. Nothing is taken into account.
        """
        block = Maxima(self.before, self.wanted).block(timestamps, channels)
        return int(block.whole_from + np.searchsorted(block.lowest[block.whole_from :], ceiling))

    @property
    def whole(self) -> int:
        """m by now, if every channel of the stream has brought a record; else ``UNSEEN``."""
        return UNSEEN if self.wanted > len(self.before) else int(self.before.min())

    def _steps(self, channel: int, places: Longs, timestamps: Longs) -> Steps:
        """One channel's largest timestamp before each place; takes its records into account from now on."""
        before = self.before[channel]
        first = _NOTHING if before == UNSEEN else before
        running = np.maximum.accumulate(timestamps)
        if len(running):
            self.before[channel] = max(before, running[-1])
            self.records[channel] += len(running)
            self.lowest[channel] = min(self.lowest[channel], timestamps.min())
        raised = running > before
        raised[1:] &= running[1:] > running[:-1]
        values = np.concatenate(([first], running[raised]))
        return Steps(np.concatenate(([0], places[raised] + 1)), values, np.full(len(values), channel))


def smallest(functions: list[Steps]) -> Steps:
    """The smallest value of all ``functions`` at each place, and the first function that has it."""
    while len(functions) > 1:
        pairs = zip(functions[::2], functions[1::2], strict=False)
        functions = [_smaller(*pair) for pair in pairs] + functions[len(functions) // 2 * 2 :]
    return functions[0]


def _smaller(left: Steps, right: Steps) -> Steps:
    # The places of two channels differ, except for the first: a record is of one channel.
    places = np.concatenate((left.places, right.places[1:]))
    places.sort(kind="stable")
    at_left = np.searchsorted(left.places, places, side="right") - 1
    at_right = np.searchsorted(right.places, places, side="right") - 1
    lefts, rights = left.values[at_left], right.values[at_right]
    is_left = lefts <= rights
    values = np.where(is_left, lefts, rights)
    holders = np.where(is_left, left.holders[at_left], right.holders[at_right])
    steps = np.ones(len(places), bool)
    steps[1:] = (values[1:] != values[:-1]) | (holders[1:] != holders[:-1])
    return Steps(places[steps], values[steps], holders[steps])
