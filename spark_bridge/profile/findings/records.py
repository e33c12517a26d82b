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
        return 1 if self.channel is None else len(np.unique(self.channel))

    def behind(self) -> Longs:
        """How far each record is behind the slowest of the channels that have brought a record before; at least 0."""
        lowest = np.full(len(self), MOST)
        for number in [None] if self.channel is None else np.unique(self.channel):
            own = self.ts if number is None else np.where(self.channel == number, self.ts, LEAST)
            reached = np.concatenate([[LEAST], np.maximum.accumulate(own)[:-1]])
            np.minimum(lowest, np.where(reached == LEAST, MOST, reached), out=lowest)
        lowest[lowest == MOST] = LEAST
        return np.where(lowest > self.ts, lowest - np.minimum(self.ts, lowest), 0)

    def late(self, bound: int | None) -> int:
        """How many records are at or behind the watermark when they arrive."""
        return int(np.count_nonzero(self.behind() > (bound or 0)))


def stretches(wanted: Mask) -> list[tuple[int, int]]:
    """The runs of True, each as [start, end)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wanted, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


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
