"""Never fires."""

from dataclasses import dataclass
from typing import Any, ClassVar

from tidemark.simulator.triggers.base import CONTINUE, Trigger, TriggerContext, TriggerResult
from tidemark.simulator.triggers.ways import States


@dataclass(frozen=True, slots=True)
class NeverTrigger(Trigger):
    """The default of the global window. Source: ``GlobalWindows.NeverTrigger``."""

    type: ClassVar[str] = "never"
    can_merge: ClassVar[bool] = False
    only_on_global_window: ClassVar[bool] = True
    without_rule: ClassVar[str] = "never_fires"

    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Nothing."""
        return CONTINUE

    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Nothing."""
        return CONTINUE

    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """Nothing."""
        return CONTINUE

    def on_merge(self, context: TriggerContext) -> None:
        """Nothing to merge."""

    def clear(self, context: TriggerContext) -> None:
        """Nothing to remove."""

    def sets_timer_again(self, states: States) -> bool:
        """It has no timers."""
        return False
