"""Author: a scenario as table, text and picture at once. ``/author?scenario=NAME`` starts with a copy of that one.

``/author?s=TEXT`` and ``/author?own=DIGEST`` open a scenario of one's own, ``/author?file=NAME`` a file of the folder
that was named at the start, ``/author?new=1`` offers templates, and ``/author`` alone opens the last draft.
"""

from typing import Any

import streamlit as st
from tidemark.ui.author.desk import first, reply, start_of
from tidemark.ui.pages.kit import asked, keeping_question
from tidemark.ui.pages.language import resume
from tidemark.ui.player.components import component
from tidemark.ui.server.screen import guarded


@st.fragment
@guarded
def _view(start: dict[str, Any] | None) -> None:
    """A fragment, so that a question does not rebuild the rest of the page."""
    resume()
    if question := asked("author"):
        st.session_state["_author_told"] = reply(question)
    if "_author_told" not in st.session_state:
        st.session_state["_author_told"] = first(start)
    data = st.session_state["_author_told"]
    component("author")(key="author", data=data, on_ask_change=keeping_question("author"))


def page() -> None:
    """The page."""
    st.session_state.pop("_author_told", None)
    _view(start_of({name: st.query_params[name] for name in st.query_params}))


page()
