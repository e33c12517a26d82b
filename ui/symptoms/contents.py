"""What the page Symptoms shows: every complaint in the reader's language, with the links to its runs."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.explore.settings import settings_of
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.editing.text import EditError
from tidemark.simulator.scenario.model import Place, Scenario
from tidemark.simulator.timeline.walkthrough import StepIndex
from tidemark.simulator.words import current_language, section
from tidemark.simulator.words.tags import text_for
from tidemark.ui.catalogue import Entry, find
from tidemark.ui.keeping import keeping
from tidemark.ui.share import links as own
from tidemark.ui.share.links import LinkError
from tidemark.ui.symptoms.symptoms import Symptom, Texts, changed, symptoms

from tidemark import simulator

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
