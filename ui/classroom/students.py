"""The students' side of a room: the page that asks for its code, shows the question, and takes the answer."""

import json
from pathlib import Path

import streamlit as st
from tidemark.simulator.words import section
from tidemark.ui.classroom.answering import answer_to
from tidemark.ui.guard import guarded
from tidemark.ui.language import resume
from tidemark.ui.messages import message
from tidemark.ui.player.bundle import script, style

_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "tidemark_vote", js=script(_FOLDER / "vote.js"), css=style(_FOLDER), isolate_styles=False
)


@st.fragment
@guarded
def vote_view() -> None:
    """Show the room and answer the browser, which asks again every few seconds while its page is visible.

    A browser asks with {number, code, voter}, and with {question, vote, given} as well after an answer.
    """
    resume()
    asked = st.session_state.pop("_vote", None)
    known = st.session_state.setdefault("_voters", {})
    reply = json.dumps(
        answer_to(asked, known, st.context.ip_address or "") if isinstance(asked, dict) else {"number": 0}
    )
    _component(key="vote", data={"words": section("pages.vote"), "told": reply}, on_ask_change=_asked)


def _asked() -> None:
    st.session_state["_vote"] = message("vote", "ask")
