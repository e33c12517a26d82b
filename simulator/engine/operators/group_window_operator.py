"""The window operator of the table runtime (Flink SQL's group windows).

Theory of operation
-------------------
The occasions are those of the DataStream operator, a row and a timer, but the work is divided differently:

- Where a row is accumulated (its *state namespaces*) and which windows it is in (its *actual windows*) are two
  questions, answered by a ``WindowProcessFunction``. A sliding window shares panes with its neighbours, so a row is
  accumulated once and is in many windows.
- A trigger answers yes or no. Nothing is ever purged: results accumulate until the window is cleaned up.
- A row is dropped if neither question has an answer. There is no side output, and the row's own timestamp is not
  consulted.
- With ``updates`` a result that has changed is retracted (``-U``) before the new one is emitted (``+U``), and an
  unchanged one is not emitted at all.

For a row: accumulate, then for each actual window ask the trigger, perhaps emit, and register the cleanup timer. For a
timer: ask the trigger, perhaps emit, then clean up if the timer stands at exactly the cleanup time.

Source: ``org.apache.flink.table.runtime.operators.window...WindowOperator`` and ``AggregateWindowOperator``.
"""

from collections.abc import Callable
from typing import Any, cast

from tidemark.simulator.engine.operators.base import Operator, OperatorRuntime
from tidemark.simulator.engine.operators.firing import FiringLimit
from tidemark.simulator.engine.operators.group_window_functions import PREVIOUS, WindowProcessFunction
from tidemark.simulator.engine.timers import InternalTimerService
from tidemark.simulator.engine.trace.events import PaneFired, Rule, StateUpdated, TriggerEvaluated
from tidemark.simulator.engine.triggers.base import TableTrigger
from tidemark.simulator.engine.values.items import Key
from tidemark.simulator.engine.values.rows import Change
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.window import Namespace, TimeWindow


