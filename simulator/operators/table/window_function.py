"""How the table window operator keeps the accumulators of its windows: one a window, one a pane, one a session.

Source: ``InternalWindowProcessFunction`` and its ``GeneralWindowProcessFunction``, ``PanedWindowProcessFunction``,
``MergingWindowProcessFunction``.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Final

from simulator.functions.base import AggregateFunction
from simulator.operators.runtime import OperatorRuntime
from simulator.operators.table.held_panes import HeldPanes
from simulator.operators.trigger_context import WindowTriggerContext
from simulator.state.keyed_state import AggregatingState
from simulator.table_assigners.base import PanedWindowAssigner, TableWindowAssigner
from simulator.table_triggers.base import TableTrigger
from simulator.timers.timer_service import InternalTimerService
from simulator.trace.events import Rule, StateCleared, WindowCleaned, WindowsAssigned, WindowSkippedLate
from simulator.values.key import Key
from simulator.values.time import MAX
from simulator.values.window import TimeWindow, Window

ACCUMULATORS: Final = "window-aggs"
PREVIOUS: Final = "previous-aggs"


class WindowProcessFunction(ABC):
    """Where rows are accumulated, and what a window is made of. ``allowed_lateness`` in ms."""

    def __init__(
        self,
        runtime: OperatorRuntime,
        timers: InternalTimerService,
        trigger: TableTrigger,
        aggregate: AggregateFunction,
        *,
        is_event_time: bool,
        allowed_lateness: int,
    ) -> None:
        self.is_event_time = is_event_time
        self.allowed_lateness = allowed_lateness
        self.runtime = runtime
        self.aggregate = aggregate
        self.accumulators = AggregatingState(runtime.state, ACCUMULATORS, aggregate, runtime.trace)
        self.previous = runtime.state.table(PREVIOUS)
        self.trigger = trigger
        self.context = WindowTriggerContext(runtime, timers, self.timer_cleanup_time)
        self._timers = timers

    @abstractmethod
    def assign_state_namespaces(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """Where a row of ``time`` (ms) is accumulated; nowhere when all that could take it is late."""

    @abstractmethod
    def assign_actual_windows(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """The windows that the row is in; called right after ``assign_state_namespaces``."""

    @abstractmethod
    def prepare(self, key: Key, window: TimeWindow) -> Any:
        """The accumulator that a firing of ``window`` emits."""

    @abstractmethod
    def clean(self, key: Key, window: TimeWindow) -> None:
        """Remove what is kept for ``window`` alone."""

    def clean_if_needed(self, key: Key, window: TimeWindow, time: int) -> bool:
        """Clean up when ``time`` (ms) is exactly the window's cleanup time; whether it was."""
        cleanup = self.cleanup_time(window)
        if time != cleanup:
            return False
        if self.runtime.trace is not None:
            rule = Rule("cleanup-time", "timer == cleanup_time", (("timer", time), ("cleanup_time", cleanup)), True)
            place = f"{type(self).__name__}.clean_window_if_needed"
            self.runtime.trace.add(WindowCleaned(place, key, window, rule))
        self.clean(key, window)
        return True

    def cleanup_time(self, window: Window) -> int:
        """When (ms) the window is over; ``Long.MAX_VALUE`` means never."""
        end = window.max_timestamp
        if not self.is_event_time:
            return end
        cleanup = end + self.allowed_lateness
        return cleanup if cleanup <= MAX else MAX

    def timer_cleanup_time(self, window: Window) -> int:
        """When (ms) the cleanup timer stands: not before 0, as in Flink, so that windows before 1970 may leak.

        Source: ``WindowOperator.cleanupTime`` of the table runtime.
        """
        return max(0, self.cleanup_time(window))

    def is_late(self, window: TimeWindow) -> bool:
        """Whether the window is over by the watermark."""
        return self.is_event_time and self.cleanup_time(window) <= self._timers.current_watermark

    def not_late(self, key: Key, windows: Sequence[TimeWindow]) -> list[TimeWindow]:
        """Those of ``windows`` that are not late; the others are told to the trace."""
        kept = []
        for window in windows:
            if self.is_late(window):
                self.tell_late(key, window)
            else:
                kept.append(window)
        return kept

    def tell_assigned(self, key: Key, windows: Sequence[TimeWindow]) -> None:
        """Tell the trace which windows the row is in."""
        if self.runtime.trace is not None:
            place = "InternalWindowProcessFunction.assign_actual_windows"
            self.runtime.trace.add(WindowsAssigned(place, key, tuple(windows)))

    def tell_late(self, key: Key, window: TimeWindow) -> None:
        """Tell the trace that ``window`` does not take the row."""
        if self.runtime.trace is not None:
            numbers = (
                ("max_timestamp", window.max_timestamp),
                ("allowed_lateness", self.allowed_lateness),
                ("watermark", self._timers.current_watermark),
            )
            rule = Rule("window-late", "max_timestamp + allowed_lateness <= watermark", numbers, True)
            place = "InternalWindowProcessFunction.is_window_late"
            self.runtime.trace.add(WindowSkippedLate(place, key, window, rule))

    def clear_trigger(self, key: Key, window: TimeWindow) -> None:
        """Remove the trigger's state and timers of ``window``."""
        self.context.key, self.context.window = key, window
        self.trigger.clear(self.context)

    def clear_previous(self, key: Key, window: TimeWindow) -> None:
        """Forget what was emitted last."""
        if self.previous.remove((key, window)) is not None and self.runtime.trace is not None:
            self.runtime.trace.add(StateCleared("HeapValueState.clear", PREVIOUS, key, window))


