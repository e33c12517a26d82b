"""Fires at every n-th record."""

import operator
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from tidemark.simulator.triggers.base import CONTINUE, FIRE, Trigger, TriggerContext, TriggerResult
from tidemark.simulator.triggers.ways import States, Way, count_way

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
