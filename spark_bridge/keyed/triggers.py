"""Triggers of the DataStream API for the keyed function: what a record or a timer does to a window.

A trigger is frozen; its state is in ``memory``, a dictionary that the function keeps for each window. An answer is the
sum of ``FIRE`` and ``PURGE``, or 0.

Triggers of the DataStream API in processing time. A record carries the clock as ``at`` (ms).

The trigger that a scenario asks for.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from tidemark.simulator.engine.values.time import MAX, wrap
from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.records import Arrival, Span
from tidemark.spark_bridge.keyed.timers import TriggerContext

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


@dataclass(frozen=True, slots=True)
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
        case model.ProcessingTimeTrigger() | model.ContinuousProcessingTimeTrigger() | model.ProcessingTimeEvery():
            return True
        case model.ProcessingTimeoutTrigger():
            return True
        case model.PurgingTrigger(inner):
            return follows_clock(inner)
        case model.AfterEndOfWindow(early, late):
            return follows_clock(early) or follows_clock(late)
        case _:
            return False
