"""Fires at every n-th record."""

import operator
from dataclasses import dataclass
from typing import Any, Final

from simulator.triggers.base import Trigger, TriggerContext, TriggerResult

COUNT: Final = "count"


@dataclass(frozen=True, slots=True)
class CountTrigger(Trigger):
    """Fires when ``max`` (>= 1) records have come since the last firing; time does not matter.

    Source: ``CountTrigger``.
    """

    max: int

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Counts, and starts again at nothing when it fires: what a merge brought too much is forgotten."""
        count = (context.get_state(COUNT) or 0) + 1
        full = count >= self.max
        if context.tracing:
            context.decided("count-reached", "count >= max", (("count", count), ("max", self.max)), full)
        context.set_state(COUNT, None if full else count)
        return TriggerResult.FIRE if full else TriggerResult.CONTINUE

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Time does not matter."""
        return TriggerResult.CONTINUE

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Time does not matter."""
        return TriggerResult.CONTINUE

    def on_merge(self, context: TriggerContext) -> None:
        """Adds the counts up; a full count fires with the next record."""
        context.merge_state(COUNT, operator.add)

    def clear(self, context: TriggerContext) -> None:
        """Forgets the count."""
        context.set_state(COUNT, None)
