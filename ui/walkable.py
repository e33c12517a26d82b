"""What of a scenario a person can walk through: not too much, and not nothing."""

from dataclasses import replace

import simulator
from simulator.scenario.model import Generated, Scenario
from simulator.values.errors import ScenarioError
from simulator.words import words

MOST_GENERATED = 300
MOST_ITEMS = 1000
"""Records of a generated stream, and items of a written one, that a walkthrough shows."""


def shortened(scenario: Scenario) -> Scenario:
    """The scenario with as much of its stream as a person can walk through; nothing is cut from a small one."""
    stream = scenario.stream
    if isinstance(stream, Generated):
        return replace(scenario, stream=replace(stream, events=min(stream.events, MOST_GENERATED)))
    return scenario if len(stream) <= MOST_ITEMS else replace(scenario, stream=stream[:MOST_ITEMS])


def obstacle(scenario: Scenario) -> str:
    """Why there is no walkthrough of ``scenario``: the engine does not run it, nothing happens in it, or too much."""
    try:
        _, trace = simulator.run_traced(shortened(scenario))
    except ScenarioError as error:
        return str(error)
    return "" if len(trace) else words("pages.library.nothing_happens", file=scenario.file)
