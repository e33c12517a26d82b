"""The pages that show the library: all of it, a path through it, and what a teacher does with it.

A page shows its cards before all pictures are drawn, and reruns when they are.

A reader can open a file of their own here; it is read as a scenario, and nothing in it is executed.
"""

from typing import Any

import streamlit as st
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.words import words
from tidemark.ui import catalogue
from tidemark.ui.author import store
from tidemark.ui.catalogue import library
from tidemark.ui.library.cards import AT_ONCE_S, Makings
from tidemark.ui.library.contents import contents
from tidemark.ui.payload.badges import proofs_stamp
from tidemark.ui.player.components import component
from tidemark.ui.server import roles
from tidemark.ui.server.screen import message
from tidemark.ui.share import links
from tidemark.ui.share.links import LinkError


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
        address = links.of_file(name, given["text"]).address
    except (ScenarioError, LinkError) as error:
        return {"file": words("share.file.refused", file=name), "problem": str(error), "at": given.get("at")}
    return st.switch_page("ui/pages/walkthrough.py", query_params=dict([address]))


def _role() -> str:
    """Who the reader is, where somebody else may be the teacher; "" where everybody is."""
    return words(f"roles.{'you' if roles.is_teacher() else 'others'}") if roles.required() else ""


def shelf(page: str) -> None:
    """Show the page with this path: ``library``, ``path`` or ``teach``."""
    refused = _given()
    entries = library()
    makings = Makings(proofs_stamp())
    sound = [entry for entry in entries if entry.scenario]
    for _ in makings.make(sound, AT_ONCE_S):
        pass
    saving = store.folder() is not None
    shown = contents(
        entries,
        catalogue.lessons(),
        makings.ready,
        files=set(store.names()),
        saving=saving,
        refused=roles.is_teacher(),
        page=page,
        role=_role() if page == "teach" else "",
    )
    component("library")(key="library", data={**shown, "refused": refused}, on_file_change=_file)
    rest = False
    for _ in makings.make(sound):
        rest = True
        st.session_state.get("library")  # lets Streamlit handle a click that would otherwise wait for the rest
    if rest:
        st.rerun()
