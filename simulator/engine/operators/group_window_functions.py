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
from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import Any, ClassVar, Final, cast

from tidemark.simulator.engine.assigners.base import PanedWindowAssigner, TableWindowAssigner
from tidemark.simulator.engine.functions import AggregateFunction
from tidemark.simulator.engine.operators.base import OperatorRuntime
from tidemark.simulator.engine.operators.firing import WindowTriggerContext
from tidemark.simulator.engine.operators.merging_window_operator import MERGING_SET, TableMergingWindowSet
from tidemark.simulator.engine.state import AggregatingState, StateTable
from tidemark.simulator.engine.timers import InternalTimerService
from tidemark.simulator.engine.trace.events import (
    Rule,
    StateCleared,
    WindowCleaned,
    WindowRetired,
    WindowsAssigned,
    WindowSkippedLate,
    WindowsMerged,
    WindowTracked,
)
from tidemark.simulator.engine.triggers.base import TableTrigger
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.items import Key
from tidemark.simulator.engine.values.time import MAX, MIN, wrap
from tidemark.simulator.engine.values.window import TimeWindow, Window
from tidemark.simulator.engine.values.zone import LocalWindow

# Which panes hold something, for each key: a window may have thousands of panes, and few of them have seen a row.
#
# Flink looks up every pane; the rows are the same.


class HeldPanes:
    """An index of ``table``, the state of the panes.

    The owner of the state reports what is added and removed; a restore of the table is noticed here.
    """

    def __init__(self, table: StateTable) -> None:
        self._table = table
        self._restores = table.restores
        self._panes: dict[Key, list[TimeWindow]] = {}

    def add(self, key: Key, pane: TimeWindow) -> None:
        """A row goes into ``pane``, which may hold some already."""
        panes = self._of(key)
        if not panes or panes[-1] < pane:
            panes.append(pane)
        elif panes[-1] != pane and panes[bisect_left(panes, pane)] != pane:
            insort(panes, pane)

    def remove(self, key: Key, pane: TimeWindow) -> None:
        """``pane`` no longer holds anything."""
        panes = self._of(key)
        place = bisect_left(panes, pane)
        if panes[place : place + 1] == [pane]:  # it may be missing: a restore may have been noticed just now
            del panes[place]
        if not panes:
            del self._panes[key]

    def within(self, key: Key, window: TimeWindow, pane_size: int) -> list[TimeWindow]:
        """The panes with contents among those of ``pane_size`` ms into which ``window`` is cut, ascending.

        The window's end must not wrap.
        """
        panes, start = self._of(key), window.start
        first = bisect_left(panes, TimeWindow(start, MIN))
        last = bisect_left(panes, TimeWindow(window.end, MIN))
        # An offset near the limits of 64 bits puts panes beside the windows' grid: Flink does not find those.
        return [pane for pane in panes[first:last] if (pane.start - start) % pane_size == 0]

    def _of(self, key: Key) -> list[TimeWindow]:
        if self._restores != self._table.restores:
            self._restores = self._table.restores
            self._panes = {}
            for each, pane in self._table.entries:
                self._panes.setdefault(each, []).append(cast("TimeWindow", pane))  # maybe of a zone's own class
            for panes in self._panes.values():
                panes.sort()
        return self._panes.setdefault(key, [])


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
        return self.is_event_time and self.cleanup_time(window) <= self._timers.reached

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
                ("watermark", self._timers.reached),
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


