"""What an operator of one key works with: records, timers, and the collector of its rows.

Theory of operation of the timers
---------------------------------
Timers are a set, with a heap beside it for their order. Deleting a timer takes it out of the set only. What is left in
the heap is recognized as stale by its number when it comes up, and is swept out when there is too much of it.

``Timers`` are for a task that sees every move of the watermark or the clock (``ordered``). There a timer is due at its
timestamp. ``DueTimers`` are for a task that takes one key after another (``by_key``) and sees the watermark only where
a record of the key comes. Several moves may lie between two records, and the timers have to fire as if the task had
seen each of them. Two things differ then:

- A timer registered in the past must wait for the *next* move, not for the next record. So it is due at the lowest
  watermark that this move can have (``floor``).
- Timers of an earlier move fire before those of a later one, whatever their timestamps. So the heap is sorted by what
  each timer is due at, then by timestamp, then by registration.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import reduce
from heapq import heapify, heappop, heappush
from typing import Any, Final, NamedTuple, Protocol

from tidemark.simulator.engine.values.time import MAX, MIN

IN: Final = ("key", "item", "at", "before", "side", "ts", "value")
"""The columns of a record; ``value`` is its canonical JSON text."""

Span = tuple[int, int] | None
"""A window: start (inclusive) and end (exclusive) in ms; None is the global window."""


Memory = dict[str, Any]
"""What a trigger remembers of a window, by name."""


class NoValue(Enum):
    """What stands where a record has no value. A member stays itself when a checkpoint copies it."""

    DELETED = "deleted"


DELETED: Final = NoValue.DELETED
"""The value of a record that ends a version instead of bringing one."""


class Arrival(NamedTuple):
    """A record of the key. ``before``: the combined watermark at its arrival; ``side`` numbers the inputs.

    ``at``: the clock (ms); ``ts`` is Long.MIN_VALUE if the record has no timestamp. ``value`` may be ``DELETED``.
    """

    item: int
    at: int
    before: int
    side: int
    ts: int
    value: Any


@dataclass(slots=True, eq=False)
class Life:
    """One life of a window: its number within the key, its count of rows, and the first row on time."""

    number: int
    panes: int = 0
    on_time: int | None = None


class Fired(NamedTuple):
    """A row of the key.

    ``kind``: ``pane``, ``joined``, ``group``, ``emitted``, ``ranked``; ``late`` (with ``time`` its timestamp) for a
    record that was not taken. ``life`` distinguishes successive windows with the same bounds. ``by``: the record that
    fired it at once. Else a timer did, and ``due`` is the watermark that it waited for, where the moves of the
    watermark are not seen. ``pane``: the number of a pane, or a rank. ``own``: the record's own value, as JSON text,
    beside an aggregate.
    """

    kind: str
    span: Span
    value: Any
    due: int | None = None
    by: Arrival | None = None
    life: Life | None = None
    pane: int | None = None
    change: str | None = None
    time: int | None = None
    own: str | None = None


class Collector:
    """Where the operator of a key emits its rows."""

    def __init__(self) -> None:
        self._rows: list[Fired] = []

    def collect(self, row: Fired) -> None:
        """Emit ``row``."""
        self._rows.append(row)

    def late(self, record: Arrival, span: Span = None) -> None:
        """``record`` was not taken: by none of its windows, or not by that of ``span``."""
        self._rows.append(Fired("late", span, record.value, by=record, time=record.ts))

    def rows(self) -> list[Fired]:
        """The rows emitted since the last call, in order."""
        rows = self._rows
        if rows:
            self._rows = []
        return rows


@dataclass(frozen=True, slots=True)
class Fold:
    """An aggregate: ``start``, then ``add`` for each value, ``join`` of two, ``result``."""

    start: Any
    add: Callable[[Any, Any], Any]
    join: Callable[[Any, Any], Any]
    result: Callable[[Any], Any]


def _plus(left: Any, right: Any) -> Any:
    return left + right


def _lower(left: Any, right: Any) -> Any:
    return right if left is None or (right is not None and right < left) else left


def _higher(left: Any, right: Any) -> Any:
    return right if left is None or (right is not None and right > left) else left


def _same(value: Any) -> Any:
    return value


FOLDS: Final = {
    "sum": Fold(0, _plus, _plus, _same),
    "count": Fold(0, lambda count, _: count + 1, _plus, _same),
    "min": Fold(None, _lower, _lower, _same),
    "max": Fold(None, _higher, _higher, _same),
    "avg": Fold(
        (0, 0),
        lambda held, value: (held[0] + value, held[1] + 1),
        lambda left, right: (left[0] + right[0], left[1] + right[1]),
        lambda held: float(held[0]) / held[1] if held[1] else None,
    ),
    "collect": Fold((), lambda held, value: (*held, value), _plus, _same),
}
"""The aggregates by ``compute``. A sum is an integer until the first double; of equal extremes the first stays."""


def fold(compute: str, values: Iterable[Any]) -> Any:
    """The aggregate of all ``values``, in their order."""
    folding = FOLDS[compute]
    return folding.result(reduce(folding.add, values, folding.start))


@dataclass(frozen=True, slots=True)
class AggregatingState:
    """``reduce`` and ``aggregate``: one value for each window."""

    compute: str

    def add(self, contents: Any, record: Arrival) -> Any:
        """``contents`` (None if empty) with a record added."""
        folding = FOLDS[self.compute]
        return folding.add(folding.start if contents is None else contents, record.value)

    def merge(self, contents: Any, later: Any) -> Any:
        """The contents of two windows, merged."""
        return FOLDS[self.compute].join(contents, later)

    def result(self, contents: Any) -> Any:
        """The value of a firing."""
        return FOLDS[self.compute].result(contents)


@dataclass(frozen=True, slots=True)
class ListState:
    """``process``, evictors and joins: every record. ``call`` and ``compute`` decide the value of a firing."""

    call: str
    compute: str

    def add(self, contents: list[Arrival] | None, record: Arrival) -> list[Arrival]:
        """``contents`` with a record appended."""
        if contents is None:
            return [record]
        contents.append(record)
        return contents

    def merge(self, contents: list[Arrival], later: list[Arrival]) -> list[Arrival]:
        """The second list appended to the first."""
        return contents + later

    def result(self, contents: Sequence[Arrival]) -> Any:
        """The value of a firing; of no records (an evictor may have left none) 0, None or []."""
        values = [record.value for record in contents]
        if self.compute == "collect":
            return values
        if self.call == "reduce" and not values:
            return None
        return fold(self.compute, values)


_IDLE: Final = 64
"""The number of stale timers that may lie in the heap, however few timers wait."""


class TimerService(Protocol):
    """Where timers are registered and deleted."""

    @property
    def reached(self) -> int:
        """How far (ms) the watermark, or the clock, has come while a timer fires; for tasks that see every move."""

    def register(self, timestamp: int, namespace: Hashable) -> None:
        """Fire for ``namespace`` at ``timestamp`` (ms)."""

    def delete(self, timestamp: int, namespace: Hashable) -> None:
        """Delete a timer, if it waits."""


class Timers:
    """Timers that fire by timestamp, then by order of registration; registering one that waits changes nothing."""

    def __init__(self) -> None:
        self.reached = MIN
        self._heap: list[tuple[int, int, int, Hashable]] = []
        self._waiting: dict[tuple[int, Hashable], int] = {}
        self._registered = 0

    def register(self, timestamp: int, namespace: Hashable) -> None:
        """Fire for ``namespace`` at ``timestamp`` (ms)."""
        timer = (timestamp, namespace)
        if timer in self._waiting:
            return
        self._registered = number = self._registered + 1
        self._waiting[timer] = number
        heappush(self._heap, (self._due(timestamp), timestamp, number, namespace))

    def is_due(self, until: int) -> bool:
        """Whether a timer may fire when the watermark, or the clock, is at ``until`` (ms)."""
        return bool(self._heap) and self._heap[0][0] <= until

    def waits(self, timestamp: int, namespace: Hashable) -> bool:
        """Whether that timer is registered."""
        return (timestamp, namespace) in self._waiting

    def delete(self, timestamp: int, namespace: Hashable) -> None:
        """Delete a timer, if it waits."""
        if self._waiting.pop((timestamp, namespace), None) is None:
            return
        if len(self._heap) > 2 * len(self._waiting) + _IDLE:
            self._heap = [entry for entry in self._heap if self._is_set(entry)]
            heapify(self._heap)

    def fire(self, until: int) -> Iterator[tuple[int, Hashable]]:
        """The timers that fire when the watermark, or the clock, is at ``until`` (ms): (timestamp, namespace).

        Each is taken only when it is asked for, so timers that the caller registers or deletes meanwhile count.
        """
        self.reached = until
        while (entry := self._next(until)) is not None:
            yield entry[1], entry[3]

    def head(self) -> int | None:
        """The timestamp (ms) of the timer that fires first; None if none waits."""
        while self._heap:
            if self._is_set(self._heap[0]):
                return self._heap[0][1]
            heappop(self._heap)
        return None

    def _due(self, timestamp: int) -> int:
        """What the watermark, or the clock, must reach (ms) to fire a timer that is registered now."""
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

    Watermarks are integers and rise, so a single number says when a timer fires: the lowest watermark that fires it.
    That is its timestamp, or ``floor`` if the timestamp lies in the past. ``floor`` is the lowest watermark that the
    next move can have: while a record is worked on, one more than the watermark before it; while a timer fires, the
    watermark for which that timer was due, since what it registers up to there fires in the same move.
    """

    def __init__(self) -> None:
        super().__init__()
        self.floor = 0

    def fire(self, until: int) -> Iterator[tuple[int, Hashable]]:
        """As for all timers; ``floor`` is what each was due at while it fires."""
        while (entry := self._next(until)) is not None:
            self.floor = entry[0]
            yield entry[1], entry[3]

    def _due(self, timestamp: int) -> int:
        return max(timestamp, self.floor)


