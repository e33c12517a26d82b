"""The DataStream API's windows of one key, record by record: triggers, evictors, sessions, the global window.

Modelled on Flink's ``WindowOperator``, but written apart from the simulator's. Whoever goes through the records
(``by_key``, ``ordered``) keeps the timers and fires them.

A trigger is frozen; its state is in ``memory``, a dictionary that the operator keeps for each window. An answer is the
sum of ``FIRE`` and ``PURGE``, or 0. A record carries the clock as ``at`` (ms).
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

from tidemark.simulator.engine.values.time import MAX, MIN, wrap
from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.assigners import Aligned, Sessions, Window, cleanup_time, is_over
from tidemark.spark_bridge.keyed.context import (
    AggregatingState,
    Arrival,
    Collector,
    Fired,
    Life,
    ListState,
    Memory,
    Span,
    TimerService,
    TriggerContext,
)

NOTHING: Final = 0
FIRE: Final = 1
PURGE: Final = 2


def last_instant(span: Span) -> int:
    """The last millisecond of a window; for the global window ``Long.MAX_VALUE``."""
    return MAX if span is None else span[1] - 1


class Trigger:
    """When a window fires: the base of the triggers of both runtimes, which by itself never lets it fire."""

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """A record was added to the window."""
        return NOTHING

    def on_event_time(self, timestamp: int, context: TriggerContext) -> int:
        """An event-time timer of the window fires."""
        return NOTHING

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> int:
        """A processing-time timer of the window fires."""
        return NOTHING

    def on_merge(self, record: Arrival, context: TriggerContext) -> None:
        """Several windows became this one; ``memory`` holds their state, already merged."""

    def clear(self, context: TriggerContext) -> None:
        """Remove state and timers of the window."""


@dataclass(frozen=True, slots=True)
class EventTime(Trigger):
    """Fires at the last instant, and then for every record."""

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """Fires at once if the watermark has passed the end."""
        end = context.last
        if end <= record.before:
            return FIRE
        context.register_event_time_timer(end)
        return NOTHING

    def on_event_time(self, timestamp: int, context: TriggerContext) -> int:
        """Fires only at the timer of the last instant."""
        return FIRE if timestamp == context.last else NOTHING

    def on_merge(self, record: Arrival, context: TriggerContext) -> None:
        """Waits for the new end, unless that is past."""
        if context.last > record.before:
            context.register_event_time_timer(context.last)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the timer."""
        context.delete_event_time_timer(context.last)


def _multiple(time: int, interval: int) -> int:
    """The last multiple of ``interval`` up to ``time`` (ms). Java's remainder has the sign of the dividend."""
    return time - abs(time) % interval * (1 if time >= 0 else -1)


@dataclass(frozen=True, slots=True)
class Continuous(Trigger):
    """Fires at every multiple of ``interval`` (ms) after the first record's timestamp, and at the last instant."""

    interval: int

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """Registers the first firing."""
        if context.last <= record.before:
            return FIRE
        context.register_event_time_timer(context.last)
        if "next" not in context.memory:
            self._go_on(_multiple(record.ts, self.interval), context)
        return NOTHING

    def on_event_time(self, timestamp: int, context: TriggerContext) -> int:
        """Fires, and registers the next firing."""
        if timestamp == context.last:
            return FIRE
        if timestamp != context.memory.get("next"):
            return NOTHING
        self._go_on(timestamp, context)
        return FIRE

    def on_merge(self, record: Arrival, context: TriggerContext) -> None:
        """Goes on with the earliest of the firings."""
        if "next" in context.memory:
            context.register_event_time_timer(context.memory["next"])

    def clear(self, context: TriggerContext) -> None:
        """Deletes the next firing, but not the timer of the last instant."""
        if "next" in context.memory:
            context.delete_event_time_timer(context.memory.pop("next"))

    def _go_on(self, since: int, context: TriggerContext) -> None:
        context.memory["next"] = min(since + self.interval, context.last)
        context.register_event_time_timer(context.memory["next"])