class MergingFunction(WindowProcessFunction):
    """One accumulator for each session, kept under its state window.

    A merge hands the *state windows* of the merged sessions to the trigger, not the sessions themselves. So the count
    or the next periodic firing of a session that is only extended is forgotten, as in Flink.

    The previous result, which ``updates`` need, is kept by window. It is not removed when the session is cleaned up and
    does not follow it into a merge; it is removed for state windows whose contents join another's.
    """

    is_merging: ClassVar[bool] = True

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
        super().__init__(
            assigner,
            runtime,
            timers,
            trigger,
            aggregate,
            is_event_time=is_event_time,
            allowed_lateness=allowed_lateness,
        )
        self._table = runtime.state.table(MERGING_SET)

    def assign_state_namespaces(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """Merge the row's window with those that it touches; the state windows of what is not late."""
        merging = TableMergingWindowSet(dict(self._table.get((key, None)) or {}))
        windows = []
        assigned = self._assign(time)
        self.trace_assigned(key, assigned)
        for window in assigned:
            actual = self._add_window(key, window, merging)
            if self.is_late(actual):
                self.trace_late(key, actual)
                self._retire(key, actual, merging)
            else:
                windows.append(actual)
        self._windows = windows
        self._persist(key, merging)
        return [merging.mapping[window] for window in windows]

    def assign_actual_windows(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """The sessions that hold the row now."""
        return self._windows

    def prepare(self, key: Key, window: TimeWindow) -> Any:
        """The session's accumulator, or an empty one.

        Raises ``EngineFailure`` (NullPointerException) where the session is gone, as when the periodic timer of a
        retired session fires. Source: ``MergingWindowProcessFunction.prepareAggregateAccumulatorForEmit``.
        """
        state_window = self._mapping(key).get(window)
        if state_window is None:
            raise EngineFailure("NullPointerException", "Namespace must not be null.")
        accumulator = self.accumulators.get(key, state_window)
        return self.aggregate.create_accumulator() if accumulator is None else accumulator

    def clean(self, key: Key, window: TimeWindow) -> None:
        """Remove trigger state, accumulator and the entry of the merging set, but not the previous result."""
        self.clear_trigger(key, window)
        state_window = self._mapping(key).get(window)
        if state_window is None:
            return
        self.accumulators.clear(key, state_window)
        merging = TableMergingWindowSet(dict(self._mapping(key)))
        self._retire(key, window, merging)
        self._persist(key, merging)

    def _add_window(self, key: Key, window: TimeWindow, merging: TableMergingWindowSet) -> TimeWindow:
        """Add ``window`` to the merging set, moving what is kept for every session that it merges with."""

        def on_merge(
            result: TimeWindow,
            merged: Sequence[TimeWindow],
            state_window: TimeWindow,
            other_state_windows: Sequence[TimeWindow],
        ) -> None:
            self._refuse_past_merge(result)
            if self.runtime.trace is not None:
                place = "MergingWindowSet.add_window"
                states = tuple(other_state_windows)
                self.runtime.trace.add(WindowsMerged(place, key, result, tuple(merged), state_window, states))
            self.context.key, self.context.window, self.context.merged = key, result, other_state_windows
            self.context.current_watermark = self._timers.reached
            # The trigger first: it takes over what the following lines clear.
            self.trigger.on_merge(self.context)
            for each in merged:
                self.clear_trigger(key, each)
                self._delete_cleanup_timer(key, each)
                self.runtime.panes.forget(key, each)
            for each in other_state_windows:
                self.accumulators.merge_namespaces(key, state_window, [each])
                self.clear_previous(key, each)

        tracked_before = window in merging.mapping
        actual = merging.add_window(window, on_merge)
        if self.runtime.trace is not None and not tracked_before and merging.mapping.get(window) == window:
            place = "MergingWindowSet.add_window"
            self.runtime.trace.add(WindowTracked(place, key, window, window))
        return actual

    def _refuse_past_merge(self, result: TimeWindow) -> None:
        """Raise ``EngineFailure`` if the merged session would be over already."""
        if self.is_event_time:
            over = wrap(result.max_timestamp + self.allowed_lateness) <= self._timers.reached
        else:
            over = result.max_timestamp <= self.runtime.clock.now
        if over:
            message = f"The end timestamp of a window cannot become earlier than the current time by merging: {result}"
            raise EngineFailure("UnsupportedOperationException", message)

    def _delete_cleanup_timer(self, key: Key, window: TimeWindow) -> None:
        cleanup = self.timer_cleanup_time(window)
        if cleanup == MAX:
            return
        if self.is_event_time:
            self._timers.delete_event_time_timer(cleanup, key, window)
        else:
            self._timers.delete_processing_time_timer(cleanup, key, window)

    def _retire(self, key: Key, window: TimeWindow, merging: TableMergingWindowSet) -> None:
        del merging.mapping[window]
        if self.runtime.trace is not None:
            self.runtime.trace.add(WindowRetired("MergingWindowSet.retire_window", key, window))

    def _mapping(self, key: Key) -> dict[TimeWindow, TimeWindow]:
        mapping: dict[TimeWindow, TimeWindow] = self._table.get((key, None)) or {}
        return mapping

    def _persist(self, key: Key, merging: TableMergingWindowSet) -> None:
        """Write the mapping back if it has changed."""
        entry = (key, None)
        if not merging.mapping:
            self._table.remove(entry)
        elif merging.mapping != self._table.get(entry):
            self._table.put(entry, merging.mapping)


# The functions of the table window operator for windows in local time, of a session time zone.
#
# A window knows when it is over as an instant, so most of what the plain functions do holds for local windows as
# well. What they read off the bounds of a window, which are local ms, is asked otherwise here.
#
# Source: ``InternalWindowProcessFunction`` and ``WindowOperator`` with their ``shiftTimeZone`` (Flink 2.3.0).


def local_timer_time(window: Window) -> int:
    """The instant of the cleanup timer (epoch ms): the local time 0 is the earliest, not the instant 0.

    There is no allowed lateness in local time (``scenario/format/operators.py``).
    Source: ``WindowOperator.registerCleanupTimer`` of the table runtime.
    """
    local = cast("LocalWindow", window)
    end = max(0, local.end - 1)
    return end if end == MAX else local.zone.timer_time(end)


class LocalGeneralFunction(GeneralFunction):
    """One accumulator for each local window."""

    is_local = True

    def timer_cleanup_time(self, window: Window) -> int:
        """As the zone's clock shows it."""
        return local_timer_time(window)

    def assign_state_namespaces(self, key: Key, time: int) -> Sequence[TimeWindow]:
        """The row's windows that are not late."""
        windows = self._assign(time)
        self.trace_assigned(key, windows)
        self._windows = self.not_late(key, windows)
        return self._windows


class LocalPanedFunction(PanedFunction):
    """One accumulator for each local pane."""

    is_local = True

    def timer_cleanup_time(self, window: Window) -> int:
        """As the zone's clock shows it."""
        return local_timer_time(window)


class LocalMergingFunction(MergingFunction):
    """One accumulator for each session of local time."""

    is_local = True

    def timer_cleanup_time(self, window: Window) -> int:
        """As the zone's clock shows it."""
        return local_timer_time(window)
