"""The player as a Streamlit component: mounted in the page itself, without a frame around it."""

from collections.abc import Callable

import streamlit as st
from tidemark.ui.player.bundle import script, style

_component = st.components.v2.component("tidemark_player", js=script(), css=style(), isolate_styles=False)


def player(facts: bytes, *, on_open: Callable[[], None]) -> None:
    """Show a packed payload (``ui.payload``). ``on_open`` is called when the reader chooses another scenario.

    Its name is then under ``open`` in the state ``player``. The step is the browser's own affair: it stands in the
    address and never comes here.
    """
    _component(key="player", data=facts, on_open_change=on_open)
