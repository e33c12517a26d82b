"""What side B is if an address names side A alone: the first change that makes a difference to the results."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator.explore.beliefs import BELIEFS, tour
from tidemark.simulator.explore.comparing import content
from tidemark.simulator.explore.runs import RESULTS, run_of
from tidemark.simulator.explore.settings import LATENESS, settings_of, values_of
from tidemark.simulator.proof.spark_twin import RECORDS_A_BATCH, NoTwin, twin_of
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.values.errors import ScenarioError
from tidemark.ui.compare.choice import Choice, configured

from tidemark import simulator

MOST_ITEMS: Final = 2_000
"""A longer run is not tried with other numbers; its first number is set to its first value."""

Results = list[tuple[str, int]]


KINDS: Final = ("original", "settings", "spark", "belief", "scenario")
"""What side B can be, in the order in which it is tried; ``against=KIND`` in an address has one tried first."""


def telling(
    choice: Choice,
    scenario: Scenario,
    original: Scenario | None = None,
    neighbour: str | None = None,
    against: str = "",
) -> Choice:
    """``choice`` with a side B that differs from ``scenario``, side A with its settings.

    ``original``: what side A is a copy of; ``neighbour``: the name of another scenario; ``against``: one of ``KINDS``
    to try first.
    """
    is_long = sum(1 for _ in items(scenario)) > MOST_ITEMS
    own = [] if is_long else _results(scenario)

    def differs(other: Scenario) -> bool:
        return is_long or _results(other) != own

    for kind in sorted(KINDS, key=lambda kind: kind != against):
        with suppress(ScenarioError):
            match kind:
                case "original" if original is not None and differs(original):
                    return replace(choice, other=original.name)
                case "settings":
                    for values in _changes(scenario):
                        if differs(configured(scenario, values)):
                            return replace(choice, settings={**choice.settings, "b": _all(choice, values)})
                case "spark" if _has_twin(scenario):
                    return replace(choice, spark=RECORDS_A_BATCH)
                case "belief" if belief := _believed(scenario):
                    return replace(choice, belief=belief)
                case "scenario" if neighbour is not None:
                    return replace(choice, other=neighbour)
    return choice


def _all(choice: Choice, values: dict[str, int]) -> dict[str, int]:
    """Side B has the numbers of side A, apart from ``values``."""
    return {**choice.settings.get("a", {}), **values}


def _changes(scenario: Scenario) -> Iterator[dict[str, int]]:
    """Single numbers, set to the least and to the largest value worth trying; a lateness that is not 0 comes first."""
    found = settings_of(scenario)
    if LATENESS in found and LATENESS.read(scenario):
        found = [LATENESS, *(each for each in found if each is not LATENESS)]
    for setting in found:
        values = values_of(scenario, setting)
        for value in (values[0], values[-1]):
            if value != setting.read(scenario):
                yield {setting.name: value}


def _results(scenario: Scenario) -> Results:
    """Every result with the time of the clock (ms) at which it came."""
    found: Results = []

    def keep(row: Any) -> None:
        if row["row"] in RESULTS:
            found.append((content(row), row["at"]))

    simulator.run(scenario, keep)
    return found


def _has_twin(scenario: Scenario) -> bool:
    try:
        twin_of(scenario, size=RECORDS_A_BATCH)
    except NoTwin:
        return False
    return True


def _believed(scenario: Scenario) -> str | None:
    """The first belief that these records refute."""
    truth = run_of(scenario)
    for belief in BELIEFS:
        found = tour(truth, belief)
        if found is not None and found.compared.parting is not None:
            return belief.name
    return None
