"""Emits by the number of rows."""

import operator
from dataclasses import dataclass

from simulator.table_triggers.base import TableTrigger
from simulator.triggers.base import TriggerContext


@dataclass(frozen=True, slots=True)
class EveryElement(TableTrigger):
    """Emits at every row. Source: ``ElementTriggers.EveryElement``."""

    def on_element(self, context: TriggerContext) -> bool:
        """Always."""
        return True

    def on_merge(self, context: TriggerContext) -> None:
        """Nothing is kept."""

    def clear(self, context: TriggerContext) -> None:
        """Nothing is kept."""


@dataclass(frozen=True, slots=True)
class CountElement(TableTrigger):
    """Emits at every ``max``-th row. Source: ``ElementTriggers.CountElement``."""

    max: int

    @property
    def state(self) -> str:
        """The name of the state; two counts with the same number share it."""
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
