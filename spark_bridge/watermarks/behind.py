"""How far each record is behind the watermark, found by tasks that go through parts of a stream side by side.

For each record, in order, ``m`` is the minimum, over the channels seen so far, of the largest timestamp that the
channel has brought before this record, and the record is ``max(0, m - ts)`` behind. With a bound ``b`` and a watermark
after each record, ``watermark = m - b - 1 >= ts`` exactly when the record is more than ``b`` behind, so one figure
answers for every bound.

Few records raise the largest timestamp of their channel, and m changes with these alone: it is found there, and spread
over all records afterwards. The channels are taken in groups of a few, each of which has one table; the smallest of the
groups is found pair by pair, as in a tournament, so the cost grows with rises × log(channels).

A first pass finds what each part brings (``summaries``): a few numbers for each channel, which go to the driver. There
they become running maxima (``Parts``): where each part begins.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final, NamedTuple

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


Name = tuple[int, int, int]
"""File, block and first row of a part. Names sort as the parts follow one another."""


class Piece(NamedTuple):
    """Some records of a part, in order. Pieces of one part follow one another; ``ats`` is None without arrivals.

    ``unreadable``: so many records beside these could not be read. ``keys`` (texts) and ``values`` (of any type) are
    Arrow's columns, there if they were asked for.
    """

    part: Name
    timestamps: Longs
    channels: NDArray[np.uint16] | NDArray[np.int32]
    ats: Longs | None = None
    unreadable: int = 0
    keys: Any = None
    values: Any = None


UNREADABLE: Final = -1
"""The channel of a summary that counts the records that could not be read."""


class Summary(NamedTuple):
    """What a part brings on one channel. Times in ms; the arrivals are None where there are none.

    ``first_at`` to ``in_order`` are about all of the part: first, last, smallest and largest arrival, and whether none
    comes after a later one.
    """

    file: int
    block: int
    row: int
    channel: int
    records: int
    lowest: int
    highest: int
    first_at: int | None = None
    last_at: int | None = None
    lowest_at: int | None = None
    highest_at: int | None = None
    in_order: bool = True

    @property
    def part(self) -> Name:
        """The part's name."""
        return self.file, self.block, self.row


TYPES: Final = {name: "boolean" if name == "in_order" else "bigint" for name in Summary._fields}
"""The columns of a summary as Spark declares them."""


def summaries(pieces: Iterable[Piece], channels: int) -> Iterator[Summary]:
    """The summaries of the parts that ``pieces`` belong to, out of ``channels`` channels."""
    parts: dict[Name, Sums] = {}
    for piece in pieces:
        if piece.part not in parts:
            parts[piece.part] = Sums(channels)
        parts[piece.part].unreadable += piece.unreadable
        if len(piece.timestamps):
            parts[piece.part].add(piece)
    for part, sums in parts.items():
        yield from sums.summaries(part)


