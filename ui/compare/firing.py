"""The smallest change of each number that would fire a window earlier, found by search."""

from typing import Any, Final

from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.explore.smallest import fires, smallest_changes
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.values.items import Record

Row = dict[str, Any]

MOST_WINDOWS: Final = 40
MOST_STEPS: Final = 3_000
"""Longer runs are not searched, because every value to try takes a run of its own."""


def windows(run: Ran) -> list[Row]:
    """The windows that a change could fire earlier: {key, start, end, by}.

    ``by`` is the last record before the first result of the window, or the last record of all if only the end of input
    or nothing fires the window. Empty for operators other than windows in event time; in order of the windows.
    """
    operator = run.scenario.operator
    if operator.type != "window" or getattr(operator, "time", "event") != "event" or len(run.trace) > MOST_STEPS:
        return []
    first: dict[str, int] = {}
    for fact in run.facts.by_name()["outputs"]:
        if fact["window"] is not None:
            first.setdefault(fact["window"], fact["row"]["item"])
    records = [number for number, item in enumerate(items(run.scenario)) if isinstance(item, Record)]
    found = []
    for row in run.facts.tables["windows"]:
        if row["until_step"] is not None or row["end"] is None or row["status"] == "merged":
            continue
        by = max((item for item in records if item < first.get(row["id"], len(run.trace))), default=None)
        if by is not None:
            found.append({"key": row["key"], "start": row["start"], "end": row["end"], "by": by})
    return sorted(found, key=lambda each: (each["end"], each["start"]))[:MOST_WINDOWS]


def named(run: Ran, number: int) -> str:
    """The name of window ``number`` of this run in the reader's question."""
    return f"{number} {run.scenario.name}"


def fired(run: Ran, asked: str) -> Row | None:
    """{window, changes} of the window that ``asked`` names; None if this run has no such window."""
    for number, window in enumerate(windows(run)):
        if asked and named(run, number).startswith(asked):
            turns = fires(window["key"], window["start"], window["end"], window["by"])
            changes = smallest_changes(run.scenario, turns, window["by"])
            listed = [{"what": each.what, "before": each.before, "after": each.after} for each in changes]
            return {"window": number, "changes": listed}
    return None
