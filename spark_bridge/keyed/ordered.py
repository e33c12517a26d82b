"""All keys of a task side by side, in the order of everything that happens: records, moves of the watermark, the clock.

Where windows wait for the clock as well as for the watermark, the order of the two decides, and the records alone do
not show it. So this task sees every move of the watermark; it works out by itself where the clock stands at each item.
"""

from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario.stream import Arrivals
from tidemark.simulator.scenario.zones import session_zone
from tidemark.spark_bridge.keyed.context import (
    Arrival,
    Fired,
    KeyedOperator,
    OperatorFactory,
    Span,
    Timers,
    TimersOfKey,
)
from tidemark.spark_bridge.keyed.datastream import last_instant
from tidemark.spark_bridge.keyed.local_slices import Buffer
from tidemark.spark_bridge.results.canonical import value_of


@dataclass(frozen=True, slots=True)
class ListedCourse:
    """The clock (ms) at each item of a list; it never goes back.

    ``numbers`` are those of the items in the rows, by default their places.
    """

    clocks: tuple[int, ...]
    numbers: tuple[int, ...] | None = None
    withdrawn: frozenset[int] = frozenset()

    @property
    def last(self) -> int:
        """The clock (ms) at the last item."""
        return self.clocks[-1] if self.clocks else MIN

    def item_at(self, clock: int) -> int:
        """The first item with which the clock reaches ``clock`` (ms); a number after the last item if none."""
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


Course = ListedCourse | GeneratedCourse
"""The clock at each item of a stream."""


class ProcessingTimeTimers(Timers):
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
        self._scheduled_at = start
        self._scheduled_ahead: frozenset[int] = frozenset()

    def register(self, timestamp: int, namespace: Hashable) -> None:
        """Fire for ``namespace`` when the clock has passed ``timestamp`` (ms)."""
        if self.waits(timestamp, namespace):
            return
        head = self.head()
        super().register(timestamp, namespace)
        if timestamp < (MAX if head is None else head):
            self._schedule(timestamp)

    def is_before_tick(self, call: int, period: int) -> bool:
        """Whether the scheduled ``call`` (ms) runs before a tick of the same millisecond with that period."""
        tick_scheduled = call - period
        return self._scheduled_at < tick_scheduled or (
            self._scheduled_at == tick_scheduled and period in self._scheduled_ahead
        )

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
            self._schedule(head)

    def begin_anew(self, now: int) -> None:
        """After a restore the call is scheduled before the ticks."""
        self.now = now
        self.call = None
        self._ahead = self._periods
        self.end_run()
        self._ahead = frozenset()

    def _schedule(self, timestamp: int) -> None:
        self.call = timestamp + self._pause
        self._scheduled_at, self._scheduled_ahead = self.now, self._ahead


class KeyedRecord(NamedTuple):
    """A record of ``key``."""

    key: str
    record: Arrival


class WatermarkMove(NamedTuple):
    """The combined watermark moved to ``watermark`` (ms), with the clock at ``at`` (ms).

    ``period``: by a tick on the clock's way to ``item``, that far (ms) from the tick before; 0: by the item itself.
    """

    item: int
    at: int
    watermark: int
    period: int


class CheckpointBarrier(NamedTuple):
    """A checkpoint is taken."""

    item: int
    at: int
    name: str


class Restored(NamedTuple):
    """The operator goes back to its last checkpoint of that name; ticks start again, and so does the watermark, unless
    the checkpoint holds it."""

    item: int
    at: int
    name: str


Entry = KeyedRecord | WatermarkMove | CheckpointBarrier | Restored


