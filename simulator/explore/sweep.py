"""One number swept: what a setting gives (completeness) and what it costs (latency, state)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from simulator.explore.runs import Ran, run_of
from simulator.explore.settings import Setting
from simulator.scenario.model import Scenario

COUNTED = ("on-time", "late-accepted")


@dataclass(frozen=True, slots=True)
class Point:
    """What one value of a setting gives.

    ``on_time``, ``counted``, ``records``: how many records were in the first result of a window, in any, and came at
    all. ``results``: how many results were given. ``latency``, ``latency_most``: mean and largest time (ms of the
    clock) from the end of a window to its first result, null where the clock does not tell records apart or no window
    has an end. ``state``, ``state_most``: mean and largest number of values held, the mean over clock time (over
    steps where the clock stands still).
    """

    value: int
    records: int
    on_time: int
    counted: int
    results: int
    latency: float | None
    latency_most: int | None
    state: float
    state_most: int


def sweep(scenario: Scenario, setting: Setting, values: Sequence[int]) -> Iterator[Point]:
    """A point for each of ``values`` (ms), one after another. Raises ``ScenarioError`` as a run does."""
    for value in values:
        yield point_of(run_of(setting.write(scenario, value)), value)


def point_of(run: Ran, value: int) -> Point:
    """What a finished run gives and costs."""
    fates = list(run.fates.values())
    late = latencies(run)
    return Point(
        value,
        records=len(fates),
        on_time=fates.count("on-time"),
        counted=sum(fate in COUNTED for fate in fates),
        results=sum(map(len, run.results.values())),
        latency=sum(late) / len(late) if late else None,
        latency_most=max(late, default=None),
        state=_mean_held(run),
        state_most=max((row["values"] for row in run.facts.tables["held"]), default=0),
    )


def latencies(run: Ran) -> list[int]:
    """From the end of each window to its first result, ms of the clock."""
    if run.facts.arrival_axis != "at":
        return []
    first = (given[0].row for given in run.results.values())
    return [row["at"] - row["end"] for row in first if row.get("end") is not None]


def _mean_held(run: Ran) -> float:
    """The number of values held, over clock time."""
    rows = run.facts.tables["held"]
    if not rows:
        return 0.0
    begins = [row["from_step"] for row in rows]
    for moments in ([run.trace.steps[step].at for step in (*begins, len(run.trace) - 1)], [*begins, len(run.trace)]):
        lengths = [until - since for since, until in pairwise(moments)]
        if sum(lengths) > 0:
            total = sum(row["values"] * length for row, length in zip(rows, lengths, strict=True))
            return float(total / sum(lengths))
    return float(rows[-1]["values"])
