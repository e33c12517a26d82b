"""How far each record is behind the watermark: the smallest of the channels' largest timestamps before it.

For each record, in order, ``m`` is the minimum, over the channels seen so far, of the largest timestamp that the
channel has brought before this record, and the record is ``max(0, m - ts)`` behind. With a bound ``b`` and a watermark
after each record, ``watermark = m - b - 1 >= ts`` exactly when the record is more than ``b`` behind, so one figure
answers for every bound.

Few records raise the largest timestamp of their channel, and m changes with these alone: it is found there, and spread
over all records afterwards. The channels are taken in groups of a few, each of which has one table; the smallest of the
groups is found pair by pair, as in a tournament, so the cost grows with rises × log(channels).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Channels = NDArray[np.uint16] | NDArray[np.int32] | NDArray[np.uint8]

UNSEEN: Final = np.iinfo(np.int64).min
"""The largest timestamp of a channel that has brought nothing."""

_NOTHING: Final = np.iinfo(np.int64).max
"""A channel that has brought nothing does not take part in the minimum."""

_GROUP: Final = 8
"""So many channels are gone through side by side: a table of these costs less than the rounds of a tournament."""


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

    ``steps``: m before each record (ms), right from ``defined_from`` on and without meaning before; ``lowest``: the
    same with a value for each record. ``whole_from``: from there on every channel of the stream, and as many as are
    ``wanted``, have brought a record. ``held``: for how many records each channel held the minimum (the first of
    equals). ``highest``: the largest timestamp of any channel after each record.
    """

    steps: Steps
    lowest: Longs
    defined_from: int
    whole_from: int
    held: Longs
    highest: Steps

    def behind(self, timestamps: Longs) -> Longs:
        """How far each record is behind (ms, >= 0); 0 where m is undefined."""
        behind: Longs = self.lowest - timestamps
        np.maximum(behind, 0, out=behind)
        behind[: self.defined_from] = 0
        return behind

    def highest_at(self, places: Longs) -> Longs:
        """The largest timestamp of any channel after the records at these ``places`` (ms)."""
        highest: Longs = self.highest.values[np.searchsorted(self.highest.places, places, side="right") - 1]
        return highest


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

    def block(self, timestamps: Longs, channels: Channels) -> Block:
        """What the next records see: their ``timestamps`` (ms) and the index of each one's channel."""
        records, count, before = len(timestamps), len(self.before), self.before.copy()
        places = np.flatnonzero(self._raises(timestamps, channels))
        values = timestamps[places]
        raised = channels[places] if count > 1 else np.zeros(len(places), np.uint16)
        steps = smallest(list(_groups(before, places, values, raised)))
        lengths = np.diff(steps.places, append=records)
        began = _began(before, places, raised, records)
        defined_from = records if self.wanted > count else min(int(began[self.wanted - 1]) + 1, records)
        whole_from = records if self.wanted > count else min(int(began[-1]) + 1, records)
        seen = np.maximum(steps.places + lengths - np.maximum(steps.places, defined_from), 0)
        held = np.bincount(steps.holders, weights=seen, minlength=count).astype(np.int64)
        highest = np.maximum.accumulate(np.concatenate(([before.max()], values)))
        tops = Steps(np.concatenate(([-1], places)), highest, np.concatenate(([0], raised)))
        return Block(steps, np.repeat(steps.values, lengths), defined_from, whole_from, held, tops)

    @property
    def whole(self) -> int:
        """m by now, if every channel of the stream has brought a record; else ``UNSEEN``."""
        return UNSEEN if self.wanted > len(self.before) else int(self.before.min())

    def _raises(self, timestamps: Longs, channels: Channels) -> NDArray[np.bool_]:
        """Which records raise the largest timestamp of their channel; takes all of them into account from now on."""
        if len(self.before) == 1:
            return self._rises(0, timestamps)
        # With fewer bytes for each channel, sorting takes fewer rounds.
        channels = channels.astype(np.uint8) if len(self.before) <= 256 else channels
        order = np.argsort(channels, kind="stable")
        ordered, sorted_channels = timestamps[order], channels[order]
        raises = np.zeros(len(timestamps), bool)
        starts = np.concatenate(([0], np.flatnonzero(sorted_channels[1:] != sorted_channels[:-1]) + 1))
        for start, end in pairwise([*starts.tolist(), len(order)]):
            if end > start:
                raises[start:end] = self._rises(int(sorted_channels[start]), ordered[start:end])
        found = np.zeros(len(timestamps), bool)
        found[order[raises]] = True
        return found

    def _rises(self, channel: int, timestamps: Longs) -> NDArray[np.bool_]:
        """The same for all records of one channel."""
        if not len(timestamps):
            return np.zeros(0, bool)
        before, running = self.before[channel], np.maximum.accumulate(timestamps)
        raises: NDArray[np.bool_] = timestamps > before
        raises[1:] &= timestamps[1:] > running[:-1]
        self.before[channel] = max(before, running[-1])
        self.records[channel] += len(timestamps)
        self.lowest[channel] = min(self.lowest[channel], timestamps.min())
        return raises


def _began(before: Longs, places: Longs, raised: Channels, records: int) -> Longs:
    """Which of the records is the first of each channel, in rising order: -1 for one that was there before, else
    ``records`` for one that does not come."""
    began = np.where(before == UNSEEN, records, -1)
    if began.max() == records:
        channels, first = np.unique(raised, return_index=True)
        began[channels] = np.minimum(began[channels], places[first])
    began.sort()
    return began


def _groups(before: Longs, places: Longs, values: Longs, raised: Channels) -> Iterator[Steps]:
    """The smallest of the largest timestamps of each group of channels, which records at ``places`` raise."""
    count = len(before)
    if count <= _GROUP:
        yield _group(before, 0, places, values, raised)
        return
    groups = raised // _GROUP
    order = np.argsort(groups, kind="stable")
    ends = np.searchsorted(groups[order], np.arange(-(-count // _GROUP)), side="right")
    start = 0
    for first, end in zip(range(0, count, _GROUP), ends.tolist(), strict=True):
        own = order[start:end]
        yield _group(before[first : first + _GROUP], first, places[own], values[own], raised[own])
        start = end


def _group(before: Longs, first: int, places: Longs, values: Longs, raised: Channels) -> Steps:
    """The same for one group: the channels from ``first`` on."""
    lowest = np.full(len(places) + 1, _NOTHING)
    holders = np.full(len(places) + 1, first)
    for channel, so_far in enumerate(before.tolist(), first):
        own = np.full(len(places) + 1, so_far)
        np.copyto(own[1:], values, where=raised == channel)
        np.maximum.accumulate(own, out=own)
        if so_far == UNSEEN:
            own[own == UNSEEN] = _NOTHING
        is_lower = own < lowest
        holders[is_lower] = channel
        np.minimum(lowest, own, out=lowest)
    return _changes(np.concatenate(([0], places + 1)), lowest, holders)


def _changes(places: Longs, values: Longs, holders: Longs) -> Steps:
    """The steps that change anything."""
    steps = np.ones(len(places), bool)
    steps[1:] = (values[1:] != values[:-1]) | (holders[1:] != holders[:-1])
    return Steps(places[steps], values[steps], holders[steps])


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
    return _changes(places, values, holders)
