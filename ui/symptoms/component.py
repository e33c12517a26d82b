"""The page Symptoms as a Streamlit component: it opens, filters and goes on to a run in the browser alone."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from tidemark.ui.player.bundle import script, style

_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "tidemark_symptoms", js=script(_FOLDER / "view.js"), css=style(_FOLDER), isolate_styles=False
)


def symptoms_view(contents: Mapping[str, Any]) -> None:
    """Show the complaints."""
    _component(key="symptoms", data=dict(contents))
