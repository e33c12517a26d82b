"""Sentences of every level, and the code walk, for the browser: templates once, and what fills them at each step."""

from collections.abc import Sequence
from typing import Any

from simulator.scenario.model import Scenario
from simulator.timeline.code.walk import walk
from simulator.timeline.explain.narrator import LEVELS
from simulator.words import section

Row = dict[str, Any]


def levels(steps: Sequence[Row]) -> dict[str, dict[str, str]]:
    """By level the sentences that the run needs, by their names (``what.dropped``, ``rule.window_late``)."""
    texts = section("explain")
    names = sorted({step[column] for step in steps for column in ("story", "reason")} - {""})
    found: dict[str, dict[str, str]] = {}
    for level in LEVELS:
        pairs = [(name, *name.split(".", 1)) for name in names]
        found[level] = {name: texts[level][kind][own] for name, kind, own in pairs}
    return found


def without_sentences(steps: Sequence[Row]) -> list[Row]:
    """The steps as they go to the browser, which makes ``what`` and ``why``; null stands for the ``predicate``."""
    return [
        {
            **{name: value for name, value in step.items() if name not in ("what", "why")},
            "fields": {name: text for name, text in step["fields"].items() if not _told_already(name, text, step)},
            "live": [None if value and value == step["predicate"] else value for value in step["live"]],
        }
        for step in steps
    ]


def _told_already(name: str, text: str, step: Row) -> bool:
    return name == "predicate" and text == (step["predicate"] or "")


def code(scenario: Scenario) -> list[dict[str, Any]]:
    """The chapters of the code walk: {name, methods: [{flink, lines: [[id, text], …]}]}; ids are "" where none is."""
    return [
        {
            "name": part.name,
            "methods": [
                {"flink": method.flink, "lines": [[line.id, line.text] for line in method.lines]}
                for method in part.methods
            ],
        }
        for part in walk(scenario)
    ]
