"""The comparison as a Streamlit component: the browser moves the cursor, the server applies settings."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st
from tidemark.ui.player.bundle import script, style

_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "tidemark_compare", js=script(_FOLDER / "main.js"), css=f"{style()}\n{style(_FOLDER)}", isolate_styles=False
)


def compare_view(
    facts: bytes, *, on_choose: Callable[[], None], on_ask: Callable[[], None], on_give: Callable[[], None]
) -> None:
    """Show a packed comparison.

    ``on_choose`` is called when the reader wants another address, a mapping sent as ``choose``; ``on_ask`` when the
    reader wants a search (sweep, smallest change, fewest records), {what, …} sent as ``ask``; ``on_give`` when the
    reader hands in a file or a link (``ui/compare/opened.py``), sent as ``give``.
    """
    _component(key="compare", data=facts, on_choose_change=on_choose, on_ask_change=on_ask, on_give_change=on_give)
