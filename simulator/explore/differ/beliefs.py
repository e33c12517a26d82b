"""The smallest stream on which a wrong belief goes wrong: on a record's fate, or on a result."""

from collections import Counter
from dataclasses import replace
from typing import Final

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.explore.beliefs import BELIEFS, Belief, applies, tour
from tidemark.simulator.explore.differ.search import Answer, Bounds, Search, answer_of, own_streams
from tidemark.simulator.explore.differ.sides import Rows, Stream, sides_of
from tidemark.simulator.explore.differ.streams import Space, random_streams, soon, space_of
from tidemark.simulator.explore.runs import run_of
from tidemark.simulator.scenario.model import Scenario

TRIED: Final = 30
"""So many random streams show whether a belief is about a scenario."""


def beliefs_about(scenario: Scenario) -> list[Belief]:
    """The beliefs that say anything of the scenario on any stream: on its own, or on one of a few random ones.

    Raises ``ScenarioError`` if the scenario does not run.
    """
    sides = sides_of(scenario, scenario)
    space = _by_the_clock(space_of(scenario, scenario), scenario)
    left = list(BELIEFS)
    for stream in (*own_streams(sides, space), *random_streams(space, Bounds().seed, TRIED)):
        try:
            truth = run_of(sides[0].over(stream))
        except (ScenarioError, ValueError, LookupError):
            continue
        left = [each for each in left if not applies(truth, each)]
    return [each for each in BELIEFS if each not in left]


def goes_wrong(scenario: Scenario, belief: Belief, bounds: Bounds | None = None) -> Answer:
    """The smallest stream found on which the belief and the truth differ; both scenarios of the answer are the true
    one. Raises ``ScenarioError`` if the scenario does not run.
    """
    sides = sides_of(scenario, scenario)

    def rows(stream: Stream) -> Rows | None:
        try:
            found = tour(run_of(sides[0].over(stream)), belief)
        except (ScenarioError, ValueError, LookupError):
            return None
        return Counter([belief.name] if found and found.shows else [])

    space = _by_the_clock(space_of(scenario, scenario), scenario)
    search = Search(lambda _: Rows(), rows, space, bounds or Bounds())
    return replace(answer_of(search, sides, search.found(own_streams(sides, space))), belief=belief.name)


def _by_the_clock(space: Space, scenario: Scenario) -> Space:
    """The streams with a clock, if the scenario's own has one: some beliefs are about arrival."""
    written = scenario.stream if isinstance(scenario.stream, tuple) else ()
    if space.clock or not any(isinstance(item, Record) and item.at is not None for item in written):
        return space
    return replace(space, clock=soon(space.times, space.start, (scenario,)))
