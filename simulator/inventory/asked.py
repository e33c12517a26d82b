"""What an item asks, and how its answer is read from runs: the true one, or the runs of a belief.

An answer is JSON without times wherever there is a choice: a record is its number (from 1), and a moment is the record
that came, or the two records between which it lies. So the answers of both forms can be compared.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tidemark.simulator.explore.answers import ANSWERS, STATE_ENTRIES, Span
from tidemark.simulator.explore.fired import Fired, fired_in
from tidemark.simulator.explore.runs import BEFORE_ALL, Ran
from tidemark.simulator.inventory.items import Item

FIRES: Final = "fires"
FIRST: Final = "first"
FINAL: Final = "final"
DROPPED: Final = "dropped"
WHERE: Final = "where"
RESULTS: Final = "results"
STATE: Final = "state"
WATERMARK: Final = "watermark"

Runs = Sequence[Ran]
"""One run, or several of which each is about a part of the stream."""


def _of_window(item: Item, form: str, runs: Runs) -> list[Fired]:
    start, end = item.bounds(form)
    key = item.forms[form].keys[item.key]
    return [each for each in fired_in(runs) if (each.key, each.start, each.end) == (key, start, end)]


def _fires(item: Item, form: str, runs: Runs) -> int | None:
    """The moment of the window's first result; None if it has none."""
    found = _of_window(item, form, runs)
    return found[0].moment if found else None


def _first(item: Item, form: str, runs: Runs) -> list[int] | None:
    """The records in the window's first result."""
    found = _of_window(item, form, runs)
    return sorted(found[0].value) if found else None


def _final(item: Item, form: str, runs: Runs) -> list[int] | None:
    """The records in the window's last result."""
    found = _of_window(item, form, runs)
    return sorted(found[-1].value) if found else None


def _dropped(item: Item, form: str, runs: Runs) -> list[int]:
    """The records that are in no result."""
    fates = {moment: fate for run in runs for moment, fate in run.fates.items()}
    return [
        number + 1 for number in range(len(item.records)) if fates.get(2 * number, "dropped") in ("dropped", "skipped")
    ]


def _where(item: Item, form: str, runs: Runs) -> dict[str, Any] | None:
    """The result in which the record counts for the first time: {window, again}; None if it is dropped.

    ``window`` is its number, ``again`` whether the window had a result before.
    """
    look = item.forms[form]
    for each in fired_in(runs):
        if item.record in each.value:
            return {"window": (each.start // look.unit - look.start) // item.size, "again": each.pane > 0}
    return None


def _results(item: Item, form: str, runs: Runs) -> list[list[int]]:
    """The records of every result, in order."""
    return sorted(sorted(each.value) for each in fired_in(runs))


def _state(item: Item, form: str, runs: Runs) -> int:
    """How many values the windows hold once the record has been worked on."""
    return sum(_entries(run, 2 * (item.record - 1)) for run in runs)


def _entries(run: Ran, moment: int) -> int:
    while moment not in run.last_steps and moment > BEFORE_ALL:
        moment -= 1
    return int(ANSWERS[STATE_ENTRIES](run, Span(0, run.last_steps[moment]))) if moment in run.last_steps else 0


def _watermark(item: Item, form: str, runs: Runs) -> int | None:
    """The operator's watermark (ms) once the record has been worked on."""
    return runs[0].watermarks[2 * (item.record - 1)]


KINDS: Final[Mapping[str, Callable[[Item, str, Runs], Any]]] = {
    FIRES: _fires,
    FIRST: _first,
    FINAL: _final,
    DROPPED: _dropped,
    WHERE: _where,
    RESULTS: _results,
    STATE: _state,
    WATERMARK: _watermark,
}
"""How the answer of each kind of question is read from runs."""
