"""Which method sets a timer: inferred from where the operator is, which the order of the events shows."""

from typing import Any, Final

from tidemark.simulator.engine.trace.events import RecordArrived, StateAdded, StateMerged, WindowsMerged
from tidemark.simulator.engine.trace.trace import Step
from tidemark.simulator.scenario.model import Scenario, Windowed
from tidemark.simulator.timeline.folding import Handlers
from tidemark.simulator.timeline.operator import has_no_trigger

ON_ELEMENT: Final = "on_element"
ON_MERGE: Final = "on_merge"
CLEANUP: Final = "register_cleanup_timer"
PROCESS: Final = "process_element"
CALLBACK: Final = {"event": "on_event_time", "processing": "on_processing_time"}


class Callers:
    """A trigger sets timers for a record, at a merge, or when another of its timers fires; the operator sets the rest.

    A merge ends where the contents are merged, at the latest where the record is added.
    """

    def __init__(self, scenario: Scenario) -> None:
        self._has_trigger = isinstance(scenario.operator, Windowed) and not has_no_trigger(scenario.operator)
        self._at = ON_ELEMENT

    def handlers(self) -> Handlers:
        """The events to handle, beside calls of ``fired``."""
        return {
            RecordArrived: self._element,
            WindowsMerged: self._merge,
            StateMerged: self._element,
            StateAdded: self._element,
        }

    def fired(self, domain: str) -> None:
        """A timer of ``domain`` fires: its callback sets the timers that follow."""
        self._at = CALLBACK[domain]

    def caller(self, purpose: str) -> str:
        """Who sets a timer of this ``purpose`` now."""
        if not self._has_trigger:
            return PROCESS
        return CLEANUP if purpose == "cleanup" else self._at

    def _element(self, step: Step, event: Any) -> None:
        self._at = ON_ELEMENT

    def _merge(self, step: Step, event: WindowsMerged) -> None:
        self._at = ON_MERGE
