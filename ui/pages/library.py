"""The library page: every scenario as a card, and every broken file with its problem.

The page shows its cards before all pictures are drawn, and reruns when they are.

A reader can open a file of their own here; it is read as a scenario, and nothing in it is executed.
"""

from typing import Any

import streamlit as st

from simulator.values.errors import ScenarioError
from simulator.words import section, words
from ui import catalogue
from ui.author import store
from ui.catalogue import LEVELS, Entry, library, text_of
from ui.library.cards import AT_ONCE_S, Makings, card, kinds
from ui.library.component import library_view
from ui.library.missing import problems_of_lessons
from ui.library.search import phrases
from ui.library.shelves import lectures, shelves
from ui.messages import message
from ui.payload.badges import proofs_stamp
from ui.payload.visit import scenes
from ui.share import own
from ui.share.links import MOST_BYTES, LinkError
from ui.symptoms.contents import searched
from ui.symptoms.symptoms import symptoms


def _edited(entry: Entry, files: set[str]) -> dict[str, str]:
    """What the Author page opens for a card: the file itself if it can be saved, else a copy."""
    own_file = entry.path.suffix == ".yaml" and entry.name in files
    return {"file": entry.name} if own_file else {"scenario": entry.name}


def _file() -> None:
    """Keep the file for the run that follows."""
    given = message("library", "file")
    if isinstance(given, dict) and isinstance(given.get("name"), str) and isinstance(given.get("text"), str):
        st.session_state["_file"] = given


def _given() -> dict[str, Any] | None:
    """Open the reader's file as a walkthrough; if that is impossible, report what is wrong and how to fix it."""
    given = st.session_state.pop("_file", None)
    if given is None:
        return None
    name = given["name"][:120]
    try:
        address = own.of_file(name, given["text"]).address
    except (ScenarioError, LinkError) as error:
        return {"file": words("share.file.refused", file=name), "problem": str(error), "at": given.get("at")}
    return st.switch_page("ui/pages/walkthrough.py", query_params=dict([address]))


def page() -> None:
    """The page."""
    refused = _given()
    entries = library()
    files = set(store.names())
    sound = [entry for entry in entries if entry.scenario]
    lessons = catalogue.lessons()
    makings = Makings(proofs_stamp())
    for _ in makings.make(sound, AT_ONCE_S):
        pass
    cards = [{**card(entry, lessons), **(makings.ready(entry) or {}), "edit": _edited(entry, files)} for entry in sound]
    broken = [
        {"file": e.path.name, "problem": e.problem, "fix": e.path.stem if e.path.stem in files else ""}
        for e in entries
        if not e.scenario
    ]
    broken += [{"file": "", "problem": problem, "fix": ""} for problem in problems_of_lessons(entries, lessons)]
    contents = {
        "cards": cards,
        "lessons": shelves(cards, lessons),
        "lectures": lectures(cards, lessons),
        "visit": scenes(sound, lessons) or None,
        "levels": list(LEVELS),
        "kinds": kinds(),
        "broken": broken,
        "saving": catalogue.CHOSEN is not None,
        "phrases": phrases(cards),
        "symptoms": [{**searched(each), "complaint": text_of(each.complaint)} for each in symptoms()],
        "words": section("pages.library"),
    }
    library_view({**contents, "refused": refused, "most_bytes": MOST_BYTES}, on_file=_file)
    rest = False
    for _ in makings.make(sound):
        rest = True
        st.session_state.get("library")  # lets Streamlit handle a click that would otherwise wait for the rest
    if rest:
        st.rerun()


page()
