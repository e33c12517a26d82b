"""Triggers of the DataStream API that look at the records; the one that never fires, and the one that purges."""

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Final

from tidemark.simulator.engine.triggers.base import (
    CONTINUE,
    FIRE,
    FIRE_AND_PURGE,
    States,
    Timer,
    Trigger,
    TriggerContext,
    TriggerResult,
    Way,
    count_way,
)

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
