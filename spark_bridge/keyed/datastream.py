"""The DataStream API's windows of one key, record by record: triggers, evictors, sessions, the global window.

Modelled on Flink's ``WindowOperator``, but written apart from the simulator's. Whoever goes through the records
(``by_key``, ``ordered``) keeps the timers and fires them.

A trigger is frozen; its state is in ``memory``, a dictionary that the operator keeps for each window. An answer is the
sum of ``FIRE`` and ``PURGE``, or 0. A record carries the clock as ``at`` (ms).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final, Protocol

from tidemark.simulator.engine.values.time import MAX, MIN, wrap
from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.assigners import Sessions, Window
from tidemark.spark_bridge.keyed.context import (
    Arrival,
    Collector,
    Fired,
    Growing,
    Kept,
    Life,
    Listed,
    Span,
    TimerService,
    TriggerContext,
)

NOTHING: Final = 0
FIRE: Final = 1
PURGE: Final = 2

Memory = dict[str, Any]


def last_instant(span: Span) -> int:
    """The last millisecond of a window; for the global window ``Long.MAX_VALUE``."""
    return MAX if span is None else span[1] - 1


class Trigger(Protocol):
    """``context`` registers and deletes the window's timers."""

    def on_element(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> int:
        """A record was added to the window."""

    def on_event_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """An event-time timer of the window fires."""

    def on_processing_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """A processing-time timer of the window fires."""

    def on_merge(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> None:
        """Several windows became ``span``; ``memory`` holds their state, already merged."""

    def clear(self, span: Span, memory: Memory, context: TriggerContext) -> None:
        """Remove state and timers of the window."""


class Clockless:
    """The base of triggers without processing-time timers."""

    def on_processing_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Nothing."""
        return NOTHING


@dataclass(frozen=True, slots=True)
class EventTime(Clockless):
    """Fires at the last instant, and then for every record."""

    def on_element(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Fires at once if the watermark has passed the end."""
        end = last_instant(span)
        if end <= record.before:
            return FIRE
        context.register_event_time_timer(end)
        return NOTHING

    def on_event_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Fires only at the timer of the last instant."""
        return FIRE if timestamp == last_instant(span) else NOTHING

    def on_merge(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> None:
        """TriggerContext for the new end, unless that is past."""
        if last_instant(span) > record.before:
            context.register_event_time_timer(last_instant(span))

    def clear(self, span: Span, memory: Memory, context: TriggerContext) -> None:
        """Deletes the timer."""
        context.delete_event_time_timer(last_instant(span))


@dataclass(frozen=True, slots=True)
class Continuous(Clockless):
    """Fires at every multiple of ``interval`` (ms) after the first record's timestamp, and at the last instant."""

    interval: int

    def on_element(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Registers the first firing."""
        end = last_instant(span)
        if end <= record.before:
            return FIRE
        context.register_event_time_timer(end)
        if "next" not in memory:
            # Java's remainder has the sign of the dividend.
            rest = abs(record.ts) % self.interval * (1 if record.ts >= 0 else -1)
            self._go_on(record.ts - rest, end, memory, context)
        return NOTHING

    def on_event_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Fires, and registers the next firing."""
        end = last_instant(span)
        if timestamp == end:
            return FIRE
        if timestamp != memory.get("next"):
            return NOTHING
        self._go_on(timestamp, end, memory, context)
        return FIRE

    def on_merge(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> None:
        """Goes on with the earliest of the firings."""
        if "next" in memory:
            context.register_event_time_timer(memory["next"])

    def clear(self, span: Span, memory: Memory, context: TriggerContext) -> None:
        """Deletes the next firing, but not the timer of the last instant."""
        if "next" in memory:
            context.delete_event_time_timer(memory.pop("next"))

    def _go_on(self, since: int, end: int, memory: Memory, context: TriggerContext) -> None:
        memory["next"] = min(since + self.interval, end)
        context.register_event_time_timer(memory["next"])


class Timeless(Clockless):
    """The base of triggers without timers."""

    def on_event_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Nothing."""
        return NOTHING

    def on_merge(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> None:
        """Nothing to do: the state has been merged."""

    def clear(self, span: Span, memory: Memory, context: TriggerContext) -> None:
        """Removes all state."""
        memory.clear()


@dataclass(frozen=True, slots=True)
class Count(Timeless):
    """Fires at every ``max``-th record."""

    max: int

    def on_element(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Counts, and starts at 0 again when it fires."""
        count = memory.get("count", 0) + 1
        if count < self.max:
            memory["count"] = count
            return NOTHING
        memory.pop("count", None)
        return FIRE


@dataclass(frozen=True, slots=True)
class Delta(Timeless):
    """Fires when a value is more than ``threshold`` above the one that fired last."""

    threshold: float

    def on_element(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> int:
        """The first record is the reference for the next ones."""
        if "last" in memory and not record.value - memory["last"] > self.threshold:
            return NOTHING
        answer = FIRE if "last" in memory else NOTHING
        memory["last"] = record.value
        return answer


class Never(Timeless):
    """Never fires."""

    def on_element(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Nothing."""
        return NOTHING


@dataclass(frozen=True, slots=True)
class Purging:
    """As ``inner``, but every firing purges the contents."""

    inner: Trigger

    def on_element(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> int:
        """As ``inner``."""
        return _purged(self.inner.on_element(record, span, memory, context))

    def on_event_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """As ``inner``."""
        return _purged(self.inner.on_event_time(timestamp, span, memory, context))

    def on_processing_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """As ``inner``."""
        return _purged(self.inner.on_processing_time(timestamp, span, memory, context))

    def on_merge(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> None:
        """As ``inner``."""
        self.inner.on_merge(record, span, memory, context)

    def clear(self, span: Span, memory: Memory, context: TriggerContext) -> None:
        """As ``inner``."""
        self.inner.clear(span, memory, context)


def _purged(answer: int) -> int:
    return answer | PURGE if answer & FIRE else answer


JOINED: Final[dict[str, Callable[[Any, Any], Any]]] = {"count": lambda one, other: one + other, "next": min}
"""How the state of several windows is merged, by its name in ``memory``."""


@dataclass(frozen=True, slots=True)
class ByClock:
    """Fires when the clock has passed the last instant, but also at any other processing-time timer."""

    def on_element(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> int:
        """TriggerContext for the end, even if that is past."""
        context.register_processing_time_timer(last_instant(span))
        return NOTHING

    def on_event_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """The watermark has no effect."""
        return NOTHING

    def on_processing_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Fires."""
        return FIRE

    def on_merge(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> None:
        """TriggerContext for the new end, unless that is past."""
        if last_instant(span) > record.at:
            context.register_processing_time_timer(last_instant(span))

    def clear(self, span: Span, memory: Memory, context: TriggerContext) -> None:
        """Deletes the timer."""
        context.delete_processing_time_timer(last_instant(span))


@dataclass(frozen=True, slots=True)
class ContinuousByClock:
    """Fires at every multiple of ``interval`` (ms) of the clock, up to the window's last instant."""

    interval: int

    def on_element(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Registers the first firing."""
        if "next" not in memory:
            # Java's remainder has the sign of the dividend.
            rest = abs(record.at) % self.interval * (1 if record.at >= 0 else -1)
            self._go_on(record.at - rest, span, memory, context)
        return NOTHING

    def on_event_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """The watermark has no effect, not even at the end."""
        return NOTHING

    def on_processing_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Fires, and registers the next firing; after the last instant there is none."""
        if timestamp == last_instant(span):
            return FIRE
        if timestamp != memory.get("next"):
            return NOTHING
        self._go_on(timestamp, span, memory, context)
        return FIRE

    def on_merge(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> None:
        """Goes on with the earliest of the firings."""
        if "next" in memory:
            context.register_processing_time_timer(memory["next"])

    def clear(self, span: Span, memory: Memory, context: TriggerContext) -> None:
        """Deletes the next firing."""
        if "next" in memory:
            context.delete_processing_time_timer(memory.pop("next"))

    def _go_on(self, since: int, span: Span, memory: Memory, context: TriggerContext) -> None:
        memory["next"] = min(wrap(since + self.interval), last_instant(span))
        context.register_processing_time_timer(memory["next"])


@dataclass(frozen=True, slots=True)
class Timeout:
    """As ``inner``, and also ``timeout`` ms of the clock after the first record since it fired.

    ``reset``: every record starts the timeout again. ``clears``: a timer that fires clears the state of ``inner``.
    """

    inner: Trigger
    timeout: int
    reset: bool
    clears: bool

    def on_element(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> int:
        """A firing of ``inner`` ends the timeout."""
        answer = self.inner.on_element(record, span, memory, context)
        if answer & FIRE:
            self.clear(span, memory, context)
            return answer
        if self.reset and "timeout" in memory:
            context.delete_processing_time_timer(memory.pop("timeout"))
        if "timeout" not in memory:
            memory["timeout"] = wrap(record.at + self.timeout)
            context.register_processing_time_timer(memory["timeout"])
        return answer

    def on_event_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Fires, whatever ``inner`` answers."""
        return self._fires(self.inner.on_event_time(timestamp, span, memory, context), span, memory, context)

    def on_processing_time(self, timestamp: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        """Fires, whatever ``inner`` answers."""
        return self._fires(self.inner.on_processing_time(timestamp, span, memory, context), span, memory, context)

    def on_merge(self, record: Arrival, span: Span, memory: Memory, context: TriggerContext) -> None:
        """No session has a timeout."""

    def clear(self, span: Span, memory: Memory, context: TriggerContext) -> None:
        """Ends the timeout, and clears ``inner``."""
        if "timeout" in memory:
            context.delete_processing_time_timer(memory.pop("timeout"))
        self.inner.clear(span, memory, context)

    def _fires(self, answer: int, span: Span, memory: Memory, context: TriggerContext) -> int:
        if self.clears:
            self.clear(span, memory, context)
        return FIRE | (answer & PURGE)


def trigger_of(spec: object) -> Trigger:
    """The trigger of a DataStream window. Raises ``TypeError`` for one that the bridge does not know."""
    match spec:
        case model.EventTimeTrigger():
            return EventTime()
        case model.ProcessingTimeTrigger():
            return ByClock()
        case model.ContinuousEventTimeTrigger(interval):
            return Continuous(interval)
        case model.ContinuousProcessingTimeTrigger(interval):
            return ContinuousByClock(interval)
        case model.CountTrigger(every):
            return Count(every)
        case model.DeltaTrigger(threshold):
            return Delta(threshold)
        case model.NeverTrigger():
            return Never()
        case model.PurgingTrigger(inner):
            return Purging(trigger_of(inner))
        case model.ProcessingTimeoutTrigger(inner, timeout, reset, clears):
            return Timeout(trigger_of(inner), timeout, reset, clears)
        case _:
            raise TypeError(f"no keyed trigger for {spec}")


def follows_clock(spec: object) -> bool:
    """Whether a trigger, of either runtime, registers processing-time timers."""
    match spec:
        case model.ProcessingTimeTrigger() | model.ContinuousProcessingTimeTrigger():
            return True
        case model.ProcessingTimeEvery() | model.ProcessingTimeoutTrigger():
            return True
        case model.PurgingTrigger(inner):
            return follows_clock(inner)
        case model.AfterEndOfWindow(early, late):
            return follows_clock(early) or follows_clock(late)
        case _:
            return False


class KeyedWindows:
    """A window operator for the records of one key. ``watermark`` and ``clock`` hold its timers.

    ``forgets``: pane numbers are removed with their window. ``stamped``: see ``evicted``.
    """

    def __init__(
        self,
        operator: model.Window | model.WindowJoin,
        watermark: TimerService,
        clock: TimerService,
        *,
        forgets: bool = True,
        stamped: frozenset[int] = frozenset(),
    ) -> None:
        self.out = Collector()
        self._operator = operator
        self._trigger = trigger_of(operator.trigger)
        self._lateness = operator.allowed_lateness
        self._by_clock = operator.time == "processing"
        self._merges = isinstance(operator.assigner, model.Session | model.DynamicSession)
        self._contents = _contents_of(operator)
        self._watermark = watermark
        self._clock = clock
        self._forgets = forgets
        self._stamped = stamped
        self._kept: dict[Span, Kept] = {}
        self._memory: dict[Span, Memory] = {}
        self._lives: dict[Span, Life] = {}
        self._born = 0
        self._sessions = Sessions()

    @property
    def is_empty(self) -> bool:
        """Whether no state of the key is left."""
        return not (self._kept or self._memory or self._lives or self._sessions.homes)

    def process_element(self, record: Arrival) -> None:
        """Work on the key's next record."""
        taken = False
        for window in self._windows_of(record):
            span = self._merged(window, record) if self._merges and window is not None else window
            cleanup = self._cleanup(span)
            if span is not None and not self._by_clock and cleanup <= record.before:
                self._sessions.homes.pop(span, None)
                continue
            taken = True
            home = self._home(span)
            self._kept[home] = self._contents.added(self._kept.get(home), record)
            memory = self._memory.setdefault(span, {})
            context = TriggerContext(self._watermark, self._clock, span)
            answer = self._trigger.on_element(record, span, memory, context)
            if answer:
                self._act(answer, span, record)
            if cleanup < MAX:
                (self._clock if self._by_clock else self._watermark).register(cleanup, span)
        if not taken and not self._by_clock and wrap(record.ts + self._lateness) <= record.before:
            self.out.collect(Fired("late", None, record.value, by=record, time=record.ts))

    def on_timer(self, timestamp: int, namespace: Any, *, by_clock: bool) -> None:
        """A timer fires, by the clock or by the watermark."""
        span: Span = namespace
        if self._merges and span not in self._sessions.homes:
            return
        memory = self._memory.setdefault(span, {})
        ask = self._trigger.on_processing_time if by_clock else self._trigger.on_event_time
        self._act(ask(timestamp, span, memory, self._context(span)), span, None)
        if span is not None and by_clock == self._by_clock and timestamp == self._cleanup(span):
            self._clear(span)
        elif not memory:
            del self._memory[span]

    def _act(self, answer: int, span: Span, record: Arrival | None) -> None:
        home = self._home(span)
        if answer & FIRE and home in self._kept:
            self._fire(span, home, record)
        if answer & PURGE:
            self._kept.pop(home, None)

    def _fire(self, span: Span, home: Span, record: Arrival | None) -> None:
        kept, evictor = self._kept[home], self._operator.evictor
        shown = kept
        if evictor is not None:
            left = evicted(evictor, kept, self._stamped)
            shown = kept if evictor.after else left
            if left:
                self._kept[home] = left
            else:
                del self._kept[home]
        if self._operator.is_join:
            for kind, value in _both_sides(self._operator, shown):
                self.out.collect(Fired(kind, span, value, by=record))
            return
        life = self._lives.get(span)
        if life is None:
            self._born += 1
            life = self._lives[span] = Life(self._born)
        value = self._contents.result(shown)
        self.out.collect(Fired("pane", span, value, by=record, life=life, pane=life.panes))
        life.panes += 1

    def _clear(self, span: Span) -> None:
        self._kept.pop(self._home(span), None)
        self._forget(span)
        if span is not None:
            self._sessions.homes.pop(span, None)

    def _forget(self, span: Span) -> None:
        """Remove what the trigger keeps for a window that is gone, its timers, and its pane numbers."""
        self._trigger.clear(span, self._memory.pop(span, {}), self._context(span))
        if self._forgets:
            self._lives.pop(span, None)

    def _context(self, span: Span) -> TriggerContext:
        return TriggerContext(self._watermark, self._clock, span)

    def _cleanup(self, span: Span) -> int:
        """When the window is over (ms): never, if the sum would leave 64 bits.

        In processing time there is no lateness.
        """
        lateness = 0 if self._by_clock else self._lateness
        return MAX if span is None else min(last_instant(span) + lateness, MAX)

    def _home(self, span: Span) -> Span:
        return self._sessions.homes.get(span, span) if self._merges and span is not None else span

    def _windows_of(self, record: Arrival) -> list[Span]:
        time = record.at if self._by_clock else record.ts
        match self._operator.assigner:
            case model.Tumbling(size, offset):
                start = time - (time - offset) % size
                return [(start, start + size)]
            case model.Sliding(size, slide, offset):
                newest = time - (time - offset) % slide
                return [(start, start + size) for start in range(newest, time - size, -slide)]
            case model.Session(gap):
                return [(time, time + gap)]
            case model.DynamicSession(gap_field):
                return [(time, time + record.value[gap_field])]
            case _:
                return [None]

    def _merged(self, window: Window, record: Arrival) -> Window:
        def merged(result: Window, gone: list[Window], home: Window, homes: list[Window]) -> None:
            memory = self._memory.setdefault(result, {})
            for name, value in self._remembered(gone).items():
                memory[name] = JOINED[name](memory[name], value) if name in memory else value
            self._trigger.on_merge(record, result, memory, self._context(result))
            for window in gone:
                self._forget(window)
                if self._cleanup(window) < MAX:
                    (self._clock if self._by_clock else self._watermark).delete(self._cleanup(window), window)
            self._join_contents(home, homes)

        return self._sessions.add(window, merged)

    def _remembered(self, gone: list[Window]) -> Memory:
        """Take and merge the trigger state of the windows that are gone."""
        found: Memory = {}
        for window in gone:
            memory = self._memory.get(window, {})
            for name in [name for name in memory if name in JOINED]:
                value = memory.pop(name)
                found[name] = JOINED[name](found[name], value) if name in found else value
        return found

    def _join_contents(self, home: Window, homes: list[Window]) -> None:
        moved = [self._kept.pop(each) for each in homes if each in self._kept]
        if moved:
            joined = reduce(self._contents.joined, moved)
            self._kept[home] = self._contents.joined(self._kept[home], joined) if home in self._kept else joined


def _contents_of(operator: model.Window | model.WindowJoin) -> Growing | Listed:
    function = operator.function
    if function is None:  # a join
        return Listed("process", "collect")
    call, compute = function.call, function.compute or ""
    return Listed(call, compute) if call == "process" or operator.evictor is not None else Growing(compute)


def _both_sides(operator: model.Window | model.WindowJoin, records: list[Arrival]) -> Iterator[tuple[str, Any]]:
    left = [record for record in records if record.side == 0]
    right = [record for record in records if record.side == 1]
    needed = operator.sides_needed
    if operator.pairs:
        for one in left:
            for other in right:
                yield "joined", {"left": _stamped(one), "right": _stamped(other)}
    elif (left or "left" not in needed) and (right or "right" not in needed):
        yield "group", {"left": [each.value for each in left], "right": [each.value for each in right]}


def _stamped(record: Arrival) -> dict[str, Any]:
    return {"ts": None if record.ts == MIN else record.ts, "value": record.value}


def evicted(evictor: object, records: list[Arrival], stamped: frozenset[int]) -> list[Arrival]:
    """The records that are kept, in order of arrival.

    ``stamped``: the sides whose generator sets the timestamp of every record, Long.MIN_VALUE if it has none.
    """
    match evictor:
        case model.CountEvictor(most):
            return records[max(len(records) - most, 0) :]
        case model.TimeEvictor(window):
            if records[0].ts == MIN and records[0].side not in stamped:
                return records  # the first record has no timestamp: Flink keeps all of them then
            cutoff = wrap(max(record.ts for record in records) - window)  # all have one, or Flink fails
            return [record for record in records if record.ts > cutoff]
        case model.DeltaEvictor(threshold):
            last = records[-1].value
            return [record for record in records if last - record.value < threshold]
        case _:
            raise TypeError(f"unknown evictor {evictor}")
