"""What fires in truth and in the run of each belief; exercises compare nothing else, so that no timeline is needed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from tidemark.simulator import scenario as scenarios
from tidemark.simulator.explore.beliefs import BELIEFS, Believed
from tidemark.simulator.explore.fired import Fired, fired, fired_in
from tidemark.simulator.explore.runs import Ran, run_of
from tidemark.simulator.inventory.items import Item, scenario_text
from tidemark.simulator.practice.levels import FORM
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.trace.trace import Trace

from tidemark import simulator


class Quick(NamedTuple):
    """A run without its timeline; ``moments`` as in ``simulator.explore.runs``."""

    trace: Trace
    moments: Sequence[int]


def scenario_of(item: Item) -> Scenario:
    """The scenario of an exercise, whose name is that of its kind."""
    return scenarios.parse(scenario_text(item, FORM, f"practice-{item.name}"), "practice.yaml")


def truth_of(item: Item) -> Ran:
    """The run of an exercise."""
    return run_of(scenario_of(item))


def varied(truth: Ran, scenario: Scenario) -> Ran:
    """The run of a scenario that differs from that of ``truth`` by a number or the order of its records.

    It keeps the timeline of ``truth``, of which beliefs only want to know whether records have times of arrival; so
    many of these can be tried in the time that one timeline takes.
    """
    return replace(truth, scenario=scenario, trace=simulator.run_traced(scenario)[1])


def results(run: Ran | Quick) -> list[Fired]:
    """What fires in a run, in order."""
    return fired(run.trace, run.moments)


def believed(truth: Ran, names: Iterable[str] | None = None) -> Iterator[tuple[str, list[Fired]]]:
    """What fires in the run of each belief that can be run here: (belief, results)."""
    wanted = None if names is None else set(names)
    for belief in BELIEFS:
        if wanted is None or belief.name in wanted:
            parts = [_run(part) for part in belief.believed(truth)]
            if parts:
                yield belief.name, fired_in(parts)


def is_wrong_here(truth: Ran, belief: str) -> bool:
    """Whether the run of a belief has other results than the truth; for no belief ("") there is nothing to ask."""
    return not belief or any(_told(found) != _told(results(truth)) for _, found in believed(truth, [belief]))


def _told(found: Iterable[Fired]) -> list[Fired]:
    return [each._replace(step=0) for each in found]


def _run(part: Believed) -> Quick:
    scenario, moments = part
    return Quick(simulator.run_traced(scenario)[1], moments)


def lost(found: Iterable[Fired], records: int) -> list[int]:
    """The records, by their values from 1 to ``records``, that are in no result."""
    kept = {value for each in found for value in each.value}
    return [number for number in range(1, records + 1) if number not in kept]
