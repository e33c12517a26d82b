"""The triggers of the DataStream API: by records, once by time, again and again, and those around another one."""

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
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
    count_way,
)
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.time import Milliseconds, remainder, wrap

COUNT: Final = "count"


@dataclass(frozen=True, slots=True)
class CountTrigger(Trigger):
    """Fires when ``max`` (>= 1) records have arrived since the last firing; time does not matter.

    Source: ``CountTrigger``.
    """

    type: ClassVar[str] = "count"
    without_rule: ClassVar[str] = "only_counts"
    max: int

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Counts, and starts again at zero when it fires: what a merge counted beyond ``max`` is forgotten."""
        most = self.max
        count = context.count_up(COUNT, most)
        full = count >= most
        if context.tracing:
            context.decided("count-reached", "count >= max", (("count", count), ("max", most)), full)
        return FIRE if full else CONTINUE

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Time does not matter."""
        return CONTINUE

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Time does not matter."""
        return CONTINUE

    def on_merge(self, context: TriggerContext) -> None:
        """Adds up the counts; a full count fires with the next record."""
        context.merge_state(COUNT, operator.add)

    def clear(self, context: TriggerContext) -> None:
        """Forgets the count."""
        context.set_state(COUNT, None)

    def fires_by_record(self, states: States, *, ended: bool) -> Way:
        """The record that makes the count full."""
        return count_way(self.max, states.get(COUNT) or 0)


LAST_ELEMENT: Final = "last-element"


@dataclass(frozen=True, slots=True)
class DeltaTrigger(Trigger):
    """Fires when new value − value at the last firing is more than ``threshold``. Source: ``DeltaTrigger``."""

    type: ClassVar[str] = "delta"
    can_merge: ClassVar[bool] = False
    needs_numbers: ClassVar[bool] = True
    without_rule: ClassVar[str] = "first_to_measure_by"
    without_rule_by_timer: ClassVar[str] = "only_values"
    first_firing: ClassVar[Mapping[str, str]] = MappingProxyType({"delta-exceeded": "first_delta"})
    threshold: int | float

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """The first record of the window only sets the value that the next ones are compared with."""
        last = context.get_state(LAST_ELEMENT)
        if last is None:
            context.set_state(LAST_ELEMENT, value)
            return CONTINUE
        exceeds = value - last > self.threshold
        if context.tracing:
            numbers = (("value", value), ("last", last), ("threshold", self.threshold))
            context.decided("delta-exceeded", "value - last > threshold", numbers, exceeds)
        if not exceeds:
            return CONTINUE
        context.set_state(LAST_ELEMENT, value)
        return FIRE

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Time does not matter."""
        return CONTINUE

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Time does not matter."""
        return CONTINUE

    def on_merge(self, context: TriggerContext) -> None:
        """Never called: it cannot merge."""
        raise NotImplementedError("a delta trigger does not merge")

    def clear(self, context: TriggerContext) -> None:
        """Forgets the last record."""
        context.set_state(LAST_ELEMENT, None)

    def fires_by_record(self, states: States, *, ended: bool) -> Way:
        """A record above the last value by more than ``threshold``; the first one only sets that value."""
        last = states.get(LAST_ELEMENT)
        return Way("delta", "", self.threshold, last, "first" if last is None else "")

    def values_that_fire(self, way: Way) -> Iterator[float | None]:
        """One that is more than ``threshold`` above the last; without a last one, another to measure by comes first."""
        first = 0 if way.has is None else way.has
        return iter([*([first] if way.has is None else []), first + self.threshold + 1])


@dataclass(frozen=True, slots=True)
class NeverTrigger(Trigger):
    """The default of the global window. Source: ``GlobalWindows.NeverTrigger``."""

    type: ClassVar[str] = "never"
    can_merge: ClassVar[bool] = False
    only_on_global_window: ClassVar[bool] = True
    without_rule: ClassVar[str] = "never_fires"

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Nothing."""
        return CONTINUE

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Nothing."""
        return CONTINUE

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Nothing."""
        return CONTINUE

    def on_merge(self, context: TriggerContext) -> None:
        """Nothing to merge."""

    def clear(self, context: TriggerContext) -> None:
        """Nothing to remove."""

    def sets_timer_again(self, states: States) -> bool:
        """It has no timers."""
        return False


@dataclass(frozen=True, slots=True)
class PurgingTrigger(Trigger):
    """``inner`` decides when to fire; afterwards the contents are removed. Source: ``PurgingTrigger``."""

    type: ClassVar[str] = "purging"
    inner: Trigger

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """As ``inner``, purging."""
        result = self.inner.on_element(value, timestamp, context)
        return FIRE_AND_PURGE if result.fires else result

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """As ``inner``, purging."""
        return _purging(self.inner.on_event_time(timestamp, context))

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """As ``inner``, purging."""
        return _purging(self.inner.on_processing_time(timestamp, context))

    def on_merge(self, context: TriggerContext) -> None:
        """As ``inner``."""
        self.inner.on_merge(context)

    def clear(self, context: TriggerContext) -> None:
        """As ``inner``."""
        self.inner.clear(context)

    def nested(self) -> tuple[Trigger, ...]:
        """``inner``."""
        return (self.inner,)

    def fires_by_timer(self, timer: Timer, states: States) -> str | None:
        """As ``inner``."""
        return self.inner.fires_by_timer(timer, states)

    def fires_by_record(self, states: States, *, ended: bool) -> Way | None:
        """As ``inner``."""
        return self.inner.fires_by_record(states, ended=ended)

    def sets_timer_again(self, states: States) -> bool:
        """As ``inner``."""
        return self.inner.sets_timer_again(states)


def _purging(result: TriggerResult) -> TriggerResult:
    return FIRE_AND_PURGE if result.fires else result


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


# Fire again and again, at every multiple of an interval, until the window ends.
#
# Intervals are counted from the epoch, not from the window. The next firing is never later than the window's last
# instant (FLINK-20443).

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
        ended = end <= context.current_watermark
        if context.tracing:
            numbers = (("max_timestamp", end), ("watermark", context.current_watermark))
            context.decided("window-end-reached", "max_timestamp <= watermark", numbers, ended)
        if ended:
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
        ends = context.rules.continuous_trigger_ends_with_window
        if context.get_state(FIRE_TIME) is None and not (ends and timestamp == context.window.max_timestamp):
            raise EngineFailure("NullPointerException", "the continuous trigger has no fire time")
        return _on_timer(timestamp, context, self.interval, is_event_time=False, ends=ends)

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


def _on_timer(
    timestamp: int, context: TriggerContext, interval: int, *, is_event_time: bool, ends: bool = True
) -> TriggerResult:
    """Fire at the time that was set, and set the next; if the trigger ``ends`` with its window, at the last instant."""
    end = context.window.max_timestamp
    fire_time = context.get_state(FIRE_TIME)
    fires = timestamp == fire_time or (ends and timestamp == end)
    if context.tracing:
        _decided(context, timestamp, end, fire_time, fires)
    if not fires:
        return CONTINUE
    if timestamp != end or not ends:
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
