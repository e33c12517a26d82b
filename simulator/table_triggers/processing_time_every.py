"""Emits at an interval of processing time."""

from dataclasses import dataclass

from simulator.table_triggers.base import TableTrigger
from simulator.triggers.base import TriggerContext
from simulator.values.time import wrap


@dataclass(frozen=True, slots=True)
class ProcessingTimeEvery(TableTrigger):
    """Emits every ``interval`` ms from the window's first row on, whether or not new rows have come.

    Source: ``ProcessingTimeTriggers.AfterFirstElementPeriodic``.
    """

    interval: int

    @property
    def state(self) -> str:
        """The name of the state; two intervals of the same length share it."""
        return f"processingTime-{self.interval}"

    def on_element(self, context: TriggerContext) -> bool:
        """Sets the first timer."""
        if context.get_state(self.state) is None:
            self._wait(context, context.current_processing_time)
        return False

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> bool:
        """Emits at the time that it has stored, and stores the next one."""
        if context.get_state(self.state) != timestamp:
            return False
        self._wait(context, timestamp)
        return True

    def on_merge(self, context: TriggerContext) -> None:
        """Goes on with the earliest time of the merged windows."""
        next_firing = context.merge_state(self.state, min)
        if next_firing is not None:
            context.register_processing_time_timer(next_firing)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the timer."""
        next_firing = context.get_state(self.state)
        if next_firing is not None:
            context.delete_processing_time_timer(next_firing)
            context.set_state(self.state, None)

    def _wait(self, context: TriggerContext, since: int) -> None:
        next_firing = wrap(since + self.interval)
        context.set_state(self.state, next_firing)
        context.register_processing_time_timer(next_firing)
