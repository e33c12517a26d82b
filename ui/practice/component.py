"""Practice as a Streamlit component: the browser keeps boxes and levels; the desk makes exercises and grades."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from tidemark.ui.player.bundle import script, style

_FOLDER = Path(__file__).parent
_INVENTORY = _FOLDER.parent / "inventory"
_component = st.components.v2.component(
    "tidemark_practice",
    js=script(_FOLDER / "main.js"),
    css=f"{style()}\n{style(_INVENTORY)}\n{style(_FOLDER)}",
    isolate_styles=False,
)


def practice_view(first: Mapping[str, Any], told: Mapping[str, Any] | None, *, on_ask: Callable[[], None]) -> None:
    """Show the page: what ``ui.practice.desk`` said first, and its last reply.

    ``on_ask`` is called when the browser has a question: a mapping under ``ask`` in the state ``practice``.
    """
    _component(key="practice", data={"first": dict(first), "told": json.dumps(told)}, on_ask_change=on_ask)
