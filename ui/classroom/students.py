"""The students' side of a room: the page that asks for its code, shows the question, and takes the answer."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from simulator.words import section
from ui.classroom.room_of_server import rooms
from ui.language import resume
from ui.messages import message
from ui.player.bundle import script, style

_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "tidemark_vote", js=script(_FOLDER / "vote.js"), css=style(_FOLDER), isolate_styles=False
)


@st.fragment
def vote_view() -> None:
    """Show the room and answer the browser, which asks again every few seconds while its page is visible.

    A browser asks with {number, code, voter}, and with {question, choice} as well after a choice.
    """
    resume()
    asked = st.session_state.pop("_vote", None)
    reply = json.dumps(answer_to(asked) if isinstance(asked, dict) else {"number": 0})
    _component(key="vote", data={"words": section("pages.vote"), "told": reply}, on_ask_change=_asked)


def _asked() -> None:
    st.session_state["_vote"] = message("vote", "ask")


def answer_to(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The reply to a browser: {number, room, question, text, choices, open, taken}, and the answer once it is shown.

    ``room`` is False if no room has this code. ``taken`` says whether the choice that was sent counts.
    """
    code, voter = asked.get("code"), asked.get("voter")
    taken = None
    if "choice" in asked:
        taken = rooms().vote(code, voter, asked.get("question"), asked.get("choice"))
    view = rooms().look(code, voter)
    number = asked.get("number")
    reply: dict[str, Any] = {"number": number if type(number) is int else 0, "room": view is not None}
    if view is None or view.question is None:
        return reply
    reply |= {"question": view.number, "open": view.open, "mine": view.mine, "taken": taken}
    if view.open or view.shown:
        reply |= {"text": view.question.text, "choices": list(view.question.choices)}
    if view.shown:
        reply |= {
            "answer": view.question.answer,
            "because": view.question.because,
            "replies": list(view.question.replies),
        }
    return reply
