"""How the table window operator keeps accumulators: one for each window, each pane, or each session.

Theory of operation
-------------------
The operator asks two questions about a row, in this order: where is it accumulated, and which windows is it in? The
first call names the windows, merges sessions and leaves out what is late; the second relies on what the first has
found, so the two belong together for one row.

- ``GeneralFunction``: a window has an accumulator of its own, so both answers are the windows that are not late.
- ``PanedFunction``: overlapping windows are cut into panes of the greatest common divisor of size and slide. A row is
  accumulated in one pane, as long as the *last* window that needs the pane is not late. A firing merges the panes of
  its window. A pane is removed when that last window is cleaned up.
- ``MergingFunction`` (in a file of its own): sessions.

There are two cleanup times. The timer is registered at ``timer_cleanup_time``, which is never below 0; whether a timer
cleans up is decided by ``cleanup_time``, which may be. As in Flink, a window that ends before the epoch and has an
allowed lateness may therefore never be cleaned up.

Source: ``InternalWindowProcessFunction`` and its ``GeneralWindowProcessFunction``, ``PanedWindowProcessFunction``,
``MergingWindowProcessFunction``.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Final

from tidemark.simulator.functions.base import AggregateFunction
from tidemark.simulator.operators.runtime import OperatorRuntime
from tidemark.simulator.operators.table.held_panes import HeldPanes
from tidemark.simulator.operators.trigger_context import WindowTriggerContext
from tidemark.simulator.state.keyed_state import AggregatingState
from tidemark.simulator.table_assigners.base import PanedWindowAssigner, TableWindowAssigner
from tidemark.simulator.table_triggers.base import TableTrigger
from tidemark.simulator.timers.timer_service import InternalTimerService
from tidemark.simulator.trace.events import Rule, StateCleared, WindowCleaned, WindowsAssigned, WindowSkippedLate
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.time import MAX
from tidemark.simulator.values.window import TimeWindow, Window

ACCUMULATORS: Final = "window-aggs"
PREVIOUS: Final = "previous-aggs"


class WindowProcessFunction(ABC):
    """Where rows are accumulated, and what a window is made of. ``allowed_lateness`` in ms.

    Source: ``InternalWindowProcessFunction``.
    """

    is_merging: ClassVar[bool] = False
    """Whether a row may change the windows of those before it."""

    is_local: ClassVar[bool] = False
    """Whether the bounds of windows are in local time, and no instants."""

    def __init__(
        self,
        assigner: TableWindowAssigner,
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
        self.trace = runtime.trace
        self.aggregate = aggregate
        self.accumulators = AggregatingState(runtime.state, ACCUMULATORS, aggregate, runtime.trace)
        self.previous = runtime.state.table(PREVIOUS)
        self.trigger = trigger
        self.context = WindowTriggerContext(runtime, timers, self.timer_cleanup_time)
        self._timers = timers
        self._assign = assigner.assign_windows
        self._windows: Sequence[TimeWindow] = ()
        """What the first question has found for the second."""
        self.none_ended = False
        """Whether it is known by then that none of the row's windows has ended."""

    @abstractmethod
    def assign_state_namespaces(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """Where a row of ``time`` (ms) is accumulated; nowhere if everything that could take it is late."""

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
        """Clean up if ``time`` (ms) is exactly the window's cleanup time; returns whether it was.

        Source: ``InternalWindowProcessFunction.isCleanupTime``.
        """
        cleanup = self.cleanup_time(window)
        if time != cleanup:
            return False
        if self.trace is not None:
            rule = Rule("cleanup-time", "timer == cleanup_time", (("timer", time), ("cleanup_time", cleanup)), True)
            place = f"{type(self).__name__}.clean_window_if_needed"
            self.trace.add(WindowCleaned(place, key, window, rule))
        self.clean(key, window)
        return True

    def cleanup_time(self, window: Window) -> int:
        """When the window is over (ms, inclusive); ``Long.MAX_VALUE`` means never.

        Source: ``InternalWindowProcessFunction.cleanupTime``.
        """
        end = window.max_timestamp
        if not self.is_event_time:
            return end
        cleanup = end + self.allowed_lateness
        return cleanup if cleanup <= MAX else MAX

    def timer_cleanup_time(self, window: Window) -> int:
        """The timestamp of the cleanup timer (ms), never below 0.

        Source: ``WindowOperator.cleanupTime`` of the table runtime.
        """
        return max(0, self.cleanup_time(window))

    def is_late(self, window: TimeWindow) -> bool:
        """Whether the watermark has reached the cleanup time; never in processing time.

        Source: ``InternalWindowProcessFunction.isWindowLate``.
        """
        return self.is_event_time and self.cleanup_time(window) <= self._timers.current_watermark

    def not_late(self, key: Key, windows: Sequence[TimeWindow]) -> list[TimeWindow]:
        """Those of ``windows`` that are not late; the others are traced."""
        kept = []
        for window in windows:
            if self.is_late(window):
                self.trace_late(key, window)
            else:
                kept.append(window)
        return kept

    def trace_assigned(self, key: Key, windows: Sequence[TimeWindow]) -> None:
        """Trace which windows the row is in."""
        if self.trace is not None:
            place = "InternalWindowProcessFunction.assign_actual_windows"
            self.trace.add(WindowsAssigned(place, key, tuple(windows)))

    def trace_late(self, key: Key, window: TimeWindow) -> None:
        """Trace that ``window`` does not take the row."""
        if self.trace is not None:
            numbers = (
                ("max_timestamp", window.max_timestamp),
                ("allowed_lateness", self.allowed_lateness),
                ("watermark", self._timers.current_watermark),
            )
            rule = Rule("window-late", "max_timestamp + allowed_lateness <= watermark", numbers, True)
            place = "InternalWindowProcessFunction.is_window_late"
            self.trace.add(WindowSkippedLate(place, key, window, rule))

    def clear_trigger(self, key: Key, window: TimeWindow) -> None:
        """Remove the trigger's state and timers for ``window``."""
        self.context.key, self.context.window = key, window
        self.trigger.clear(self.context)

    def clear_previous(self, key: Key, window: TimeWindow) -> None:
        """Forget the result that was emitted last."""
        if self.previous.remove((key, window)) is not None and self.trace is not None:
            self.trace.add(StateCleared("HeapValueState.clear", PREVIOUS, key, window))


class GeneralFunction(WindowProcessFunction):
    """One accumulator for each window. Source: ``GeneralWindowProcessFunction``."""

    def assign_state_namespaces(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """The row's windows that are not late."""
        windows = self._assign(time)
        if self.trace is not None:
            self.trace_assigned(key, windows)
        # The usual case first: a window that has not ended is not late.
        self.none_ended = len(windows) == 1 and windows[0][1] - 1 > self._timers.current_watermark
        self._windows = windows if self.none_ended else self.not_late(key, windows)
        return self._windows

    def assign_actual_windows(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """The same windows."""
        return self._windows

    def prepare(self, key: Key, window: TimeWindow) -> Any:
        """The window's accumulator, or an empty one."""
        accumulator = self.accumulators.get(key, window)
        return self.aggregate.create_accumulator() if accumulator is None else accumulator

    def clean(self, key: Key, window: TimeWindow) -> None:
        """Remove accumulator, previous result and trigger state."""
        self.accumulators.clear(key, window)
        self.clear_previous(key, window)
        self.clear_trigger(key, window)


class PanedFunction(WindowProcessFunction):
    """One accumulator for each pane, merged when a window fires. Source: ``PanedWindowProcessFunction``."""

    def __init__(
        self,
        assigner: PanedWindowAssigner,
        runtime: OperatorRuntime,
        timers: InternalTimerService,
        trigger: TableTrigger,
        aggregate: AggregateFunction,
        *,
        is_event_time: bool,
        allowed_lateness: int,
    ) -> None:
        super().__init__(
            assigner,
            runtime,
            timers,
            trigger,
            aggregate,
            is_event_time=is_event_time,
            allowed_lateness=allowed_lateness,
        )
        self._assigner = assigner
        self._pane_size = assigner.pane_size
        self._held = HeldPanes(runtime.state.table(ACCUMULATORS))

    def assign_state_namespaces(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """The row's pane, unless the last window that needs the pane is late."""
        pane = self._assigner.assign_pane(time)
        self._windows = self._assign(time)
        self.trace_assigned(key, self._windows)
        last = self._assigner.last_window(pane)
        if self.is_late(last):
            return []
        self._held.add(key, pane)
        return [pane]

    def assign_actual_windows(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """The row's windows that are not late."""
        return self.not_late(key, self._windows)

    def prepare(self, key: Key, window: TimeWindow) -> Any:
        """The accumulators of the window's panes, merged by ascending start."""
        merged = self.aggregate.create_accumulator()
        for pane in self._panes(key, window):
            accumulator = self.accumulators.get(key, pane)
            if accumulator is not None:
                merged = accumulator if merged is None else self.aggregate.merge(merged, accumulator)
        return merged

    def clean(self, key: Key, window: TimeWindow) -> None:
        """Remove the panes that no later window needs, trigger state and previous result."""
        for pane in self._panes(key, window):
            if self._assigner.last_window(pane) == window:
                self.accumulators.clear(key, pane)
                self._held.remove(key, pane)
        self.clear_trigger(key, window)
        self.clear_previous(key, window)

    def _panes(self, key: Key, window: TimeWindow) -> Sequence[TimeWindow]:
        """The panes of ``window`` that hold something, by ascending start."""
        if window.end > window.start:  # a window that wraps is cut as Flink does it, pane by pane
            return self._held.within(key, window, self._pane_size)
        panes = self._assigner.split_into_panes(window)
        return [pane for pane in panes if self.accumulators.get(key, pane) is not None]
