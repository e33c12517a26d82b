"""Triggers of the DataStream API in processing time. A record carries the clock as ``at`` (ms)."""

from dataclasses import dataclass

from tidemark.simulator.engine.values.time import wrap
from tidemark.spark_bridge.keyed.records import Arrival, Span
from tidemark.spark_bridge.keyed.timers import Waits
from tidemark.spark_bridge.keyed.triggers import FIRE, NOTHING, PURGE, Memory, Trigger, last_instant


@dataclass(frozen=True, slots=True)
class ByClock:
    """Fires when the clock has passed the last instant, but also at any other processing-time timer."""

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """Waits for the end, even if that is past."""
        waits.clock(last_instant(span))
        return NOTHING

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """The watermark has no effect."""
        return NOTHING

    def on_clock(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Fires."""
        return FIRE

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """Waits for the new end, unless that is past."""
        if last_instant(span) > record.at:
            waits.clock(last_instant(span))

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Deletes the timer."""
        waits.no_clock(last_instant(span))


@dataclass(frozen=True, slots=True)
class ContinuousByClock:
    """Fires at every multiple of ``interval`` (ms) of the clock, up to the window's last instant."""

    interval: int

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """Registers the first firing."""
        if "next" not in memory:
            # Java's remainder has the sign of the dividend.
            rest = abs(record.at) % self.interval * (1 if record.at >= 0 else -1)
            self._go_on(record.at - rest, span, memory, waits)
        return NOTHING

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """The watermark has no effect, not even at the end."""
        return NOTHING

    def on_clock(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Fires, and registers the next firing; after the last instant there is none."""
        if timestamp == last_instant(span):
            return FIRE
        if timestamp != memory.get("next"):
            return NOTHING
        self._go_on(timestamp, span, memory, waits)
        return FIRE

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """Goes on with the earliest of the firings."""
        if "next" in memory:
            waits.clock(memory["next"])

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Deletes the next firing."""
        if "next" in memory:
            waits.no_clock(memory.pop("next"))

    def _go_on(self, since: int, span: Span, memory: Memory, waits: Waits) -> None:
        memory["next"] = min(wrap(since + self.interval), last_instant(span))
        waits.clock(memory["next"])


@dataclass(frozen=True, slots=True)
class Timeout:
    """As ``inner``, and also ``timeout`` ms of the clock after the first record since it fired.

    ``reset``: every record starts the timeout again. ``clears``: a timer that fires clears the state of ``inner``.
    """

    inner: Trigger
    timeout: int
    reset: bool
    clears: bool

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """A firing of ``inner`` ends the timeout."""
        answer = self.inner.on_record(record, span, memory, waits)
        if answer & FIRE:
            self.clear(span, memory, waits)
            return answer
        if self.reset and "timeout" in memory:
            waits.no_clock(memory.pop("timeout"))
        if "timeout" not in memory:
            memory["timeout"] = wrap(record.at + self.timeout)
            waits.clock(memory["timeout"])
        return answer

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Fires, whatever ``inner`` answers."""
        return self._fires(self.inner.on_timer(timestamp, span, memory, waits), span, memory, waits)

    def on_clock(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Fires, whatever ``inner`` answers."""
        return self._fires(self.inner.on_clock(timestamp, span, memory, waits), span, memory, waits)

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """No session has a timeout."""

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Ends the timeout, and clears ``inner``."""
        if "timeout" in memory:
            waits.no_clock(memory.pop("timeout"))
        self.inner.clear(span, memory, waits)

    def _fires(self, answer: int, span: Span, memory: Memory, waits: Waits) -> int:
        if self.clears:
            self.clear(span, memory, waits)
        return FIRE | (answer & PURGE)
