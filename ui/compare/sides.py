"""One side of a comparison, and the cursor that both share."""

from collections.abc import Mapping
from typing import Any, Final

from simulator.explore.runs import Ran
from simulator.explore.settings import settings_of, values_of
from simulator.timeline.format import duration
from ui.payload.brief import brief
from ui.payload.contents import payload

PICTURE: Final = ("sources", "parts", "signals", "style", "words", "arrival_axis", "steps")
"""The parts of a player's payload that a plane needs."""

Row = dict[str, Any]


def side(label: str, run: Ran, settings: bool = True) -> Row:
    """What a side shows of its run. ``settings``: whether the reader can change its numbers."""
    whole = payload(run.scenario)
    return {
        "label": label,
        "plane": {name: whole[name] for name in PICTURE},
        "brief": brief(run.scenario),
        "settings": [
            {
                "name": each.name,
                "value": (now := each.read(run.scenario)),
                "choices": [
                    {"value": value, "text": duration(value)}
                    for value in sorted({*values_of(run.scenario, each), *([] if now is None else [now])})
                ],
            }
            for each in (settings_of(run.scenario) if settings else [])
        ],
    }


def cursor(truth: Ran, others: Mapping[int, int]) -> list[Row]:
    """The moments of both runs, each with the step that either side shows and with its place in run A."""
    moments = sorted({*truth.last_steps, *others})
    left, right, rows = 0, 0, []
    for moment in moments:
        left, right = truth.last_steps.get(moment, left), others.get(moment, right)
        step = truth.trace.steps[left]
        rows.append(
            {"moment": moment, "steps": [left, right], "at": step.at, "item": step.item, "record": (moment + 2) // 2}
        )
    return rows
