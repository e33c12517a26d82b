"""Triggers of the DataStream API, as the keyed function asks them: what a record or a timer does to a window.

A trigger is frozen; what it remembers of a window is in ``memory``, a dictionary that the function keeps per window.
Answers are ``FIRE`` and ``PURGE``, added up.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from simulator.values.time import MAX
from spark_bridge.keyed.records import Arrival, Span
from spark_bridge.keyed.timers import Waits

NOTHING: Final = 0
FIRE: Final = 1
PURGE: Final = 2

Memory = dict[str, Any]


def last_instant(span: Span) -> int:
    """The last millisecond of a window; the global one has none and ends with time itself."""
    return MAX if span is None else span[1] - 1


class Trigger(Protocol):
    """``waits`` sets and takes back the window's timers."""

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """A record was added to the window."""

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """One of the window's event-time timers fired."""

    def on_clock(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """One of the window's timers of the clock fired."""

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """``span`` is what several windows became; ``memory`` holds what they remembered, already joined."""

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Forget the window."""


class Clockless:
    """What triggers have in common that the clock does not concern."""

    def on_clock(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Nothing."""
        return NOTHING


@dataclass(frozen=True, slots=True)
class EventTime(Clockless):
    """At the last instant, and then for every record."""

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """Fires at once behind the watermark."""
        end = last_instant(span)
        if end <= record.before:
            return FIRE
        waits.watermark(end)
        return NOTHING

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Only that of the last instant."""
        return FIRE if timestamp == last_instant(span) else NOTHING

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """Waits for the new end, unless that is past."""
        if last_instant(span) > record.before:
            waits.watermark(last_instant(span))

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Waits no longer."""
        waits.no_watermark(last_instant(span))


@dataclass(frozen=True, slots=True)
class Continuous(Clockless):
    """At every multiple of ``interval`` (ms) after the first record's time, and at the last instant."""

    interval: int

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """Sets the first firing."""
        end = last_instant(span)
        if end <= record.before:
            return FIRE
        waits.watermark(end)
        if "next" not in memory:
            # Java's remainder has the sign of the dividend.
            rest = abs(record.ts) % self.interval * (1 if record.ts >= 0 else -1)
            self._go_on(record.ts - rest, end, memory, waits)
        return NOTHING

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Fires, and sets the next firing."""
        end = last_instant(span)
        if timestamp == end:
            return FIRE
        if timestamp != memory.get("next"):
            return NOTHING
        self._go_on(timestamp, end, memory, waits)
        return FIRE

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """Goes on at the earliest of the firings."""
        if "next" in memory:
            waits.watermark(memory["next"])

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Takes the next firing back; the last instant stays."""
        if "next" in memory:
            waits.no_watermark(memory.pop("next"))

    def _go_on(self, since: int, end: int, memory: Memory, waits: Waits) -> None:
        memory["next"] = min(since + self.interval, end)
        waits.watermark(memory["next"])


class Timeless(Clockless):
    """What triggers have in common that timers do not concern."""

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Nothing."""
        return NOTHING

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """What was remembered is joined already."""

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Forgets all."""
        memory.clear()


@dataclass(frozen=True, slots=True)
class Count(Timeless):
    """At every ``max``-th record."""

    max: int

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
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

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """The first record is what the next are measured by."""
        if "last" in memory and not record.value - memory["last"] > self.threshold:
            return NOTHING
        answer = FIRE if "last" in memory else NOTHING
        memory["last"] = record.value
        return answer


@dataclass(frozen=True, slots=True)
class Never(Timeless):
    """Not at all."""

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """Nothing."""
        return NOTHING


@dataclass(frozen=True, slots=True)
class Purging:
    """As ``inner``, and the contents go with each firing."""

    inner: Trigger

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """As ``inner``."""
        return _purged(self.inner.on_record(record, span, memory, waits))

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """As ``inner``."""
        return _purged(self.inner.on_timer(timestamp, span, memory, waits))

    def on_clock(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """As ``inner``."""
        return _purged(self.inner.on_clock(timestamp, span, memory, waits))

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """As ``inner``."""
        self.inner.on_merge(record, span, memory, waits)

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """As ``inner``."""
        self.inner.clear(span, memory, waits)


def _purged(answer: int) -> int:
    return answer | PURGE if answer & FIRE else answer


JOINED: Final[dict[str, Callable[[Any, Any], Any]]] = {"count": lambda one, other: one + other, "next": min}
"""How what several windows remembered becomes one, by its name in ``memory``."""
