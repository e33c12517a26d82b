"""The records that the findings are made from: columns of one length, in the order of the stream."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Longs = NDArray[np.int64]
Mask = NDArray[np.bool_]

LEAST = np.iinfo(np.int64).min
MOST = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Asked:
    """What was asked about a stream: a bound (ms), the number of channels, the share of late records allowed."""

    bound: int | None = None
    channels: int | None = None
    target: float = 0.001

    @property
    def wanted(self) -> int:
        """How many channels must have brought a record before there is a watermark."""
        return self.channels or 1


@dataclass(frozen=True)
class Records:
    """Readable records. ``item`` is the number of each in the stream, from 0; times are in ms.

    ``at``, ``key``, ``value`` and ``channel`` are None where the stream has no such column. A key or a value is any
    number that stands for it: equal ones have equal numbers. ``unreadable`` records are none of these.
    """

    item: Longs
    ts: Longs
    at: Longs | None = None
    channel: Longs | None = None
    key: Longs | None = None
    value: Longs | None = None
    unreadable: int = 0

    def __len__(self) -> int:
        return len(self.ts)

    def where(self, wanted: Mask) -> "Records":
        """The wanted records alone."""
        if wanted.all():
            return self
        found = {name: getattr(self, name) for name in ("item", "ts", "at", "channel", "key", "value")}
        return replace(self, **{name: column[wanted] for name, column in found.items() if column is not None})

    def moved(self, by: Longs) -> "Records":
        """The same records with other timestamps."""
        return replace(self, ts=self.ts + by)

    @cached_property
    def channels(self) -> int:
        """How many channels bring a record."""
        return 1 if self.channel is None else len(distinct(self.channel)[0])

    def behind(self, wanted: int = 1) -> Longs:
        """How far each record is behind the slowest of the channels that have brought a record before; at least 0.

        It is 0 while fewer than ``wanted`` channels have brought one.
        """
        lowest, began = np.full(len(self), MOST), []
        for number in [None] if self.channel is None else distinct(self.channel)[0]:
            began.append(0 if number is None else int(np.argmax(self.channel == number)))
            own = self.ts if number is None else np.where(self.channel == number, self.ts, LEAST)
            reached = np.concatenate([[LEAST], np.maximum.accumulate(own)[:-1]])
            np.minimum(lowest, np.where(reached == LEAST, MOST, reached), out=lowest)
        lowest[lowest == MOST] = LEAST
        lowest[: len(self) if len(began) < wanted else sorted(began)[wanted - 1] + 1] = LEAST
        return np.where(lowest > self.ts, lowest - np.minimum(self.ts, lowest), 0)

    def late(self, bound: int | None, wanted: int = 1) -> int:
        """How many records are at or behind the watermark when they arrive."""
        return int(np.count_nonzero(self.behind(wanted) > (bound or 0)))


def distinct(values: Longs) -> tuple[Longs, Longs]:
    """The different values, rising, and which of them each one is. Small numbers are told apart without sorting."""
    if len(values) and values.min() >= 0 and values.max() <= 2 * len(values):
        there = np.bincount(values) > 0
        return np.flatnonzero(there), (np.cumsum(there) - 1)[values]
    names, place = np.unique(values, return_inverse=True)
    return names, place


def different(values: Longs) -> int:
    """How many different values there are. NumPy's own ``unique`` hashes them, which takes a hundred times as long."""
    ordered = np.sort(values)
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + min(len(ordered), 1)


def running_median(values: Longs, width: int = 65, stride: int = 8) -> Longs:
    """The median of the ``width`` values around each one, at every ``stride``-th; the others take the nearest."""
    if len(values) <= width:
        return np.full(len(values), int(np.median(values)) if len(values) else 0)
    windows = np.lib.stride_tricks.sliding_window_view(values, width)[::stride]
    medians = np.partition(windows, width // 2, axis=1)[:, width // 2]
    place = np.clip((np.arange(len(values)) - width // 2 + stride // 2) // stride, 0, len(medians) - 1)
    return medians[place]


def nearby(values: Longs, reach: int) -> tuple[Longs, Longs]:
    """The smaller and the larger of the values ``reach`` places before and after each one, and of itself."""
    before = np.concatenate([values[:reach], values[:-reach]]) if len(values) > reach else values
    after = np.concatenate([values[reach:], values[-reach:]]) if len(values) > reach else values
    return np.minimum(np.minimum(before, after), values), np.maximum(np.maximum(before, after), values)