class TimersOfKey:
    """The timers of one key, kept together with those of all keys."""

    __slots__ = ("_key", "_timers")

    def __init__(self, key: str, timers: TimerService) -> None:
        self._key = key
        self._timers = timers

    @property
    def reached(self) -> int:
        """That of all keys."""
        return self._timers.reached

    def register(self, timestamp: int, namespace: Hashable) -> None:
        """Fire for ``namespace`` of the key at ``timestamp`` (ms)."""
        self._timers.register(timestamp, (self._key, namespace))

    def delete(self, timestamp: int, namespace: Hashable) -> None:
        """Delete a timer, if it waits."""
        self._timers.delete(timestamp, (self._key, namespace))


class TriggerContext:
    """One window, as its trigger sees it: its timers, by the watermark and by the clock, and the trigger's state.

    ``last`` is when the window is over (ms); ``memory`` the state, by name, which lives as long as the window.
    """

    __slots__ = ("_clock", "_namespace", "_watermark", "last", "memory")

    def __init__(
        self, watermark: TimerService, clock: TimerService, namespace: Hashable, last: int, memory: Memory
    ) -> None:
        self.last = last
        self.memory = memory
        self._watermark = watermark
        self._clock = clock
        self._namespace = namespace

    def register_event_time_timer(self, timestamp: int) -> None:
        """Fire when the watermark reaches ``timestamp`` (ms)."""
        self._watermark.register(timestamp, self._namespace)

    def delete_event_time_timer(self, timestamp: int) -> None:
        """Delete such a timer, if it waits."""
        self._watermark.delete(timestamp, self._namespace)

    def register_processing_time_timer(self, timestamp: int) -> None:
        """Fire when the clock has passed ``timestamp`` (ms)."""
        self._clock.register(timestamp, self._namespace)

    def delete_processing_time_timer(self, timestamp: int) -> None:
        """Delete such a timer, if it waits."""
        self._clock.delete(timestamp, self._namespace)


