"""A run by moments, so that two runs can be compared.

The n-th record of the stream (from 0) is moment 2n; whatever is between it and the next one, including the end of
input, is moment 2n + 1, and what comes before the first record is moment -1. Runs of different scenarios share these.
"""

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Final

from tidemark.simulator import timeline
from tidemark.simulator.engine.trace.events import LateForWindow, WindowSkippedLate
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.zone import SessionZone
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.zones import zone_of
from tidemark.simulator.timeline.facts import Row, Timeline
from tidemark.simulator.timeline.ids import ResultId, in_instants, result_id

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


# The verdict on a pair says how the left run compares with the right one. It is the first that holds of: only one side,
# another last value, another moment of the first result, another number of results.
SAME: Final = "same"
DIFFERS: Final = "differs"
EARLIER: Final = "earlier"
LATER: Final = "later"
OFTENER: Final = "oftener"
RARER: Final = "rarer"
ONLY_LEFT: Final = "only-left"
ONLY_RIGHT: Final = "only-right"

FATE, COMPARED, WATERMARK = "fate", "results", "watermark"
FATE_AND_RESULTS: Final = (FATE, COMPARED)
"""The differences that matter; the watermark is only how a run gets there."""

OF_EVERY_ROW: Final = frozenset(("row", "item", "watermark", "at", "pane", "timing", "change"))
"""The members that say how a result came about, not what it is."""


@dataclass(frozen=True, slots=True)
class Pair:
    """All results of one window (pair, record) on both sides.

    ``by``: how much earlier the first result of the left side came (ms of the clock; negative: later), None where a
    side has none.
    """

    id: ResultId
    left: tuple[Emission, ...]
    right: tuple[Emission, ...]
    verdict: str
    by: int | None


@dataclass(frozen=True, slots=True)
class Parting:
    """The first moment at which two runs differ, and in what: ``fate``, ``results`` or ``watermark``.

    ``left`` and ``right``: the fate, the results (rows) or the watermark of each.
    """

    moment: int
    what: str
    left: Any
    right: Any


@dataclass(frozen=True, slots=True)
class Compared:
    """``pairs`` in order of first emission (those of the left side, then those that only the right one has).

    ``parting``: where fates or results differ first; ``watermark_parting``: where the watermarks do. ``in_instants``:
    the bounds of windows are instants, whatever the session time zones of the runs.
    """

    pairs: tuple[Pair, ...]
    parting: Parting | None
    watermark_parting: Parting | None
    in_instants: bool = False

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of pairs with each verdict."""
        return Counter(pair.verdict for pair in self.pairs)


def compare_runs(left: Outcome, right: Outcome) -> Compared:
    """Compare two runs moment by moment.

    Runs of different session time zones have nothing in common but instants: midnight in Berlin and in Shanghai is the
    same local time, and another day. So their windows are compared by the instants between which they lie.
    """
    other_zones = left.zone is not right.zone
    if other_zones:
        left, right = _by_instants(left), _by_instants(right)
    ids = list(dict.fromkeys([*left.results, *right.results]))
    pairs = tuple(_pair(id, left.results.get(id, ()), right.results.get(id, ())) for id in ids)
    partings = _parting(left, right, FATE_AND_RESULTS), _parting(left, right, (WATERMARK,))
    return Compared(pairs, *partings, in_instants=other_zones)


def _by_instants(run: Outcome) -> Outcome:
    if run.zone is None:
        return run
    found: dict[ResultId, tuple[Emission, ...]] = {}
    for emissions in run.results.values():
        moved = tuple(replace(each, row=in_instants(each.row, run.zone)) for each in emissions)
        id = result_id(moved[0].row)
        found[id] = (*found.get(id, ()), *moved)
    return replace(run, results=found, zone=None)


def _pair(id: ResultId, left: tuple[Emission, ...], right: tuple[Emission, ...]) -> Pair:
    if not left or not right:
        return Pair(id, left, right, ONLY_LEFT if left else ONLY_RIGHT, None)
    by = right[0].row["at"] - left[0].row["at"]
    return Pair(id, left, right, _verdict(left, right, by), by)


def _verdict(left: Sequence[Emission], right: Sequence[Emission], by: int) -> str:
    if content(left[-1].row) != content(right[-1].row):
        return DIFFERS
    moments = right[0].moment - left[0].moment
    if moments or by:
        return EARLIER if (moments or by) > 0 else LATER
    if len(left) != len(right):
        return OFTENER if len(left) > len(right) else RARER
    values = [[content(each.row) for each in side] for side in (left, right)]
    return SAME if values[0] == values[1] else DIFFERS


def content(row: Mapping[str, Any]) -> str:
    """What a result is, without how it came about; 1 and 1.0 are not the same."""
    return repr(sorted((name, value) for name, value in row.items() if name not in OF_EVERY_ROW))


def _parting(left: Outcome, right: Outcome, whats: Sequence[str]) -> Parting | None:
    results = [_results_by_moment(side) for side in (left, right)]
    for moment in range(BEFORE_ALL, max([*left.fates, *left.last_steps, *right.last_steps], default=BEFORE_ALL) + 1):
        seen = {
            FATE: (left.fates.get(moment), right.fates.get(moment)),
            COMPARED: (results[0].get(moment, []), results[1].get(moment, [])),
            WATERMARK: (watermark_after(left.watermarks, moment), watermark_after(right.watermarks, moment)),
        }
        for what in whats:
            ours, theirs = seen[what]
            if _plain(what, ours) != _plain(what, theirs):
                return Parting(moment, what, ours, theirs)
    return None


def _plain(what: str, seen: Any) -> Any:
    return Counter((content(row), row["at"]) for row in seen) if what == COMPARED else seen


def _results_by_moment(run: Outcome) -> dict[int, list[Mapping[str, Any]]]:
    found: dict[int, list[Mapping[str, Any]]] = {}
    for given in run.results.values():
        for each in given:
            found.setdefault(each.moment, []).append(each.row)
    return found
