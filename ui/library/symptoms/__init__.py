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
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.explore.settings import settings_of
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.editing import edits
from tidemark.simulator.scenario.editing.text import EditError, ScenarioText
from tidemark.simulator.scenario.model import Place, Scenario
from tidemark.simulator.timeline.stops import StepIndex
from tidemark.simulator.words import LANGUAGES, current_language, section, speaking, words
from tidemark.simulator.words.tags import text_for
from tidemark.ui.catalogue import Entry, find
from tidemark.ui.server.cache import keeping
from tidemark.ui.share import links as own
from tidemark.ui.share.links import LinkError

from tidemark import simulator

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


# What the page Symptoms shows: every complaint in the reader's language, with the links to its runs.

SETTINGS: Final = {
    "bound": "bound", "allowed_lateness": "allowed-lateness", "gap": "gap", "emit": "emit",
}  # fmt: skip
"""The settings of the Compare page, by the members of a scenario that they set."""

Link = dict[str, Any]
"""A place in the app: its ``page``, and its ``query``."""


def contents(chosen: str, terms: Sequence[Sequence[str]]) -> dict[str, Any]:
    """The page with the complaint ``chosen`` by the address open; "" for none. An unknown id is reported there.

    ``terms``: words that mean the same, by which the filter finds what the answers call otherwise.
    """
    listed = [_listed(each) for each in symptoms()]
    return {
        "words": section("pages.symptoms"),
        "symptoms": listed,
        "terms": [list(each) for each in terms],
        "chosen": chosen,
    }


def searched(symptom: Symptom) -> dict[str, Any]:
    """What a search looks at, as {id, says, texts}: what people type, and every text and line of code of the answer."""
    texts = (symptom.because, *symptom.checks, symptom.repair)
    return {
        "id": symptom.id,
        "says": [*symptom.complaint.values(), *symptom.says],
        "texts": [*map(_text, texts), *symptom.code.values()],
    }


def _listed(symptom: Symptom) -> dict[str, Any]:
    more = [entry for name in symptom.more if (entry := find(name)) and entry.scenario]
    return {
        **searched(symptom),
        "complaint": _text(symptom.complaint),
        "because": _text(symptom.because),
        "checks": [_text(each) for each in symptom.checks],
        "repair": _text(symptom.repair),
        "code": dict(symptom.code),
        "links": [{"name": name, "href": _href(link)} for name, link in links(symptom).items()],
        "more": [{"name": e.name, "title": e.title, "href": _href(_walkthrough(e.name))} for e in more],
    }


def links(symptom: Symptom) -> dict[str, Link]:
    """Where the complaint is seen (``scenario``), where it is gone (``other``), and both beside one another
    (``compare``). What this library does not have is left out."""
    entry = find(symptom.scenario)
    if entry is None or entry.scenario is None:
        return {}
    found = _of_entry(entry, symptom, symptom.id, entry.stamp, current_language())
    return {name: found[name] for name in ("scenario", "other", "compare") if name in found}


@keeping(200)
def _of_entry(_entry: Entry, _symptom: Symptom, symptom: str, stamp: str, language: str) -> dict[str, Link]:
    scenario = _entry.scenario
    assert scenario is not None
    try:
        other = changed(_symptom, _entry.path.read_text(encoding="utf-8"))
        address = dict([own.of_file(f"{_symptom.id}.yaml", other).address])
        there = {"page": "walkthrough", "query": {**address, "step": "0"}}
    except (
        EditError,
        ScenarioError,
        LinkError,
        OSError,
        UnicodeDecodeError,
    ):  # another library's file of that name
        return {"scenario": _walkthrough(scenario.name)}
    here = _walkthrough(scenario.name, _step(scenario, _symptom.at))
    values = _values(_symptom, parse(other))
    sides = {"scenario": scenario.name, **values} if values else {**address, "with": scenario.name}
    beside = {"compare": {"page": "compare", "query": sides}} if scenario.engine == "flink" else {}
    if _symptom.gives == "complaint":
        return {"scenario": there, "other": here, **beside}
    return {"scenario": here, "other": there, **beside}


def _walkthrough(name: str, step: int = 0) -> Link:
    return {"page": "walkthrough", "query": {"scenario": name, "step": str(step)}}


def _step(scenario: Scenario, at: Mapping[str, Any]) -> int:
    return StepIndex(simulator.run_traced(scenario)[1]).find(Place(**at)) or 0


def _values(symptom: Symptom, repaired: Scenario) -> dict[str, str]:
    """Side B of a comparison, if numbers alone repair the scenario; else nothing."""
    members = [path.rsplit(".", 1)[-1] for path in symptom.change.get("set", {})]
    if symptom.gives == "complaint" or set(symptom.change) != {"set"} or not set(members) <= set(SETTINGS):
        return {}
    read = {each.name: each.read(repaired) for each in settings_of(repaired)}
    names = [SETTINGS[member] for member in members]
    return {f"b.{name}": str(read[name]) for name in names} if all(read.get(name) is not None for name in names) else {}


def _href(link: Link) -> str:
    page = "" if link["page"] == "walkthrough" else link["page"]
    return f"./{page}?{urlencode(link['query'])}"


def _text(texts: Texts) -> str:
    return text_for(current_language(), texts)
