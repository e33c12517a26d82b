"""One side of a comparison, and the cursor that both share."""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.explore.settings import IDLE, Setting, lengths_of, settings_of, shapes_of, values_of
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.format import duration
from tidemark.simulator.words import current_language, words
from tidemark.ui.compare.key import content_key
from tidemark.ui.keeping import keeping
from tidemark.ui.payload import contents as payload
from tidemark.ui.payload.brief import brief

Row = dict[str, Any]


def beats_of(scenario: Scenario) -> list[Row]:
    """What the author of ``scenario`` says and asks; ``because``: the answer, for nothing is hidden here."""
    return _beats(scenario, content_key(scenario), current_language())


@keeping(8)
def _beats(_scenario: Scenario, key: str, language: str) -> list[Row]:
    return [{name: beat[name] for name in ("step", "text", "because")} for beat in payload.beats_of(_scenario)]


def side(label: str, run: Ran, plane: Row, settings: bool = True) -> Row:
    """What a side shows of its run, with its picture. ``settings``: whether the reader can change its numbers."""
    return {
        "label": label,
        "plane": plane,
        "brief": brief(run.scenario),
        "settings": _settings(run.scenario) if settings else [],
    }


def _settings(scenario: Scenario) -> list[Row]:
    """The numbers (ms) of a side with values to choose from; ``sweeps``: whether a sweep goes over it."""
    swept = [(each, values_of(scenario, each), True) for each in settings_of(scenario)]
    shapes = [(each, lengths_of(scenario, each), False) for each in shapes_of(scenario)]
    return [
        {
            "name": each.name,
            "value": each.read(scenario),
            "choices": [{"value": value, "text": _said(each, value)} for value in values],
            "sweeps": sweeps,
        }
        for each, values, sweeps in (*swept, *shapes)
    ]


def _said(setting: Setting, value: int) -> str:
    return words("compare.never") if setting is IDLE and not value else duration(value)


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
