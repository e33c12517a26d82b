"""A page with an upload ends for good when the visitor goes elsewhere: the browser does not keep it for the way back.

A kept page keeps its connection as well, for ten minutes, and the server takes the visitor to be here.
"""

from pathlib import Path
from typing import Final

import streamlit as st

from ui.player.bundle import script

_component: Final = st.components.v2.component(
    "tidemark_holding", js=script(Path(__file__).parent / "holding.js"), isolate_styles=False
)


def hold() -> None:
    """From here on, leaving this page is leaving."""
    _component(key="own_stream_holding", data={})
