"""A priority queue of timers with set semantics."""

from collections import deque
from heapq import heappop, heappush
from typing import Final

from tidemark.simulator.values.key import Key
from tidemark.simulator.values.time import MAX, MIN
from tidemark.simulator.values.window import Namespace

Timer = tuple[int, Key, Namespace]
"""(timestamp in ms, key, namespace): what makes a timer the same as another."""

_Entry = tuple[int, int, Timer]

NEVER: Final = MAX + 1
"""Behind every timestamp (ms): ``earliest`` of an empty queue."""

BEFORE_ALL: Final = MIN - 1
"""Before every timestamp (ms)."""


class TimerQueue:
    """Timers by (timestamp, order of registration); registering a waiting timer again changes nothing.

    A timer that was deleted or has fired goes to the end when it is registered again. No timer is earlier than
    ``earliest`` (ms), a bound that only ``head`` and ``pop_due`` raise.

    An entry is (timestamp, number, timer). Most streams are nearly in order, and then an entry mostly belongs behind
    all others: those stand in a row, ``_rising``, and only the rest in a heap. A deleted timer stays where it is until
    it reaches the head, so ``waiting`` alone says which timers exist; the number tells a timer from an earlier one that
    was deleted.
    Source: ``HeapPriorityQueueSet``; Flink leaves the order of equal timestamps open.
    """

    __slots__ = ("_heap", "_registered", "_rising", "earliest", "waiting")

    def __init__(self) -> None:
        self.earliest = NEVER
        self.waiting: dict[Timer, int] = {}
        self._rising: deque[_Entry] = deque()
        self._heap: list[_Entry] = []
        self._registered = 0

    def add(self, timer: Timer) -> bool:
        """Add ``timer``; returns whether it is new."""
        number = self._registered + 1
        if self.waiting.setdefault(timer, number) != number:
            return False
        self._registered = number
        timestamp, rising = timer[0], self._rising
        if not rising or timestamp >= rising[-1][0]:
            rising.append((timestamp, number, timer))
        else:
            heappush(self._heap, (timestamp, number, timer))
        if timestamp < self.earliest:
            self.earliest = timestamp
        return True

    def remove(self, timer: Timer) -> bool:
        """Remove ``timer``; returns whether it was waiting."""
        return self.waiting.pop(timer, None) is not None

    def head(self) -> int | None:
        """The timestamp (ms) of the first waiting timer, None when there is none."""
        self.pop_due(BEFORE_ALL)
        return None if self.earliest == NEVER else self.earliest

    def pop_due(self, time: int) -> Timer | None:
        """Take the first timer with a timestamp <= ``time`` (ms) off the queue; None when there is none.

        Entries of deleted timers go, up to the first that waits, due or not: then ``earliest`` is the time of a timer
        that fires, and no watermark before it need ask.
        """
        rising, heap, waiting = self._rising, self._heap, self.waiting
        due: Timer | None = None
        earliest = NEVER
        while due is None and (rising or heap):
            # Two entries never compare equal, since their numbers differ.
            in_row = bool(rising) and not (heap and heap[0] < rising[0])
            timestamp, number, timer = rising[0] if in_row else heap[0]
            waits = waiting.get(timer) == number
            if waits:
                earliest = timestamp
                if timestamp > time:
                    break
                del waiting[timer]
                due = timer
            if in_row:
                rising.popleft()
            else:
                heappop(heap)
        self.earliest = earliest
        return due

    def in_order(self) -> list[Timer]:
        """The waiting timers in the order in which they fire."""
        return [timer for timer, _ in sorted(self.waiting.items(), key=lambda entry: (entry[0][0], entry[1]))]

    def restore(self, timers: list[Timer]) -> None:
        """Replace all timers by ``timers``, registered in this order."""
        self._rising.clear()
        self._heap.clear()
        self.earliest = NEVER
        self.waiting.clear()
        for timer in timers:
            self.add(timer)

    def __len__(self) -> int:
        return len(self.waiting)
