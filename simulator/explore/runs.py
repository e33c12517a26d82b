"""A run by moments, so that two runs can be compared.

The n-th record of the stream (from 0) is moment 2n; whatever is between it and the next one, including the end of
input, is moment 2n + 1, and what comes before the first record is moment -1. Runs of different scenarios share these.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from tidemark.simulator import timeline
from tidemark.simulator.engine.trace.events import LateForWindow, WindowSkippedLate
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.zone import SessionZone
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.zones import zone_of
from tidemark.simulator.timeline.facts import Row, Timeline
from tidemark.simulator.timeline.ids import ResultId, result_id

from tidemark import simulator

RESULTS: Final = ("pane", "joined", "group", "emitted", "ranked")
"""The rows that are results; the others are about watermarks, records that did not count, and failures."""

BEFORE_ALL: Final = -1
"""The moment before the first record."""


@dataclass(frozen=True, slots=True)
class Emission:
    """One result row, its moment, and the step that emitted it."""

    row: Row
    moment: int
    step: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What can be compared, by moments: see the members of ``Ran``. It comes from one run, or from several together.

    ``zone``: the session time zone in whose local time the windows of the results are, None where windows know no zone.
    """

    results: Mapping[ResultId, tuple[Emission, ...]]
    fates: Mapping[int, str]
    watermarks: Mapping[int, int | None]
    last_steps: Mapping[int, int]
    zone: SessionZone | None = None


@dataclass(frozen=True)
class Ran:
    """One finished run. ``facts``: of ``run_of`` without stories. ``moments``: the moment of each stream item."""

    scenario: Scenario
    trace: Trace
    facts: Timeline
    moments: Sequence[int]

    @property
    def outcome(self) -> Outcome:
        """This run alone."""
        zone = zone_of(self.scenario.operator)
        return Outcome(self.results, self.fates, self.watermarks, self.last_steps, zone)

    @cached_property
    def results(self) -> Mapping[ResultId, tuple[Emission, ...]]:
        """Every result that was not withdrawn, by what it is about, in order of emission."""
        found: dict[ResultId, list[Emission]] = {}
        for fact in self.facts.by_name()["outputs"]:
            if fact["until_step"] is None and fact["row"]["row"] in RESULTS:
                row = fact["row"]
                emission = Emission(row, self.moments[row["item"]], fact["from_step"])
                found.setdefault(result_id(row), []).append(emission)
        return {id: tuple(each) for id, each in found.items()}

    @cached_property
    def fates(self) -> Mapping[int, str]:
        """The final fate of the record of each moment (see the table ``records``)."""
        ended = (row for row in self.facts.tables["records"] if row["until_step"] is None)
        return {self.moments[row["item"]]: row["fate"] for row in ended}

    @cached_property
    def missed(self) -> Set[int]:
        """The items of records that were in time for some of their windows and too late for others.

        Their fate is ``on-time``, and no counter of Flink has them but that of a window Top-N.
        """
        late = {step.item for step in self.trace if isinstance(step.event, WindowSkippedLate | LateForWindow)}
        ended = (row for row in self.facts.tables["records"] if row["until_step"] is None)
        return {row["item"] for row in ended if row["fate"] == "on-time" and row["item"] in late}

    @cached_property
    def watermarks(self) -> Mapping[int, int | None]:
        """The operator's watermark (ms) after each moment; None before the first one."""
        return {self.moments[step.item]: step.watermark for step in self.trace}

    @cached_property
    def last_steps(self) -> Mapping[int, int]:
        """The last step of each moment: what a cursor on that moment shows."""
        return {self.moments[step.item]: step.step for step in self.trace}


def run_of(scenario: Scenario, moments: Sequence[int] | None = None) -> Ran:
    """Run ``scenario``. ``moments`` names the moment of each of its items, if it shares those of another scenario.

    Raises ``ScenarioError`` for what the engine cannot run, or for too many steps.
    """
    _, trace = simulator.run_traced(scenario)
    shared = moments_of(scenario) if moments is None else moments
    return Ran(scenario, trace, timeline.build(scenario, trace, stories=False), shared)


def together(runs: Sequence[Ran]) -> Outcome:
    """Runs over parts of one stream as if they were one; they have no common watermark."""
    results: dict[ResultId, tuple[Emission, ...]] = {}
    fates: dict[int, str] = {}
    for run in runs:
        results |= {id: (*results.get(id, ()), *emissions) for id, emissions in run.results.items()}
        fates |= run.fates
    in_order = sorted(results.items(), key=lambda each: each[1][0].moment)
    return Outcome(dict(in_order), fates, {}, {}, zone_of(runs[0].scenario.operator))


def moments_of(scenario: Scenario) -> list[int]:
    """The moment of each item of the stream."""
    moments: list[int] = []
    records = 0
    for item in items(scenario):
        records += isinstance(item, Record)
        moments.append(2 * records - 2 if isinstance(item, Record) else 2 * records - 1)
    return moments


def watermark_after(watermarks: Mapping[int, int | None], moment: int) -> int | None:
    """The watermark after ``moment``; that of an earlier moment if nothing happened in it."""
    while moment not in watermarks and moment > BEFORE_ALL:
        moment -= 1
    return watermarks.get(moment)
