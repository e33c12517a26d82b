"""Turns every firing of another trigger into fire and purge."""

from dataclasses import dataclass
from typing import Any, ClassVar

from tidemark.simulator.triggers.base import FIRE_AND_PURGE, Trigger, TriggerContext, TriggerResult
from tidemark.simulator.triggers.ways import States, Timer, Way


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
