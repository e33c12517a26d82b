"""What a sweep measures: the rows of its charts (``sweep.py``)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tidemark.simulator.explore.sweep import Point

Row = dict[str, Any]


def _percent(count: int, point: Point) -> float:
    return 100 * count / max(point.records, 1)


MEASURES: Final[Mapping[str, tuple[Callable[[Point], float | None], ...]]] = {
    "complete": (lambda point: _percent(point.on_time, point), lambda point: _percent(point.counted, point)),
    "latency": (lambda point: None if point.latency is None else point.latency / 1000,),
    "state": (lambda point: point.state,),
}
"""The measures by name, each with its curves: records counted in %, the wait for the first result in s, values held."""


def measures(points: Sequence[Point]) -> list[Row]:
    """For each measure that has numbers {name, least, most, lines, alone}: the rows of the chart's sources.

    A row is {value (s), y, second, run}: rows of one ``run`` are joined, level until the next value and upright there.
    ``second``: of the second curve. ``alone``: rows that nothing is joined to. ``least`` and ``most``: what the
    axis reaches from and to. It has 0 on it: a window that fires at the end of input may have waited less than nothing.
    """
    found = []
    for name, curves in MEASURES.items():
        lines, alone = list[Row](), list[Row]()
        for second, curve in enumerate(curves):
            for run in _runs(points, curve, bool(second)):
                (lines if len(run) > 1 else alone).extend(run)
        if lines or alone:
            numbers = [row["y"] for row in (*lines, *alone)]
            most = 100 if name == "complete" else max(0, *numbers)
            found.append({"name": name, "least": min(0, *numbers), "most": most, "lines": lines, "alone": alone})
    return found


def _runs(points: Sequence[Point], curve: Callable[[Point], float | None], second: bool) -> list[list[Row]]:
    """The rows of a curve; a value that was run by itself, and one without a number, begins another run."""
    runs: list[list[Row]] = [[]]
    for point in points:
        y = curve(point)
        if not point.joined or y is None:
            runs.append([])
        if y is not None:
            run = f"{int(second)}-{len(runs)}"
            runs[-1].append({"value": point.value / 1000, "y": y, "second": second, "run": run})
    return [run for run in runs if run]
