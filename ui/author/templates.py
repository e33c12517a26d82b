"""Templates: small sound scenarios to begin with, one of each kind, in ``templates/``.

A draft begins with the texts of one language, the author's: others would stay as they are, and tell of the template,
when the author writes a story of their own.
"""

from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.editing import ScenarioText, replace, text_value
from tidemark.simulator.scenario.languages import languages_of, texts_of
from tidemark.simulator.words import DEFAULT_LANGUAGE, current_language
from tidemark.simulator.words.tags import suited
from tidemark.ui.catalogue import text_of

FOLDER: Final = Path(__file__).parent / "templates"

NAMES: Final = (
    "tumbling-windows",
    "sliding-windows",
    "session-windows",
    "late-to-the-side",
    "two-channels",
    "count-trigger",
    "early-and-late-results",
    "window-join",
    "interval-join",
    "window-table-function",
    "window-top-n",
    "over-window",
    "deduplication",
    "temporal-join",
    "spark-micro-batches",
)
"""Simple ones first."""


class Template(NamedTuple):
    """``name`` is the scenario's, ``title`` in the reader's language, ``text`` the YAML to begin with."""

    name: str
    title: str
    text: str


def templates() -> list[Template]:
    """All templates, simple ones first."""
    return [Template(name, text_of(title), text) for name, title, text in _read()]


@cache
def _read() -> list[tuple[str, object, str]]:
    texts = [(name, (FOLDER / f"{name}.yaml").read_text(encoding="utf-8")) for name in NAMES]
    return [(name, parse(text, f"{name}.yaml").title, text) for name, text in texts]


def in_one_language(text: str) -> tuple[str, list[str]]:
    """A template's text with its texts in the author's language alone (else in English), and the languages left out."""
    scenario = parse(text)
    languages = languages_of(scenario)
    mine = suited(current_language(), languages) or DEFAULT_LANGUAGE
    only = replace(ScenarioText(text), {path: text_value(each[mine].strip()) for path, each in texts_of(scenario)}).text
    if mine != scenario.language:
        line = f"\nname: {scenario.name}\n"
        only = only.replace(line, f"{line}language: {mine}\n", 1)
    return only, [each for each in languages if each != mine]
