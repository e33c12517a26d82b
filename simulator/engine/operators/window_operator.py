"""The window operator of the DataStream API.

Rule 1: only this file decides whether a record is late for a window, and what becomes of a late record.
Rule 2: a window emits a result only when its trigger says so.

Theory of operation
-------------------
The operator does something on two occasions only: a record arrives, or one of its own timers fires. A watermark is not
a third occasion. The timer service takes it, fires the timers that are due, and each of those is one call of
``on_timer`` (see ``simulator/engine/timers.py``).

For each record, and for each window that the assigner returns, ``process_element``

1. skips the window if it is late, that is, if its cleanup time has passed;
2. adds the record to the contents of the window;
3. asks the trigger, and carries out its answer: first fire, then purge;
4. registers the cleanup timer.

If every window was skipped, the record itself may be late: then, and only then, it is dropped or sent to the side
output.

For each timer, ``on_timer`` asks the trigger, carries out its answer and then, if the timer stands at exactly the
cleanup time, removes everything that is kept for the window.

Two kinds of timer share one namespace, the window: those of the trigger and the one cleanup timer of the operator.
Timers are a set. A trigger's timer at the cleanup time *is* the cleanup timer, so with an allowed lateness of 0 one
callback both fires and cleans up.

``state_window`` is where the contents of a window are kept. It is the window itself, except in
``MergingWindowOperator``.

Source: ``org.apache.flink...windowing.WindowOperator`` (Flink 2.3.0). The order of the steps is Flink's, and each order
shows in the rows.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tidemark.simulator.engine.assigners.base import WindowAssigner
from tidemark.simulator.engine.operators.base import Operator, OperatorRuntime
from tidemark.simulator.engine.operators.firing import Firing, FiringLimit, WindowTriggerContext
from tidemark.simulator.engine.timers import InternalTimerService
from tidemark.simulator.engine.trace.events import (
    ElementSilentlySkipped,
    Rule,
    TriggerEvaluated,
    WindowCleaned,
    WindowsAssigned,
    WindowSkippedLate,
)
from tidemark.simulator.engine.triggers.base import CONTINUE, Trigger, TriggerResult
from tidemark.simulator.engine.values.items import Key
from tidemark.simulator.engine.values.time import MAX, MIN, wrap
from tidemark.simulator.engine.values.window import GLOBAL_WINDOW, Namespace, Window, cleanup_time

PLACE = "WindowOperator.process_element"


class WindowOperator(Operator):
    """Windows that do not merge.

    ``allowed_lateness`` (ms, >= 0) keeps the state of an event-time window that long after its end. With
    ``side_output`` late records go to the side output instead of being dropped.
    """

    def __init__(
        self,
        runtime: OperatorRuntime,
        assigner: WindowAssigner,
        trigger: Trigger,
        make_firing: Callable[[OperatorRuntime, InternalTimerService], Firing],
        *,
        allowed_lateness: int = 0,
        side_output: bool = False,
    ) -> None:
        super().__init__(runtime)
        self.assigner = assigner
        self.trigger = trigger
        self.firing = make_firing(runtime, self.timers)
        self.allowed_lateness = allowed_lateness
        self.is_event_time = assigner.is_event_time
        self.contents = self.firing.contents
        self._element = self.firing.element
        self._assign = assigner.assign_windows
        self._merges = assigner.is_merging
        self._assign_alone = self._assign if self.trace is None and not self._merges else None
        self._add = self.contents.add
        self._forget = self.firing.forget
        self._clear_function = self.firing.clear_function
        self._trigger_name = name = type(trigger).__name__
        self._place_of = {
            method: f"{name}.{method}" for method in ("on_element", "on_event_time", "on_processing_time")
        }
        self._clear, self._clear_trigger = self.contents.clear, trigger.clear
        self._on_event_time, self._on_processing_time = trigger.on_event_time, trigger.on_processing_time
        self._on_element = trigger.on_element
        self.context = WindowTriggerContext(runtime, self.timers, self.cleanup_time)
        self._side_output = side_output
        self._limit = FiringLimit(runtime.output)
        # A trigger that only waits for the end answers every record but the first of a window alike, and a window has
        # thousands of them: while the window has not ended, what it holds says that the trigger was asked. A traced run
        # asks it all the same, since each answer is a step, and so does one that restores: there a window may hold
        # something, and its timer have fired, under a watermark that has begun again.
        self._waits_for_end = (
            trigger.only_waits_for_end and self.is_event_time and self.trace is None and not runtime.restores
        )
        # A record between the watermark and this time (ms) has windows of which none has ended, nor wrapped.
        self._open_below = MAX - assigner.reach
        # Then the trigger's timer, at the end, is the cleanup timer, too, unless windows are cleaned up later.
        self._trigger_cleans_up = self._waits_for_end and allowed_lateness == 0
        # A window that a merge has made has its trigger's timer from the merge, but no cleanup timer yet.
        self._registers_cleanup = assigner.is_merging and not self._trigger_cleans_up

    def process_element(self, input: str, key: Key, timestamp: int | None, value: Any) -> None:
        """Add the record to each of its windows that is not late. Source: ``WindowOperator.processElement``."""
        # No call that could be spared: this runs for every record of a stream of millions.
        kept = value if self._element is None else self._element(input, timestamp, value)
        if timestamp is None:
            timestamp = MIN  # Flink's "no timestamp"; what is kept of the record above still has none
        windows: Any
        assign = self._assign_alone
        if assign is not None:
            windows = assign(timestamp, value, self.clock.now)
        else:
            windows = self.assign_windows(key, timestamp, value)
        # The watermark is the one before this record: its generator is asked only after the operator is done with it.
        watermark, add, merges = self.timers.current_watermark, self._add, self._merges
        # The usual case first: no window has ended, since each ends behind the record.
        if self._waits_for_end and watermark < timestamp < self._open_below and windows:
            for window in windows:
                state_window = self.state_window_of(window) if merges else window
                if not add(key, state_window, kept):
                    self._ask_on_element(key, window, state_window, timestamp, value)
                elif self._registers_cleanup:
                    self._register_cleanup_timer(key, window)
            return
        is_event_time, skipped = self.is_event_time, True
        for window in windows:
            # Late means that the state of the window is gone. To take the record would begin the window again from
            # nothing, and emit a second result that lacks everything before it.
            if is_event_time and self.cleanup_time(window) <= watermark:
                self.skip_late(key, window)
                continue
            skipped = False
            state_window = self.state_window_of(window) if merges else window
            # First add, then ask: the firing that a record causes contains that record.
            held = add(key, state_window, kept)
            if held and self._waits_for_end and watermark < window.max_timestamp:
                if self._registers_cleanup:
                    self._register_cleanup_timer(key, window)
                continue
            self._ask_on_element(key, window, state_window, timestamp, value)
        if skipped:
            self._late_or_skipped(input, key, timestamp, value)

    def _ask_on_element(self, key: Key, window: Window, state_window: Window, timestamp: int, value: Any) -> None:
        """Ask the trigger about a record that was added, carry out its answer, and register the cleanup timer."""
        context = self.context
        context.key, context.window, context.current_watermark = key, window, self.timers.current_watermark
        result = self._on_element(value, timestamp, context)
        if self.trace is not None:
            self._trace_answer(key, window, "on_element", result)
        if result is not CONTINUE:
            self._act(key, window, state_window, result)
        # After the trigger, as in Flink: timers of one timestamp fire in order of registration, so the trigger's
        # comes first. It is registered for every record, also after a purge and also for a late firing: the window
        # may hold trigger state even when it holds no records.
        if window is not GLOBAL_WINDOW and not self._trigger_cleans_up:  # the global one is never cleaned up
            self._register_cleanup_timer(key, window)

    def _register_cleanup_timer(self, key: Key, window: Window) -> None:
        cleanup = self.cleanup_time(window)
        if cleanup == MAX:
            return  # never: the time leaves 64 bits
        if self.is_event_time:
            self.timers.register_event_time_timer(cleanup, key, window, "cleanup")
        else:
            self.timers.register_processing_time_timer(cleanup, key, window, "cleanup")

    def assign_windows(self, key: Key, timestamp: int, value: Any) -> Sequence[Window]:
        """The record's windows, in the assigner's order. Where none merge, an untraced run asks the assigner itself."""
        windows = self._assign(timestamp, value, self.clock.now)
        self.trace_assigned(key, windows)
        return windows

    def trace_assigned(self, key: Key, windows: Sequence[Window]) -> None:
        """Trace what the assigner has returned."""
        assert self.trace is not None
        self.trace.add(WindowsAssigned(PLACE, key, tuple(windows)))

    def state_window_of(self, window: Window) -> Window:
        """Where the contents of ``window``, which holds the record, are kept; called only where windows merge."""
        raise NotImplementedError

    def state_window_in_flight(self, key: Key, window: Window) -> Window | None:
        """Where the contents of ``window`` are kept, None if it was merged away; called only where windows merge."""
        raise NotImplementedError

    def on_event_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A timer of a window fires. Source: ``WindowOperator.onEventTime``."""
        self.on_timer(timestamp, key, namespace, True)

    def on_processing_time(self, timestamp: int, key: Key, namespace: Namespace) -> None:
        """A timer of a window fires. Source: ``WindowOperator.onProcessingTime``."""
        self.on_timer(timestamp, key, namespace, False)

    def on_timer(self, timestamp: int, key: Key, namespace: Any, is_event_time: bool) -> None:
        """Ask the trigger, carry out its answer, then clean up if the timer stands at exactly the cleanup time.

        Source: ``WindowOperator.onEventTime`` and ``onProcessingTime``.
        """
        window = namespace
        state_window = self.state_window_in_flight(key, window) if self._merges else window
        if state_window is None:
            return
        context = self.context
        context.key, context.window = key, window
        # The new watermark, not the timer's timestamp: it was set before the first timer fired.
        context.current_watermark = self.timers.current_watermark
        # Every timer reaches the trigger, the pure cleanup timer as well: nothing tells them apart. A trigger that
        # answers without looking at the timestamp may therefore fire once more at the cleanup time.
        ask = self._on_event_time if is_event_time else self._on_processing_time
        result = ask(timestamp, context)
        if self.trace is not None:
            self._trace_answer(key, window, "on_event_time" if is_event_time else "on_processing_time", result)
        if result is not CONTINUE:
            if result.fires:
                self._limit.fired(key, window, timestamp)
            self._act(key, window, state_window, result)
        # Cleanup comes last: a window fires for the last time with its contents still there. Only a timer of the
        # assigner's own kind of time cleans up; a trigger may have set one of the other kind at the same number.
        if is_event_time != self.is_event_time:
            return
        cleanup = self.cleanup_time(window)
        if timestamp == cleanup:  # exactly, as in Flink; a trigger's timer at Long.MAX_VALUE may match "never" too
            if self.trace is not None:
                numbers = (("timer", timestamp), ("cleanup_time", cleanup))
                rule = Rule("cleanup-time", "timer == cleanup_time", numbers, True)
                self.trace.add(WindowCleaned("WindowOperator.clear_all_state", key, window, rule))
            self.clear_all_state(key, window, state_window)

    def clear_all_state(self, key: Key, window: Window, state_window: Window) -> None:
        """Remove contents and trigger state. Source: ``WindowOperator.clearAllState``.

        The context must stand at ``key`` and ``window``.
        """
        self._clear(key, state_window)
        self._clear_trigger(self.context)
        self._clear_function(key, window)
        self._forget(key, window)

    def cleanup_time(self, window: Window) -> int:
        """When the state of ``window`` is removed (ms, inclusive: at this watermark or clock).

        ``Long.MAX_VALUE`` means never, also where the sum would leave 64 bits. Processing time knows no lateness.
        Source: ``WindowOperator.cleanupTime``.
        """
        end, lateness = window.max_timestamp, self.allowed_lateness
        return cleanup_time(end, lateness) if lateness and self.is_event_time else end

    def delete_cleanup_timer(self, key: Key, window: Window) -> None:
        """Delete the timer that would clean up ``window``. Source: ``WindowOperator.deleteCleanupTimer``."""
        cleanup = self.cleanup_time(window)
        if cleanup == MAX:
            return
        if self.is_event_time:
            self.timers.delete_event_time_timer(cleanup, key, window)
        else:
            self.timers.delete_processing_time_timer(cleanup, key, window)

    def _act(self, key: Key, window: Window, state_window: Window, result: TriggerResult) -> None:
        """Carry out the trigger's answer. A purge clears the contents only: trigger state and timers stay."""
        if result.fires:
            contents = self.contents.get(key, state_window)
            if contents is not None:  # a window that was purged fires nothing until the next record
                self.firing.fire(key, window, state_window, contents)
        if result.purges:
            self.contents.clear(key, state_window)

    def _late_or_skipped(self, input: str, key: Key, timestamp: int, value: Any) -> None:
        """No window took the record: it is late, or it vanishes without a row.

        A window is late by its end, a record by its timestamp. A record in the gap between sliding windows has no
        window, and yet need not be late. Source: ``WindowOperator.isElementLate``.
        """
        watermark = self.timers.current_watermark
        # The sum wraps, as Java's does: a timestamp near Long.MAX_VALUE becomes late.
        late = self.is_event_time and wrap(timestamp + self.allowed_lateness) <= watermark
        rule = None
        if self.trace is not None:
            numbers = (("timestamp", timestamp), ("allowed_lateness", self.allowed_lateness), ("watermark", watermark))
            rule = Rule("element-late", "timestamp + allowed_lateness <= watermark", numbers, late)
            if not self.is_event_time:
                rule = Rule("element-late", "is_event_time", (), False)
        if not late:
            self.output.skipped += 1
            if self.trace is not None and rule is not None:
                self.trace.add(ElementSilentlySkipped(PLACE, key, timestamp, value, rule))
        elif self._side_output:
            self.side_output_late(input, key, timestamp, value, rule)
        else:
            self.drop_late(input, key, timestamp, value, rule)

    def skip_late(self, key: Key, window: Window) -> None:
        """``window`` does not take the record, since its cleanup time has passed.

        Source: ``WindowOperator.isWindowLate``.
        """
        if self.trace is not None:
            numbers = (
                ("max_timestamp", window.max_timestamp),
                ("allowed_lateness", self.allowed_lateness),
                ("watermark", self.timers.current_watermark),
            )
            rule = Rule("window-late", "max_timestamp + allowed_lateness <= watermark", numbers, True)
            self.trace.add(WindowSkippedLate("WindowOperator.is_window_late", key, window, rule))

    def _trace_answer(self, key: Key, window: Window, method: str, result: TriggerResult) -> None:
        """Trace what the trigger answered, with the rule that it left in the context; the next answer has its own."""
        assert self.trace is not None
        context, name = self.context, self._trigger_name
        rule, context.rule = context.rule, None
        event = TriggerEvaluated(self._place_of[method], key, window, name, method, result.answer, rule)
        self.trace.add(event)