class Emitted(NamedTuple):
    """A row of ``key``, with its ``item`` and the ``watermark`` and clock (``at``) of that moment (ms)."""

    key: str
    row: Fired
    timing: str | None
    watermark: int
    at: int
    item: int


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for all keys of a task.

    ``by_clock``: windows end in processing time. ``periods`` and ``pause``: see ``ProcessingTimeTimers``. ``start``:
    the clock (ms) before the first item. ``keeps_watermark``: a checkpoint holds the watermark of the operator.
    ``zone``: the session time zone of the windows, whose bounds are local then.
    """

    by_clock: bool
    start: int
    periods: frozenset[int] = frozenset()
    pause: int = 1
    keeps_watermark: bool = False
    zone: str | None = None

    def over(self, span: Span) -> int:
        """The instant (ms) at which a window is over."""
        if span is None or self.zone is None:
            return last_instant(span)
        return session_zone(self.zone).timer_time(span[1] - 1)


class Ordered:
    """The keys of one task. ``new_operator`` makes the operator of a key; a key without state has none.

    ``new_buffer`` makes what stands in front of them and holds their rows back, if anything does.
    """

    def __init__(
        self, new_operator: OperatorFactory, course: Course, rules: Rules, new_buffer: Callable[[], Buffer] | None
    ) -> None:
        self._new_operator = new_operator
        self._buffer = None if new_buffer is None else new_buffer()
        self._course = course
        self._rules = rules
        self._watermark = MIN
        self._item = -1
        self._at = rules.start
        self._operators: dict[str, KeyedOperator] = {}
        self._timers = Timers()
        self._clock = ProcessingTimeTimers(rules.start, rules.periods, rules.pause)
        self._snapshots: dict[str, Any] = {}

    def run(self, entries: Iterable[Entry]) -> Iterator[Emitted]:
        """The rows of all ``entries``, in order, and those that the clock fires up to the last item."""
        worked_on = -1
        for entry in entries:
            item, at = (
                (entry.record.item, entry.record.at) if isinstance(entry, KeyedRecord) else (entry.item, entry.at)
            )
            if isinstance(entry, WatermarkMove) and entry.period:
                yield from self._come_to(at, entry.period)
            elif item != worked_on:
                yield from self._come_to(at)
                self._clock.work_on_item(at)
                worked_on = item
            self._item, self._at = item, at
            match entry:
                case KeyedRecord(key, record):
                    operator = self._operator(key)
                    # The inputs start again after a restore, so they may be behind a watermark that was kept.
                    is_behind = self._rules.keeps_watermark and record.before < self._watermark
                    operator.process_element(record._replace(before=self._watermark) if is_behind else record)
                    if self._buffer is not None:
                        self._buffer.take(key, operator)
                    yield from self._emitted(key, operator)
                case WatermarkMove(_, _, watermark, _):
                    if watermark <= self._watermark:  # after a restore that has kept it
                        continue
                    if self._buffer is not None:
                        self._buffer.moved(watermark, self._watermark, self._operator)
                    self._watermark = watermark
                    for timestamp, (key, namespace) in self._fired(self._timers, watermark):
                        yield from self._fire(key, timestamp, namespace, by_clock=False)
                case CheckpointBarrier(_, _, name):
                    if self._buffer is not None:
                        self._buffer.emptied(self._watermark, self._operator)
                    self._snapshots[name] = deepcopy((self._operators, self._timers, self._clock, self._watermark))
                case Restored(_, _, name):
                    self._operators, self._timers, self._clock, watermark = deepcopy(self._snapshots[name])
                    self._watermark = watermark if self._rules.keeps_watermark else MIN
                    if self._buffer is not None:
                        self._buffer.begin_anew(self._watermark)
                    self._clock.begin_anew(at)
        yield from self._come_to(self._course.last)

    def _come_to(self, clock: int, period: int = 0) -> Iterator[Emitted]:
        """What the clock fires on its way to ``clock`` (ms); if ``period`` is not 0, only what comes before its tick
        there.

        What an item has scheduled for the past comes first, while that item is still being worked on.
        """
        timers = self._clock
        while timers.call is not None and timers.call <= clock:
            if timers.call == clock and period and not timers.is_before_tick(clock, period):
                return
            self._at = max(self._at, timers.call)
            self._item = max(self._item, self._course.item_at(self._at))
            until = timers.begin_run()
            for timestamp, (key, namespace) in self._fired(timers, until):
                yield from self._fire(key, timestamp, namespace, by_clock=True)
            timers.end_run()

    @staticmethod
    def _fired(timers: Timers, until: int) -> Iterator[tuple[int, Any]]:
        return timers.fire(until)

    def _operator(self, key: str) -> KeyedOperator:
        operator = self._operators.get(key)
        if operator is None:
            operator = self._operators[key] = self._new_operator(
                TimersOfKey(key, self._timers), TimersOfKey(key, self._clock)
            )
        return operator

    def _fire(self, key: str, timestamp: int, namespace: object, *, by_clock: bool) -> Iterator[Emitted]:
        if by_clock and self._buffer is not None:
            self._buffer.clocked(timestamp, self._operator)
        operator = self._operator(key)
        operator.on_timer(timestamp, namespace, by_clock=by_clock)
        yield from self._emitted(key, operator)
        if operator.is_empty:
            del self._operators[key]

    def _emitted(self, key: str, operator: KeyedOperator) -> Iterator[Emitted]:
        item = self._course.number_of(self._item)
        for row in operator.out.rows():
            timing = self._timing(row)
            if item is not None:
                yield Emitted(key, row, timing, self._watermark, self._at, item)

    def _timing(self, row: Fired) -> str | None:
        """Before the end early; then the first row is on time, all others late. Rows of one firing have one timing."""
        if row.life is None:
            return None
        now = self._at if self._rules.by_clock and row.span is not None else self._watermark
        if now < self._rules.over(row.span):
            return "early"
        if row.life.on_time is None:
            row.life.on_time = row.pane
        return "on-time" if row.life.on_time == row.pane else "late"


@dataclass(frozen=True, slots=True)
class OutputRows:
    """``late_row`` is the kind of row for a late record; ``inputs`` are the names of the inputs."""

    late_row: str
    inputs: tuple[str, ...]

    def columns(self, emitted: Emitted) -> tuple[Any, ...]:
        """The row as a tuple of ``canonical.COLUMNS``."""
        row = emitted.row
        kind, input = row.kind, None
        if kind == "late" and row.by is not None:
            kind, input = self.late_row, self.inputs[row.by.side]
        window = (None, None) if row.span is None else row.span
        time = last_instant(row.span) if row.time is None else row.time
        own = (kind, emitted.key, *window, emitted.timing, row.pane, row.change, time, *value_of(row.value))
        return (*own, emitted.watermark, emitted.at, emitted.item, input, row.own)
