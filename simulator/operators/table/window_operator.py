"""The window operator of the table runtime (Flink SQL's group windows).

Its triggers answer yes or no, nothing is ever purged, and with ``updates`` it takes back what it has said before.
Source: ``org.apache.flink.table.runtime.operators.window...WindowOperator`` and ``AggregateWindowOperator``.
"""

from collections.abc import Callable
from typing import Any

from simulator.operators.base import Operator
from simulator.operators.firing_limit import FiringLimit
from simulator.operators.runtime import OperatorRuntime
from simulator.operators.table.window_function import PREVIOUS, WindowProcessFunction
from simulator.table_triggers.base import TableTrigger
from simulator.timers.timer_service import InternalTimerService
from simulator.trace.events import PaneFired, Rule, StateUpdated, TriggerEvaluated
from simulator.values.key import Key
from simulator.values.time import MAX, MIN
from simulator.values.window import Namespace, TimeWindow


class TableWindowOperator(Operator):
    """``updates``: emit ``+I``, then ``-U`` and ``+U`` for every changed result."""

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

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Accumulate the row where it belongs, then ask the trigger for each of its windows."""
        if timestamp is None:
            timestamp = MIN
        function = self.function
        time = timestamp if self.is_event_time else self.clock.now
        namespaces = function.assign_state_namespaces(key, time)
        for namespace in namespaces:
            function.accumulators.add(key, namespace, value)
        windows = function.assign_actual_windows(key, time)
        context = function.context
        context.current_watermark = self.timers.current_watermark
        for window in windows:
            context.key, context.window = key, window
            fires = self.trigger.on_element(context)
            if self.trace is not None:
                self._tell_trigger(key, window, "on_element", fires)
            if fires:
                self._emit_window_result(key, window)
            self._register_cleanup_timer(key, window)
        if not namespaces and not windows:
            self.drop_late(input, key, timestamp, value, self._late_rule(time))

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A timer of a window fires."""
        self._on_timer(timestamp, key, namespace, is_event_time=True)

    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A timer of a window fires."""
        self._on_timer(timestamp, key, namespace, is_event_time=False)

    def _on_timer(self, timestamp: int, key: Key, namespace: Namespace, *, is_event_time: bool) -> None:
        assert isinstance(namespace, TimeWindow)
        context = self.function.context
        context.key, context.window = key, namespace
        context.current_watermark = self.timers.current_watermark
        ask = self.trigger.on_event_time if is_event_time else self.trigger.on_processing_time
        fires = ask(timestamp, context)
        if self.trace is not None:
            self._tell_trigger(key, namespace, "on_event_time" if is_event_time else "on_processing_time", fires)
        if fires:
            self._limit.fired(key, namespace)
            self._emit_window_result(key, namespace)
        if is_event_time == self.is_event_time and self.function.clean_if_needed(key, namespace, timestamp):
            self.panes.forget(key, namespace)

    def _register_cleanup_timer(self, key: Key, window: TimeWindow) -> None:
        cleanup = self.function.timer_cleanup_time(window)
        if cleanup == MAX:
            return
        if self.is_event_time:
            self.timers.register_event_time_timer(cleanup, key, window, "cleanup")
        else:
            self.timers.register_processing_time_timer(cleanup, key, window, "cleanup")

    def _emit_window_result(self, key: Key, window: TimeWindow) -> None:
        """Source: ``AggregateWindowOperator.emitWindowResult``."""
        value = self.function.aggregate.result(self.function.prepare(key, window))
        if not self.updates:
            self._emit(key, window, [(None, value)])
            return
        entry = (key, window)
        previous = self.function.previous.get(entry)
        if previous is not None and previous[0] == value:
            return
        self.function.previous.put(entry, (value,))
        if self.trace is not None:
            self.trace.add(StateUpdated("HeapValueState.update", PREVIOUS, key, window, (value,)))
        if previous is None:
            self._emit(key, window, [("+I", value)])
        else:
            self._emit(key, window, [("-U", previous[0]), ("+U", value)])

    def _emit(self, key: Key, window: TimeWindow, changes: list[tuple[str | None, Any]]) -> None:
        """Emit the rows of one firing; they share their number."""
        watermark = self.timers.current_watermark
        number, timing = self.panes.next(key, window, watermark if self.is_event_time else self.clock.now)
        for change, value in changes:
            if self.trace is not None:
                place, timestamp = "AggregateWindowOperator.emit_window_result", window.max_timestamp
                self.trace.add(PaneFired(place, key, window, timing, number, value, timestamp, change))
            self.output.emit_pane(key, window, timing, number, value, watermark, change)

    def _late_rule(self, time: int) -> Rule | None:
        if self.trace is None:
            return None
        numbers = (("timestamp", time), ("watermark", self.timers.current_watermark))
        return Rule("all-windows-late", "no window of timestamp is open at watermark", numbers, True)

    def _tell_trigger(self, key: Key, window: TimeWindow, method: str, fires: bool) -> None:
        assert self.trace is not None
        context, name = self.function.context, type(self.trigger).__name__
        rule, context.rule = context.rule, None
        result = "FIRE" if fires else "CONTINUE"
        self.trace.add(TriggerEvaluated(f"{name}.{method}", key, window, name, method, result, rule))
