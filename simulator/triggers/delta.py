"""Fires when a record differs enough from the one that fired last."""

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from simulator.triggers.base import Trigger, TriggerContext, TriggerResult

LAST_ELEMENT: Final = "last-element"


@dataclass(frozen=True, slots=True)
class DeltaTrigger(Trigger):
    """Fires when new value − value at the last firing is more than ``threshold``. Source: ``DeltaTrigger``."""

    can_merge: ClassVar[bool] = False
    threshold: int | float

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """The first record of the window is what the next ones are measured by; it does not fire."""
        last = context.get_state(LAST_ELEMENT)
        if last is None:
            context.set_state(LAST_ELEMENT, value)
            return TriggerResult.CONTINUE
        exceeds = value - last > self.threshold
        if context.tracing:
            numbers = (("value", value), ("last", last), ("threshold", self.threshold))
            context.decided("delta-exceeded", "value - last > threshold", numbers, exceeds)
        if not exceeds:
            return TriggerResult.CONTINUE
        context.set_state(LAST_ELEMENT, value)
        return TriggerResult.FIRE

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Time does not matter."""
        return TriggerResult.CONTINUE

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Time does not matter."""
        return TriggerResult.CONTINUE

    def on_merge(self, context: TriggerContext) -> None:
        """Never called: it cannot merge."""
        raise NotImplementedError("a delta trigger does not merge")

    def clear(self, context: TriggerContext) -> None:
        """Forgets the last record."""
        context.set_state(LAST_ELEMENT, None)
