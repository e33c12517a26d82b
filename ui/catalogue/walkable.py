"""How much of a scenario a person can walk through: not too much, not nothing; and what is too long to do at once."""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice
from typing import Any, TypeVar

from tidemark.simulator.engine.trace.events import BatchEnded
from tidemark.simulator.engine.trace.trace import Trace, TraceTooLong
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.limits import QUICK_STEPS, WALK_STEPS
from tidemark.simulator.scenario.model import Data, Generated, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.words import words
from tidemark.ui.server.orders import heavily

from tidemark import simulator

Made = TypeVar("Made")

OPENING = 300
"""How many records of a file are walked through."""

STEPS_OF_A_RECORD = 8
"""More micro-steps than most records take in a micro-batch."""


def walked(scenario: Scenario, most: int | None = None) -> tuple[Scenario, Trace]:
    """As much of the scenario as fits into ``most`` micro-steps (default ``WALK_STEPS``), and its trace.

    A run that fits is returned whole, with the very same scenario object; of a file beside the scenario the first
    ``OPENING`` records are. Raises ``ScenarioError`` if the engine cannot
    run it.
    """
    most = WALK_STEPS if most is None else most
    scenario = _opening(scenario)
    trace = Trace(limit=most)
    try:
        simulator.run(scenario, _ignore, trace)
    except TraceTooLong:
        if scenario.engine == "spark":
            return _first_batches(scenario, trace, most)
        scenario = _first_items(scenario, trace.steps[-1].item)
        _, trace = simulator.run_traced(scenario)
    return scenario, trace


def is_long(scenario: Scenario) -> bool:
    """Whether work on the scenario's run is left to another process: it has more than ``QUICK_STEPS`` micro-steps."""
    try:
        simulator.run(_opening(scenario), _ignore, Trace(limit=QUICK_STEPS))
    except TraceTooLong:
        return True
    except ScenarioError:  # which whoever works on the run will raise as well
        return False
    return False


def done_for(scenario: Scenario, function: Callable[..., Made], *arguments: Any) -> Made:
    """``function(*arguments)``, which works on the run of ``scenario``: here if that is short, else as ``heavily``."""
    return heavily(function, *arguments) if is_long(scenario) else function(*arguments)


def shortened(scenario: Scenario) -> Scenario:
    """The scenario with as much of its stream as can be walked through."""
    return walked(scenario)[0]


def obstacle(scenario: Scenario) -> str:
    """Why ``scenario`` has no walkthrough: the engine cannot run it, or nothing happens in it; "" if it has one.

    A long run is not looked at to its end: something happens in it, and a library is to open quickly.
    """
    try:
        quick = Trace(limit=QUICK_STEPS)
        try:
            simulator.run(_opening(scenario), _ignore, quick)
        except TraceTooLong:
            if quick.steps[-1].item:  # else the first item alone has all these steps
                return ""
        _, trace = walked(scenario)
    except ScenarioError as error:
        return str(error)
    return "" if len(trace) else words("pages.library.nothing_happens", file=scenario.file)


def _opening(scenario: Scenario) -> Scenario:
    """The scenario itself, or with the beginning of the file that its stream is in."""
    if isinstance(scenario.stream, Data):
        return replace(scenario, stream=scenario.stream[:OPENING])
    return scenario


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