@dataclass(frozen=True, slots=True)
class Count(Trigger):
    """Fires at every ``max``-th record."""

    max: int

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """Counts, and starts at 0 again when it fires."""
        count = context.memory.get("count", 0) + 1
        if count < self.max:
            context.memory["count"] = count
            return NOTHING
        context.memory.pop("count", None)
        return FIRE

    def clear(self, context: TriggerContext) -> None:
        """Removes the count."""
        context.memory.clear()


@dataclass(frozen=True, slots=True)
class Delta(Trigger):
    """Fires when a value is more than ``threshold`` above the one that fired last."""

    threshold: float

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """The first record is the reference for the next ones."""
        memory = context.memory
        if "last" in memory and not record.value - memory["last"] > self.threshold:
            return NOTHING
        answer = FIRE if "last" in memory else NOTHING
        memory["last"] = record.value
        return answer

    def clear(self, context: TriggerContext) -> None:
        """Removes the reference."""
        context.memory.clear()


@dataclass(frozen=True, slots=True)
class Purging(Trigger):
    """As ``inner``, but every firing purges the contents."""

    inner: Trigger

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """As ``inner``."""
        return _purged(self.inner.on_element(record, context))

    def on_event_time(self, timestamp: int, context: TriggerContext) -> int:
        """As ``inner``."""
        return _purged(self.inner.on_event_time(timestamp, context))

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> int:
        """As ``inner``."""
        return _purged(self.inner.on_processing_time(timestamp, context))

    def on_merge(self, record: Arrival, context: TriggerContext) -> None:
        """As ``inner``."""
        self.inner.on_merge(record, context)

    def clear(self, context: TriggerContext) -> None:
        """As ``inner``."""
        self.inner.clear(context)


def _purged(answer: int) -> int:
    return answer | PURGE if answer & FIRE else answer


JOINED: Final[dict[str, Callable[[Any, Any], Any]]] = {"count": lambda one, other: one + other, "next": min}
"""How the state of several windows is merged, by its name in ``memory``."""


