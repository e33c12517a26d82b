"""A notice for a page that has nothing to show: why, and where to go instead."""

from collections.abc import Mapping

import streamlit as st
from tidemark.simulator.words import words
from tidemark.ui.plain import plain

MOST_SHOWN = 1_200
"""The most characters shown of a text, which may quote an address of any length."""


def notice(text: str, offer: str, address: Mapping[str, str] | None = None) -> None:
    """Show ``text`` as plain text (it may quote the address), and a link to the library.

    ``address``: the part of a link that names a scenario; with it the notice links to the scenario's start as well.
    """
    with st.container(key="tm_notice"):
        text = plain(text)
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
