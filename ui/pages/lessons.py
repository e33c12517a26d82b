"""Lessons: ``/lessons`` puts scenarios into lessons, a lecture and a first visit, and saves ``lessons.toml``."""

import streamlit as st
from tidemark.ui.guard import guarded
from tidemark.ui.language import resume
from tidemark.ui.messages import message
from tidemark.ui.ordering.component import ordering_view
from tidemark.ui.ordering.desk import first, reply


def _asked() -> None:
    """Keep the question for the run that follows."""
    asked = message("ordering", "ask")
    if isinstance(asked, dict):
        st.session_state["_ordering_question"] = asked


@st.fragment
@guarded
def _view() -> None:
    """A fragment, so that a question does not rebuild the rest of the page."""
    resume()
    question = st.session_state.pop("_ordering_question", None)
    told = reply(question) if isinstance(question, dict) else None
    ordering_view(first(), told, on_ask=_asked)


_view()
