"""The processing-time clock and what is scheduled on it.

The clock stands still until somebody moves it. On its way it runs every callback that is due, each with the clock at
the callback's own due time. Of those due in the same millisecond, the one scheduled first runs first.
"""

from collections.abc import Callable
from heapq import heappop, heappush

from tidemark.simulator.trace.trace import Trace


class ScheduledCall:
    """One callback on the clock; ``cancel`` keeps it from running."""

    __slots__ = ("callback", "cancelled")

    def __init__(self, callback: Callable[[int], None]) -> None:
        self.callback = callback
        self.cancelled = False

    def cancel(self) -> None:
        """Take it off the clock."""
        self.cancelled = True


class ProcessingTimeService:
    """A clock that is moved by hand: ``now`` in ms, ``calls`` the heap of what is scheduled.

    Source: ``SystemProcessingTimeService``.
    """

    def __init__(self, now: int, trace: Trace | None = None) -> None:
        self.now = now
        self._trace = trace
        self.calls: list[tuple[int, int, ScheduledCall]] = []
        self._scheduled = 0

    def schedule(self, due: int, callback: Callable[[int], None]) -> ScheduledCall:
        """Run ``callback(due)`` when the clock reaches ``due`` (ms); if that is past, at the next ``run_due``.

        A callback never runs inside the call that schedules it: the work that is going on is finished first.
        """
        call = ScheduledCall(callback)
        heappush(self.calls, (due, self._scheduled, call))
        self._scheduled += 1
        return call

    def advance_to(self, time: int) -> None:
        """Move the clock to ``time`` (ms, inclusive), running what is due on the way; it never moves back."""
        if time <= self.now:
            return
        calls = self.calls
        if calls and calls[0][0] <= time:
            self._run(time)
        if self._trace is None:
            self.now = time
        else:
            self._move(time)
            self._trace.settle_clock()

    def run_due(self) -> None:
        """Run what is due by now, that is, what an item has scheduled for the past."""
        if self.calls and self.calls[0][0] <= self.now:
            self._run(self.now)

    def clear(self) -> None:
        """Take everything off the clock; the time stays."""
        self.calls.clear()

    def _run(self, until: int) -> None:
        calls = self.calls
        while calls and calls[0][0] <= until:
            due, _, call = heappop(calls)
            if not call.cancelled:
                self._move(due)
                call.callback(due)

    def _move(self, time: int) -> None:
        if time > self.now:
            self.now = time
            if self._trace is not None:
                self._trace.move_clock(time)
