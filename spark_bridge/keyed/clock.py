"""The clock of a task that sees everything: the item with which it reaches a time, and the processing-time timers."""

from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario.generated import Arrivals
from tidemark.spark_bridge.keyed.timers import Timers


class Course(Protocol):
    """The clock (ms) at each item of a stream; it never goes back. ``last``: at the last item."""

    @property
    def last(self) -> int:
        """The clock (ms) at the last item."""

    def item_at(self, clock: int) -> int:
        """The first item with which the clock reaches ``clock`` (ms); a number after the last item if none."""

    def number_of(self, item: int) -> int | None:
        """The number of the item in the rows; None if they are withdrawn."""


@dataclass(frozen=True, slots=True)
class ListedCourse:
    """The clock at each item of a list. ``numbers`` are those of the items in the rows, by default their places."""

    clocks: tuple[int, ...]
    numbers: tuple[int, ...] | None = None
    withdrawn: frozenset[int] = frozenset()

    @property
    def last(self) -> int:
        """The clock (ms) at the last item."""
        return self.clocks[-1] if self.clocks else MIN

    def item_at(self, clock: int) -> int:
        """The first item with which the clock reaches ``clock`` (ms)."""
        return bisect_left(self.clocks, clock)

    def number_of(self, item: int) -> int | None:
        """The number of the item in the rows; None if they are withdrawn."""
        if item in self.withdrawn:
            return None
        return item if self.numbers is None else self.numbers[item]


@dataclass(frozen=True, slots=True)
class GeneratedCourse:
    """The clock at each of the ``events`` records of a generated stream."""

    arrivals: Arrivals
    events: int

    @property
    def last(self) -> int:
        """The clock (ms) at the last item; an end does not move it."""
        return self.arrivals.at(max(0, self.events - 1))

    def item_at(self, clock: int) -> int:
        """The first item with which the clock reaches ``clock`` (ms)."""
        if self.arrivals.every == 0 and clock > self.arrivals.origin:
            return self.events
        return self.arrivals.first_at(clock)

    def number_of(self, item: int) -> int | None:
        """The item itself."""
        return item


class ClockTimers(Timers):
    """The processing-time timers of all keys, and the one physical timer on the clock that fires them.

    As in Flink a task has one physical timer (``call``), for its earliest timer. It is scheduled again when an earlier
    timer is registered, and after each run; it stays in place when a timer is deleted. It runs ``pause`` ms after the
    timestamp, so that what happens in that millisecond comes first. A call and a tick of the same millisecond run in
    the order in which they were scheduled, and a tick is scheduled by the one before it. ``periods`` are the distances
    (ms) between ticks that occur.
    """

    def __init__(self, start: int, periods: frozenset[int], pause: int) -> None:
        super().__init__()
        self.now = start
        self.call: int | None = None
        """When the call runs (ms), None for none."""
        self._pause = pause
        self._periods = periods
        self._ahead: frozenset[int] = frozenset()  # the periods whose tick in this millisecond is still to come
        self._made_at = start
        self._made_ahead: frozenset[int] = frozenset()

    def register(self, timestamp: int, namespace: Hashable) -> None:
        """Fire for ``namespace`` when the clock has passed ``timestamp`` (ms)."""
        if self.waits(timestamp, namespace):
            return
        head = self.head()
        super().register(timestamp, namespace)
        if timestamp < (MAX if head is None else head):
            self._make_call(timestamp)

    def is_before_tick(self, call: int, period: int) -> bool:
        """Whether the scheduled ``call`` (ms) runs before a tick of the same millisecond with that period."""
        tick_made = call - period
        return self._made_at < tick_made or (self._made_at == tick_made and period in self._made_ahead)

    def work_on_item(self, clock: int) -> None:
        """The clock has reached an item: everything due on its way has run."""
        self.now = clock
        self._ahead = frozenset()

    def begin_run(self) -> int:
        """The call runs; returns the timestamp (ms, inclusive) up to which timers fire."""
        assert self.call is not None
        due, self.call = self.call, None
        if due > self.now:
            self._ahead = frozenset(each for each in self._periods if self.is_before_tick(due, each))
            self.now = due
        return due - self._pause

    def end_run(self) -> None:
        """The timers have fired: schedule the next call."""
        head = self.head()
        if head is not None and self.call is None:
            self._make_call(head)

    def begin_anew(self, now: int) -> None:
        """After a restore the call is scheduled before the ticks."""
        self.now = now
        self.call = None
        self._ahead = self._periods
        self.end_run()
        self._ahead = frozenset()

    def _make_call(self, timestamp: int) -> None:
        self.call = timestamp + self._pause
        self._made_at, self._made_ahead = self.now, self._ahead
