"""What the pages have in common whose questions the server answers one by one, and which keep the rest themselves."""

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st
from tidemark.ui.guard import guarded
from tidemark.ui.language import resume
from tidemark.ui.messages import message
from tidemark.ui.player.components import component

Said = Mapping[str, Any]


@st.fragment
@guarded
def asking_page(name: str, first: Callable[[], Said], reply: Callable[[Said], Said]) -> None:
    """Mount the component ``name`` with what is said ``first``, and with the ``reply`` to its question if it has one.

    A fragment, so that a question does not rebuild the rest of the page.
    """
    resume()
    question = asked(name)
    said = None if question is None else dict(reply(question))
    component(name)(key=name, data={"first": dict(first()), "told": said}, on_ask_change=keeping_question(name))


def keeping_question(name: str) -> Callable[[], None]:
    """The callback that keeps the question of a component for the run that follows."""

    def keep() -> None:
        question = message(name, "ask")
        if isinstance(question, dict):
            st.session_state[f"_{name}_question"] = question

    return keep


def asked(name: str) -> dict[str, Any] | None:
    """The question that has come from the component ``name``, once."""
    question: dict[str, Any] | None = st.session_state.pop(f"_{name}_question", None)
    return question
