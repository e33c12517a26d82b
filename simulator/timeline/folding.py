"""What every group of tables works with: the scenario, the facts so far, and the arrival axis."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from tidemark.simulator.engine.trace.events import RecordArrived, TraceEvent
from tidemark.simulator.engine.trace.trace import Step, Trace
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.timeline.facts import Facts

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


def arrival_axis(scenario: Scenario, trace: Trace) -> str:
    """``at`` if the clock tells more than half of the records apart; else ``item``.

    It tells a record apart that says itself when it arrives, or that arrives later than the one before. So records of
    one instant, which is what several channels have, stay beside each other on the clock, while a stream that says
    nothing about arrival, or that moves the clock only now and then, counts its items.
    """
    clock = [step.at for step in trace if isinstance(step.event, RecordArrived)]
    said = _arrivals_said(scenario)
    if not said and not any(step.at for step in trace):
        return "item"
    later = sum(before < after for before, after in pairwise(clock)) + bool(clock)
    return "at" if max(later, said) * 2 > len(clock) or not clock else "item"


def _arrivals_said(scenario: Scenario) -> int:
    """How many records of the stream say when they arrive. A generated stream moves the clock with each of its own."""
    if isinstance(scenario.stream, Generated):
        return 0
    return sum(isinstance(item, Record) and item.at is not None for item in scenario.stream)
