"""Searches that take a moment: a sweep, the changes that would keep a lost record, the fewest records, a stream."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.explore.differ.sides import by_spark
from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.explore.settings import Point, Setting, Tried, settings_of, shapes_of, sweep, values_of
from tidemark.simulator.explore.smallest import Shows, came_earlier, keeps, keeps_all, meets, shrink, smallest_changes
from tidemark.simulator.limits import SEARCHED_STEPS, SWEEP_RUNS
from tidemark.simulator.scenario.model import Goal, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.timeline.judgements import LOST
from tidemark.simulator.words import current_language
from tidemark.ui.compare.choice import Choice
from tidemark.ui.compare.sides import content_key
from tidemark.ui.server.cache import keeping
from tidemark.ui.share.difference import difference, mistake
from tidemark.ui.share.links import fits, token_of

# What a sweep measures: the rows of its charts (``sweep.py``).

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


MOST_LOST: Final = 4
"""At most this many lost records are searched for changes that would keep them."""

QUICK: Final = 60
"""Up to this many records a sweep tries every value and locates every change; of a longer run it tries every third
value and locates no changes."""

GOALS: Final[Mapping[str, Goal]] = {
    "dropped": Goal(rows="dropped", at_least=1),
    "late": Goal(rows="late", at_least=1),
    "merge": Goal(event="WindowsMerged", at_least=1),
}


def swept(scenario: Scenario, name: str, beside: Scenario | None = None) -> Row | None:
    """A sweep of the setting called ``name`` as it is drawn; None where the scenario has no such number.

    The ``values`` to choose from (ms) are those worth trying in ``beside``, and the scenario's own, ``now``. ``exact``:
    every change is located to the ms. ``measures``: see ``ui.compare.searches``.
    """
    setting = _setting(scenario, name)
    if setting is None:
        return None
    values = _values(beside if beside is not None and _setting(beside, name) else scenario, setting)
    now = setting.read(scenario)
    values = sorted({*values, *([] if now is None else [now])})
    quick = is_quick(scenario)
    # Whoever moves the dot of the curve asks for the same curve again, with one value more.
    tried = _tried(name, content_key(setting.write(scenario, setting.least))) if quick else None
    found = sweep(scenario, setting, values, SWEEP_RUNS if quick else 0, tried)
    return {
        "setting": name,
        "values": values,
        "now": now,
        "exact": all(point.joined for point in found[1:]),
        "measures": measures(found),
    }


@keeping(8)
def _tried(setting: str, key: str) -> dict[int, Tried]:
    """What the sweeps of ``setting`` have tried in the scenario of ``key``; they add to it."""
    return {}


def _setting(scenario: Scenario, name: str) -> Setting | None:
    return next((each for each in settings_of(scenario) if each.name == name), None)


def is_quick(scenario: Scenario) -> bool:
    """Whether a search takes so little time that it begins by itself."""
    return sum(isinstance(item, Record) for item in items(scenario)) <= QUICK


def _values(scenario: Scenario, setting: Setting) -> list[int]:
    values = values_of(scenario, setting)
    return values if is_quick(scenario) else values[::3]


def lost(run: Ran) -> list[Row]:
    """The first lost records of a run, each with the smallest changes that would have kept it."""
    gone = [row for row in run.facts.tables["records"] if row["until_step"] is None and row["fate"] in LOST]
    if len(run.trace) > SEARCHED_STEPS:
        return []
    return [
        {
            "record": row["item"],
            "key": row["key"],
            "ts": row["ts"],
            "value": row["value"],
            "changes": [
                {"what": each.what, "before": each.before, "after": each.after}
                for each in (
                    *smallest_changes(run.scenario, keeps(row["item"]), row["item"]),
                    *filter(None, [came_earlier(run.scenario, row["item"])]),
                )
            ],
        }
        for row in gone[:MOST_LOST]
    ]


def keeping_all(run: Ran) -> list[Row]:
    """Each number (ms) that keeps every record if raised: {what, before, after}. Empty if no record is lost."""
    if len(run.trace) > SEARCHED_STEPS or keeps_all(run.scenario, run.trace):
        return []
    changes = smallest_changes(run.scenario, keeps_all)
    return [
        {"what": each.what, "before": each.before, "after": each.after} for each in changes if each.after > each.before
    ]


def fewest(scenario: Scenario, shows: str) -> Row | None:
    """The fewest items that still show ``shows``, one of ``GOALS`` or ``update``; None for any other name.

    ``author``: the token of a link that opens them on the Author page, None if they are too long for a link.
    """
    test = _test(shows)
    if test is None:
        return None
    total = sum(1 for _ in items(scenario))
    found = shrink(scenario, test)
    if found is None:
        return {
            "shows": shows, "text": None, "left": 0, "total": total, "runs": 0, "name": scenario.name,
            "records": [], "author": None,
        }  # fmt: skip
    text = as_yaml(found.scenario)
    token = token_of(text, json=False)
    return {
        "shows": shows,
        "text": text,
        "records": [
            {"key": item.key, "ts": item.ts, "value": item.value, "at": item.at}
            for item in items(found.scenario)
            if isinstance(item, Record)
        ],
        "author": token if fits(token) else None,
        "left": len(found.kept),
        "total": total,
        "runs": found.runs,
        "name": scenario.name,
    }


def _test(shows: str) -> Shows | None:
    if shows in GOALS:
        return meets(GOALS[shows])
    return _fires_again if shows == "update" else None


def _fires_again(rows: Any, trace: Trace) -> bool:
    return any(row["row"] == "pane" and row["pane"] > 0 for row in rows)


def apart(choice: Choice, left: Scenario, right: Scenario) -> Row:
    """The smallest stream on which the sides of ``choice`` differ (``ui.share.difference``), kept for a while."""
    keys = content_key(left), content_key(right)
    other = {} if choice.open_other else _settings(left, right)
    return _apart(left, right, choice.belief, choice.spark is not None, other, *keys, current_language())


def _settings(left: Scenario, right: Scenario) -> dict[str, str]:
    """What an address says of side B, if it is side A with other numbers."""
    numbers = [(each.name, each.read(left), each.read(right)) for each in (*settings_of(right), *shapes_of(right))]
    return {f"b.{name}": str(other) for name, own, other in numbers if own != other and other is not None}


@keeping(8)
def _apart(
    _left: Scenario, _right: Scenario, belief: str | None, spark: bool, _other: dict[str, str], key: str,
    other_key: str, language: str,
) -> Row:  # fmt: skip
    if belief is not None:
        return mistake(_left, belief)
    return difference(_left, by_spark(_left), {"spark": "1"}) if spark else difference(_left, _right, _other or None)
