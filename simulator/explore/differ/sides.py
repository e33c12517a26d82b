"""Two scenarios that are run over the same streams, and what of their rows is compared.

Each side is built once and run over thousands of streams. What is compared is what Compare compares: results by their
contents, their item and the clock, and which records were lost. The watermark in a row, and the number and the timing
of a result, say how it came about. Between Flink's rules and Spark's moments cannot agree, so there the last contents
of each result and the lost records are compared.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator.engine.pipeline import Pipeline, PipelinePlan
from tidemark.simulator.engine.values.errors import Problem, ScenarioError
from tidemark.simulator.engine.values.items import BatchEnd, Item, Record, Restore
from tidemark.simulator.engine.values.zone import SessionZone
from tidemark.simulator.explore.differ.values import ON_A_CHANNEL, as_taken, calcs_of, changed
from tidemark.simulator.explore.runs import OF_EVERY_ROW, RESULTS
from tidemark.simulator.proof.spark_twin import NoTwin, twin_of
from tidemark.simulator.scenario import builder
from tidemark.simulator.scenario.calc import Calc
from tidemark.simulator.scenario.model import InputSpec, Scenario
from tidemark.simulator.scenario.zones import zone_of
from tidemark.simulator.spark_rules.micro_batches import DialectPlan, MicroBatches
from tidemark.simulator.timeline.ids import in_instants, result_id
from tidemark.simulator.words import words

COMPARED: Final = frozenset((*RESULTS, "late", "dropped", "error"))

Stream = tuple[Item, ...]
Rows = Counter[Any]


@dataclass(frozen=True)
class Side:
    """One of the two; its inputs are called as those of the first one. ``calcs``: what stands in front of them.

    ``zone``: in whose local time its windows are to be read as instants, if the other has another zone. ``mixed``:
    whether the other runs by the rules of another engine.
    """

    scenario: Scenario
    calcs: Mapping[str, Calc]
    zone: SessionZone | None
    mixed: bool
    plan: PipelinePlan | DialectPlan

    def stream(self, common: Stream) -> Stream:
        """The items of ``common`` as they come to this side. Raises ``ValueError`` if its job fails at a record."""
        if self.mixed and self.scenario.engine == "spark":
            records = (item for item in common if isinstance(item, Record))
            common = tuple(each for record in records for each in (record, BatchEnd()))
        return tuple(as_taken(item, self.calcs) for item in common) if self.calcs else common

    def over(self, common: Stream) -> Scenario:
        """This side with the stream in place of its own, and without texts, which are about records that are gone."""
        own = self.scenario
        return Scenario(
            own.name,
            own.operator,
            self.stream(common),
            own.inputs,
            own.engine,
            own.flink,
            zone=own.zone,
            origin=own.origin,
        )

    def rows(self, common: Stream) -> Rows | None:
        """What is compared; None if this side cannot run the stream."""
        rows: list[Any] = []

        def sink(row: Any) -> None:
            if self.compares(row):
                rows.append(row)

        try:
            stream = self.stream(common)
            if isinstance(self.plan, DialectPlan):
                MicroBatches(self.plan, sink).run(stream)
            else:
                restores = frozenset(item.name for item in stream if isinstance(item, Restore))
                plan = replace(self.plan, restores=restores) if restores else self.plan
                Pipeline(plan, sink).run(stream)
        except (ScenarioError, ValueError, LookupError):
            return None
        if self.mixed:  # the last contents of each result
            return Counter(dict(map(self.compared, rows)).items())
        return Counter(map(self.compared, rows))

    def compares(self, row: Any) -> bool:
        """Whether a row counts."""
        return row["row"] in (RESULTS if self.mixed else COMPARED)

    def compared(self, row: Any) -> tuple[Any, ...]:
        """What is compared of one row; its contents come last."""
        if row["row"] in RESULTS:
            row = in_instants(row, self.zone)
        if self.mixed:
            return result_id(row), _contents(row)
        return row["row"], row.get("item", row.get("batch")), row.get("at"), _contents(row)


_LEFT_OUT: Final = OF_EVERY_ROW | {"input", "timestamp", "batch"}


def _contents(row: Mapping[str, Any]) -> str:
    """As JSON, which tells 1 from 1.0, with columns in one order; a pair without a window has no bounds."""
    bounds = {"start", "end"} if row.get("start") is None else ()
    return json.dumps(
        {name: each for name, each in row.items() if name not in _LEFT_OUT and name not in bounds}, sort_keys=True
    )


def sides_of(left: Scenario, right: Scenario) -> tuple[Side, Side]:
    """Both sides. Raises ``ScenarioError`` if no stream could be read by both."""
    for each in (left, right):
        if each.chain is not None:
            raise _refusal(each, "chain", names=", ".join(part.name for part in each.chain.parts))
    if len(left.inputs) != len(right.inputs):
        raise _refusal(right, "inputs", left=len(left.inputs), right=len(right.inputs))
    for one, other in zip(left.inputs, right.inputs, strict=True):
        if sorted(one.columns) != sorted(other.columns):
            raise _refusal(right, "columns", left=_columns(one), right=_columns(other))
    mixed = left.engine != right.engine
    zones = [zone_of(each.operator) for each in (left, right)]
    if zones[0] is zones[1]:
        zones = [None, None]
    both = zip((left, _renamed(right, [each.name for each in left.inputs])), zones, strict=True)
    first, second = (Side(each, calcs_of(each), zone, mixed, _plan(each)) for each, zone in both)
    return first, second


def _renamed(scenario: Scenario, names: Sequence[str]) -> Scenario:
    """The scenario with inputs of these names."""
    new = dict(zip((each.name for each in scenario.inputs), names, strict=True))
    if all(name == own for own, name in new.items()):
        return scenario
    inputs = tuple(replace(each, name=new[each.name]) for each in scenario.inputs)
    stream = scenario.stream
    if isinstance(stream, tuple):
        stream = tuple(
            changed(each, input=new[each.input]) if isinstance(each, ON_A_CHANNEL) else each for each in stream
        )
    return replace(scenario, inputs=inputs, stream=stream)


def _plan(scenario: Scenario) -> PipelinePlan | DialectPlan:
    empty = replace(scenario, stream=())
    return builder.dialect_plan(empty) if scenario.engine == "spark" else builder.plan(empty)


def _columns(spec: InputSpec) -> str:
    return ", ".join(f"{name} {type}" for name, type in sorted(spec.columns)) or words("differ.no_columns")


def _refusal(scenario: Scenario, kind: str, **fields: Any) -> ScenarioError:
    return ScenarioError(
        [Problem(scenario.file or scenario.name, None, None, words(f"differ.refused.{kind}", **fields))]
    )


def by_spark(scenario: Scenario) -> Scenario:
    """The scenario by Spark's rules. Raises ``ScenarioError`` if Spark has none."""
    try:
        return twin_of(replace(scenario, stream=(), goals=(), walkthrough=()), size=1).scenario
    except NoTwin as missing:
        why = ", ".join(words(f"side_by_side.no_twin.{name}") for name in missing.names)
        raise _refusal(scenario, "no_twin", why=why) from None
