"""The library page: every scenario as a card; files that cannot be run are listed with what is wrong.

A reader's own file is opened here too; it is read as a scenario, and nothing in it is executed.
"""

import json
from typing import Any

import streamlit as st

from simulator.values.errors import ScenarioError
from simulator.words import section, words
from ui.catalogue import LEVELS, Entry, library, text_of
from ui.library.component import library_view
from ui.library.pictures import picture
from ui.payload.badges import badges_of, proofs_stamp
from ui.payload.contents import payload
from ui.share import own
from ui.share.links import MOST_BYTES, LinkError


@st.cache_resource(show_spinner=False, max_entries=500)
def _picture(_entry: Entry, name: str, stamp: str) -> dict[str, Any]:
    assert _entry.scenario is not None
    return picture(payload(_entry.scenario))


def _card(entry: Entry, proofs: str) -> dict[str, Any]:
    scenario = entry.scenario
    assert scenario is not None
    return {
        "name": scenario.name,
        "title": entry.title,
        "summary": text_of(scenario.summary).strip(),
        "level": scenario.level or "",
        "minutes": scenario.minutes,
        "teaches": [tag.replace("-", " ") for tag in scenario.teaches],
        "lesson": scenario.lesson or "",
        "picture": _picture(entry, entry.name, entry.stamp),
        "proofs": [
            {name: each[name] for name in ("name", "good", "tick")} for each in json.loads(badges_of(entry, proofs))
        ],
    }


def _open() -> None:
    """Remembered for the run that follows, since a callback cannot switch pages."""
    place = st.session_state["library"].get("open")
    if isinstance(place, dict):
        st.session_state["_open"] = (str(place.get("scenario", "")), str(place.get("step", 0)))


def _file() -> None:
    """Remembered for the run that follows."""
    given = st.session_state["library"].get("file")
    if isinstance(given, dict) and isinstance(given.get("name"), str) and isinstance(given.get("text"), str):
        st.session_state["_file"] = given


def _given() -> dict[str, Any] | None:
    """Opens the reader's file as a walkthrough; where that cannot be, gives what is wrong with it and the mend."""
    given = st.session_state.pop("_file", None)
    if given is None:
        return None
    name = given["name"][:120]
    try:
        address = own.of_file(name, given["text"]).address
    except (ScenarioError, LinkError) as error:
        return {"file": words("share.file.refused", file=name), "problem": str(error), "at": given.get("at")}
    return st.switch_page("ui/pages/walkthrough.py", query_params={**dict([address]), "step": "0"})


def page() -> None:
    """The page."""
    if opened := st.session_state.pop("_open", None):
        st.switch_page("ui/pages/walkthrough.py", query_params={"scenario": opened[0], "step": opened[1]})
    refused = _given()
    texts = section("pages.library")
    entries = library()
    proofs = proofs_stamp()
    cards = [_card(entry, proofs) for entry in entries if entry.scenario]
    ids = list(dict.fromkeys(card["lesson"] for card in cards))
    ids.sort(key=lambda lesson: not lesson)  # those without a lesson come last
    lessons = [{"id": id, "title": id.replace("-", " ").capitalize() or texts["other"]} for id in ids]
    broken = [{"file": e.path.name, "problem": e.problem} for e in entries if not e.scenario]
    contents = {"cards": cards, "lessons": lessons, "levels": list(LEVELS), "broken": broken, "words": texts}
    library_view({**contents, "refused": refused, "most_bytes": MOST_BYTES}, on_open=_open, on_file=_file)


page()
