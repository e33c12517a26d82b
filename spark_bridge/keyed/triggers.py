"""Triggers of the DataStream API for the keyed function: what a record or a timer does to a window.

A trigger is frozen; its state is in ``memory``, a dictionary that the function keeps for each window. An answer is the
sum of ``FIRE`` and ``PURGE``, or 0.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol

from tidemark.simulator.engine.values.time import MAX
from tidemark.spark_bridge.keyed.records import Arrival, Span
from tidemark.spark_bridge.keyed.timers import Waits

NOTHING: Final = 0
FIRE: Final = 1
PURGE: Final = 2

Memory = dict[str, Any]


def last_instant(span: Span) -> int:
    """The last millisecond of a window; for the global window ``Long.MAX_VALUE``."""
    return MAX if span is None else span[1] - 1


class Trigger(Protocol):
    """``waits`` registers and deletes the window's timers."""

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """A record was added to the window."""

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """An event-time timer of the window fires."""

    def on_clock(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """A processing-time timer of the window fires."""

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """Several windows became ``span``; ``memory`` holds their state, already merged."""

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Remove state and timers of the window."""


class Clockless:
    """The base of triggers without processing-time timers."""

    def on_clock(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Nothing."""
        return NOTHING


@dataclass(frozen=True, slots=True)
class EventTime(Clockless):
    """Fires at the last instant, and then for every record."""

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """Fires at once if the watermark has passed the end."""
        end = last_instant(span)
        if end <= record.before:
            return FIRE
        waits.watermark(end)
        return NOTHING

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Fires only at the timer of the last instant."""
        return FIRE if timestamp == last_instant(span) else NOTHING

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """Waits for the new end, unless that is past."""
        if last_instant(span) > record.before:
            waits.watermark(last_instant(span))

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Deletes the timer."""
        waits.no_watermark(last_instant(span))


@dataclass(frozen=True, slots=True)
class Continuous(Clockless):
    """Fires at every multiple of ``interval`` (ms) after the first record's timestamp, and at the last instant."""

    interval: int

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """Registers the first firing."""
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
        """Fires, and registers the next firing."""
        end = last_instant(span)
        if timestamp == end:
            return FIRE
        if timestamp != memory.get("next"):
            return NOTHING
        self._go_on(timestamp, end, memory, waits)
        return FIRE

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """Goes on with the earliest of the firings."""
        if "next" in memory:
            waits.watermark(memory["next"])

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Deletes the next firing, but not the timer of the last instant."""
        if "next" in memory:
            waits.no_watermark(memory.pop("next"))

    def _go_on(self, since: int, end: int, memory: Memory, waits: Waits) -> None:
        memory["next"] = min(since + self.interval, end)
        waits.watermark(memory["next"])


class Timeless(Clockless):
    """The base of triggers without timers."""

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Nothing."""
        return NOTHING

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """Nothing to do: the state has been merged."""

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Removes all state."""
        memory.clear()


@dataclass(frozen=True, slots=True)
class Count(Timeless):
    """Fires at every ``max``-th record."""

    max: int

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
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

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """The first record is the reference for the next ones."""
        if "last" in memory and not record.value - memory["last"] > self.threshold:
            return NOTHING
        answer = FIRE if "last" in memory else NOTHING
        memory["last"] = record.value
        return answer


@dataclass(frozen=True, slots=True)
class Never(Timeless):
    """Never fires."""

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """Nothing."""
        return NOTHING


@dataclass(frozen=True, slots=True)
class Purging:
    """As ``inner``, but every firing purges the contents."""

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
"""How the state of several windows is merged, by its name in ``memory``."""
