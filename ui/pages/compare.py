"""Compare: two runs under one cursor. The address says what is compared (``ui/compare/choice.py``)."""

import streamlit as st
from tidemark.simulator.words import words
from tidemark.ui.catalogue import library
from tidemark.ui.compare.desk import Given, NothingToCompare, compared, given, searched
from tidemark.ui.pages.kit import notice
from tidemark.ui.payload.charts.compiled import compiled
from tidemark.ui.payload.charts.mounting import mount_vega
from tidemark.ui.player.components import component
from tidemark.ui.server.orders import NotDone
from tidemark.ui.server.screen import message


def _choose() -> None:
    """The reader wants to compare something else."""
    wanted = message("compare", "choose")
    if isinstance(wanted, dict) and all(isinstance(each, str) for each in (*wanted, *wanted.values())):
        st.query_params.from_dict(wanted)
        # It may take long, and is asked again if needed.
        st.session_state.get("tidemark_asked", {}).pop("smallest", None)


def _ask() -> None:
    """The reader wants a search; it stays while the scenario is the same."""
    if wanted := searched(message("compare", "ask")):
        st.session_state["tidemark_asked"] = {**st.session_state.get("tidemark_asked", {}), **wanted}


def _give() -> None:
    """The reader hands in a file or a link; kept for the run that follows."""
    st.session_state["_handed"] = message("compare", "give")


def _handed() -> Given | None:
    """What was handed in: the address compares it now; returned if it cannot be opened."""
    handed = given(st.session_state.pop("_handed", None))
    if handed is None or handed.problem:
        return handed
    st.query_params.from_dict(handed.address)
    return None


def page() -> None:
    """The page."""
    handed = _handed()
    query = {name: st.query_params[name] for name in st.query_params}
    asked = st.session_state.get("tidemark_asked", {})
    try:
        facts = compared(query, library(), asked, handed, compiled)
    except NothingToCompare as error:
        notice(str(error), words("pages.walkthrough.offer_library"))
        return
    except NotDone:
        st.session_state.pop("tidemark_asked", None)  # else the page would try the same search for ever
        raise
    component("compare")(key="compare", data=facts, on_choose_change=_choose, on_ask_change=_ask, on_give_change=_give)
    if "sweep" in asked:
        with st.container(key="tidemark_vega"):
            mount_vega()


page()
