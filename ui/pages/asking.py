"""Pages of which one component is all, or that another room draws: ``app.py`` lists the functions.

What a page needs is imported when somebody opens it: a visitor of the walkthrough waits for none of it.
"""

from collections.abc import Mapping
from typing import Any

import streamlit as st
from tidemark.simulator.words import section
from tidemark.ui.pages.kit import asking_page


def path() -> None:
    """A few scenarios in one line, with checkpoints."""
    from tidemark.ui.pages.shelf import shelf

    shelf("path")


def teach() -> None:
    """Where the teacher's address leads: what a teacher writes, presents, hands out and evaluates."""
    from tidemark.ui.pages.shelf import shelf

    shelf("teach")


def inventory() -> None:
    """The concept inventory: ``/inventory``, ``/inventory?form=A`` or ``B``, ``/inventory?view=class`` for teachers."""
    from tidemark.ui.learning.inventory.desk import first, reply

    asking_page("inventory", first, reply)


def practice() -> None:
    """Exercises without end: ``/practice``, ``/practice?seed=7&level=3`` for one of them, ``/practice?view=boxes``."""
    from tidemark.ui.learning.practice.desk import first, reply

    asking_page("practice", first, reply)


def sql() -> None:
    """Flink SQL: its rows, and its stages to step through."""
    from tidemark.ui.sql.desk import first, reply

    asking_page("sql", first, reply)


def lessons() -> None:
    """``/lessons`` puts scenarios into lessons, a lecture and a first visit, and saves ``lessons.toml``."""
    from tidemark.ui.library.lessons.desk import first, reply

    asking_page("lessons", first, reply)


def vote() -> None:
    """The students' page: ``/vote``, or ``/vote?room=CODE``. It needs no account and no name.

    While it is visible, it asks every few seconds with {number, code, voter}, and with {question, vote, given} as well
    after an answer (``ui/learning/classroom``).
    """
    from tidemark.ui.learning.classroom.rooms import answer_to

    def reply(question: Mapping[str, Any]) -> dict[str, Any]:
        """How the room is, for this open page as one voter of it."""
        known = st.session_state.setdefault("_voters", {})
        return answer_to(question, known, st.context.ip_address or "")

    asking_page("vote", lambda: {"words": section("pages.vote")}, reply)


def your_stream() -> None:
    """Files of one's own, profiled by Spark; ``/your-stream?file=NAME`` names one of the folder."""
    from tidemark.ui.spark.your_stream.page import page

    page()
