"""What a trigger is: frozen configuration that decides when a window fires.

A trigger holds no state. What it must remember lives in keyed state, reached through its context; that is what makes
checkpoint, restore and inspection honest. For the same reason the scenario holds the trigger itself: reading a file
makes it, and the operator runs it.

Everything that other parts of the program ask about a trigger is in its own file: what it may be combined with, when
it may fire (``simulator.triggers.ways``) and under which names its words stand in the catalogue.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, ClassVar, Final, Protocol

from tidemark.simulator.triggers.ways import TriggerFacts
from tidemark.simulator.values.part import Part
from tidemark.simulator.values.window import Window


class TriggerResult(Enum):
    """What to do with the window's contents: emit a result (``fires``), remove them (``purges``)."""

    CONTINUE = (False, False)
    FIRE = (True, False)
    PURGE = (False, True)
    FIRE_AND_PURGE = (True, True)

    def __init__(self, fires: bool, purges: bool) -> None:
        self.fires = fires
        self.purges = purges
        self.answer = self._name_  # ``name`` computes it every time


CONTINUE: Final = TriggerResult.CONTINUE
FIRE: Final = TriggerResult.FIRE
FIRE_AND_PURGE: Final = TriggerResult.FIRE_AND_PURGE
# The members by names of their own: to look one up in its class takes longer than most triggers take to decide.


class TriggerContext(Protocol):
    """A trigger's view of one key and window. All times in ms. Source: ``Trigger.TriggerContext``."""

    window: Window
    current_watermark: int
    tracing: bool
    """Whether the run is traced; ``decided`` is worth calling only then."""

    @property
    def current_processing_time(self) -> int:
        """The clock."""

    def register_event_time_timer(self, timestamp: int) -> None:
        """Call ``on_event_time`` when the watermark reaches ``timestamp``."""

    def delete_event_time_timer(self, timestamp: int) -> None:
        """Delete that timer; nothing happens if there is none."""

    def register_processing_time_timer(self, timestamp: int) -> None:
        """Call ``on_processing_time`` when the clock has passed ``timestamp``."""

    def delete_processing_time_timer(self, timestamp: int) -> None:
        """Delete that timer; nothing happens if there is none."""

    def get_state(self, name: str) -> Any:
        """The trigger state ``name`` of this key and window, None when it is not set."""

    def set_state(self, name: str, value: Any) -> None:
        """Set the state to ``value``; None clears it."""

    def count_up(self, name: str, most: int) -> int:
        """Add one to the count ``name`` (0 if it is not set) and return it; one that reaches ``most`` is cleared."""

    def merge_state(self, name: str, merge: Callable[[Any, Any], Any]) -> Any:
        """Merge the states of the merged windows into this one and return it; only in ``on_merge``."""

    def decided(self, name: str, formula: str, numbers: Sequence[tuple[str, int | float]], holds: bool) -> None:
        """Record in the trace the rule by which the trigger decides (see ``simulator.trace.events.Rule``)."""


class Trigger(TriggerFacts, Part, ABC):
    """Source: ``Trigger``. Methods take the ``timestamp`` (ms) of the record or of the timer."""

    __slots__ = ()

    family: ClassVar[str] = "triggers"

    can_merge: ClassVar[bool] = True
    """Whether it may stand on merging windows. Of a trigger within another each answers for itself.

    Source: ``Trigger.canMerge``.
    """

    needs_window_end: ClassVar[bool] = False
    """Whether it fires at the window's end alone, so that it never would on the global window."""

    fires_up_to_window_end: ClassVar[bool] = False
    """Whether it goes on firing until the watermark reaches the window's end: in the global window, for ever."""

    only_on_global_window: ClassVar[bool] = False
    """Whether only the global window has it, by default."""

    needs_numbers: ClassVar[bool] = False
    """Whether it calculates with the records' values."""

    only_waits_for_end: ClassVar[bool] = False
    """Whether ``on_element`` changes nothing and continues while the window's timer for its ``max_timestamp`` waits:
    then the operator need not ask it for every record."""

    @abstractmethod
    def on_element(self, value: Any, timestamp: int, context: TriggerContext) -> TriggerResult:
        """A record was added to the window."""

    @abstractmethod
    def on_event_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """An event-time timer of the window fired, no matter whose: the operator's cleanup timer as well."""

    @abstractmethod
    def on_processing_time(self, timestamp: int, context: TriggerContext) -> TriggerResult:
        """A processing-time timer of the window fired."""

    @abstractmethod
    def on_merge(self, context: TriggerContext) -> None:
        """Several windows were merged into the context's window."""

    @abstractmethod
    def clear(self, context: TriggerContext) -> None:
        """Remove all state and timers of the trigger for this window."""
