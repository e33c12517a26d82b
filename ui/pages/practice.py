"""Practice without end: ``/practice``, ``/practice?seed=7&level=3`` for one exercise, ``/practice?view=boxes``."""

import streamlit as st
from tidemark.ui.guard import guarded
from tidemark.ui.language import resume
from tidemark.ui.messages import message
from tidemark.ui.practice.component import practice_view
from tidemark.ui.practice.desk import first, reply


def _asked() -> None:
    """Keep the question for the run that follows."""
    asked = message("practice", "ask")
    if isinstance(asked, dict):
        st.session_state["_practice_question"] = asked


@st.fragment
@guarded
def _view() -> None:
    """A fragment, so that a question does not rebuild the rest of the page."""
    resume()
    question = st.session_state.pop("_practice_question", None)
    practice_view(first(), reply(question) if isinstance(question, dict) else None, on_ask=_asked)


_view()
