"""The steps of a timeline with their sentences beside the raw columns, in the form that tests read."""

from typing import Any

from tidemark.simulator.timeline.explain.narrator import NOVICE
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.wording import Wording


def in_words(timeline: Timeline, *, level: str = NOVICE, language: str | None = None) -> list[dict[str, Any]]:
    """Each row of ``steps`` with ``what``, ``why``, ``live`` and ``trail``; its ``predicate`` as text."""
    steps = timeline.tables["steps"]
    wording = Wording(timeline.scenario, steps, level=level, language=language)
    return [
        {
            **row,
            "what": wording.what(row),
            "why": wording.why(row),
            "predicate": wording.predicate(row),
            "live": wording.live(row),
            "trail": wording.trail(number),
        }
        for number, row in enumerate(steps)
    ]
