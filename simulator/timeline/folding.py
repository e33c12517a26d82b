"""What every group of tables is given: the scenario, the facts so far, and the arrival axis."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from simulator.scenario.model import Scenario
from simulator.timeline.facts import Facts
from simulator.trace.events import RecordArrived, TraceEvent
from simulator.trace.trace import Step, Trace

Handler = Callable[[Step, Any], None]
Handlers = Mapping[type[TraceEvent], Handler]
"""What a group does at which event; it is called with the step and its event."""


@dataclass(frozen=True, slots=True)
class Folding:
    """One build of a timeline."""

    scenario: Scenario
    facts: Facts
    arrival_axis: str

    def arrival(self, step: Step) -> int:
        """Where the step lies on the arrival axis."""
        return step.at if self.arrival_axis == "at" else step.item


def arrival_axis(trace: Trace) -> str:
    """``at`` where the clock tells the records apart: each one's is later than the one before. Otherwise ``item``.

    A clock that never moves tells nothing apart.
    """
    clock = [step.at for step in trace if isinstance(step.event, RecordArrived)]
    moves = any(step.at for step in trace)
    return "at" if moves and all(before < after for before, after in pairwise(clock)) else "item"
