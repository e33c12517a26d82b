"""One number swept: what a setting achieves (completeness) and what it costs (latency, state)."""

from bisect import bisect_left, insort
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from tidemark.simulator.explore.runs import Ran, run_of
from tidemark.simulator.explore.settings import Setting
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.zones import window_class

COUNTED = ("on-time", "late-accepted")


@dataclass(frozen=True, slots=True)
class Point:
    """What one value of a setting achieves and costs.

    ``on_time``, ``counted``, ``records``: how many records were in the first result of a window, in any result, and in
    the stream. ``results``: the number of results. ``latency``: the mean time (ms of the clock) from the end of a
    window to its first result, None where the clock does not tell records apart or no window has an end. ``state``:
    the mean number of values held, over clock time (over steps where the clock stands still).

    ``joined``: everything between the point before and this one is known, since both have the same results, or are 1 ms
    apart and the change is here. If it is False, nothing was run in between, and nothing is claimed.
    """

    value: int
    records: int
    on_time: int
    counted: int
    results: int
    latency: float | None
    state: float
    joined: bool = False


Tried = tuple[Point, Any]
"""The point of a value, and all that was decided with it."""


def sweep(
    scenario: Scenario,
    setting: Setting,
    values: Sequence[int],
    most_runs: int = 0,
    tried: MutableMapping[int, Tried] | None = None,
) -> list[Point]:
    """The points of ``values`` (ms, rising), and around each change the last value before it and the first one after
    it.

    The changes are looked for with ``most_runs`` further runs. ``tried``: what earlier sweeps of the same setting of
    the same scenario have tried, by value; it is not run again, and what this one tries is added. Raises
    ``ScenarioError`` as a run does.

    Halving finds every change of a setting that ``is_compared``: each comparison changes once, so a decision that is
    the same at two values is the same between them. For other settings only ``values`` are tried, and none is joined.
    """
    known = {} if tried is None else tried
    in_order = sorted(known)
    found: dict[int, Tried] = {}

    def at(value: int) -> Tried:
        if value not in found:
            if value not in known:
                run = run_of(setting.write(scenario, value))
                known[value] = (point_of(run, value), _decided(run))
                insort(in_order, value)
            found[value] = known[value]
        return found[value]

    for value in values:
        at(value)
    most = len(found) + most_runs
    open_between = list(pairwise(values)) if setting.is_compared(scenario) else []
    while open_between and len(found) < most:
        low, high = open_between.pop(0)
        if high - low > 1 and at(low)[1] != at(high)[1]:
            middle = _between(low, high, in_order)
            at(middle)
            open_between += [(low, middle), (middle, high)]
    return _without_between(found, set(values), setting.is_compared(scenario))


def _between(low: int, high: int, known: Sequence[int]) -> int:
    """The middle between two values, or the nearest of the ``known`` ones (rising) if it parts them nearly as well."""
    middle, most = (low + high) // 2, (high - low) // 4
    place = bisect_left(known, middle)
    near = [value for value in known[max(place - 1, 0) : place + 1] if abs(value - middle) <= most]
    return min(near, key=lambda value: abs(value - middle), default=middle)


def _without_between(found: dict[int, Tried], wanted: set[int], is_compared: bool) -> list[Point]:
    """In order of their values, without those around which nothing changes."""
    values = sorted(found)
    kept = [
        value
        for before, value, after in zip([None, *values], values, [*values[1:], None], strict=False)
        if value in wanted or not _same(found, before, value) or not _same(found, value, after)
    ]
    return [
        replace(found[value][0], joined=is_compared and (value - 1 == before or _same(found, before, value)))
        for before, value in zip([None, *kept], kept, strict=False)
    ]


def _same(found: dict[int, Tried], low: int | None, high: int | None) -> bool:
    return low is not None and high is not None and found[low][1] == found[high][1]


def _decided(run: Ran) -> Any:
    """The fate of each record, the time of each result, and the size of state."""
    given = {id: [(each.moment, each.row["at"]) for each in rows] for id, rows in run.results.items()}
    return run.fates, given, _mean_held(run)


def point_of(run: Ran, value: int) -> Point:
    """What a finished run achieves and costs."""
    fates = list(run.fates.values())
    late = latencies(run)
    return Point(
        value,
        records=len(fates),
        on_time=fates.count("on-time"),
        counted=sum(fate in COUNTED for fate in fates),
        results=sum(map(len, run.results.values())),
        latency=sum(late) / len(late) if late else None,
        state=_mean_held(run),
    )


def latencies(run: Ran) -> list[int]:
    """From the end of each window to its first result, ms of the clock."""
    if run.facts.arrival_axis != "at":
        return []
    first = (given[0].row for given in run.results.values())
    window = window_class(run.scenario.operator)
    return [
        row["at"] - 1 - window(row["start"], row["end"]).max_timestamp for row in first if row.get("end") is not None
    ]


def _mean_held(run: Ran) -> float:
    """The number of values in state, over clock time."""
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
