"""The page Symptoms as a Streamlit component: the list opens and filters in the browser, a link opens a run."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from ui.player.bundle import script, style

_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "tidemark_symptoms", js=script(_FOLDER / "view.js"), css=style(_FOLDER), isolate_styles=False
)


def symptoms_view(contents: Mapping[str, Any], *, on_open: Callable[[], None]) -> None:
    """Show the complaints. ``on_open`` is called when the reader follows a link: {symptom, link}, sent as ``open``."""
    _component(key="symptoms", data=dict(contents), on_open_change=on_open)
