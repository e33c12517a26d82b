"""Fire again and again, at every multiple of an interval, until the window ends.

Intervals are counted from the epoch, not from the window. The next firing is never later than the window's last
instant (FLINK-20443).
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from tidemark.simulator.engine.triggers.base import (
    CONTINUE,
    FIRE,
    RECORD,
    States,
    Timer,
    Trigger,
    TriggerContext,
    TriggerResult,
    Way,
)
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.time import Milliseconds, remainder, wrap

FIRE_TIME: Final = "fire-time"
"""The name of the state that holds when the window fires next (ms)."""


@dataclass(frozen=True, slots=True)
class ContinuousEventTimeTrigger(Trigger):
    """Fires by the watermark every ``interval`` ms, and at the window's end. Source: ``ContinuousEventTimeTrigger``."""

    type: ClassVar[str] = "continuous-event-time"
    fires_up_to_window_end: ClassVar[bool] = True
    interval: Milliseconds

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Fires at once if the watermark is past the window; otherwise waits for its end and the next interval."""
        end = context.window.max_timestamp
        due = end <= context.current_watermark
        if context.tracing:
            numbers = (("max_timestamp", end), ("watermark", context.current_watermark))
            context.decided("window-end-reached", "max_timestamp <= watermark", numbers, due)
        if due:
            return FIRE
        context.register_event_time_timer(end)
        if context.get_state(FIRE_TIME) is None:
            _wait(context, wrap(timestamp - remainder(timestamp, self.interval)), self.interval, is_event_time=True)
        return CONTINUE

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Fires at the window's end, and at the time that it has set itself; then it sets the next one."""
        return _on_timer(timestamp, context, self.interval, is_event_time=True)

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """The clock does not matter."""
        return CONTINUE

    def on_merge(self, context: TriggerContext) -> None:
        """Continues at the earliest time that one of the merged windows had set."""
        fire_time = context.merge_state(FIRE_TIME, min)
        if fire_time is not None:
            context.register_event_time_timer(fire_time)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the next interval's timer; the one at the window's end stays, as in Flink."""
        fire_time = context.get_state(FIRE_TIME)
        if fire_time is not None:
            context.delete_event_time_timer(fire_time)
            context.set_state(FIRE_TIME, None)

    def fires_by_timer(self, timer: Timer, states: States) -> str | None:
        """Those at the window's end and at the time that it has set itself."""
        return _reason(timer, states) if timer.is_event_time else None

    def fires_by_record(self, states: States, *, ended: bool) -> Way | None:
        """Any record, once the watermark is past the window."""
        return Way(RECORD, "ended") if ended else None


@dataclass(frozen=True, slots=True)
class ContinuousProcessingTimeTrigger(Trigger):
    """Fires by the clock every ``interval`` ms. Source: ``ContinuousProcessingTimeTrigger`` of Flink 2.3."""

    type: ClassVar[str] = "continuous-processing-time"
    without_rule: ClassVar[str] = "only_the_clock"
    interval: Milliseconds

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Waits for the next interval; never fires at once."""
        if context.get_state(FIRE_TIME) is None:
            now = context.current_processing_time
            _wait(context, wrap(now - remainder(now, self.interval)), self.interval, is_event_time=False)
        return CONTINUE

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """The watermark does not matter."""
        return CONTINUE

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Fires at the window's last instant, and at the time that it has set itself; then it sets the next one."""
        if timestamp != context.window.max_timestamp and context.get_state(FIRE_TIME) is None:
            raise EngineFailure("NullPointerException", "the continuous trigger has no fire time")
        return _on_timer(timestamp, context, self.interval, is_event_time=False)

    def on_merge(self, context: TriggerContext) -> None:
        """Continues at the earliest time that one of the merged windows had set."""
        fire_time = context.merge_state(FIRE_TIME, min)
        if fire_time is not None:
            context.register_processing_time_timer(fire_time)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the next interval's timer."""
        fire_time = context.get_state(FIRE_TIME)
        if fire_time is not None:
            context.delete_processing_time_timer(fire_time)
            context.set_state(FIRE_TIME, None)

    def fires_by_timer(self, timer: Timer, states: States) -> str | None:
        """Those at the window's end and at the time that it has set itself."""
        return None if timer.is_event_time else _reason(timer, states)

    def sets_timer_again(self, states: States) -> bool:
        """Only while it has set none: a fire time that has passed stays, and no other is set."""
        return states.get(FIRE_TIME) is None


def _reason(timer: Timer, states: States) -> str | None:
    """Why a timer of the trigger's own time fires it."""
    if timer.is_at_end:
        return "end"
    return "interval" if timer.timestamp == states.get(FIRE_TIME) else None


def _on_timer(timestamp: int, context: TriggerContext, interval: int, *, is_event_time: bool) -> TriggerResult:
    """Fire at the window's last instant, and at the time that was set: then set the next."""
    end = context.window.max_timestamp
    fire_time = context.get_state(FIRE_TIME)
    fires = timestamp in (end, fire_time)
    if context.tracing:
        _decided(context, timestamp, end, fire_time, fires)
    if not fires:
        return CONTINUE
    if timestamp != end:
        context.set_state(FIRE_TIME, None)
        _wait(context, timestamp, interval, is_event_time=is_event_time)
    return FIRE


def _wait(context: TriggerContext, since: int, interval: int, *, is_event_time: bool) -> None:
    """Fire next one ``interval`` after ``since`` (ms), at the latest at the window's end."""
    fire_time = min(wrap(since + interval), context.window.max_timestamp)
    context.set_state(FIRE_TIME, fire_time)
    if is_event_time:
        context.register_event_time_timer(fire_time)
    else:
        context.register_processing_time_timer(fire_time)


def _decided(context: TriggerContext, timestamp: int, end: int, fire_time: int | None, fires: bool) -> None:
    numbers = [("timer", timestamp), ("max_timestamp", end)]
    if fire_time is None:
        context.decided("timer-at-window-end", "timer == max_timestamp", numbers, fires)
    else:
        formula = "timer == max_timestamp or timer == fire_time"
        context.decided("timer-at-interval", formula, [*numbers, ("fire_time", fire_time)], fires)