@dataclass(frozen=True, slots=True)
class ByClock(Trigger):
    """Fires when the clock has passed the last instant, but also at any other processing-time timer."""

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """Waits for the end, even if that is past."""
        context.register_processing_time_timer(context.last)
        return NOTHING

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> int:
        """Fires."""
        return FIRE

    def on_merge(self, record: Arrival, context: TriggerContext) -> None:
        """Waits for the new end, unless that is past."""
        if context.last > record.at:
            context.register_processing_time_timer(context.last)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the timer."""
        context.delete_processing_time_timer(context.last)


@dataclass(frozen=True, slots=True)
class ContinuousByClock(Trigger):
    """Fires at every multiple of ``interval`` (ms) of the clock, up to the window's last instant.

    The watermark has no effect, not even at the end.
    """

    interval: int

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """Registers the first firing."""
        if "next" not in context.memory:
            self._go_on(_multiple(record.at, self.interval), context)
        return NOTHING

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> int:
        """Fires, and registers the next firing; after the last instant there is none."""
        if timestamp == context.last:
            return FIRE
        if timestamp != context.memory.get("next"):
            return NOTHING
        self._go_on(timestamp, context)
        return FIRE

    def on_merge(self, record: Arrival, context: TriggerContext) -> None:
        """Goes on with the earliest of the firings."""
        if "next" in context.memory:
            context.register_processing_time_timer(context.memory["next"])

    def clear(self, context: TriggerContext) -> None:
        """Deletes the next firing."""
        if "next" in context.memory:
            context.delete_processing_time_timer(context.memory.pop("next"))

    def _go_on(self, since: int, context: TriggerContext) -> None:
        context.memory["next"] = min(wrap(since + self.interval), context.last)
        context.register_processing_time_timer(context.memory["next"])


@dataclass(frozen=True, slots=True)
class Timeout(Trigger):
    """As ``inner``, and also ``timeout`` ms of the clock after the first record since it fired. No session has one.

    ``reset``: every record starts the timeout again. ``clears``: a timer that fires clears the state of ``inner``.
    """

    inner: Trigger
    timeout: int
    reset: bool
    clears: bool

    def on_element(self, record: Arrival, context: TriggerContext) -> int:
        """A firing of ``inner`` ends the timeout."""
        memory, answer = context.memory, self.inner.on_element(record, context)
        if answer & FIRE:
            self.clear(context)
            return answer
        if self.reset and "timeout" in memory:
            context.delete_processing_time_timer(memory.pop("timeout"))
        if "timeout" not in memory:
            memory["timeout"] = wrap(record.at + self.timeout)
            context.register_processing_time_timer(memory["timeout"])
        return answer

    def on_event_time(self, timestamp: int, context: TriggerContext) -> int:
        """Fires, whatever ``inner`` answers."""
        return self._fires(self.inner.on_event_time(timestamp, context), context)

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> int:
        """Fires, whatever ``inner`` answers."""
        return self._fires(self.inner.on_processing_time(timestamp, context), context)

    def clear(self, context: TriggerContext) -> None:
        """Ends the timeout, and clears ``inner``."""
        if "timeout" in context.memory:
            context.delete_processing_time_timer(context.memory.pop("timeout"))
        self.inner.clear(context)

    def _fires(self, answer: int, context: TriggerContext) -> int:
        if self.clears:
            self.clear(context)
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
            return Trigger()
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


class WindowOperator:
    """What the window operators of both runtimes have in common, for one key.

    ``watermark`` and ``clock`` hold its timers. ``forgets``: pane numbers are removed with their window.
    """

    _trigger: Trigger

    def __init__(
        self, operator: model.Window | model.WindowJoin, watermark: TimerService, clock: TimerService, forgets: bool
    ) -> None:
        self.out = Collector()
        self._operator = operator
        self._by_clock = operator.time == "processing"
        self._watermark, self._clock = watermark, clock
        self._timers = clock if self._by_clock else watermark
        self._lateness = 0 if self._by_clock else operator.allowed_lateness
        self._forgets = forgets
        self._contents: dict[Any, Any] = {}
        self._memory: dict[Span, Memory] = {}
        self._lives: dict[Span, Life] = {}
        self._born = 0

    def _context(self, span: Span, memory: Memory | None = None) -> TriggerContext:
        own = self._memory.setdefault(span, {}) if memory is None else memory
        return TriggerContext(self._watermark, self._clock, span, self._last(span), own)

    def _last(self, span: Span) -> int:
        """The last instant (ms) of a window."""
        return last_instant(span)

    def _cleanup(self, span: Span) -> int:
        """When the window is over (ms). In processing time there is no lateness."""
        return cleanup_time(self._last(span), self._lateness)

    def _is_late(self, span: Span, record: Arrival) -> bool:
        """Whether the window was over when the record came."""
        return span is not None and not self._by_clock and is_over(self._cleanup(span), record.before)

    def _life(self, span: Span) -> Life:
        """The life that the window has now; a new one begins with its first firing."""
        if span not in self._lives:
            self._born += 1
            self._lives[span] = Life(self._born)
        return self._lives[span]

    def _forget(self, span: Span) -> None:
        """Remove what the trigger keeps for a window that is gone, its timers, and its pane numbers."""
        self._trigger.clear(self._context(span, self._memory.pop(span, {})))
        if self._forgets:
            self._lives.pop(span, None)


class KeyedWindows(WindowOperator):
    """A window operator of the DataStream API. ``stamped``: see ``evicted``."""

    def __init__(
        self,
        operator: model.Window | model.WindowJoin,
        watermark: TimerService,
        clock: TimerService,
        *,
        forgets: bool = True,
        stamped: frozenset[int] = frozenset(),
    ) -> None:
        super().__init__(operator, watermark, clock, forgets)
        self._trigger = trigger_of(operator.trigger)
        self._merges = isinstance(operator.assigner, model.Session | model.DynamicSession)
        is_aligned = isinstance(operator.assigner, model.Tumbling | model.Sliding)
        self._aligned = Aligned.of(operator.assigner) if is_aligned else None
        self._state = _state_of(operator)
        self._stamped = stamped
        self._sessions = Sessions()

    @property
    def is_empty(self) -> bool:
        """Whether no state of the key is left."""
        return not (self._contents or self._memory or self._lives or self._sessions.homes)

    def process_element(self, record: Arrival) -> None:
        """Work on the key's next record."""
        taken = False
        for window in self._windows_of(record):
            span = self._merged(window, record) if self._merges and window is not None else window
            if span is not None and self._is_late(span, record):
                self._sessions.homes.pop(span, None)
                continue
            taken = True
            home = self._home(span)
            self._contents[home] = self._state.add(self._contents.get(home), record)
            answer = self._trigger.on_element(record, self._context(span))
            if answer:
                self._act(answer, span, record)
            cleanup = self._cleanup(span)
            if cleanup < MAX:
                self._timers.register(cleanup, span)
        if not taken and not self._by_clock and wrap(record.ts + self._lateness) <= record.before:
            self.out.late(record)

    def on_timer(self, timestamp: int, namespace: Any, *, by_clock: bool) -> None:
        """A timer fires, by the clock or by the watermark."""
        span: Span = namespace
        if self._merges and span not in self._sessions.homes:
            return
        context = self._context(span)
        ask = self._trigger.on_processing_time if by_clock else self._trigger.on_event_time
        self._act(ask(timestamp, context), span, None)
        if span is not None and by_clock == self._by_clock and timestamp == self._cleanup(span):
            self._contents.pop(self._home(span), None)
            self._forget(span)
            self._sessions.homes.pop(span, None)
        elif not context.memory:
            del self._memory[span]

    def _act(self, answer: int, span: Span, record: Arrival | None) -> None:
        home = self._home(span)
        if answer & FIRE and home in self._contents:
            self._fire(span, home, record)
        if answer & PURGE:
            self._contents.pop(home, None)

    def _fire(self, span: Span, home: Span, record: Arrival | None) -> None:
        contents, evictor = self._contents[home], self._operator.evictor
        shown = contents
        if evictor is not None:
            left = evicted(evictor, contents, self._stamped)
            shown = contents if evictor.after else left
            if left:
                self._contents[home] = left
            else:
                del self._contents[home]
        if self._operator.is_join:
            for kind, value in _both_sides(self._operator, shown):
                self.out.collect(Fired(kind, span, value, by=record))
            return
        life, value = self._life(span), self._state.result(shown)
        self.out.collect(Fired("pane", span, value, by=record, life=life, pane=life.panes))
        life.panes += 1

    def _home(self, span: Span) -> Span:
        return self._sessions.homes.get(span, span) if self._merges and span is not None else span

    def _windows_of(self, record: Arrival) -> Sequence[Span]:
        time = record.at if self._by_clock else record.ts
        if self._aligned is not None:
            return self._aligned.windows(time)
        match self._operator.assigner:
            case model.Session(gap):
                return [(time, time + gap)]
            case model.DynamicSession(gap_field):
                return [(time, time + record.value[gap_field])]
            case _:
                return [None]

    def _merged(self, window: Window, record: Arrival) -> Window:
        def merged(result: Window, gone: list[Window], home: Window, homes: list[Window]) -> None:
            context = self._context(result)
            for name, value in self._remembered(gone).items():
                context.memory[name] = JOINED[name](context.memory[name], value) if name in context.memory else value
            self._trigger.on_merge(record, context)
            for window in gone:
                self._forget(window)
                if self._cleanup(window) < MAX:
                    self._timers.delete(self._cleanup(window), window)
            moved = [self._contents.pop(each) for each in homes if each in self._contents]
            if moved:
                there = [self._contents[home]] if home in self._contents else []
                self._contents[home] = reduce(self._state.merge, [*there, reduce(self._state.merge, moved)])

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


def _state_of(operator: model.Window | model.WindowJoin) -> AggregatingState | ListState:
    function = operator.function
    if function is None:  # a join
        return ListState("process", "collect")
    call, compute = function.call, function.compute or ""
    if call == "process" or operator.evictor is not None:
        return ListState(call, compute)
    return AggregatingState(compute)


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
