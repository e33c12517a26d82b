"""The complaints of the page Symptoms, from the TOML files of this folder, and their repaired scenarios.

A table has:

- ``id``; ``complaint``, ``because`` (what is going on), ``checks`` (where to look, in this order) and ``repair`` (what
  helps), each by language; ``says``, more of what people type into a search;
- ``scenario``, which shows it, at the step ``at`` (as in a walkthrough), and ``more`` scenarios;
- ``change``, the edit that repairs that scenario; with ``gives = "complaint"`` the scenario is the repaired one and the
  edit spoils it; ``shown``, how many rows or events of a run are the complaint;
- the lines of ``java``, ``sql`` (Flink) and ``spark`` that repair it.
"""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

from tidemark.simulator.scenario.editing import edits
from tidemark.simulator.scenario.editing.text import ScenarioText
from tidemark.simulator.words import LANGUAGES, speaking, words

FOLDER: Final = Path(__file__).parent
FILES: Final = ("late.toml", "results.toml")
"""The order in which the page lists them."""

NOT_KEPT: Final = ("goals", "walkthrough", "look_for", "takeaway")
"""What is said of the run in a scenario, which an edit of the run would make untrue."""

ORDER: Final = {
    "window-never-fires": 1, "record-dropped": 2, "sum-too-low": 3, "results-late": 4, "last-window-missing": 5,
    "several-results": 6, "counted-twice": 7, "everything-dropped": 8,
}  # fmt: skip
"""The most common ones come first; the others follow in the order of the files."""

CODE: Final[tuple[str, ...]] = ("java", "sql", "spark")
"""The lines of code that a complaint may have."""

Texts = Mapping[str, str]
"""One text for each language."""

Change = Mapping[str, Any]
"""``set``: values by path (``a.b.0``); ``insert``: stream items, each ``before`` the item of that number; ``remove``:
paths. Numbers of stream items are those of the file."""


@dataclass(frozen=True)
class Symptom:
    """One complaint; the module describes the members."""

    id: str
    complaint: Texts
    says: tuple[str, ...]
    because: Texts
    checks: tuple[Texts, ...]
    scenario: str
    at: Mapping[str, Any]
    shown: Mapping[str, Any]
    change: Change
    repair: Texts
    gives: str = "repair"
    more: tuple[str, ...] = ()
    code: Mapping[str, str] = field(default_factory=dict)


@cache
def symptoms() -> tuple[Symptom, ...]:
    """All complaints, the most common ones first."""
    found = [
        _symptom(table) for file in FILES for table in tomllib.loads((FOLDER / file).read_text("utf-8"))["symptoms"]
    ]
    return tuple(sorted(found, key=lambda each: ORDER.get(each.id, len(ORDER) + 1)))


def _symptom(table: Mapping[str, Any]) -> Symptom:
    members = dict(table)
    code: dict[str, str] = {name: members.pop(name) for name in CODE if name in members}
    members |= {name: tuple(members[name]) for name in ("says", "checks", "more") if name in members}
    return Symptom(**members, code=code)


def changed(symptom: Symptom, text: str) -> str:
    """The other side of ``symptom``'s scenario, whose file is ``text``: its name, title and summary say what it is."""
    edited = ScenarioText(text)
    for key in NOT_KEPT:
        if edited.has((key,)):
            edited = edits.remove(edited, (key,))
    for path, value in symptom.change.get("set", {}).items():
        edited = edits.put(edited, _path(path), value)
    for each in sorted(symptom.change.get("insert", ()), key=lambda each: -each["before"]):
        edited = edits.insert(edited, ("stream",), each["before"], each["item"])
    for path in sorted(symptom.change.get("remove", ()), reverse=True):
        edited = edits.remove(edited, _path(path))
    said = symptom.repair if symptom.gives == "repair" else symptom.because
    titles = dict(_by_language(symptom))
    for key, value in (("name", f"{symptom.scenario}-{symptom.gives}"), ("title", titles), ("summary", dict(said))):
        edited = edits.put(edited, (key,), value)
    return edited.text


def _by_language(symptom: Symptom) -> Iterable[tuple[str, str]]:
    for language in LANGUAGES:
        with speaking(language):
            yield language, words(f"pages.symptoms.title_of.{symptom.gives}", complaint=symptom.complaint[language])


def _path(path: str) -> tuple[str | int, ...]:
    return tuple(int(part) if part.isdigit() else part for part in path.split("."))
