"""Triggers of the table runtime: by the end of the window, early and late, by rows, by the clock."""

import operator
from dataclasses import dataclass
from typing import ClassVar, Final

from tidemark.simulator.engine.triggers.base import (
    RECORD,
    ConfiguredTrigger,
    PeriodicTrigger,
    States,
    TableTrigger,
    Timer,
    TriggerContext,
    Way,
    count_way,
)
from tidemark.simulator.engine.values.time import Milliseconds, wrap


@dataclass(frozen=True, slots=True)
class EveryElement(PeriodicTrigger):
    """Emits at every row. Source: ``ElementTriggers.EveryElement``."""

    type: ClassVar[str] = "every-element"
    flink: ClassVar[str] = "ElementTriggers.EveryElement"

    def on_element(self, context: TriggerContext) -> bool:
        """Always."""
        return True

    def on_merge(self, context: TriggerContext) -> None:
        """Nothing is kept."""

    def clear(self, context: TriggerContext) -> None:
        """Nothing is kept."""

    def fires_by_record(self, states: States, *, ended: bool) -> Way:
        """Any record."""
        return Way(RECORD, "every")


@dataclass(frozen=True, slots=True)
class CountElement(PeriodicTrigger):
    """Emits at every ``max``-th row. Source: ``ElementTriggers.CountElement``."""

    type: ClassVar[str] = "count"
    flink: ClassVar[str] = "ElementTriggers.CountElement"
    max: int

    @property
    def state(self) -> str:
        """The name of its state; two counts of the same number share it."""
        return f"trigger-count-{self.max}"

    def on_element(self, context: TriggerContext) -> bool:
        """Counts, and begins again when it emits."""
        count = (context.get_state(self.state) or 0) + 1
        full = count >= self.max
        if context.tracing:
            context.decided("count-reached", "count >= max", (("count", count), ("max", self.max)), full)
        context.set_state(self.state, None if full else count)
        return full

    def on_merge(self, context: TriggerContext) -> None:
        """Adds up the counts."""
        context.merge_state(self.state, operator.add)

    def clear(self, context: TriggerContext) -> None:
        """Removes the count."""
        context.set_state(self.state, None)

    def fires_by_record(self, states: States, *, ended: bool) -> Way:
        """The record that makes the count full."""
        return count_way(self.max, states.get(self.state) or 0)


HAS_FIRED: Final = "eventTime-afterEOW"
"""The name of the state that records that the end of the window has fired."""


@dataclass(frozen=True, slots=True)
class AfterEndOfWindow(ConfiguredTrigger):
    """The end of the window, with what may emit ``early`` before it and ``late`` after it."""

    type: ClassVar[str] = "after-end-of-window"
    early: PeriodicTrigger | None = None
    late: PeriodicTrigger | None = None

    def written(self) -> tuple[ConfiguredTrigger, ...]:
        """``early`` and ``late``, as far as they are there."""
        return tuple(each for each in (self.early, self.late) if each is not None)

    def in_time(self, *, is_event_time: bool) -> TableTrigger:
        """By the watermark or by the clock, which knows no late rows."""
        if not is_event_time:
            return ProcessingTimeAfterEndOfWindow(self.early)
        # Without a late trigger every late row emits. Flink therefore drops a late EveryElement, and with it the state
        # that would remember that the end has fired.
        late = None if isinstance(self.late, EveryElement) else self.late
        return EventTimeAfterEndOfWindow(self.early, late)


