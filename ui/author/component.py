"""The Author page as a Streamlit component: the browser keeps the draft, the server edits, runs and checks it."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st
from tidemark.ui.player.bundle import script, style

_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "tidemark_author", js=script(_FOLDER / "main.js"), css=f"{style()}\n{style(_FOLDER)}", isolate_styles=False
)


def author_view(message: bytes, *, on_ask: Callable[[], None]) -> None:
    """Show the page. ``message`` is the first message of ``ui.author.desk``, or its last reply.

    ``on_ask`` is called when the browser has a question: a mapping under ``ask`` in the state ``author``.
    """
    _component(key="author", data=message, on_ask_change=on_ask)
