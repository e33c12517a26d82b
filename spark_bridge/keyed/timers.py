"""Timers by (timestamp, namespace): of one key, or of all keys of a task."""

from collections.abc import Hashable, Iterator
from heapq import heapify, heappop, heappush
from typing import Final, Protocol

_IDLE: Final = 64
"""So many timers that were taken back may lie in the heap, however few wait."""


class Alarms(Protocol):
    """Where timers are set and taken back."""

    def register(self, timestamp: int, namespace: Hashable) -> None:
        """Wake ``namespace`` at ``timestamp`` (ms)."""

    def delete(self, timestamp: int, namespace: Hashable) -> None:
        """Take a timer back, if it waits."""


class Timers:
    """Fire in the order of their timestamps, then of being set; setting one that waits changes nothing."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, int, Hashable]] = []
        self._waiting: dict[tuple[int, Hashable], int] = {}
        self._registered = 0

    def register(self, timestamp: int, namespace: Hashable) -> None:
        """Wake ``namespace`` at ``timestamp`` (ms)."""
        timer = (timestamp, namespace)
        if timer in self._waiting:
            return
        self._registered = number = self._registered + 1
        self._waiting[timer] = number
        heappush(self._heap, (self._due(timestamp), timestamp, number, namespace))

    def is_due(self, until: int) -> bool:
        """Whether a timer may fire once the watermark, or the clock, is at ``until``."""
        return bool(self._heap) and self._heap[0][0] <= until

    def waits(self, timestamp: int, namespace: Hashable) -> bool:
        """Whether that timer is set."""
        return (timestamp, namespace) in self._waiting

    def delete(self, timestamp: int, namespace: Hashable) -> None:
        """Take a timer back, if it waits."""
        if self._waiting.pop((timestamp, namespace), None) is None:
            return
        if len(self._heap) > 2 * len(self._waiting) + _IDLE:
            self._heap = [entry for entry in self._heap if self._is_set(entry)]
            heapify(self._heap)

    def fire(self, until: int) -> Iterator[tuple[int, Hashable]]:
        """The timers that have fired once the watermark, or the clock, is at ``until``: (timestamp, namespace).

        Timers that are set meanwhile take their turn.
        """
        while (entry := self._next(until)) is not None:
            yield entry[1], entry[3]

    def head(self) -> int | None:
        """The timestamp (ms) of the timer that fires first; null if none waits."""
        while self._heap:
            if self._is_set(self._heap[0]):
                return self._heap[0][1]
            heappop(self._heap)
        return None

    def _due(self, timestamp: int) -> int:
        """What the watermark, or the clock, must have come to for a timer that is set now."""
        return timestamp

    def _next(self, until: int) -> tuple[int, int, int, Hashable] | None:
        while self._heap and self._heap[0][0] <= until:
            entry = heappop(self._heap)
            if self._is_set(entry):
                del self._waiting[entry[1], entry[3]]
                return entry
        return None

    def _is_set(self, entry: tuple[int, int, int, Hashable]) -> bool:
        return self._waiting.get((entry[1], entry[3])) == entry[2]


class DueTimers(Timers):
    """Event-time timers of one key, for a task that sees the watermark only where a record of the key comes.

    A timer fires at the first move that reaches its timestamp. One that is set for the past waits for the next move at
    all. Watermarks are whole, so both are one number, the lowest watermark that fires the timer. ``floor`` is the
    lowest that the next move can have: while a record is worked on, one more than the watermark it came at; while a
    timer fires, the watermark that it waited for, since all that it sets within that fires in the same move.
    """

    def __init__(self) -> None:
        super().__init__()
        self.floor = 0

    def fire(self, until: int) -> Iterator[tuple[int, Hashable]]:
        """As for all timers; ``floor`` is then what each waited for."""
        while (entry := self._next(until)) is not None:
            self.floor = entry[0]
            yield entry[1], entry[3]

    def _due(self, timestamp: int) -> int:
        return max(timestamp, self.floor)


class OfKey:
    """Timers of one key, kept together with those of all keys."""

    __slots__ = ("_key", "_timers")

    def __init__(self, key: str, timers: Alarms) -> None:
        self._key = key
        self._timers = timers

    def register(self, timestamp: int, namespace: Hashable) -> None:
        """Wake ``namespace`` of the key at ``timestamp`` (ms)."""
        self._timers.register(timestamp, (self._key, namespace))

    def delete(self, timestamp: int, namespace: Hashable) -> None:
        """Take a timer back, if it waits."""
        self._timers.delete(timestamp, (self._key, namespace))


class Waits:
    """One window's timers, as its trigger sets them: for the watermark, and for the clock."""

    __slots__ = ("_clock", "_namespace", "_watermark")

    def __init__(self, watermark: Alarms, clock: Alarms, namespace: Hashable) -> None:
        self._watermark = watermark
        self._clock = clock
        self._namespace = namespace

    def watermark(self, timestamp: int) -> None:
        """Wake the window when the watermark reaches ``timestamp`` (ms)."""
        self._watermark.register(timestamp, self._namespace)

    def no_watermark(self, timestamp: int) -> None:
        """Take that back."""
        self._watermark.delete(timestamp, self._namespace)

    def clock(self, timestamp: int) -> None:
        """Wake the window when the clock has passed ``timestamp`` (ms)."""
        self._clock.register(timestamp, self._namespace)

    def no_clock(self, timestamp: int) -> None:
        """Take that back."""
        self._clock.delete(timestamp, self._namespace)
