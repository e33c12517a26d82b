"""Symptoms: the most common complaints, each with a checklist, the scenario that shows it, and the same one repaired.

``/symptoms?symptom=ID&find=TEXT`` opens one, in the list that ``TEXT`` leaves.
"""

import streamlit as st
from tidemark.ui.library.contents import terms
from tidemark.ui.library.symptoms import contents
from tidemark.ui.player.components import component

MOST_SHOWN = 80
"""The most characters of an unknown id that the page repeats."""


def page() -> None:
    """The page."""
    data = contents(st.query_params.get("symptom", "")[:MOST_SHOWN], terms())
    component("symptoms")(key="symptoms", data=data)


page()