class KeyedOperator(Protocol):
    """An operator for the records of one key; its timers are kept where its factory says."""

    out: Collector
    """What it emits."""

    def process_element(self, record: Arrival) -> None:
        """Work on the key's next record."""

    def on_timer(self, timestamp: int, namespace: object, *, by_clock: bool) -> None:
        """A timer fires, by the clock or by the watermark."""

    @property
    def is_empty(self) -> bool:
        """Whether no state of the key is left."""


OperatorFactory = Callable[[TimerService, TimerService], KeyedOperator]
"""(event-time timers, processing-time timers) → the operator of a key."""


def by_key(new_operator: OperatorFactory, last_watermark: int, records: Iterable[Arrival]) -> Iterator[Fired]:
    """The rows of a key's ``records``, in order of arrival; ``last_watermark`` is the highest of the stream.

    Only for operators without processing-time timers.
    """
    timers = DueTimers()
    operator = new_operator(timers, Timers())
    for record in records:
        before = record.before
        if timers.is_due(before):
            yield from _woken(operator, timers, before)
        timers.floor = before + 1 if before < MAX else MAX
        operator.process_element(record)
        yield from operator.out.rows()
    yield from _woken(operator, timers, last_watermark)


def _woken(operator: KeyedOperator, timers: DueTimers, watermark: int) -> Iterator[Fired]:
    for timestamp, namespace in timers.fire(watermark):
        operator.on_timer(timestamp, namespace, by_clock=False)
        yield from (row._replace(due=timers.floor) for row in operator.out.rows())
