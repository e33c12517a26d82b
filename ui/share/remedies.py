"""What would have kept a lost record, found by runs: for the Why card, where the facts alone do not say it."""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.explore.smallest import keeps, smallest_changes
from tidemark.simulator.limits import SEARCHED_STEPS
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.trace.trace import Trace, TraceTooLong
from tidemark.simulator.words import words

from tidemark import simulator


def remedies(scenario: Scenario, question: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to {item, settings}: {remedies}, each {what, before, after}: the least raise that keeps the record.

    Of the settings that are named alone; in a run that is too long, or for what is no item, {problem}.
    """
    item, names = question.get("item"), question.get("settings")
    if not isinstance(item, int) or not isinstance(names, list) or not is_short(scenario):
        return {"problem": words("share.desk.unknown")}
    more = [each for each in smallest_changes(scenario, keeps(item)) if each.what in names and each.after > each.before]
    return {"remedies": [{"what": each.what, "before": each.before, "after": each.after} for each in more]}


def is_short(scenario: Scenario) -> bool:
    """Whether the run has at most ``SEARCHED_STEPS`` steps."""
    try:
        simulator.run(scenario, lambda row: None, Trace(limit=SEARCHED_STEPS))
    except TraceTooLong:
        return False
    return True