@dataclass(frozen=True, slots=True)
class EventTimeAfterEndOfWindow(TableTrigger):
    """By the watermark. ``early`` decides before the end, ``late`` after it; without ``late`` every late row emits.

    Source: ``EventTimeTriggers.AfterEndOfWindow``, ``AfterEndOfWindowNoLate``, ``AfterEndOfWindowEarlyAndLate``.
    """

    flink: ClassVar[str] = "EventTimeTriggers.AfterEndOfWindow"
    early: TableTrigger | None = None
    late: TableTrigger | None = None

    @property
    def only_waits_for_end(self) -> bool:
        """If nothing else decides before and after the end."""
        return self.early is None and self.late is None

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
        """Waits for the new end even if the watermark is past it: that is one more firing at the next watermark."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.on_merge(context)
        if self.late is not None:
            context.set_state(HAS_FIRED, None)
        context.register_event_time_timer(context.window.max_timestamp)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the timers and the states."""
        for inner in (self.early, self.late):
            if inner is not None:
                inner.clear(context)
        context.delete_event_time_timer(context.window.max_timestamp)
        if self.late is not None:
            context.set_state(HAS_FIRED, None)

    def nested(self) -> tuple[TableTrigger, ...]:
        """``early`` and ``late``, as far as they are there."""
        return tuple(each for each in (self.early, self.late) if each is not None)

    def fires_by_timer(self, timer: Timer, states: States) -> str | None:
        """The one at the end; before it as ``early`` says, once the end has fired as ``late`` says."""
        if self.late is not None and states.get(HAS_FIRED):
            return _within("late", self.late.fires_by_timer(timer, states))
        if timer.is_event_time and timer.is_at_end:
            return "end"
        return None if self.early is None else _within("early", self.early.fires_by_timer(timer, states))

    def fires_by_record(self, states: States, *, ended: bool) -> Way | None:
        """Before the end as ``early`` says, then any record, or as ``late`` says once the end has fired."""
        if self.late is not None and states.get(HAS_FIRED):
            return _as("late", self.late.fires_by_record(states, ended=ended))
        if ended:
            return Way(RECORD, "ended")
        return None if self.early is None else _as("early", self.early.fires_by_record(states, ended=ended))


@dataclass(frozen=True, slots=True)
class ProcessingTimeAfterEndOfWindow(TableTrigger):
    """By the clock. Source: ``ProcessingTimeTriggers.AfterEndOfWindow`` and ``AfterEndOfWindowNoLate``."""

    flink: ClassVar[str] = "ProcessingTimeTriggers.AfterEndOfWindow"
    without_rule: ClassVar[str] = "only_the_clock"
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

    def nested(self) -> tuple[TableTrigger, ...]:
        """``early``, if it is there."""
        return () if self.early is None else (self.early,)

    def fires_by_timer(self, timer: Timer, states: States) -> str | None:
        """The one at the end; before it as ``early`` says."""
        if not timer.is_event_time and timer.is_at_end:
            return "end"
        return None if self.early is None else _within("early", self.early.fires_by_timer(timer, states))

    def fires_by_record(self, states: States, *, ended: bool) -> Way | None:
        """As ``early`` says."""
        return None if self.early is None else _as("early", self.early.fires_by_record(states, ended=ended))


def _within(phase: str, reason: str | None) -> str | None:
    return None if reason is None else f"{phase}-{reason}"


def _as(phase: str, way: Way | None) -> Way | None:
    return None if way is None else way._replace(reason=phase)


@dataclass(frozen=True, slots=True)
class ProcessingTimeEvery(PeriodicTrigger):
    """Emits every ``interval`` ms, counted from the window's first row, whether or not new rows arrive.

    Source: ``ProcessingTimeTriggers.AfterFirstElementPeriodic``.
    """

    type: ClassVar[str] = "processing-time-every"
    flink: ClassVar[str] = "ProcessingTimeTriggers.AfterFirstElementPeriodic"
    interval: Milliseconds

    @property
    def state(self) -> str:
        """The name of its state; two periods of the same length share it."""
        return f"processingTime-{self.interval}"

    def on_element(self, context: TriggerContext) -> bool:
        """Sets the first timer."""
        if context.get_state(self.state) is None:
            self._wait(context, context.current_processing_time)
        return False

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> bool:
        """Emits at the time that it has set, and sets the next one."""
        if context.get_state(self.state) != timestamp:
            return False
        self._wait(context, timestamp)
        return True

    def on_merge(self, context: TriggerContext) -> None:
        """Continues at the earliest time that was set."""
        next_firing = context.merge_state(self.state, min)
        if next_firing is not None:
            context.register_processing_time_timer(next_firing)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the timer."""
        next_firing = context.get_state(self.state)
        if next_firing is not None:
            context.delete_processing_time_timer(next_firing)
            context.set_state(self.state, None)

    def fires_by_timer(self, timer: Timer, states: States) -> str | None:
        """The one that it has set."""
        own = not timer.is_event_time and timer.timestamp == states.get(self.state)
        return "interval" if own else None

    def _wait(self, context: TriggerContext, since: int) -> None:
        next_firing = wrap(since + self.interval)
        context.set_state(self.state, next_firing)
        context.register_processing_time_timer(next_firing)
