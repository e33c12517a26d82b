"""A page that has nothing to show says why, and where to go on."""

from collections.abc import Mapping

import streamlit as st

from simulator.words import words

MOST_SHOWN = 1_200
"""Characters of a text that are shown; an address may be as long as it likes."""


def notice(text: str, offer: str, address: Mapping[str, str] | None = None) -> None:
    """Show ``text`` as text (it may quote the address), a link to the library and, maybe, one to the scenario's start.

    ``address``: the part of a link that names the scenario.
    """
    with st.container(key="tm_notice"):
        st.text(text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]} …")
        st.caption(offer)
        with st.container(horizontal=True):
            st.page_link("ui/pages/library.py", label=words("pages.walkthrough.to_library"))
            if address is not None:
                st.page_link(
                    "ui/pages/walkthrough.py",
                    label=words("pages.walkthrough.to_start"),
                    query_params={**address, "step": "0"},
                )
