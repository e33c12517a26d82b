"""The page Lessons as a Streamlit component: the browser holds the order until it is saved."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from tidemark.ui.player.bundle import script, style

_FOLDER = Path(__file__).parent


def ordering_style() -> str:
    """The styles of the page beside those of the player."""
    merge = (_FOLDER.parent / "author" / "merge.css").read_text(encoding="utf-8")
    return f"{merge}\n{style(_FOLDER)}"


_component = st.components.v2.component(
    "tidemark_ordering",
    js=script(_FOLDER / "main.js"),
    css=f"{style()}\n{ordering_style()}",
    isolate_styles=False,
)


def ordering_view(first: Mapping[str, Any], told: Mapping[str, Any] | None, *, on_ask: Callable[[], None]) -> None:
    """Show the page: what ``ui.ordering.desk`` said first, and its last reply.

    ``on_ask`` is called when the browser saves: a mapping under ``ask`` in the state ``ordering``.
    """
    _component(key="ordering", data={"first": dict(first), "told": told and dict(told)}, on_ask_change=on_ask)