class Sums:
    """What the pieces of one part bring."""

    def __init__(self, channels: int) -> None:
        self.records = np.zeros(channels, np.int64)
        self.lowest = np.full(channels, np.iinfo(np.int64).max)
        self.highest = np.full(channels, UNSEEN)
        self.ats: tuple[int, int, int, int] | None = None
        self.in_order = True
        self.unreadable = 0

    def add(self, piece: Piece) -> None:
        """Take a piece with records into account."""
        if len(self.records) == 1:
            ordered, present, starts = piece.timestamps, np.zeros(1, np.int64), np.zeros(1, np.int64)
        else:
            order = np.argsort(piece.channels, kind="stable")
            ordered, channels = piece.timestamps[order], piece.channels[order].astype(np.int64)
            starts = np.flatnonzero(np.diff(channels, prepend=-1))
            present = channels[starts]
        self.records[present] += np.diff(starts, append=len(ordered))
        self.lowest[present] = np.minimum(self.lowest[present], np.minimum.reduceat(ordered, starts))
        self.highest[present] = np.maximum(self.highest[present], np.maximum.reduceat(ordered, starts))
        if piece.ats is not None:
            self.add_arrivals(piece.ats)

    def add_arrivals(self, ats: Longs) -> None:
        """Take the arrivals of a piece into account, of which there are some."""
        first, last, lowest, highest = int(ats[0]), int(ats[-1]), int(ats.min()), int(ats.max())
        self.in_order = self.in_order and bool((ats[1:] >= ats[:-1]).all())
        if self.ats is not None:
            self.in_order = self.in_order and self.ats[1] <= first
            first, lowest, highest = self.ats[0], min(self.ats[2], lowest), max(self.ats[3], highest)
        self.ats = first, last, lowest, highest

    def summaries(self, part: Name) -> Iterator[Summary]:
        """One for each channel that brings a record, and one for what cannot be read."""
        if self.unreadable:
            yield Summary(*part, UNREADABLE, self.unreadable, 0, 0)
        for channel in np.flatnonzero(self.records).tolist():
            records, lowest, highest = (int(each[channel]) for each in (self.records, self.lowest, self.highest))
            found = Summary(*part, channel, records, lowest, highest)
            if self.ats is not None:
                first_at, last_at, lowest_at, highest_at = self.ats
                found = found._replace(
                    first_at=first_at,
                    last_at=last_at,
                    lowest_at=lowest_at,
                    highest_at=highest_at,
                    in_order=self.in_order,
                )
            yield found


@dataclass(frozen=True, slots=True)
class Parts:
    """What is known of a stream before its second pass.

    ``before``: by part, the largest timestamp that each channel has brought before it; ``starts``: how many readable
    records come before it. ``records``, ``lowest``,
    ``highest``: by channel. ``unreadable``: records that could not be read. ``arrivals``: the first and the last one,
    None without arrivals or records. ``in_order``: the parts as they follow one another are in order of arrival.
    """

    before: Mapping[Name, Longs]
    starts: Mapping[Name, int]
    records: tuple[int, ...]
    lowest: tuple[int | None, ...]
    highest: tuple[int | None, ...]
    arrivals: tuple[int, int] | None
    in_order: bool
    unreadable: int

    @classmethod
    def of(cls, found: Iterable[Summary], channels: int) -> "Parts":
        """Put together the summaries of all parts, whatever their order."""
        before: dict[Name, Longs] = {}
        starts: dict[Name, int] = {}
        records, reached = np.zeros(channels, np.int64), np.full(channels, UNSEEN)
        lowest: list[int | None] = [None] * channels
        last_at, in_order = None, True
        arrivals: list[int] = []
        unreadable = 0
        for each in sorted(found, key=lambda summary: (summary.part, summary.channel)):
            if each.channel == UNREADABLE:
                unreadable += each.records
                continue
            if each.part not in before:
                before[each.part] = reached.copy()
                starts[each.part] = int(records.sum())
                if each.first_at is not None:
                    in_order = in_order and each.in_order and (last_at is None or last_at <= each.first_at)
                    last_at = each.last_at
            if each.lowest_at is not None and each.highest_at is not None:
                arrivals += (each.lowest_at, each.highest_at)
            records[each.channel] += each.records
            reached[each.channel] = max(int(reached[each.channel]), each.highest)
            so_far = lowest[each.channel]
            lowest[each.channel] = each.lowest if so_far is None else min(so_far, each.lowest)
        return cls(
            before=before,
            starts=starts,
            records=tuple(records.tolist()),
            lowest=tuple(lowest),
            highest=tuple(None if each == UNSEEN else each for each in reached.tolist()),
            arrivals=(min(arrivals), max(arrivals)) if arrivals else None,
            in_order=in_order,
            unreadable=unreadable,
        )

    def with_unreadable(self, records: int) -> "Parts":
        """The same with another number of unreadable records."""
        return replace(self, unreadable=records)
