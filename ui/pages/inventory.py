"""The concept inventory: ``/inventory``, ``/inventory?form=A`` or ``B``, ``/inventory?view=class`` for teachers."""

import streamlit as st
from tidemark.ui.guard import guarded
from tidemark.ui.inventory.component import inventory_view
from tidemark.ui.inventory.desk import first, reply
from tidemark.ui.language import resume
from tidemark.ui.messages import message


def _asked() -> None:
    """Keep the question for the run that follows."""
    asked = message("inventory", "ask")
    if isinstance(asked, dict):
        st.session_state["_inventory_question"] = asked


@st.fragment
@guarded
def _view() -> None:
    """A fragment, so that a question does not rebuild the rest of the page."""
    resume()
    question = st.session_state.pop("_inventory_question", None)
    inventory_view(first(), reply(question) if isinstance(question, dict) else None, on_ask=_asked)


_view()
