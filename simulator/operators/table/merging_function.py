"""Sessions in the table window operator. Source: ``MergingWindowProcessFunction``."""

from collections.abc import Sequence
from typing import Any, ClassVar

from tidemark.simulator.functions.base import AggregateFunction
from tidemark.simulator.operators.merging_window_operator import MERGING_SET
from tidemark.simulator.operators.runtime import OperatorRuntime
from tidemark.simulator.operators.table.merging_window_set import TableMergingWindowSet
from tidemark.simulator.operators.table.window_function import WindowProcessFunction
from tidemark.simulator.table_assigners.base import TableWindowAssigner
from tidemark.simulator.table_triggers.base import TableTrigger
from tidemark.simulator.timers.timer_service import InternalTimerService
from tidemark.simulator.trace.events import WindowRetired, WindowsMerged, WindowTracked
from tidemark.simulator.values.errors import EngineFailure
from tidemark.simulator.values.key import Key
from tidemark.simulator.values.time import MAX, wrap
from tidemark.simulator.values.window import TimeWindow


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
            self.context.current_watermark = self._timers.current_watermark
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
            over = wrap(result.max_timestamp + self.allowed_lateness) <= self._timers.current_watermark
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
