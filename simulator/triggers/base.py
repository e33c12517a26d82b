"""What a trigger is: frozen configuration that decides when a window gives its result.

A trigger holds no state. What it must remember lives in keyed state, reached through its context; that is what makes
checkpoint, restore and inspection honest.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, ClassVar, Protocol

from simulator.values.window import Window


class TriggerResult(Enum):
    """What is to be done with the window's contents: give a result (``fires``), remove them (``purges``)."""

    CONTINUE = (False, False)
    FIRE = (True, False)
    PURGE = (False, True)
    FIRE_AND_PURGE = (True, True)

    def __init__(self, fires: bool, purges: bool) -> None:
        self.fires = fires
        self.purges = purges


class TriggerContext(Protocol):
    """A trigger's view of one key and window. All times in ms. Source: ``Trigger.TriggerContext``."""

    window: Window
    current_watermark: int
    tracing: bool
    """Whether somebody listens: only then is ``decided`` worth calling."""

    @property
    def current_processing_time(self) -> int:
        """The clock."""

    def register_event_time_timer(self, timestamp: int) -> None:
        """Call ``on_event_time`` when the watermark reaches ``timestamp``."""

    def delete_event_time_timer(self, timestamp: int) -> None:
        """Take that back."""

    def register_processing_time_timer(self, timestamp: int) -> None:
        """Call ``on_processing_time`` when the clock has passed ``timestamp``."""

    def delete_processing_time_timer(self, timestamp: int) -> None:
        """Take that back."""

    def get_state(self, name: str) -> Any:
        """The trigger state called ``name`` for this key and window, None when there is none."""

    def set_state(self, name: str, value: Any) -> None:
        """Keep ``value``; None clears it."""

    def merge_state(self, name: str, merge: Callable[[Any, Any], Any]) -> Any:
        """Move the state of the merged windows to this one and give it; only in ``on_merge``."""

    def decided(self, name: str, formula: str, numbers: Sequence[tuple[str, int | float]], holds: bool) -> None:
        """Tell the trace the rule by which the trigger decides (see ``simulator.trace.events.Rule``)."""


class Trigger(ABC):
    """Source: ``Trigger``. Methods get the ``timestamp`` (ms) of the record or of the timer."""

    can_merge: ClassVar[bool] = True

    only_waits_for_end: ClassVar[bool] = False
    """Whether ``on_element`` changes nothing and continues while the window's timer for its ``max_timestamp`` waits:
    then nobody need ask it for every record."""

    @abstractmethod
    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """A record was added to the window."""

    @abstractmethod
    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """An event-time timer of the window fired: any of them, the operator's own cleanup timer too."""

    @abstractmethod
    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """A processing-time timer of the window fired."""

    @abstractmethod
    def on_merge(self, context: TriggerContext) -> None:
        """Several windows became the context's window."""

    @abstractmethod
    def clear(self, context: TriggerContext) -> None:
        """Remove all state and timers that the trigger keeps for the window."""
