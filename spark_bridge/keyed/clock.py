"""The clock of a task that sees all that happens: which item it comes to a time with, and the timers that follow it."""

from bisect import bisect_left
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Protocol

from simulator.values.time import MAX, MIN
from spark_bridge.keyed.timers import Timers


class Course(Protocol):
    """Where the clock (ms) stands at each item of a stream; it never goes back. ``last``: at the last item."""

    @property
    def last(self) -> int:
        """The clock (ms) at the last item."""

    def item_at(self, clock: int) -> int:
        """The first item that the clock comes to ``clock`` with; some number behind the last if none."""

    def told(self, item: int) -> int | None:
        """What the rows call the item; null where they are withdrawn."""


@dataclass(frozen=True, slots=True)
class ListedCourse:
    """The clock at each item of a list. ``numbers`` are what the rows call them: as they are counted, if not given."""

    clocks: tuple[int, ...]
    numbers: tuple[int, ...] | None = None
    withdrawn: frozenset[int] = frozenset()

    @property
    def last(self) -> int:
        """The clock (ms) at the last item."""
        return self.clocks[-1] if self.clocks else MIN

    def item_at(self, clock: int) -> int:
        """The first item that the clock comes to ``clock`` with."""
        return bisect_left(self.clocks, clock)

    def told(self, item: int) -> int | None:
        """What the rows call the item; null where they are withdrawn."""
        if item in self.withdrawn:
            return None
        return item if self.numbers is None else self.numbers[item]


@dataclass(frozen=True, slots=True)
class SteadyCourse:
    """The clock is at ``origin`` at item 0, and at each of the ``events`` ``every`` ms further. All in ms."""

    origin: int
    every: int
    events: int

    @property
    def last(self) -> int:
        """The clock (ms) at the last item; an end does not move it."""
        return self.origin + max(0, self.events - 1) * self.every

    def item_at(self, clock: int) -> int:
        """The first item that the clock comes to ``clock`` with."""
        if clock <= self.origin:
            return 0
        return -(-(clock - self.origin) // self.every) if self.every else self.events

    def told(self, item: int) -> int | None:
        """Items are called what they are."""
        return item


class ClockTimers(Timers):
    """The timers of the clock, of all keys, and the one call on the clock that wakes them.

    As in Flink a task has one call, for its earliest timer: made anew when an earlier one is set, and after each run;
    it stays where a timer is taken back. It comes ``pause`` ms after the timer's timestamp, so that what happens in
    that millisecond comes first. A call and a tick of the same millisecond come in the order in which they were made,
    and a tick is made by the one before; ``periods`` are the distances (ms) of ticks that there are.
    """

    def __init__(self, start: int, periods: frozenset[int], pause: int) -> None:
        super().__init__()
        self.now = start
        self.call: int | None = None
        """When (ms) it comes, null for none."""
        self._pause = pause
        self._periods = periods
        self._ahead: frozenset[int] = frozenset()  # the periods whose tick of this millisecond is still to come
        self._made_at = start
        self._made_ahead: frozenset[int] = frozenset()

    def register(self, timestamp: int, namespace: Hashable) -> None:
        """Wake ``namespace`` when the clock has passed ``timestamp`` (ms)."""
        if self.waits(timestamp, namespace):
            return
        head = self.head()
        super().register(timestamp, namespace)
        if timestamp < (MAX if head is None else head):
            self._make_call(timestamp)

    def is_before_tick(self, call: int, period: int) -> bool:
        """Whether a ``call`` (ms) that is made comes before a tick of that millisecond and that period."""
        tick_made = call - period
        return self._made_at < tick_made or (self._made_at == tick_made and period in self._made_ahead)

    def work_on_item(self, clock: int) -> None:
        """The clock has come to an item: what was due on its way is done."""
        self.now = clock
        self._ahead = frozenset()

    def begin_run(self) -> int:
        """The call comes; gives the timestamp (ms) up to which timers fire."""
        assert self.call is not None
        due, self.call = self.call, None
        if due > self.now:
            self._ahead = frozenset(each for each in self._periods if self.is_before_tick(due, each))
            self.now = due
        return due - self._pause

    def end_run(self) -> None:
        """The timers have fired: the next call is made."""
        head = self.head()
        if head is not None and self.call is None:
            self._make_call(head)

    def begin_anew(self, now: int) -> None:
        """After a restore the call is made before the ticks are."""
        self.now = now
        self.call = None
        self._ahead = self._periods
        self.end_run()
        self._ahead = frozenset()

    def _make_call(self, timestamp: int) -> None:
        self.call = timestamp + self._pause
        self._made_at, self._made_ahead = self.now, self._ahead
