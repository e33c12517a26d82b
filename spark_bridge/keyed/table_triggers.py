"""Triggers of the table runtime, as the keyed function asks them: each answer is whether to emit."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from simulator.scenario import model
from spark_bridge.keyed.records import Arrival
from spark_bridge.keyed.sessions import Window
from spark_bridge.keyed.triggers import Memory


class TableTrigger(Protocol):
    """``memory`` is what is remembered of the window; ``wait`` sets an event-time timer of it, ``unwait`` takes it
    back."""

    def on_row(self, record: Arrival, window: Window, memory: Memory, wait: Callable[[int], None]) -> bool:
        """A row was added."""

    def on_timer(self, timestamp: int, window: Window, memory: Memory) -> bool:
        """An event-time timer of the window fired."""

    def on_merge(self, window: Window, memory: Memory, wait: Callable[[int], None]) -> None:
        """``window`` is what several became."""

    def clear(self, window: Window, memory: Memory, unwait: Callable[[int], None]) -> None:
        """Forget the window."""


@dataclass(frozen=True, slots=True)
class EveryRow:
    """Emits at every row."""

    def on_row(self, record: Arrival, window: Window, memory: Memory, wait: Callable[[int], None]) -> bool:
        """Always."""
        return True

    def on_timer(self, timestamp: int, window: Window, memory: Memory) -> bool:
        """Never."""
        return False

    def on_merge(self, window: Window, memory: Memory, wait: Callable[[int], None]) -> None:
        """Remembers nothing."""

    def clear(self, window: Window, memory: Memory, unwait: Callable[[int], None]) -> None:
        """Remembers nothing."""


@dataclass(frozen=True, slots=True)
class CountRows:
    """Emits at every ``max``-th row. Two counts of the same number share what they remember, as in Flink."""

    max: int

    @property
    def name(self) -> str:
        """Under which it remembers."""
        return f"count {self.max}"

    def on_row(self, record: Arrival, window: Window, memory: Memory, wait: Callable[[int], None]) -> bool:
        """Counts from nothing again when it emits."""
        count = memory.pop(self.name, 0) + 1
        if count < self.max:
            memory[self.name] = count
        return bool(count >= self.max)

    def on_timer(self, timestamp: int, window: Window, memory: Memory) -> bool:
        """Never."""
        return False

    def on_merge(self, window: Window, memory: Memory, wait: Callable[[int], None]) -> None:
        """The counts are added up already."""

    def clear(self, window: Window, memory: Memory, unwait: Callable[[int], None]) -> None:
        """Counts anew."""
        memory.pop(self.name, None)


@dataclass(frozen=True, slots=True)
class AfterEnd:
    """At the last instant; ``early`` is asked before it, ``late`` after it; without ``late`` every late row emits."""

    early: TableTrigger | None
    late: TableTrigger | None

    def on_row(self, record: Arrival, window: Window, memory: Memory, wait: Callable[[int], None]) -> bool:
        """Waits for the end."""
        if self.late is not None and "fired" in memory:
            return self.late.on_row(record, window, memory, wait)
        if window[1] - 1 <= record.before:
            return True
        wait(window[1] - 1)
        return self.early is not None and self.early.on_row(record, window, memory, wait)

    def on_timer(self, timestamp: int, window: Window, memory: Memory) -> bool:
        """From the end on, ``late`` is asked."""
        if self.late is not None and "fired" in memory:
            return self.late.on_timer(timestamp, window, memory)
        if timestamp != window[1] - 1:
            return self.early is not None and self.early.on_timer(timestamp, window, memory)
        if self.late is not None:
            memory["fired"] = True
        return True

    def on_merge(self, window: Window, memory: Memory, wait: Callable[[int], None]) -> None:
        """Waits for the new end, even behind the watermark."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.on_merge(window, memory, wait)
        memory.pop("fired", None)
        wait(window[1] - 1)

    def clear(self, window: Window, memory: Memory, unwait: Callable[[int], None]) -> None:
        """Waits no longer."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.clear(window, memory, unwait)
        unwait(window[1] - 1)
        memory.pop("fired", None)


def table_trigger_of(spec: model.Trigger | model.Periodic) -> TableTrigger:
    """The trigger of the scenario. Raises ``TypeError`` for one of processing time."""
    match spec:
        case model.AfterEndOfWindow(early, late):
            # Late firings at every row are what happens without any; Flink leaves them out.
            asked = None if late is None or isinstance(late, model.EveryElement) else table_trigger_of(late)
            return AfterEnd(None if early is None else table_trigger_of(early), asked)
        case model.EveryElement():
            return EveryRow()
        case model.Count(every):
            return CountRows(every)
        case _:
            raise TypeError(f"no keyed table trigger for {spec}")
