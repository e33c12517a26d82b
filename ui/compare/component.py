"""The comparison as a Streamlit component: the cursor is the browser's own affair, settings come here."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from ui.player.bundle import script, style

_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "tidemark_compare", js=script(_FOLDER / "main.js"), css=f"{style()}\n{style(_FOLDER)}", isolate_styles=False
)


def compare_view(facts: bytes, *, on_choose: Callable[[], None], on_ask: Callable[[], None]) -> None:
    """Show a packed comparison. ``on_choose``: another address is wanted, a mapping under ``choose`` in the state;
    ``on_ask``: {what, …} under ``ask``: a sweep, the smallest change, the fewest records."""
    _component(key="compare", data=facts, on_choose_change=on_choose, on_ask_change=on_ask)
