"""What every group of tables works with: the scenario, the facts so far, and the arrival axis."""

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
"""What a group does at each event type; a handler is called with the step and its event."""


@dataclass(frozen=True, slots=True)
class Folding:
    """One timeline while it is built."""

    scenario: Scenario
    facts: Facts
    arrival_axis: str

    def arrival(self, step: Step) -> int:
        """Where the step lies on the arrival axis."""
        return step.at if self.arrival_axis == "at" else step.item


def arrival_axis(trace: Trace) -> str:
    """``at`` if the clock distinguishes the records, that is, each arrives later than the one before; else ``item``.

    A clock that never moves distinguishes nothing.
    """
    clock = [step.at for step in trace if isinstance(step.event, RecordArrived)]
    moves = any(step.at for step in trace)
    return "at" if moves and all(before < after for before, after in pairwise(clock)) else "item"
