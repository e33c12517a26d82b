"""One look at a scenario: its run with rows counted, trace and facts, for hints and goals alike."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tidemark.simulator import timeline
from tidemark.simulator.explore.runs import RESULTS
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.schema import WindowFact
from tidemark.simulator.trace.trace import Trace
from tidemark.simulator.values.items import Item

from tidemark import simulator


@dataclass(frozen=True)
class Look:
    """One finished run: its rows by kind, and its trace."""

    scenario: Scenario
    rows: Counter[str]
    trace: Trace

    @cached_property
    def events(self) -> Counter[str]:
        """How often each type of event occurs in the trace."""
        return Counter(type(step.event).__name__ for step in self.trace)

    @cached_property
    def facts(self) -> Timeline:
        """The timeline of the run, without stories."""
        return timeline.build(self.scenario, self.trace, told=False)

    @cached_property
    def stream(self) -> Sequence[Item]:
        """The items of the stream."""
        return tuple(items(self.scenario))

    @cached_property
    def unfired(self) -> Sequence[WindowFact]:
        """The windows that hold records at the end and never produced a result."""
        ended = (row for row in self.facts.tables["windows"] if row["until_step"] is None)
        return [row for row in ended if row["status"] == "open" and row["records"] and not row["firings"]]

    @property
    def results(self) -> int:
        """How many results there are."""
        return sum(self.rows[kind] for kind in RESULTS)


def look(scenario: Scenario) -> Look:
    """Run ``scenario``. Raises ``ScenarioError`` if the engine cannot run it or it takes too many steps."""
    rows, trace = simulator.run_traced(scenario)
    return Look(scenario, Counter(row["row"] for row in rows), trace)