class TableWindowOperator(Operator):
    """Group windows. With ``updates`` a window emits ``+I`` first, then ``-U`` and ``+U`` for every changed result."""

    def __init__(
        self,
        runtime: OperatorRuntime,
        trigger: TableTrigger,
        make_function: Callable[[OperatorRuntime, InternalTimerService], WindowProcessFunction],
        *,
        updates: bool,
    ) -> None:
        super().__init__(runtime)
        self.trigger = trigger
        self.function = make_function(runtime, self.timers)
        self.panes = runtime.panes
        self.updates = updates
        self.is_event_time = self.function.is_event_time
        self._limit = FiringLimit(runtime.output)
        self._assign_state_namespaces = self.function.assign_state_namespaces
        self._assign_actual_windows = self.function.assign_actual_windows
        self._add = self.function.accumulators.add
        # While a window has not ended, what it holds (or its pane) says that such a trigger was asked. A traced run
        # asks again, since each answer is a step, and so does one that restores: its watermark begins again.
        self._waits_for_end = (
            trigger.only_waits_for_end
            and self.is_event_time
            and not self.function.is_merging
            and not self.function.is_local
            and self.trace is None
            and not runtime.restores
        )

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Accumulate the row where it belongs, then ask the trigger for each of its windows.

        Source: ``WindowOperator.processElement`` of the table runtime.
        """
        if timestamp is None:
            timestamp = MIN
        time = timestamp if self.is_event_time else self.clock.now
        # State namespaces come first, also for sessions: the merge has to happen before there is a place for the row.
        held, namespaces = False, self._assign_state_namespaces(key, time)
        for namespace in namespaces:
            held = self._add(key, namespace, value)
        asks_once = held and self._waits_for_end
        if asks_once and self.function.none_ended:
            return  # the trigger would not emit, and both timers were registered along with the first row
        # The row is in state now, so whatever fires below contains it.
        windows, watermark = self._assign_actual_windows(key, time), self.timers.reached
        for window in windows:
            if asks_once and window.end - 1 > watermark:
                continue  # as above
            context = self.function.context
            context.key, context.window, context.current_watermark = key, window, watermark
            fires = self.trigger.on_element(context)
            if self.trace is not None:
                self._trace_answer(key, window, "on_element", fires)
            if fires:
                self._emit_window_result(key, window)
            # After the trigger, so that its own timer at the same timestamp fires first.
            self._register_cleanup_timer(key, window)
        # A row in the gap between sliding windows has a pane but no window: it is not dropped, and never emitted.
        if not namespaces and not windows:
            self.drop_late(input, key, timestamp, value, self._late_rule(time))

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A timer of a window fires. Source: ``WindowOperator.onEventTime``."""
        self._on_timer(timestamp, key, namespace, is_event_time=True)

    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A timer of a window fires. Source: ``WindowOperator.onProcessingTime``."""
        self._on_timer(timestamp, key, namespace, is_event_time=False)

    def _on_timer(self, timestamp: int, key: Key, namespace: Namespace, *, is_event_time: bool) -> None:
        window = cast("TimeWindow", namespace)  # no isinstance: compiled, it misses a zone's own class
        context = self.function.context
        context.key, context.window = key, window
        context.current_watermark = self.timers.current_watermark
        ask = self.trigger.on_event_time if is_event_time else self.trigger.on_processing_time
        fires = ask(timestamp, context)
        if self.trace is not None:
            self._trace_answer(key, window, "on_event_time" if is_event_time else "on_processing_time", fires)
        if fires:
            self._limit.fired(key, window, timestamp)
            self._emit_window_result(key, window)
        # Emit, then clean up: the last result needs the state. Only the assigner's own kind of time cleans up.
        if is_event_time == self.is_event_time and self.function.clean_if_needed(key, window, timestamp):
            self.panes.forget(key, window)

    def _register_cleanup_timer(self, key: Key, window: TimeWindow) -> None:
        cleanup = self.function.timer_cleanup_time(window)
        if cleanup == MAX:
            return
        if self.is_event_time:
            self.timers.register_event_time_timer(cleanup, key, window, "cleanup")
        else:
            self.timers.register_processing_time_timer(cleanup, key, window, "cleanup")

    def _emit_window_result(self, key: Key, window: TimeWindow) -> None:
        """Emit the window's result, or the change to it. Source: ``AggregateWindowOperator.emitWindowResult``."""
        value = self.function.aggregate.result(self.function.prepare(key, window))
        if not self.updates:
            self._emit(key, window, [(None, value)])
            return
        entry = (key, window)
        previous = self.function.previous.get(entry)
        if previous is not None and previous[0] == value:
            return  # a firing without a row has no pane number either
        self.function.previous.put(entry, (value,))
        if self.trace is not None:
            self.trace.add(StateUpdated("HeapValueState.update", PREVIOUS, key, window, (value,)))
        if previous is None:
            self._emit(key, window, [("+I", value)])
        else:
            self._emit(key, window, [("-U", previous[0]), ("+U", value)])

    def _emit(self, key: Key, window: TimeWindow, changes: list[tuple[Change | None, Any]]) -> None:
        """Emit the rows of one firing; they share one pane number."""
        watermark = self.timers.current_watermark
        number, timing = self.panes.next(key, window, watermark if self.is_event_time else self.clock.now)
        for change, value in changes:
            if self.trace is not None:
                place, timestamp = "AggregateWindowOperator.emit_window_result", window.row_timestamp
                self.trace.add(PaneFired(place, key, window, timing, number, value, timestamp, change))
            self.output.emit_pane(key, window, timing, number, value, watermark, change)

    def _late_rule(self, time: int) -> Rule | None:
        if self.trace is None:
            return None
        numbers = (("timestamp", time), ("watermark", self.timers.current_watermark))
        return Rule("all-windows-late", "no window of timestamp is open at watermark", numbers, True)

    def _trace_answer(self, key: Key, window: TimeWindow, method: str, fires: bool) -> None:
        assert self.trace is not None
        context, name = self.function.context, type(self.trigger).__name__
        rule, context.rule = context.rule, None
        result = "FIRE" if fires else "CONTINUE"
        self.trace.add(TriggerEvaluated(f"{name}.{method}", key, window, name, method, result, rule))
