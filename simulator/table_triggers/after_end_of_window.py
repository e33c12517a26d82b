"""Emits at the end of the window, and optionally early, before it, or late, after it."""

from dataclasses import dataclass
from typing import Final

from simulator.table_triggers.base import TableTrigger
from simulator.triggers.base import TriggerContext

HAS_FIRED: Final = "eventTime-afterEOW"
"""The name of the state that records that the end of the window has fired."""


@dataclass(frozen=True, slots=True)
class EventTimeAfterEndOfWindow(TableTrigger):
    """By the watermark. ``early`` decides before the end, ``late`` after it; without ``late`` every late row emits.

    Source: ``EventTimeTriggers.AfterEndOfWindow``, ``AfterEndOfWindowNoLate``, ``AfterEndOfWindowEarlyAndLate``.
    """

    early: TableTrigger | None = None
    late: TableTrigger | None = None

    def on_element(self, context: TriggerContext) -> bool:
        """Past the end the row emits, unless ``late`` decides; before the end ``early`` decides."""
        if self.late is not None and context.get_state(HAS_FIRED):
            return self.late.on_element(context)
        end = context.window.max_timestamp
        due = end <= context.current_watermark
        if context.tracing:
            numbers = (("max_timestamp", end), ("watermark", context.current_watermark))
            context.decided("window-end-reached", "max_timestamp <= watermark", numbers, due)
        if due:
            return True
        context.register_event_time_timer(end)
        return self.early is not None and self.early.on_element(context)

    def on_event_time(self, timestamp: int, context: TriggerContext) -> bool:
        """Emits at the window's end; from then on ``late`` decides."""
        if self.late is not None and context.get_state(HAS_FIRED):
            return self.late.on_event_time(timestamp, context)
        end = context.window.max_timestamp
        if context.tracing:
            numbers = (("timer", timestamp), ("max_timestamp", end))
            context.decided("timer-at-window-end", "timer == max_timestamp", numbers, timestamp == end)
        if timestamp != end:
            return self.early is not None and self.early.on_event_time(timestamp, context)
        if self.late is not None:
            context.set_state(HAS_FIRED, True)
        return True

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> bool:
        """As ``early`` decides, or, once the end has fired, ``late``."""
        if self.late is not None and context.get_state(HAS_FIRED):
            return self.late.on_processing_time(timestamp, context)
        return self.early is not None and self.early.on_processing_time(timestamp, context)

    def on_merge(self, context: TriggerContext) -> None:
        """Waits for the new end, even if the watermark has passed it: then it fires once more at the next watermark."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.on_merge(context)
        if self.late is not None:
            context.set_state(HAS_FIRED, None)
        context.register_event_time_timer(context.window.max_timestamp)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the timers and the state."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.clear(context)
        context.delete_event_time_timer(context.window.max_timestamp)
        if self.late is not None:
            context.set_state(HAS_FIRED, None)


@dataclass(frozen=True, slots=True)
class ProcessingTimeAfterEndOfWindow(TableTrigger):
    """By the clock. Source: ``ProcessingTimeTriggers.AfterEndOfWindow`` and ``AfterEndOfWindowNoLate``."""

    early: TableTrigger | None = None

    def on_element(self, context: TriggerContext) -> bool:
        """Waits for the end; ``early`` may emit before it."""
        context.register_processing_time_timer(context.window.max_timestamp)
        return self.early is not None and self.early.on_element(context)

    def on_event_time(self, timestamp: int, context: TriggerContext) -> bool:
        """As ``early`` decides."""
        return self.early is not None and self.early.on_event_time(timestamp, context)

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> bool:
        """Emits at the window's end."""
        if timestamp == context.window.max_timestamp:
            return True
        return self.early is not None and self.early.on_processing_time(timestamp, context)

    def on_merge(self, context: TriggerContext) -> None:
        """Waits for the new end."""
        if self.early is not None:
            self.early.on_merge(context)
        context.register_processing_time_timer(context.window.max_timestamp)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the timers."""
        if self.early is not None:
            self.early.clear(context)
        context.delete_processing_time_timer(context.window.max_timestamp)
