"""Triggers of the DataStream API that fire once, by the watermark or by the clock."""

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from tidemark.simulator.engine.triggers.base import (
    CONTINUE,
    FIRE,
    FIRE_AND_PURGE,
    RECORD,
    States,
    Timer,
    Trigger,
    TriggerContext,
    TriggerResult,
    Way,
)
from tidemark.simulator.engine.values.time import Milliseconds, wrap


@dataclass(frozen=True, slots=True)
class EventTimeTrigger(Trigger):
    """Fires at the window's last instant, then for every record that comes later. Source: ``EventTimeTrigger``."""

    type: ClassVar[str] = "event-time"
    needs_window_end: ClassVar[bool] = True
    only_waits_for_end: ClassVar[bool] = True

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Fires at once if the watermark is past the window already, else waits for it."""
        end = context.window.max_timestamp
        due = end <= context.current_watermark
        if context.tracing:
            numbers = (("max_timestamp", end), ("watermark", context.current_watermark))
            context.decided("window-end-reached", "max_timestamp <= watermark", numbers, due)
        if due:
            return FIRE
        context.register_event_time_timer(end)
        return CONTINUE

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Fires for the timer of the window's last instant only."""
        end = context.window.max_timestamp
        if context.tracing:
            numbers = (("timer", timestamp), ("max_timestamp", end))
            context.decided("timer-at-window-end", "timer == max_timestamp", numbers, timestamp == end)
        return FIRE if timestamp == end else CONTINUE

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """The clock does not matter."""
        return CONTINUE

    def on_merge(self, context: TriggerContext) -> None:
        """Waits for the end of the merged window, unless the watermark is past it: then the record fires it."""
        end = context.window.max_timestamp
        if end > context.current_watermark:
            context.register_event_time_timer(end)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the timer."""
        context.delete_event_time_timer(context.window.max_timestamp)

    def fires_by_timer(self, timer: Timer, states: States) -> str | None:
        """The one at the window's last instant."""
        return "end" if timer.is_event_time and timer.is_at_end else None

    def fires_by_record(self, states: States, *, ended: bool) -> Way | None:
        """Any record, once the watermark is past the window."""
        return Way(RECORD, "ended") if ended else None


@dataclass(frozen=True, slots=True)
class ProcessingTimeTrigger(Trigger):
    """Fires for any processing-time timer of the window, its own or another's. Source: ``ProcessingTimeTrigger``."""

    type: ClassVar[str] = "processing-time"
    needs_window_end: ClassVar[bool] = True
    without_rule: ClassVar[str] = "only_the_clock"

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Waits for the clock."""
        context.register_processing_time_timer(context.window.max_timestamp)
        return CONTINUE

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """The watermark does not matter."""
        return CONTINUE

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Fires."""
        return FIRE

    def on_merge(self, context: TriggerContext) -> None:
        """Waits for the end of the merged window, unless that is past."""
        end = context.window.max_timestamp
        if end > context.current_processing_time:
            context.register_processing_time_timer(end)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the timer."""
        context.delete_processing_time_timer(context.window.max_timestamp)

    def fires_by_timer(self, timer: Timer, states: States) -> str | None:
        """Any processing-time timer, not only the one at the window's end."""
        return None if timer.is_event_time else "end"


TIMEOUT: Final = "timeout"
"""The name of the state that holds when the timeout runs out (ms)."""


@dataclass(frozen=True, slots=True)
class ProcessingTimeoutTrigger(Trigger):
    """Fires when ``inner`` does, and ``timeout`` ms after the first record since the last firing.

    ``reset_on_record``: every record starts the timeout again. ``clear_on_timeout``: a timer's firing clears ``inner``.
    Source: ``ProcessingTimeoutTrigger``.
    """

    type: ClassVar[str] = "processing-timeout"
    can_merge: ClassVar[bool] = False
    inner: Trigger
    timeout: Milliseconds
    reset_on_record: bool = False
    clear_on_timeout: bool = True

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """A firing of ``inner`` ends the timeout; any other record starts it unless it is running."""
        result = self.inner.on_element(value, timestamp, context)
        if result.fires:
            self.clear(context)
            return result
        runs_out = context.get_state(TIMEOUT)
        if runs_out is not None and self.reset_on_record:
            context.delete_processing_time_timer(runs_out)
            context.set_state(TIMEOUT, None)
            runs_out = None
        if runs_out is None:
            runs_out = wrap(context.current_processing_time + self.timeout)
            context.set_state(TIMEOUT, runs_out)
            context.register_processing_time_timer(runs_out)
        return result

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Fires for any event-time timer of the window, whatever ``inner`` says."""
        return self._on_timer(self.inner.on_event_time(timestamp, context), context)

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Fires for any processing-time timer of the window, whatever ``inner`` says."""
        return self._on_timer(self.inner.on_processing_time(timestamp, context), context)

    def on_merge(self, context: TriggerContext) -> None:
        """Never called: it cannot merge."""
        raise NotImplementedError("a processing timeout trigger does not merge")

    def clear(self, context: TriggerContext) -> None:
        """Ends the timeout and clears ``inner``."""
        runs_out = context.get_state(TIMEOUT)
        if runs_out is not None:
            context.delete_processing_time_timer(runs_out)
            context.set_state(TIMEOUT, None)
        self.inner.clear(context)

    def nested(self) -> tuple[Trigger, ...]:
        """``inner``."""
        return (self.inner,)

    def fires_by_timer(self, timer: Timer, states: States) -> str | None:
        """Every timer: its own, those for which ``inner`` has a reason, and all others of the window."""
        if not timer.is_event_time and timer.timestamp == states.get(TIMEOUT):
            return "timeout"
        return self.inner.fires_by_timer(timer, states) or "any-timer"

    def fires_by_record(self, states: States, *, ended: bool) -> Way | None:
        """As ``inner``."""
        return self.inner.fires_by_record(states, ended=ended)

    def _on_timer(self, result: TriggerResult, context: TriggerContext) -> TriggerResult:
        if self.clear_on_timeout:
            self.clear(context)
        return FIRE_AND_PURGE if result.purges else FIRE
