"""The trigger's view of the window operator: one key and one window at a time."""

from collections.abc import Callable, Sequence
from typing import Any

from tidemark.simulator.engine.operators.base import OperatorRuntime
from tidemark.simulator.engine.timers import InternalTimerService
from tidemark.simulator.engine.trace.event import new_rule
from tidemark.simulator.engine.trace.events import Rule, TriggerStateChanged
from tidemark.simulator.engine.values.key import Key
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.engine.values.window import Window


class WindowTriggerContext:
    """One object for the whole run; the operator sets ``key``, ``window`` and ``current_watermark`` (ms) before a call.

    ``merged`` holds the windows that became ``window`` while ``on_merge`` runs. ``rule`` is the last rule by which the
    trigger has decided. Source: ``WindowOperator.Context``.
    """

    def __init__(
        self, runtime: OperatorRuntime, timers: InternalTimerService, cleanup_time: Callable[[Window], int]
    ) -> None:
        self.key: Key = ""
        self.window: Window = None  # type: ignore[assignment]
        self.current_watermark = MIN
        self.merged: Sequence[Window] = ()
        self.rule: Rule | None = None
        self.tracing = runtime.trace is not None
        self._trace = runtime.trace
        self._clock = runtime.clock
        self._state = runtime.state
        self._tables = runtime.state.tables
        self._timers = timers
        self._add_event_timer = timers.event_timers.add
        self._remove_event_timer = timers.event_timers.remove
        self._cleanup_time = cleanup_time

    @property
    def current_processing_time(self) -> int:
        """The clock (ms)."""
        return self._clock.now

    def register_event_time_timer(self, timestamp: int) -> None:
        """Call ``on_event_time`` when the watermark reaches ``timestamp`` (ms)."""
        timer = (timestamp, self.key, self.window)
        if self._add_event_timer(timer) and self.tracing:
            purpose = "fire+cleanup" if timestamp == self._cleanup_time(self.window) else "fire"
            self._timers.trace_event_time_timer(timer, purpose)

    def delete_event_time_timer(self, timestamp: int) -> None:
        """Delete such a timer; it is no error if there is none."""
        if self.tracing:
            self._timers.delete_event_time_timer(timestamp, self.key, self.window)
        else:
            self._remove_event_timer((timestamp, self.key, self.window))

    def register_processing_time_timer(self, timestamp: int) -> None:
        """Call ``on_processing_time`` when the clock has passed ``timestamp`` (ms)."""
        self._timers.register_processing_time_timer(timestamp, self.key, self.window, "fire")

    def delete_processing_time_timer(self, timestamp: int) -> None:
        """Delete such a timer; it is no error if there is none."""
        self._timers.delete_processing_time_timer(timestamp, self.key, self.window)

    def get_state(self, name: str) -> Any:
        """The trigger state called ``name``, None if there is none."""
        table = self._tables.get(name) or self._state.table(name)
        return table.get((self.key, self.window))

    def set_state(self, name: str, value: Any) -> None:
        """Keep ``value``; None clears the state. A value that is there already is not written again."""
        table, entry = self._tables.get(name) or self._state.table(name), (self.key, self.window)
        before = table.get(entry)
        if before == value:
            return
        if value is None:
            table.remove(entry)
        else:
            table.put(entry, value)
        if self._trace is not None:
            place = "WindowOperator.Context.get_partitioned_state"
            self._trace.add(TriggerStateChanged(place, name, self.key, self.window, before, value))

    def count_up(self, name: str, most: int) -> int:
        """Add one to the count called ``name`` (0 if there is none) and return it; at ``most`` (>= 1) it is cleared."""
        table = self._tables[name] if name in self._tables else self._state.table(name)
        by_key = table.namespaces.get(self.window)
        count: int = 1 if by_key is None else by_key.get(self.key, 0) + 1
        if by_key is None or self.tracing or table.version:
            self.set_state(name, None if count >= most else count)
        elif count < most:  # fewer look-ups than ``set_state``, for streams of millions of records
            by_key[self.key] = count
        else:
            table.remove((self.key, self.window))
        return count

    def merge_state(self, name: str, merge: Callable[[Any, Any], Any]) -> Any:
        """Move the state of the merged windows to this one and return what it holds then.

        Source: ``WindowOperator.Context.mergePartitionedState``.
        """
        table, entry = self._state.table(name), (self.key, self.window)
        moved = None
        for source in self.merged:
            value = table.remove((self.key, source))
            if value is not None:
                moved = value if moved is None else merge(moved, value)
                if self._trace is not None:
                    place = "WindowOperator.Context.merge_partitioned_state"
                    self._trace.add(TriggerStateChanged(place, name, self.key, source, value, None))
        before = table.get(entry)
        if moved is not None:
            self.set_state(name, moved if before is None else merge(before, moved))
        return table.get(entry)

    def decided(self, name: str, formula: str, numbers: Sequence[tuple[str, int | float]], holds: bool) -> None:
        """Keep the rule by which the trigger decides, for the event that traces its answer."""
        self.rule = new_rule((name, formula, tuple(numbers), holds))
