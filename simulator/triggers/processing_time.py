"""Fires when the clock passes the end of the window."""

from dataclasses import dataclass
from typing import Any, ClassVar

from tidemark.simulator.triggers.base import CONTINUE, FIRE, Trigger, TriggerContext, TriggerResult
from tidemark.simulator.triggers.ways import States, Timer


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
