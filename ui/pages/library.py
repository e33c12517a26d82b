"""The library page: every scenario as a card; files that cannot be run are listed with what is wrong."""

from typing import Any

import streamlit as st

from simulator.words import section
from ui.catalogue import LEVELS, Entry, library, text_of
from ui.library.component import library_view
from ui.library.pictures import picture
from ui.payload.contents import payload


@st.cache_resource(show_spinner=False, max_entries=500)
def _picture(_entry: Entry, name: str, stamp: str) -> dict[str, Any]:
    assert _entry.scenario is not None
    return picture(payload(_entry.scenario))


def _card(entry: Entry) -> dict[str, Any]:
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
    }


def _open() -> None:
    """Remembered for the run that follows, since a callback cannot switch pages."""
    place = st.session_state["library"].get("open")
    if isinstance(place, dict):
        st.session_state["_open"] = (str(place.get("scenario", "")), str(place.get("step", 0)))


def page() -> None:
    """The page."""
    if opened := st.session_state.pop("_open", None):
        st.switch_page("ui/pages/walkthrough.py", query_params={"scenario": opened[0], "step": opened[1]})
    words = section("pages.library")
    entries = library()
    cards = [_card(entry) for entry in entries if entry.scenario]
    ids = list(dict.fromkeys(card["lesson"] for card in cards))
    ids.sort(key=lambda lesson: not lesson)  # those without a lesson come last
    lessons = [{"id": id, "title": id.replace("-", " ").capitalize() or words["other"]} for id in ids]
    broken = [{"file": e.path.name, "problem": e.problem} for e in entries if not e.scenario]
    contents = {"cards": cards, "lessons": lessons, "levels": list(LEVELS), "broken": broken, "words": words}
    library_view(contents, on_open=_open)


page()
