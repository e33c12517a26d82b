"""The walkthrough: one scenario in the player. ``/?scenario=NAME&step=N`` opens it at a step."""

import streamlit as st

from simulator.words import words
from ui.catalogue import Entry, find, library
from ui.pages.notice import notice
from ui.payload.packing import choices_of, packed
from ui.player.component import player

# The scenario that a visitor without a link sees.
OPENS_WITH = "late-but-allowed"


def _open() -> None:
    """The reader chose another scenario in the player's list."""
    chosen = st.session_state["player"].get("open")
    if isinstance(chosen, str):
        st.query_params.from_dict({"scenario": chosen})


def _first(entries: list[Entry]) -> str | None:
    sound = [e.name for e in entries if e.scenario]
    return OPENS_WITH if OPENS_WITH in sound else next(iter(sound), None)


def page() -> None:
    """The page."""
    entries = library()
    name = st.query_params.get("scenario", _first(entries))
    entry = find(name) if name is not None else None
    if entry is None:
        notice(
            words("pages.walkthrough.unknown_scenario", scenario=name or ""), words("pages.walkthrough.offer_library")
        )
        return
    facts, steps = packed(entry, entry.name, entry.stamp, choices_of(entries))
    wanted = st.query_params.get("step")
    if wanted is not None and not (wanted.isascii() and wanted.isdigit() and int(wanted) < steps):
        text = words("pages.walkthrough.unknown_step", step=wanted, title=entry.title, last=steps - 1)
        notice(text, words("pages.walkthrough.offer_library"), scenario=entry.name)
        return
    player(facts, on_open=_open)


page()
