"""Timers: the processing-time clock, queues of timers, and the timer service of an operator.

Rule 1: the watermark is set before any of the timers that it fires, so every callback sees the new one.
Rule 2: an event-time timer registered in the past waits for the next watermark.
Rule 3: the operator has one physical timer on the clock, for the earliest processing-time timer. It runs a millisecond
after that timer's timestamp, so that the records of that millisecond come first.

Theory of operation
-------------------
A timer is (timestamp, key, namespace), and the timers of a kind are a set: to register one twice changes nothing.
Each kind has its own queue, ordered by timestamp, then by registration.

Event time is driven from outside. ``advance_watermark`` sets the watermark and fires timers until none is due. A
callback may register more; those that are due already fire in the same loop. Between two watermarks nothing fires, so
a timer that a record registers in the past waits (Rule 2).

Processing time is driven by the clock. The service keeps one physical timer on it, and moves that when an earlier
logical timer is registered. Deleting a logical timer leaves the physical one in place: it may run and find nothing
due. When it has run, it is scheduled again for the next logical timer. These moves are visible: of two things due in
the same millisecond, such as this timer and the tick of a watermark generator, the one scheduled first runs first.

Source: ``InternalTimerServiceImpl`` and ``SystemProcessingTimeService``.
"""

from collections import deque
from collections.abc import Callable
from heapq import heappop, heappush
from typing import Final, Protocol

from tidemark.simulator.engine.trace.events import Rule, TimerDeleted, TimerFired, TimerRegistered
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Key
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.versions import NEWEST_RULES, FlinkRules
from tidemark.simulator.engine.values.window import Namespace

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


# The processing-time clock and what is scheduled on it.
#
# The clock stands still until somebody moves it. On its way it runs every callback that is due, each with the clock
# at the callback's own due time. Of those due in the same millisecond, the one scheduled first runs first.


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


EVENT: Final = "event"
PROCESSING: Final = "processing"


