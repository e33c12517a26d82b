"""The ways in which a window can fire: by which of its timers, and by which record.

Each trigger's answer is known from its configuration and its keyed state alone; nothing here asks or changes one.
Tests hold these answers against those that the triggers gave in the run.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from simulator.scenario import model
from simulator.table_triggers.after_end_of_window import HAS_FIRED
from simulator.table_triggers.element import CountElement
from simulator.table_triggers.processing_time_every import ProcessingTimeEvery
from simulator.timers.timer_service import EVENT, PROCESSING
from simulator.triggers.continuous import FIRE_TIME
from simulator.triggers.count import COUNT
from simulator.triggers.delta import LAST_ELEMENT
from simulator.triggers.processing_timeout import TIMEOUT

States = Mapping[str, Any]
"""A window's trigger state by name."""

AnyTrigger = model.Trigger | model.Periodic

CONTINUOUS: Final = {model.ContinuousEventTime: EVENT, model.ContinuousProcessingTime: PROCESSING}


class Way(NamedTuple):
    """One way to fire. ``kind`` and ``reason`` are words of the table ``conditions``; ``needs`` and ``has`` depend."""

    kind: str
    reason: str = ""
    needs: Any = None
    has: Any = None


@dataclass(frozen=True, slots=True)
class Decider:
    """A scenario's trigger. ``by_watermark``: whether the window's time is event time."""

    trigger: AnyTrigger
    is_table: bool
    by_watermark: bool

    def timer(self, domain: str, timestamp: int, max_timestamp: int, states: States) -> str | None:
        """Why a window's timer for ``timestamp`` (ms) fires it, None when it does not."""
        return self._timer(self.trigger, domain, timestamp, max_timestamp, states)

    def record(self, states: States, *, ended: bool) -> Way | None:
        """How the next record fires the window at once; None where no record does.

        ``ended``: the watermark has reached the window's last instant.
        """
        return self._record(self.trigger, states, ended)

    def may_begin_again(self, states: States) -> bool:
        """Whether the next record sets a timer for a window that has none which would fire it."""
        return _begins_again(self.trigger, states)

    def _timer(
        self, trigger: AnyTrigger, domain: str, timestamp: int, max_timestamp: int, states: States
    ) -> str | None:
        match trigger:
            case model.Purging():
                return self._timer(trigger.inner, domain, timestamp, max_timestamp, states)
            case model.ProcessingTimeout():
                if domain == PROCESSING and timestamp == states.get(TIMEOUT):
                    return "timeout"
                return self._timer(trigger.inner, domain, timestamp, max_timestamp, states) or "any-timer"
            case model.EventTime():
                return "end" if domain == EVENT and timestamp == max_timestamp else None
            case model.ProcessingTime():
                return "end" if domain == PROCESSING else None
            case model.ContinuousEventTime() | model.ContinuousProcessingTime():
                if domain != CONTINUOUS[type(trigger)]:
                    return None
                if timestamp == max_timestamp:
                    return "end"
                return "interval" if timestamp == states.get(FIRE_TIME) else None
            case model.ProcessingTimeEvery():
                own = states.get(ProcessingTimeEvery(trigger.interval).state)
                return "interval" if domain == PROCESSING and timestamp == own else None
            case model.AfterEndOfWindow():
                return self._table_timer(trigger, domain, timestamp, max_timestamp, states)
            case _:
                return None

    def _table_timer(
        self, trigger: model.AfterEndOfWindow, domain: str, timestamp: int, max_timestamp: int, states: States
    ) -> str | None:
        late = late_of(trigger)
        if self.by_watermark and late is not None and states.get(HAS_FIRED):
            return _phase(self._timer(late, domain, timestamp, max_timestamp, states), "late")
        if domain == (EVENT if self.by_watermark else PROCESSING) and timestamp == max_timestamp:
            return "end"
        if trigger.early is None:
            return None
        return _phase(self._timer(trigger.early, domain, timestamp, max_timestamp, states), "early")

    def _record(self, trigger: AnyTrigger, states: States, ended: bool) -> Way | None:
        match trigger:
            case model.Purging() | model.ProcessingTimeout():
                return self._record(trigger.inner, states, ended)
            case model.EventTime() | model.ContinuousEventTime():
                return Way("record", "ended") if ended else None
            case model.EveryElement():
                return Way("record", "every")
            case model.Count():
                name = CountElement(trigger.max).state if self.is_table else COUNT
                return Way("count", "", trigger.max, states.get(name) or 0)
            case model.Delta():
                return Way("delta", "", trigger.threshold, states.get(LAST_ELEMENT))
            case model.AfterEndOfWindow():
                late = late_of(trigger)
                if self.by_watermark and late is not None and states.get(HAS_FIRED):
                    return _of(self._record(late, states, ended), "late")
                if self.by_watermark and ended:
                    return Way("record", "ended")
                return None if trigger.early is None else _of(self._record(trigger.early, states, ended), "early")
            case _:
                return None


def late_of(trigger: model.AfterEndOfWindow) -> model.Periodic | None:
    """What decides after the end; late firings at every row are what happens without any, so Flink drops them."""
    return None if isinstance(trigger.late, model.EveryElement) else trigger.late


def _phase(reason: str | None, phase: str) -> str | None:
    return None if reason is None else f"{phase}-{reason}"


def _of(way: Way | None, phase: str) -> Way | None:
    return None if way is None else way._replace(reason=phase)


def _begins_again(trigger: AnyTrigger, states: States) -> bool:
    match trigger:
        case model.Never():
            return False
        case model.ContinuousProcessingTime():
            return states.get(FIRE_TIME) is None
        case model.Purging():
            return _begins_again(trigger.inner, states)
        case _:
            return True
