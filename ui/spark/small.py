"""The scenario as the walkthrough shows it: which step emits a row, and how late its records are."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tidemark.simulator import timeline
from tidemark.simulator.scenario.model import Scenario
from tidemark.ui.catalogue import Entry
from tidemark.ui.keeping import keeping
from tidemark.ui.walkable import walked

_LOST = frozenset({"dropped", "side"})


@dataclass(frozen=True)
class Small:
    """``rows`` as they are emitted, without those that a restore withdraws; ``of_item``: the first step of each item.

    ``steps``: the step that emits each row, by the row as text.

    ``delays``: for each record, how far (ms) its timestamp is behind the clock on arrival, and whether it is dropped.
    """

    rows: tuple[Mapping[str, Any], ...]
    steps: Mapping[str, int]
    of_item: Mapping[int, int]
    delays: tuple[tuple[int, bool], ...]

    def step_of(self, simulator: Mapping[str, Any] | None, spark: Mapping[str, Any] | None) -> int | None:
        """The step to look at for a row on which the sides differ; None if the walkthrough does not reach it."""
        if simulator is not None:
            return self.steps.get(_text(simulator))
        return self.of_item.get(spark.get("item", -1)) if spark is not None else None


def small(entry: Entry) -> Small:
    """What the walkthrough of ``entry`` shows; computed once."""
    assert entry.scenario is not None
    return _small(entry.scenario, entry.name, entry.stamp)


@keeping(20)
def _small(_scenario: Scenario, name: str, stamp: str) -> Small:
    scenario, trace = walked(_scenario)
    tables = timeline.build(scenario, trace, told=False).tables
    steps: dict[str, int] = {}
    outputs = [output for output in tables["outputs"] if output["until_step"] is None]
    for output in outputs:
        steps.setdefault(_text(output["row"]), output["from_step"])
    of_item: dict[int, int] = {}
    for step in tables["steps"]:
        of_item.setdefault(step["item"], step["from_step"])
    records = {row["id"]: (row["at"] - row["ts"], row["fate"]) for row in tables["records"] if row["ts"] is not None}
    delays = tuple((delay, fate in _LOST) for delay, fate in records.values())
    return Small(tuple(output["row"] for output in outputs), steps, of_item, delays)


def _text(row: Mapping[str, Any]) -> str:
    return json.dumps(row, sort_keys=True, ensure_ascii=False, default=str)