class Triggerable(Protocol):
    """The one that is called back when a timer fires, which is the operator. Source: ``Triggerable``."""

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """An event-time timer for ``timestamp`` (ms) fires."""

    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A processing-time timer for ``timestamp`` (ms) fires."""


class InternalTimerService:
    """Timers of one operator. ``current_watermark`` (ms) starts at ``Long.MIN_VALUE``."""

    def __init__(
        self,
        target: Triggerable,
        clock: ProcessingTimeService,
        trace: Trace | None = None,
        rules: FlinkRules = NEWEST_RULES,
    ) -> None:
        self.current_watermark, self.have_watermark = MIN, True
        self.event_timers = TimerQueue()
        self.processing_timers = TimerQueue()
        self._target = target
        self._clock = clock
        self._trace = trace
        self._physical: tuple[int, ScheduledCall] | None = None
        self._past_fires_at_once = rules.past_timers_fire_at_once

    def register_event_time_timer(self, timestamp: int, key: Key, namespace: Namespace, purpose: str) -> None:
        """Call back for ``key`` and ``namespace`` when the watermark reaches ``timestamp`` (ms, inclusive).

        ``purpose`` is for the trace: ``fire``, ``cleanup``, ``fire+cleanup``, ``sort``, ``join`` or ``emit``.
        """
        timer = (timestamp, key, namespace)
        if self.event_timers.add(timer) and self._trace is not None:
            self.trace_event_time_timer(timer, purpose)

    def trace_event_time_timer(self, timer: Timer, purpose: str) -> None:
        """Trace that ``timer`` was registered; the caller, in a traced run, has put it into ``event_timers``."""
        assert self._trace is not None
        place = "InternalTimerServiceImpl.register_event_time_timer"
        self._trace.add(TimerRegistered(place, EVENT, *timer, purpose))

    def delete_event_time_timer(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Delete a timer; it is no error if there is none."""
        if self.event_timers.remove((timestamp, key, namespace)) and self._trace is not None:
            place = "InternalTimerServiceImpl.delete_event_time_timer"
            self._trace.add(TimerDeleted(place, EVENT, timestamp, key, namespace))

    def register_processing_time_timer(self, timestamp: int, key: Key, namespace: Namespace, purpose: str) -> None:
        """Call back for ``key`` and ``namespace`` when the clock has passed ``timestamp`` (ms).

        Source: ``InternalTimerServiceImpl.registerProcessingTimeTimer``.
        """
        # The old head must be read before the new timer is in the queue, else a new head would look like the old one.
        head = self.processing_timers.head()
        if not self.processing_timers.add((timestamp, key, namespace)):
            return
        if self._trace is not None:
            place = "InternalTimerServiceImpl.register_processing_time_timer"
            self._trace.add(TimerRegistered(place, PROCESSING, timestamp, key, namespace, purpose))
        if timestamp < (MAX if head is None else head):
            if self._physical is not None:
                self._physical[1].cancel()
            self._schedule(timestamp)

    def delete_processing_time_timer(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """Delete a timer. The physical timer stays: it may run and find nothing due."""
        if self.processing_timers.remove((timestamp, key, namespace)) and self._trace is not None:
            place = "InternalTimerServiceImpl.delete_processing_time_timer"
            self._trace.add(TimerDeleted(place, PROCESSING, timestamp, key, namespace))

    def advance_watermark(self, watermark: int) -> None:
        """Set the watermark (ms) and fire every event-time timer up to and including it, new ones as well.

        The caller sees to it that the watermark rises. Source: ``InternalTimerServiceImpl.advanceWatermark``.
        """
        self.current_watermark, self.have_watermark = watermark, True
        timers = self.event_timers
        if watermark < timers.earliest:
            return
        fire, trace = self._target.on_event_time, self._trace
        # One timer at a time, never a list of those due: a callback may delete timers that are due, and register more.
        while (timer := timers.pop_due(watermark)) is not None:
            timestamp, key, namespace = timer
            if trace is not None:
                numbers = (("timer", timestamp), ("watermark", watermark))
                rule = Rule("timer-due", "timer <= watermark", numbers, True)
                place = "InternalTimerServiceImpl.advance_watermark"
                trace.add(TimerFired(place, EVENT, timestamp, key, namespace, rule))
            fire(timestamp, key, namespace)

    @property
    def reached(self) -> int:
        """The watermark (ms) that the timers have: of a restored one, by old rules, none until the next."""
        return self.current_watermark if self.have_watermark else MIN

    @property
    def waiting(self) -> int:
        """How many timers there are, of both kinds."""
        return len(self.event_timers) + len(self.processing_timers)

    def snapshot(self) -> tuple[list[Timer], list[Timer]]:
        """The event-time and the processing-time timers, in the order in which they fire."""
        return self.event_timers.in_order(), self.processing_timers.in_order()

    def restore(self, snapshot: tuple[list[Timer], list[Timer]]) -> None:
        """Take over the timers of a snapshot. The watermark is not part of it and starts again at Long.MIN_VALUE.

        The clock must have been cleared; the physical timer is scheduled on it again.
        """
        self.current_watermark, self.have_watermark = MIN, True
        self.event_timers.restore(snapshot[0])
        self.processing_timers.restore(snapshot[1])
        self._physical = None
        head = self.processing_timers.head()
        if head is not None:
            self._schedule(head)

    @property
    def _is_scheduled(self) -> bool:
        return self._physical is not None

    def _schedule(self, timestamp: int) -> None:
        due = timestamp + 1 if self._past_fires_at_once else max(timestamp, self._clock.now) + 1
        self._physical = (timestamp, self._clock.schedule(due, self._on_processing_time))

    def _on_processing_time(self, due: int) -> None:
        """The physical timer runs. Source: ``InternalTimerServiceImpl.onProcessingTime``."""
        # Before the callbacks, so that the last lines can see whether one of them has scheduled a new physical timer.
        assert self._physical is not None
        time, self._physical = self._physical[0], None
        timers, fire, trace = self.processing_timers, self._target.on_processing_time, self._trace
        while (timer := timers.pop_due(time)) is not None:
            timestamp, key, namespace = timer
            if trace is not None:
                # A timer that was set for the past runs late: the clock is far beyond the time that it runs with.
                numbers = (("timer", timestamp), ("clock", self._clock.now))
                rule = Rule("timer-due", "timer <= clock", numbers, True)
                place = "InternalTimerServiceImpl.on_processing_time"
                trace.add(TimerFired(place, PROCESSING, timestamp, key, namespace, rule))
            fire(timestamp, key, namespace)
        # A callback that registered the new earliest timer has scheduled it already.
        head = timers.head()
        if head is not None and not self._is_scheduled:
            self._schedule(head)
