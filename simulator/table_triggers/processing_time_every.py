"""Emits at an interval of processing time."""

from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.table_triggers.base import PeriodicTrigger
from tidemark.simulator.triggers.base import TriggerContext
from tidemark.simulator.triggers.ways import States, Timer
from tidemark.simulator.values.time import Milliseconds, wrap


@dataclass(frozen=True, slots=True)
class ProcessingTimeEvery(PeriodicTrigger):
    """Emits every ``interval`` ms, counted from the window's first row, whether or not new rows arrive.

    Source: ``ProcessingTimeTriggers.AfterFirstElementPeriodic``.
    """

    type: ClassVar[str] = "processing-time-every"
    flink: ClassVar[str] = "ProcessingTimeTriggers.AfterFirstElementPeriodic"
    interval: Milliseconds

    @property
    def state(self) -> str:
        """The name of its state; two periods of the same length share it."""
        return f"processingTime-{self.interval}"

    def on_element(self, context: TriggerContext) -> bool:
        """Sets the first timer."""
        if context.get_state(self.state) is None:
            self._wait(context, context.current_processing_time)
        return False

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> bool:
        """Emits at the time that it has set, and sets the next one."""
        if context.get_state(self.state) != timestamp:
            return False
        self._wait(context, timestamp)
        return True

    def on_merge(self, context: TriggerContext) -> None:
        """Continues at the earliest time that was set."""
        next_firing = context.merge_state(self.state, min)
        if next_firing is not None:
            context.register_processing_time_timer(next_firing)

    def clear(self, context: TriggerContext) -> None:
        """Deletes the timer."""
        next_firing = context.get_state(self.state)
        if next_firing is not None:
            context.delete_processing_time_timer(next_firing)
            context.set_state(self.state, None)

    def fires_by_timer(self, timer: Timer, states: States) -> str | None:
        """The one that it has set."""
        own = not timer.is_event_time and timer.timestamp == states.get(self.state)
        return "interval" if own else None

    def _wait(self, context: TriggerContext, since: int) -> None:
        next_firing = wrap(since + self.interval)
        context.set_state(self.state, next_firing)
        context.register_processing_time_timer(next_firing)
