"""Compare: two runs under one cursor. The address says what is compared (``ui/compare/choice.py``)."""

from collections.abc import Mapping
from typing import Any

import streamlit as st
from tidemark.simulator.words import words
from tidemark.ui.catalogue import library
from tidemark.ui.compare.desk import LONG_SEARCHES, Given, NothingToCompare, chosen, compared, given, searched
from tidemark.ui.pages.kit import asked, keeping_question, notice
from tidemark.ui.payload.charts.compiled import compiled
from tidemark.ui.payload.charts.mounting import mount_vega
from tidemark.ui.player.components import component
from tidemark.ui.server.orders import NotDone


def _heard(question: Mapping[str, Any]) -> Given | None:
    """Turn to what the reader asks for: another address, a scenario to open, or a search, which stays while the
    scenario is the same. What cannot be opened is returned."""
    searches = st.session_state.setdefault("tidemark_asked", {})
    if (address := chosen(question)) is not None:
        st.query_params.from_dict(address)
        for name in LONG_SEARCHES:
            searches.pop(name, None)
    elif (handed := given(question)) is not None:
        if handed.problem:
            return handed
        st.query_params.from_dict(handed.address)
    else:
        searches |= searched(question)
    return None


def page() -> None:
    """The page."""
    handed = _heard(asked("compare") or {})
    query = {name: st.query_params[name] for name in st.query_params}
    searches = st.session_state["tidemark_asked"]
    try:
        facts = compared(query, library(), searches, handed, compiled)
    except NothingToCompare as error:
        notice(str(error), words("pages.walkthrough.offer_library"))
        return
    except NotDone:
        st.session_state.pop("tidemark_asked", None)  # else the page would try the same search for ever
        raise
    component("compare")(key="compare", data=facts, on_ask_change=keeping_question("compare"))
    if "sweep" in searches:
        with st.container(key="tidemark_vega"):
            mount_vega()


page()
