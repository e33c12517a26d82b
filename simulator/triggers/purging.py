"""Turns every firing of another trigger into fire and purge."""

from dataclasses import dataclass
from typing import Any

from simulator.triggers.base import Trigger, TriggerContext, TriggerResult


@dataclass(frozen=True, slots=True)
class PurgingTrigger(Trigger):
    """``inner`` decides; whenever it fires, the contents are removed afterwards. Source: ``PurgingTrigger``."""

    inner: Trigger

    @property
    def can_merge(self) -> bool:  # type: ignore[override]
        """As ``inner``."""
        return self.inner.can_merge

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """As ``inner``, purging."""
        return _purging(self.inner.on_element(value, timestamp, context))

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


def _purging(result: TriggerResult) -> TriggerResult:
    return TriggerResult.FIRE_AND_PURGE if result.fires else result
