"""A priority queue of timers with set semantics."""

from heapq import heappop, heappush

from simulator.values.key import Key
from simulator.values.window import Namespace

Timer = tuple[int, Key, Namespace]
"""(timestamp in ms, key, namespace): what makes a timer the same as another."""


class TimerQueue:
    """Timers by (timestamp, order of registration); registering a waiting timer again changes nothing.

    A timer that was deleted or has fired goes to the end when it is registered again. ``heap`` holds (timestamp,
    number, timer). A deleted timer stays in it until it reaches the head, so ``waiting`` alone says which timers exist;
    the number tells a timer from an earlier one that was deleted.
    Source: ``HeapPriorityQueueSet``; Flink leaves the order of equal timestamps open.
    """

    __slots__ = ("_registered", "heap", "waiting")

    def __init__(self) -> None:
        self.heap: list[tuple[int, int, Timer]] = []
        self.waiting: dict[Timer, int] = {}
        self._registered = 0

    def add(self, timer: Timer) -> bool:
        """Add ``timer``; returns whether it is new."""
        number = self._registered + 1
        if self.waiting.setdefault(timer, number) != number:
            return False
        self._registered = number
        heappush(self.heap, (timer[0], number, timer))
        return True

    def remove(self, timer: Timer) -> bool:
        """Remove ``timer``; returns whether it was waiting."""
        return self.waiting.pop(timer, None) is not None

    def head(self) -> int | None:
        """The timestamp (ms) of the first waiting timer, None when there is none."""
        heap, waiting = self.heap, self.waiting
        while heap:
            timestamp, number, timer = heap[0]
            if waiting.get(timer) == number:
                return timestamp
            heappop(heap)
        return None

    def pop_due(self, time: int) -> Timer | None:
        """Take the first timer with a timestamp <= ``time`` (ms) off the queue; None when there is none."""
        heap, waiting = self.heap, self.waiting
        while heap and heap[0][0] <= time:
            _, number, timer = heappop(heap)
            if waiting.get(timer) == number:
                del waiting[timer]
                return timer
        return None

    def in_order(self) -> list[Timer]:
        """The waiting timers in the order in which they fire."""
        return [timer for timer, _ in sorted(self.waiting.items(), key=lambda entry: (entry[0][0], entry[1]))]

    def restore(self, timers: list[Timer]) -> None:
        """Replace all timers by ``timers``, registered in this order."""
        self.heap.clear()
        self.waiting.clear()
        for timer in timers:
            self.add(timer)

    def __len__(self) -> int:
        return len(self.waiting)
