"""Triggers of the DataStream API that follow the clock. A record brings the clock along, as ``at``."""

from dataclasses import dataclass

from simulator.values.time import wrap
from spark_bridge.keyed.records import Arrival, Span
from spark_bridge.keyed.timers import Waits
from spark_bridge.keyed.triggers import FIRE, NOTHING, PURGE, Memory, Trigger, last_instant


@dataclass(frozen=True, slots=True)
class ByClock:
    """When the clock has passed the last instant; but any timer of the clock makes it fire, another's too."""

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """Waits, even for what is past."""
        waits.clock(last_instant(span))
        return NOTHING

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """The watermark says nothing."""
        return NOTHING

    def on_clock(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Fires."""
        return FIRE

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """Waits for the new end, unless that is past."""
        if last_instant(span) > record.at:
            waits.clock(last_instant(span))

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Waits no longer."""
        waits.no_clock(last_instant(span))


@dataclass(frozen=True, slots=True)
class ContinuousByClock:
    """At every multiple of ``interval`` (ms) of the clock, until the window's last instant."""

    interval: int

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """Sets the first firing."""
        if "next" not in memory:
            # Java's remainder has the sign of the dividend.
            rest = abs(record.at) % self.interval * (1 if record.at >= 0 else -1)
            self._go_on(record.at - rest, span, memory, waits)
        return NOTHING

    def on_timer(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """The watermark says nothing, at the end neither."""
        return NOTHING

    def on_clock(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Fires, and sets the next firing; at the last instant there is none."""
        if timestamp == last_instant(span):
            return FIRE
        if timestamp != memory.get("next"):
            return NOTHING
        self._go_on(timestamp, span, memory, waits)
        return FIRE

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """Goes on at the earliest of the firings."""
        if "next" in memory:
            waits.clock(memory["next"])

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Takes the next firing back."""
        if "next" in memory:
            waits.no_clock(memory.pop("next"))

    def _go_on(self, since: int, span: Span, memory: Memory, waits: Waits) -> None:
        memory["next"] = min(wrap(since + self.interval), last_instant(span))
        waits.clock(memory["next"])


@dataclass(frozen=True, slots=True)
class Timeout:
    """As ``inner``, and ``timeout`` ms of the clock after the first record since it fired.

    ``reset``: every record begins the timeout anew. ``clears``: a timer that fires makes ``inner`` forget the window.
    """

    inner: Trigger
    timeout: int
    reset: bool
    clears: bool

    def on_record(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> int:
        """What ``inner`` fires ends the timeout."""
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
        """Fires, whatever ``inner`` says."""
        return self._fires(self.inner.on_timer(timestamp, span, memory, waits), span, memory, waits)

    def on_clock(self, timestamp: int, span: Span, memory: Memory, waits: Waits) -> int:
        """Fires, whatever ``inner`` says."""
        return self._fires(self.inner.on_clock(timestamp, span, memory, waits), span, memory, waits)

    def on_merge(self, record: Arrival, span: Span, memory: Memory, waits: Waits) -> None:
        """No session has a timeout."""

    def clear(self, span: Span, memory: Memory, waits: Waits) -> None:
        """Ends the timeout, and ``inner`` forgets."""
        if "timeout" in memory:
            waits.no_clock(memory.pop("timeout"))
        self.inner.clear(span, memory, waits)

    def _fires(self, answer: int, span: Span, memory: Memory, waits: Waits) -> int:
        if self.clears:
            self.clear(span, memory, waits)
        return FIRE | (answer & PURGE)
