"""The students' page: ``/vote``, or ``/vote?room=CODE``. It needs no account and no name
(``ui/learning/classroom``).

While it is visible, it asks every few seconds with {number, code, voter}, and with {question, vote, given} as well
after an answer.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st
from tidemark.simulator.words import section
from tidemark.ui.learning.classroom.rooms import answer_to
from tidemark.ui.pages.kit import asking_page


def reply(question: Mapping[str, Any]) -> dict[str, Any]:
    """How the room is, for this open page as one voter of it."""
    known = st.session_state.setdefault("_voters", {})
    return answer_to(question, known, st.context.ip_address or "")


asking_page("vote", lambda: {"words": section("pages.vote")}, reply)
