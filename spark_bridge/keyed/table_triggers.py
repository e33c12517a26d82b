"""Triggers of the table runtime for the keyed function: each answers whether to emit."""

from dataclasses import dataclass
from typing import Any, Final, Protocol

from tidemark.simulator.engine.values.time import wrap
from tidemark.simulator.scenario import model
from tidemark.spark_bridge.keyed.records import Arrival
from tidemark.spark_bridge.keyed.sessions import Window
from tidemark.spark_bridge.keyed.timers import TriggerContext
from tidemark.spark_bridge.keyed.triggers import Memory


class TableTrigger(Protocol):
    """``memory`` is the trigger's state for the window; ``context`` registers and deletes its timers."""

    def on_element(self, record: Arrival, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """A row was added."""

    def on_event_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """An event-time timer of the window fires."""

    def on_processing_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """A processing-time timer of the window fires."""

    def on_merge(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Several windows became ``window``."""

    def clear(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Remove state and timers of the window."""


class Timeless:
    """The base of triggers without timers."""

    def on_event_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Never."""
        return False

    def on_processing_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Never."""
        return False


@dataclass(frozen=True, slots=True)
class EveryRow(Timeless):
    """Emits at every row."""

    def on_element(self, record: Arrival, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Always."""
        return True

    def on_merge(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """There is no state."""

    def clear(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """There is no state."""


@dataclass(frozen=True, slots=True)
class CountRows(Timeless):
    """Emits at every ``max``-th row. Two counts with the same number share their state, as in Flink."""

    max: int

    @property
    def name(self) -> str:
        """The name of the state."""
        return f"count {self.max}"

    def on_element(self, record: Arrival, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Counts, and starts at 0 again when it emits."""
        count = memory.pop(self.name, 0) + 1
        if count < self.max:
            memory[self.name] = count
        return bool(count >= self.max)

    def on_merge(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Nothing to do: the counts have been added up."""

    def clear(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Removes the count."""
        memory.pop(self.name, None)


@dataclass(frozen=True, slots=True)
class AfterEnd:
    """Emits at the last instant; ``early`` decides before it, ``late`` after it, by default at every late row."""

    early: TableTrigger | None
    late: TableTrigger | None

    def on_element(self, record: Arrival, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """TriggerContext for the end."""
        if self.late is not None and "fired" in memory:
            return self.late.on_element(record, window, memory, context)
        if context.last <= record.before:
            return True
        context.register_event_time_timer(context.last)
        return self.early is not None and self.early.on_element(record, window, memory, context)

    def on_event_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Emits at the end; from then on ``late`` decides."""
        if self.late is not None and "fired" in memory:
            return self.late.on_event_time(timestamp, window, memory, context)
        if timestamp != context.last:
            return self.early is not None and self.early.on_event_time(timestamp, window, memory, context)
        if self.late is not None:
            memory["fired"] = True
        return True

    def on_processing_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """``early`` decides; from the end on ``late``, if there is one."""
        asked = self.late if self.late is not None and "fired" in memory else self.early
        return asked is not None and asked.on_processing_time(timestamp, window, memory, context)

    def on_merge(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """TriggerContext for the new end, even if the watermark has passed it."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.on_merge(window, memory, context)
        memory.pop("fired", None)
        context.register_event_time_timer(context.last)

    def clear(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Deletes the timers."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.clear(window, memory, context)
        context.delete_event_time_timer(context.last)
        memory.pop("fired", None)


@dataclass(frozen=True, slots=True)
class AfterEndByClock:
    """Emits when the clock has passed the last instant; ``early`` decides before that."""

    early: TableTrigger | None

    def on_element(self, record: Arrival, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """TriggerContext for the end."""
        context.register_processing_time_timer(context.last)
        return self.early is not None and self.early.on_element(record, window, memory, context)

    def on_event_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """The watermark has no effect."""
        return False

    def on_processing_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Emits at the end; else ``early`` decides."""
        if timestamp == context.last:
            return True
        return self.early is not None and self.early.on_processing_time(timestamp, window, memory, context)

    def on_merge(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """TriggerContext for the new end."""
        if self.early is not None:
            self.early.on_merge(window, memory, context)
        context.register_processing_time_timer(context.last)

    def clear(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Deletes the timers."""
        if self.early is not None:
            self.early.clear(window, memory, context)
        context.delete_processing_time_timer(context.last)


@dataclass(frozen=True, slots=True)
class Every:
    """Emits every ``interval`` ms of the clock from the first row on, whether or not new rows have come.

    Two intervals of the same length share their state, as in Flink.
    """

    interval: int

    @property
    def name(self) -> str:
        """The name of the state."""
        return f"{_EVERY}{self.interval}"

    def on_element(self, record: Arrival, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """The first row registers the first firing."""
        if self.name not in memory:
            self._go_on(record.at, memory, context)
        return False

    def on_event_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """The watermark has no effect."""
        return False

    def on_processing_time(self, timestamp: int, window: Window, memory: Memory, context: TriggerContext) -> bool:
        """Emits if the timer is its own."""
        if memory.get(self.name) != timestamp:
            return False
        self._go_on(timestamp, memory, context)
        return True

    def on_merge(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Goes on with the earliest of the firings."""
        if self.name in memory:
            context.register_processing_time_timer(memory[self.name])

    def clear(self, window: Window, memory: Memory, context: TriggerContext) -> None:
        """Deletes the next firing."""
        if self.name in memory:
            context.delete_processing_time_timer(memory.pop(self.name))

    def _go_on(self, since: int, memory: Memory, context: TriggerContext) -> None:
        memory[self.name] = wrap(since + self.interval)
        context.register_processing_time_timer(memory[self.name])


_EVERY: Final = "every "


def joined(name: str, one: Any, other: Any) -> Any:
    """The state of two windows under ``name``, merged: the earlier firing, or the sum of the counts."""
    return min(one, other) if name.startswith(_EVERY) else one + other


def table_trigger_of(spec: object, *, by_clock: bool) -> TableTrigger:
    """The trigger of the scenario; ``by_clock``: windows end in processing time.

    Raises ``TypeError`` for one that the bridge does not know.
    """
    match spec:
        case model.AfterEndOfWindow(early, late):
            asked = None if early is None else table_trigger_of(early, by_clock=by_clock)
            if by_clock:
                return AfterEndByClock(asked)
            # Late firings at every row are the default; Flink leaves them out.
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
