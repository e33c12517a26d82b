"""Fires when the watermark passes the end of the window."""

from dataclasses import dataclass
from typing import Any, ClassVar

from tidemark.simulator.triggers.base import CONTINUE, FIRE, Trigger, TriggerContext, TriggerResult
from tidemark.simulator.triggers.ways import RECORD, States, Timer, Way


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
