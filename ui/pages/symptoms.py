"""Symptoms: the most common complaints, each with a checklist, the scenario that shows it, and the same one repaired.

``/symptoms?symptom=ID`` opens one.
"""

import streamlit as st

from ui.messages import message
from ui.symptoms.component import symptoms_view
from ui.symptoms.contents import contents, link_of

MOST_SHOWN = 80
"""The most characters of an unknown id that the page repeats."""


def _open() -> None:
    """Keep the place for the run that follows, because a callback cannot switch pages."""
    wanted = message("symptoms", "open")
    if isinstance(wanted, dict):
        st.session_state["_symptom_link"] = link_of(str(wanted.get("symptom")), str(wanted.get("link")))


def page() -> None:
    """The page."""
    if place := st.session_state.pop("_symptom_link", None):
        st.switch_page(f"ui/pages/{place['page']}.py", query_params=place["query"])
    symptoms_view(contents(st.query_params.get("symptom", "")[:MOST_SHOWN]), on_open=_open)


page()
