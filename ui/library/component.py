"""The library as a Streamlit component: search and filters run in the browser, a card opens the walkthrough."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st
from tidemark.ui.player.bundle import script, style

_FOLDER = Path(__file__).parent
_component = st.components.v2.component(
    "tidemark_library", js=script(_FOLDER / "view.js"), css=style(_FOLDER), isolate_styles=False
)


def library_view(contents: Mapping[str, Any], *, on_file: Callable[[], None]) -> None:
    """Show the cards. ``on_file`` is called when the reader chooses an own file: {name, text}, sent as ``file``."""
    _component(key="library", data=dict(contents), on_file_change=on_file)
