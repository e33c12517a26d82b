"""One setting over its streams: the rows of both sides."""

from dataclasses import dataclass
from itertools import islice
from typing import Final

from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.spark_bridge.plan.batch import plan_of
from tidemark.spark_bridge.plan.operators import KeyedPlan

from tests.small.family import Setting
from tests.spark.plain import keyed_rows
from tests.spark.plain_ordered import ordered_rows
from tests.spark.spark_sides import compared
from tidemark import simulator

MOST_SHOWN: Final = 3
"""After so many differences a setting is done with."""


@dataclass(frozen=True, slots=True)
class Tried:
    """How many streams were tried, and the scenarios (as files) on which the two sides differ."""

    name: str
    streams: int
    different: tuple[str, ...]


def differs(scenario: Scenario) -> bool:
    """Whether the bridge's own operator, key by key or in order, has other rows than the simulator."""
    rows = simulator.run_rows(scenario)
    if any(row["row"] == "error" for row in rows):
        return False
    plan = plan_of(scenario).operator
    if isinstance(plan, KeyedPlan) and plan.ordered:
        return bool(ordered_rows(scenario) != compared(rows))
    return bool(keyed_rows(scenario, KeyedPlan(scenario.operator)) != compared(rows))


def tried(setting: Setting, stride: int = 1, first: int = 0) -> Tried:
    """Each ``stride``-th stream of the setting, from the number ``first`` on."""
    streams = 0
    different: list[str] = []
    for scenario in islice(setting.streams(), first, None, stride):
        streams += 1
        if len(different) < MOST_SHOWN and differs(scenario):
            different.append(as_yaml(scenario))
    return Tried(setting.name, streams, tuple(different))
