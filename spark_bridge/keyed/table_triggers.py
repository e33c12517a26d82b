"""Triggers of the table runtime, as the keyed function asks them: each answer is whether to emit."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

from simulator.scenario import model
from simulator.values.time import wrap
from spark_bridge.keyed.records import Arrival
from spark_bridge.keyed.sessions import Window
from spark_bridge.keyed.timers import Waits
from spark_bridge.keyed.triggers import Memory


class TableTrigger(Protocol):
    """``memory`` is what is remembered of the window; ``waits`` sets and takes back its timers."""

    def on_row(self, record: Arrival, window: Window, memory: Memory, waits: Waits) -> bool:
        """A row was added."""

    def on_timer(self, timestamp: int, window: Window, memory: Memory, waits: Waits) -> bool:
        """An event-time timer of the window fired."""

    def on_clock(self, timestamp: int, window: Window, memory: Memory, waits: Waits) -> bool:
        """A timer of the clock of the window fired."""

    def on_merge(self, window: Window, memory: Memory, waits: Waits) -> None:
        """``window`` is what several became."""

    def clear(self, window: Window, memory: Memory, waits: Waits) -> None:
        """Forget the window."""


class Timeless:
    """What triggers have in common that timers do not concern."""

    def on_timer(self, timestamp: int, window: Window, memory: Memory, waits: Waits) -> bool:
        """Never."""
        return False

    def on_clock(self, timestamp: int, window: Window, memory: Memory, waits: Waits) -> bool:
        """Never."""
        return False


@dataclass(frozen=True, slots=True)
class EveryRow(Timeless):
    """Emits at every row."""

    def on_row(self, record: Arrival, window: Window, memory: Memory, waits: Waits) -> bool:
        """Always."""
        return True

    def on_merge(self, window: Window, memory: Memory, waits: Waits) -> None:
        """Remembers nothing."""

    def clear(self, window: Window, memory: Memory, waits: Waits) -> None:
        """Remembers nothing."""


@dataclass(frozen=True, slots=True)
class CountRows(Timeless):
    """Emits at every ``max``-th row. Two counts of the same number share what they remember, as in Flink."""

    max: int

    @property
    def name(self) -> str:
        """Under which it remembers."""
        return f"count {self.max}"

    def on_row(self, record: Arrival, window: Window, memory: Memory, waits: Waits) -> bool:
        """Counts from nothing again when it emits."""
        count = memory.pop(self.name, 0) + 1
        if count < self.max:
            memory[self.name] = count
        return bool(count >= self.max)

    def on_merge(self, window: Window, memory: Memory, waits: Waits) -> None:
        """The counts are added up already."""

    def clear(self, window: Window, memory: Memory, waits: Waits) -> None:
        """Counts anew."""
        memory.pop(self.name, None)


@dataclass(frozen=True, slots=True)
class AfterEnd:
    """At the last instant; ``early`` is asked before it, ``late`` after it; without ``late`` every late row emits."""

    early: TableTrigger | None
    late: TableTrigger | None

    def on_row(self, record: Arrival, window: Window, memory: Memory, waits: Waits) -> bool:
        """Waits for the end."""
        if self.late is not None and "fired" in memory:
            return self.late.on_row(record, window, memory, waits)
        if window[1] - 1 <= record.before:
            return True
        waits.watermark(window[1] - 1)
        return self.early is not None and self.early.on_row(record, window, memory, waits)

    def on_timer(self, timestamp: int, window: Window, memory: Memory, waits: Waits) -> bool:
        """From the end on, ``late`` is asked."""
        if self.late is not None and "fired" in memory:
            return self.late.on_timer(timestamp, window, memory, waits)
        if timestamp != window[1] - 1:
            return self.early is not None and self.early.on_timer(timestamp, window, memory, waits)
        if self.late is not None:
            memory["fired"] = True
        return True

    def on_clock(self, timestamp: int, window: Window, memory: Memory, waits: Waits) -> bool:
        """``early`` is asked, from the end on ``late`` if there is one."""
        asked = self.late if self.late is not None and "fired" in memory else self.early
        return asked is not None and asked.on_clock(timestamp, window, memory, waits)

    def on_merge(self, window: Window, memory: Memory, waits: Waits) -> None:
        """Waits for the new end, even behind the watermark."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.on_merge(window, memory, waits)
        memory.pop("fired", None)
        waits.watermark(window[1] - 1)

    def clear(self, window: Window, memory: Memory, waits: Waits) -> None:
        """Waits no longer."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.clear(window, memory, waits)
        waits.no_watermark(window[1] - 1)
        memory.pop("fired", None)


@dataclass(frozen=True, slots=True)
class AfterEndByClock:
    """When the clock has passed the last instant; ``early`` is asked before."""

    early: TableTrigger | None

    def on_row(self, record: Arrival, window: Window, memory: Memory, waits: Waits) -> bool:
        """Waits for the end."""
        waits.clock(window[1] - 1)
        return self.early is not None and self.early.on_row(record, window, memory, waits)

    def on_timer(self, timestamp: int, window: Window, memory: Memory, waits: Waits) -> bool:
        """The watermark says nothing."""
        return False

    def on_clock(self, timestamp: int, window: Window, memory: Memory, waits: Waits) -> bool:
        """At the end; else ``early`` is asked."""
        if timestamp == window[1] - 1:
            return True
        return self.early is not None and self.early.on_clock(timestamp, window, memory, waits)

    def on_merge(self, window: Window, memory: Memory, waits: Waits) -> None:
        """Waits for the new end."""
        if self.early is not None:
            self.early.on_merge(window, memory, waits)
        waits.clock(window[1] - 1)

    def clear(self, window: Window, memory: Memory, waits: Waits) -> None:
        """Waits no longer."""
        if self.early is not None:
            self.early.clear(window, memory, waits)
        waits.no_clock(window[1] - 1)


@dataclass(frozen=True, slots=True)
class Every:
    """Every ``interval`` ms of the clock from the first row on, new rows or not. Two of the same length share what
    they remember, as in Flink."""

    interval: int

    @property
    def name(self) -> str:
        """Under which it remembers."""
        return f"{_EVERY}{self.interval}"

    def on_row(self, record: Arrival, window: Window, memory: Memory, waits: Waits) -> bool:
        """The first row sets the first firing."""
        if self.name not in memory:
            self._go_on(record.at, memory, waits)
        return False

    def on_timer(self, timestamp: int, window: Window, memory: Memory, waits: Waits) -> bool:
        """The watermark says nothing."""
        return False

    def on_clock(self, timestamp: int, window: Window, memory: Memory, waits: Waits) -> bool:
        """When it is its own timer."""
        if memory.get(self.name) != timestamp:
            return False
        self._go_on(timestamp, memory, waits)
        return True

    def on_merge(self, window: Window, memory: Memory, waits: Waits) -> None:
        """Goes on at the earliest of the firings."""
        if self.name in memory:
            waits.clock(memory[self.name])

    def clear(self, window: Window, memory: Memory, waits: Waits) -> None:
        """Takes the next firing back."""
        if self.name in memory:
            waits.no_clock(memory.pop(self.name))

    def _go_on(self, since: int, memory: Memory, waits: Waits) -> None:
        memory[self.name] = wrap(since + self.interval)
        waits.clock(memory[self.name])


_EVERY: Final = "every "


def joined(name: str, one: Any, other: Any) -> Any:
    """What two windows remembered under ``name``, as one: the earlier firing, or the sum of the counts."""
    return min(one, other) if name.startswith(_EVERY) else one + other


def table_trigger_of(spec: object, *, by_clock: bool) -> TableTrigger:
    """The trigger of the scenario; ``by_clock``: windows end by the clock.

    Raises ``TypeError`` for one that the bridge does not know.
    """
    match spec:
        case model.AfterEndOfWindow(early, late):
            asked = None if early is None else table_trigger_of(early, by_clock=by_clock)
            if by_clock:
                return AfterEndByClock(asked)
            # Late firings at every row are what happens without any; Flink leaves them out.
            left_out = late is None or isinstance(late, model.EveryElement)
            return AfterEnd(asked, None if left_out or late is None else table_trigger_of(late, by_clock=by_clock))
        case model.EveryElement():
            return EveryRow()
        case model.CountElement(every):
            return CountRows(every)
        case model.ProcessingTimeEvery(interval):
            return Every(interval)
        case _:
            raise TypeError(f"no keyed table trigger for {spec}")
