"""What would have kept a lost record, from the facts of its run alone: a larger bound, or more allowed lateness.

Each comparison that went against the record says how much was missing. That much more lateness keeps it, for lateness
moves no watermark; and so does that much more bound, if every watermark has the bound subtracted. Where one of these is
not certain, the answer needs other runs: ``simulator.explore.smallest``.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.engine.values.items import Restore, Watermark
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.explore.settings import BOUND, LATENESS, Setting
from tidemark.simulator.explore.smallest import MOST
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline.facts import Row, Timeline

LOST: Final = ("dropped", "side", "skipped")
"""The verdicts that lose a record."""


@dataclass(frozen=True, slots=True)
class Kept:
    """With ``setting`` at ``after`` (ms) or more, the record of ``record`` (an id) is not lost; with less it is."""

    record: str
    step: int
    setting: Setting
    before: int
    after: int


def certain_settings(scenario: Scenario) -> list[Setting]:
    """The numbers whose effect on a lost record follows from the comparisons that it lost."""
    if scenario.engine != "flink" or getattr(scenario.operator, "time", "event") != "event":
        return []
    assigner = getattr(scenario.operator, "assigner", None)
    if getattr(assigner, "merges", False):
        return []  # another number, and the sessions that it meets are others
    found = []
    if _shifts_every_watermark(scenario):
        found.append(BOUND)
    if LATENESS.read(scenario) is not None:
        found.append(LATENESS)
    return found


def _shifts_every_watermark(scenario: Scenario) -> bool:
    """Whether one more ms of bound is one ms less of every watermark."""
    specs = [each.watermark for each in scenario.inputs]
    same = len({(each.has_bound, each.bound) for each in specs}) == 1 and specs[0].has_bound
    return same and BOUND.is_compared(scenario) and not any(isinstance(each, Watermark) for each in items(scenario))


def keeping(facts: Timeline, judged: Sequence[Row]) -> Iterator[Kept]:
    """For each lost record the certain settings with the least value that keeps it.

    ``judged``: the table ``judgements`` of the run (``simulator.timeline.conditions``).
    """
    scenario = facts.scenario
    settings = certain_settings(scenario)
    if not settings or any(isinstance(each, Restore) for each in items(scenario)):
        return
    floor = max((each.watermark.floor for each in scenario.inputs if each.watermark.floor is not None), default=None)
    for record, said in _refusals(judged):
        limits = [row["limit"] for row in said if row["limit"] is not None and row["limit"][2] is not None]
        if not limits or any(watermark == MAX for _, _, watermark in limits):
            continue
        least = min(limits, key=_missing)
        for setting in settings:
            before = setting.read(scenario)
            assert before is not None
            sent = floor is None or setting is not BOUND or least[2] - _missing(least) >= floor
            if sent and before + _missing(least) <= MOST:
                yield Kept(record, said[-1]["step"], setting, before, before + _missing(least))


def _refusals(judged: Sequence[Row]) -> Iterator[tuple[str, list[Row]]]:
    """Each lost record with what refused it, the loss itself last: its windows, or where it met none the operator."""
    by_record: dict[str, list[Row]] = {}
    for row in judged:
        by_record.setdefault(row["record"], []).append(row)
    for record, rows in by_record.items():
        loss = rows[-1]
        if loss["verdict"] in LOST:
            refused = [row for row in rows if row["verdict"] == "refused"]
            if not any(row["verdict"] == "none" for row in rows):
                yield record, [*refused, {**loss, "limit": None} if refused else loss]


def _missing(limit: list[Any]) -> int:
    """By how much (ms) the comparison went against the record: so much less watermark, and it would not have."""
    left, sign, watermark = limit
    return int(watermark - left + (sign == "<="))
