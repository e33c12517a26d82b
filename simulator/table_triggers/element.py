"""Emits by the number of rows."""

import operator
from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.table_triggers.base import PeriodicTrigger
from tidemark.simulator.triggers.base import TriggerContext
from tidemark.simulator.triggers.ways import RECORD, States, Way, count_way


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
