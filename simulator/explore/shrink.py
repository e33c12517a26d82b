"""The fewest items that still show something: delta debugging, as for failing tests."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Item
from tidemark.simulator.limits import SHRINK_RUNS
from tidemark.simulator.scenario.model import Goal, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.walkthrough import found_for, is_met

from tidemark import simulator

Shows = Callable[[Sequence[simulator.Row], Trace], bool]
"""Whether a run still shows what is wanted."""


@dataclass(frozen=True, slots=True)
class Shrunk:
    """The result of a search. ``scenario`` has the items that are left, ``kept`` are their indices in the stream
    before.

    ``runs`` is the number of runs made. ``smallest``: no single item can be left out any more (False if the runs were
    used up first).
    """

    scenario: Scenario
    kept: tuple[int, ...]
    runs: int
    smallest: bool


def meets(goal: Goal) -> Shows:
    """A run that meets ``goal``."""

    def shows(rows: Sequence[simulator.Row], trace: Trace) -> bool:
        of_rows = Counter[str](row["row"] for row in rows)
        of_events = Counter(type(step.event).__name__ for step in trace)
        return is_met(goal, found_for(goal, of_rows, of_events))

    return shows


def shrink(scenario: Scenario, shows: Shows, most_runs: int = SHRINK_RUNS) -> Shrunk | None:
    """Leave out items as long as the run shows it; None if not even the whole run does.

    A scenario whose run is refused or fails for a missing item (a restore without its checkpoint) does not show it.
    """
    stream = tuple(items(scenario))
    search = _Search(scenario, stream, shows, most_runs)
    kept = list(range(len(stream)))
    if not search.shows_with(kept):
        return None
    parts = 2
    while len(kept) > 1:
        size = -(-len(kept) // parts)
        chunks = [kept[start : start + size] for start in range(0, len(kept), size)]
        less = next((rest for chunk in chunks if search.shows_with(rest := _minus(kept, chunk))), None)
        if search.runs >= most_runs:
            kept = less or kept
            break
        if less is not None:
            kept, parts = less, max(parts - 1, 2)
        elif size == 1:
            break
        else:
            parts = min(parts * 2, len(kept))
    return Shrunk(search.with_items(kept), tuple(kept), search.runs, search.runs < most_runs)


def _minus(kept: Sequence[int], chunk: Sequence[int]) -> list[int]:
    gone = set(chunk)
    return [index for index in kept if index not in gone]


@dataclass(slots=True)
class _Search:
    scenario: Scenario
    stream: tuple[Item, ...]
    shows: Shows
    most_runs: int
    runs: int = 0

    def with_items(self, kept: Sequence[int]) -> Scenario:
        """Without beats and goals, which are about items and counts that are gone."""
        return replace(self.scenario, stream=tuple(self.stream[index] for index in kept), walkthrough=(), goals=())

    def shows_with(self, kept: Sequence[int]) -> bool:
        if not kept or self.runs >= self.most_runs:
            return False
        self.runs += 1
        try:
            return self.shows(*simulator.run_traced(self.with_items(kept)))
        except (ScenarioError, ValueError):
            return False
