"""Fires at the latest when the clock has advanced by a timeout."""

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from tidemark.simulator.triggers.base import FIRE, FIRE_AND_PURGE, Trigger, TriggerContext, TriggerResult
from tidemark.simulator.triggers.ways import States, Timer, Way
from tidemark.simulator.values.time import Milliseconds, wrap

TIMEOUT: Final = "timeout"
"""The name of the state that holds when the timeout runs out (ms)."""


@dataclass(frozen=True, slots=True)
class ProcessingTimeoutTrigger(Trigger):
    """Fires when ``inner`` does, and ``timeout`` ms after the first record since the last firing.

    ``reset_on_record``: every record starts the timeout again. ``clear_on_timeout``: a timer's firing clears ``inner``.
    Source: ``ProcessingTimeoutTrigger``.
    """

    type: ClassVar[str] = "processing-timeout"
    can_merge: ClassVar[bool] = False
    inner: Trigger
    timeout: Milliseconds
    reset_on_record: bool = False
    clear_on_timeout: bool = True

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """A firing of ``inner`` ends the timeout; any other record starts it unless it is running."""
        result = self.inner.on_element(value, timestamp, context)
        if result.fires:
            self.clear(context)
            return result
        runs_out = context.get_state(TIMEOUT)
        if runs_out is not None and self.reset_on_record:
            context.delete_processing_time_timer(runs_out)
            context.set_state(TIMEOUT, None)
            runs_out = None
        if runs_out is None:
            runs_out = wrap(context.current_processing_time + self.timeout)
            context.set_state(TIMEOUT, runs_out)
            context.register_processing_time_timer(runs_out)
        return result

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Fires for any event-time timer of the window, whatever ``inner`` says."""
        return self._on_timer(self.inner.on_event_time(timestamp, context), context)

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Fires for any processing-time timer of the window, whatever ``inner`` says."""
        return self._on_timer(self.inner.on_processing_time(timestamp, context), context)

    def on_merge(self, context: TriggerContext) -> None:
        """Never called: it cannot merge."""
        raise NotImplementedError("a processing timeout trigger does not merge")

    def clear(self, context: TriggerContext) -> None:
        """Ends the timeout and clears ``inner``."""
        runs_out = context.get_state(TIMEOUT)
        if runs_out is not None:
            context.delete_processing_time_timer(runs_out)
            context.set_state(TIMEOUT, None)
        self.inner.clear(context)

    def nested(self) -> tuple[Trigger, ...]:
        """``inner``."""
        return (self.inner,)

    def fires_by_timer(self, timer: Timer, states: States) -> str | None:
        """Every timer: its own, those for which ``inner`` has a reason, and all others of the window."""
        if not timer.is_event_time and timer.timestamp == states.get(TIMEOUT):
            return "timeout"
        return self.inner.fires_by_timer(timer, states) or "any-timer"

    def fires_by_record(self, states: States, *, ended: bool) -> Way | None:
        """As ``inner``."""
        return self.inner.fires_by_record(states, ended=ended)

    def _on_timer(self, result: TriggerResult, context: TriggerContext) -> TriggerResult:
        if self.clear_on_timeout:
            self.clear(context)
        return FIRE_AND_PURGE if result.purges else FIRE
