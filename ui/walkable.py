"""How much of a scenario a person can walk through: not too much, and not nothing."""

from dataclasses import replace
from itertools import islice

import simulator
from simulator.scenario.model import Data, Generated, Scenario
from simulator.scenario.stream import items
from simulator.trace.events import BatchEnded
from simulator.trace.trace import Trace, TraceTooLong
from simulator.values.errors import ScenarioError
from simulator.values.items import Record
from simulator.words import words

MOST_STEPS = 100_000
"""The most micro-steps in a walkthrough; a longer run is cut after its last whole item."""

OPENING = 300
"""How many records of a file are walked through."""

STEPS_OF_A_RECORD = 8
"""More micro-steps than most records take in a micro-batch."""


def walked(scenario: Scenario, most: int | None = None) -> tuple[Scenario, Trace]:
    """As much of the scenario as fits into ``most`` micro-steps (default ``MOST_STEPS``), and its trace.

    A run that fits is returned whole, with the very same scenario object; of a file beside the scenario the first
    ``OPENING`` records are. Raises ``ScenarioError`` if the engine cannot
    run it.
    """
    most = MOST_STEPS if most is None else most
    if isinstance(scenario.stream, Data):
        scenario = replace(scenario, stream=scenario.stream[:OPENING])
    trace = Trace(limit=most)
    try:
        simulator.run(scenario, _ignore, trace)
    except TraceTooLong:
        if scenario.engine == "spark":
            return _first_batches(scenario, trace, most)
        scenario = _first_items(scenario, trace.steps[-1].item)
        _, trace = simulator.run_traced(scenario)
    return scenario, trace


def shortened(scenario: Scenario) -> Scenario:
    """The scenario with as much of its stream as can be walked through."""
    return walked(scenario)[0]


def obstacle(scenario: Scenario) -> str:
    """Why ``scenario`` has no walkthrough: the engine cannot run it, or nothing happens in it; "" if it has one."""
    try:
        _, trace = walked(scenario)
    except ScenarioError as error:
        return str(error)
    return "" if len(trace) else words("pages.library.nothing_happens", file=scenario.file)


def _first_batches(scenario: Scenario, trace: Trace, most: int) -> tuple[Scenario, Trace]:
    """The whole batches of ``scenario`` that its truncated ``trace`` contains; of one oversized batch as much as fits.

    A batch has two or more steps for each of its records, so the records alone must not use up the limit.
    """
    whole = [step.item for step in trace if isinstance(step.event, BatchEnded)]
    count = whole[-1] + 1 if whole else len(trace) // STEPS_OF_A_RECORD
    while True:
        if isinstance(scenario.stream, Generated):
            cut = replace(scenario, stream=replace(scenario.stream, events=count))
        else:
            cut = replace(scenario, stream=scenario.stream[:count])
        shown = Trace(limit=2 * most)
        try:
            simulator.run(cut, _ignore, shown)
        except TraceTooLong:
            count //= 2
            continue
        return cut, shown


def _first_items(scenario: Scenario, count: int) -> Scenario:
    stream = scenario.stream
    if isinstance(stream, Generated):
        records = sum(isinstance(item, Record) for item in islice(items(scenario), count))
        return replace(scenario, stream=replace(stream, events=records))
    return replace(scenario, stream=stream[:count])


def _ignore(row: simulator.Row) -> None:
    """Discard a row: the trace contains it as well."""
