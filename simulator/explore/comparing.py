"""Two runs side by side: every result of both, which one came earlier, and the first moment at which they differ."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator.explore.runs import BEFORE_ALL, Emission, Outcome, watermark_after
from tidemark.simulator.timeline.ids import ResultId, in_instants, result_id

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

FATE, RESULTS, WATERMARK = "fate", "results", "watermark"
FATE_AND_RESULTS: Final = (FATE, RESULTS)
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
            RESULTS: (results[0].get(moment, []), results[1].get(moment, [])),
            WATERMARK: (watermark_after(left.watermarks, moment), watermark_after(right.watermarks, moment)),
        }
        for what in whats:
            ours, theirs = seen[what]
            if _plain(what, ours) != _plain(what, theirs):
                return Parting(moment, what, ours, theirs)
    return None


def _plain(what: str, seen: Any) -> Any:
    return Counter((content(row), row["at"]) for row in seen) if what == RESULTS else seen


def _results_by_moment(run: Outcome) -> dict[int, list[Mapping[str, Any]]]:
    found: dict[int, list[Mapping[str, Any]]] = {}
    for given in run.results.values():
        for each in given:
            found.setdefault(each.moment, []).append(each.row)
    return found
