"""A page that has nothing to show says why, and where to go on."""

import streamlit as st

from simulator.words import words


def notice(text: str, offer: str, scenario: str | None = None) -> None:
    """Show ``text`` as text (it may quote the address), a link to the library and, maybe, one to the scenario."""
    with st.container(key="tm_notice"):
        st.text(text)
        st.caption(offer)
        with st.container(horizontal=True):
            st.page_link("ui/pages/library.py", label=words("pages.walkthrough.to_library"))
            if scenario is not None:
                st.page_link(
                    "ui/pages/walkthrough.py",
                    label=words("pages.walkthrough.to_start"),
                    query_params={"scenario": scenario, "step": "0"},
                )
