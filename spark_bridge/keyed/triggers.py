"""Triggers of the DataStream API, as the keyed function asks them: what a record or a timer does to a window.

A trigger is frozen; what it remembers of a window is in ``memory``, a dictionary that the function keeps per window.
Answers are ``FIRE`` and ``PURGE``, added up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from simulator.scenario import model
from simulator.values.time import MAX
from spark_bridge.keyed.records import Arrival, Span

NOTHING: Final = 0
FIRE: Final = 1
PURGE: Final = 2

Memory = dict[str, Any]


def last_instant(span: Span) -> int:
    """The last millisecond of a window; the global one has none and ends with time itself."""
    return MAX if span is None else span[1] - 1


class Trigger(Protocol):
    """``wait(timestamp)`` sets an event-time timer of the window, ``unwait`` takes it back."""

    def on_record(self, record: Arrival, span: Span, memory: Memory, wait: Callable[[int], None]) -> int:
        """A record was added to the window."""

    def on_timer(self, timestamp: int, span: Span, memory: Memory, wait: Callable[[int], None]) -> int:
        """One of the window's timers fired."""

    def on_merge(self, watermark: int, span: Span, memory: Memory, wait: Callable[[int], None]) -> None:
        """``span`` is what several windows became; ``memory`` holds what they remembered, already joined."""

    def clear(self, span: Span, memory: Memory, unwait: Callable[[int], None]) -> None:
        """Forget the window."""


@dataclass(frozen=True, slots=True)
class EventTime:
    """At the last instant, and then for every record."""

    def on_record(self, record: Arrival, span: Span, memory: Memory, wait: Callable[[int], None]) -> int:
        """Fires at once behind the watermark."""
        end = last_instant(span)
        if end <= record.before:
            return FIRE
        wait(end)
        return NOTHING

    def on_timer(self, timestamp: int, span: Span, memory: Memory, wait: Callable[[int], None]) -> int:
        """Only that of the last instant."""
        return FIRE if timestamp == last_instant(span) else NOTHING

    def on_merge(self, watermark: int, span: Span, memory: Memory, wait: Callable[[int], None]) -> None:
        """Waits for the new end, unless that is past."""
        if last_instant(span) > watermark:
            wait(last_instant(span))

    def clear(self, span: Span, memory: Memory, unwait: Callable[[int], None]) -> None:
        """Waits no longer."""
        unwait(last_instant(span))


@dataclass(frozen=True, slots=True)
class Continuous:
    """At every multiple of ``interval`` (ms) after the first record's time, and at the last instant."""

    interval: int

    def on_record(self, record: Arrival, span: Span, memory: Memory, wait: Callable[[int], None]) -> int:
        """Sets the first firing."""
        end = last_instant(span)
        if end <= record.before:
            return FIRE
        wait(end)
        if "next" not in memory:
            # Java's remainder has the sign of the dividend.
            rest = abs(record.ts) % self.interval * (1 if record.ts >= 0 else -1)
            self._go_on(record.ts - rest, end, memory, wait)
        return NOTHING

    def on_timer(self, timestamp: int, span: Span, memory: Memory, wait: Callable[[int], None]) -> int:
        """Fires, and sets the next firing."""
        end = last_instant(span)
        if timestamp == end:
            return FIRE
        if timestamp != memory.get("next"):
            return NOTHING
        self._go_on(timestamp, end, memory, wait)
        return FIRE

    def on_merge(self, watermark: int, span: Span, memory: Memory, wait: Callable[[int], None]) -> None:
        """Goes on at the earliest of the firings."""
        if "next" in memory:
            wait(memory["next"])

    def clear(self, span: Span, memory: Memory, unwait: Callable[[int], None]) -> None:
        """Takes the next firing back; the last instant stays."""
        if "next" in memory:
            unwait(memory.pop("next"))

    def _go_on(self, since: int, end: int, memory: Memory, wait: Callable[[int], None]) -> None:
        memory["next"] = min(since + self.interval, end)
        wait(memory["next"])


class Timeless:
    """What triggers have in common that timers do not concern."""

    def on_timer(self, timestamp: int, span: Span, memory: Memory, wait: Callable[[int], None]) -> int:
        """Nothing."""
        return NOTHING

    def on_merge(self, watermark: int, span: Span, memory: Memory, wait: Callable[[int], None]) -> None:
        """What was remembered is joined already."""

    def clear(self, span: Span, memory: Memory, unwait: Callable[[int], None]) -> None:
        """Forgets all."""
        memory.clear()


@dataclass(frozen=True, slots=True)
class Count(Timeless):
    """At every ``max``-th record."""

    max: int

    def on_record(self, record: Arrival, span: Span, memory: Memory, wait: Callable[[int], None]) -> int:
        """Counts from nothing again when it fires."""
        count = memory.get("count", 0) + 1
        if count < self.max:
            memory["count"] = count
            return NOTHING
        memory.pop("count", None)
        return FIRE


@dataclass(frozen=True, slots=True)
class Delta(Timeless):
    """When a value is more than ``threshold`` above the one that fired last."""

    threshold: float

    def on_record(self, record: Arrival, span: Span, memory: Memory, wait: Callable[[int], None]) -> int:
        """The first record is what the next are measured by."""
        if "last" in memory and not record.value - memory["last"] > self.threshold:
            return NOTHING
        answer = FIRE if "last" in memory else NOTHING
        memory["last"] = record.value
        return answer


@dataclass(frozen=True, slots=True)
class Never(Timeless):
    """Not at all."""

    def on_record(self, record: Arrival, span: Span, memory: Memory, wait: Callable[[int], None]) -> int:
        """Nothing."""
        return NOTHING


@dataclass(frozen=True, slots=True)
class Purging:
    """As ``inner``, and the contents go with each firing."""

    inner: Trigger

    def on_record(self, record: Arrival, span: Span, memory: Memory, wait: Callable[[int], None]) -> int:
        """As ``inner``."""
        return _purged(self.inner.on_record(record, span, memory, wait))

    def on_timer(self, timestamp: int, span: Span, memory: Memory, wait: Callable[[int], None]) -> int:
        """As ``inner``."""
        return _purged(self.inner.on_timer(timestamp, span, memory, wait))

    def on_merge(self, watermark: int, span: Span, memory: Memory, wait: Callable[[int], None]) -> None:
        """As ``inner``."""
        self.inner.on_merge(watermark, span, memory, wait)

    def clear(self, span: Span, memory: Memory, unwait: Callable[[int], None]) -> None:
        """As ``inner``."""
        self.inner.clear(span, memory, unwait)


def _purged(answer: int) -> int:
    return answer | PURGE if answer & FIRE else answer


JOINED: Final[dict[str, Callable[[Any, Any], Any]]] = {"count": lambda one, other: one + other, "next": min}
"""How what several windows remembered becomes one, by its name in ``memory``."""


def trigger_of(spec: model.Trigger) -> Trigger:
    """The trigger of the scenario. Raises ``TypeError`` for one of processing time."""
    match spec:
        case model.EventTime():
            return EventTime()
        case model.ContinuousEventTime(interval):
            return Continuous(interval)
        case model.Count(every):
            return Count(every)
        case model.Delta(threshold):
            return Delta(threshold)
        case model.Never():
            return Never()
        case model.Purging(inner):
            return Purging(trigger_of(inner))
        case _:
            raise TypeError(f"no keyed trigger for {spec}")