class GeneralFunction(WindowProcessFunction):
    """One accumulator a window."""

    def __init__(self, assigner: TableWindowAssigner, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._assigner = assigner
        self._windows: list[TimeWindow] = []

    def assign_state_namespaces(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """The row's windows that are not late."""
        windows = self._assigner.assign_windows(time)
        self.tell_assigned(key, windows)
        self._windows = self.not_late(key, windows)
        return self._windows

    def assign_actual_windows(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """The same windows."""
        return self._windows

    def prepare(self, key: Key, window: TimeWindow) -> Any:
        """The window's accumulator, an empty one if there is none."""
        accumulator = self.accumulators.get(key, window)
        return self.aggregate.create_accumulator() if accumulator is None else accumulator

    def clean(self, key: Key, window: TimeWindow) -> None:
        """Accumulator, previous result and trigger state."""
        self.accumulators.clear(key, window)
        self.clear_previous(key, window)
        self.clear_trigger(key, window)


class PanedFunction(WindowProcessFunction):
    """One accumulator a pane; a window's is made of its panes when it fires."""

    def __init__(self, assigner: PanedWindowAssigner, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._assigner = assigner
        self._pane_size = assigner.pane_size
        self._held = HeldPanes(self.runtime.state.table(ACCUMULATORS))
        self._windows: Sequence[TimeWindow] = ()

    def assign_state_namespaces(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """The row's pane, unless the last window that needs it is late."""
        pane = self._assigner.assign_pane(time)
        self._windows = self._assigner.assign_windows(time)
        self.tell_assigned(key, self._windows)
        last = self._assigner.last_window(pane)
        if self.is_late(last):
            return []
        self._held.add(key, pane)
        return [pane]

    def assign_actual_windows(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """The row's windows that are not late."""
        return self.not_late(key, self._windows)

    def prepare(self, key: Key, window: TimeWindow) -> Any:
        """All panes that exist, merged in their order."""
        merged = self.aggregate.create_accumulator()
        for pane in self._panes(key, window):
            accumulator = self.accumulators.get(key, pane)
            if accumulator is not None:
                merged = accumulator if merged is None else self.aggregate.merge(merged, accumulator)
        return merged

    def clean(self, key: Key, window: TimeWindow) -> None:
        """The panes that no later window needs, trigger state and previous result."""
        for pane in self._panes(key, window):
            if self._assigner.last_window(pane) == window:
                self.accumulators.clear(key, pane)
                self._held.remove(key, pane)
        self.clear_trigger(key, window)
        self.clear_previous(key, window)

    def _panes(self, key: Key, window: TimeWindow) -> Sequence[TimeWindow]:
        """The panes of ``window`` that hold something, in their order."""
        if window.end > window.start:
            return self._held.within(key, window, self._pane_size)
        panes = self._assigner.split_into_panes(window)
        return [pane for pane in panes if self.accumulators.get(key, pane) is not None]
