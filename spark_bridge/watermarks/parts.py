"""Stretches of a stream that tasks go through side by side, and what each must know of those before it.

A first pass finds what each part brings (``summaries``): a few numbers for each channel, which go to the driver. There
they become running maxima (``Parts``): where each part begins.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tidemark.spark_bridge.watermarks.behind import UNSEEN, Longs

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
