"""Event-time timers of one key, for a task that sees the watermark only where a record of the key comes.

A timer fires at the first move of the watermark that reaches its timestamp. One that is set for the past waits for the
next move at all. Watermarks are whole, so both are one number, ``due``: the lowest watermark that fires the timer.
"""

from collections.abc import Hashable, Iterator
from heapq import heappop, heappush


class Timers:
    """Timers by (timestamp, namespace); setting one that waits changes nothing.

    ``floor`` is the lowest watermark that the next move can have: while a record is worked on, one more than the
    watermark it came at; while a timer fires, the watermark that it waited for, since all that it sets within that
    fires in the same move.
    """

    def __init__(self) -> None:
        self.floor = 0
        self._heap: list[tuple[int, int, int, Hashable]] = []
        self._waiting: dict[tuple[int, Hashable], int] = {}
        self._registered = 0

    def register(self, timestamp: int, namespace: Hashable) -> None:
        """Wake ``namespace`` at ``timestamp`` (ms of event time)."""
        if (timestamp, namespace) in self._waiting:
            return
        self._registered += 1
        self._waiting[timestamp, namespace] = self._registered
        heappush(self._heap, (max(timestamp, self.floor), timestamp, self._registered, namespace))

    def delete(self, timestamp: int, namespace: Hashable) -> None:
        """Take a timer back, if it waits."""
        self._waiting.pop((timestamp, namespace), None)

    def fire(self, watermark: int) -> Iterator[tuple[int, Hashable]]:
        """The timers that have fired once the watermark is at ``watermark``, in their order: (timestamp, namespace).

        ``floor`` is then what each waited for. Timers that are set meanwhile take their turn.
        """
        heap = self._heap
        while heap and heap[0][0] <= watermark:
            due, timestamp, number, namespace = heappop(heap)
            if self._waiting.get((timestamp, namespace)) == number:
                del self._waiting[timestamp, namespace]
                self.floor = due
                yield timestamp, namespace
