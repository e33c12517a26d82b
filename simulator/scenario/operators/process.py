"""A process function: the event sort."""

from dataclasses import dataclass, field
from typing import ClassVar

from tidemark.simulator.engine.operators.event_sort import QUEUE
from tidemark.simulator.scenario.operators.facts import Function, OperatorFacts


@dataclass(frozen=True, slots=True)
class Process(OperatorFacts):
    """``type: process``."""

    type: ClassVar[str] = "process"
    rows_state = QUEUE
    sorts = True
    clause = "event-sort"
    said = "event_sort"
    without_results = "nothing_sorted"

    function: Function = field()

    def code_walk(self) -> list[str]:
        """``CarEventSort``."""
        return ["sort.process_element", "sort.on_timer"]
