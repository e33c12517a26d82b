"""What the browser does for the page: it shows the number of the visit, and lets go of a page with an upload.

Such a page ends for good when the visitor goes elsewhere: the browser does not keep it for the way back. A kept page
keeps its connection as well, for ten minutes, and the server takes the visitor to be here.
"""

from pathlib import Path
from typing import Final

import streamlit as st
from tidemark.ui.own_stream.visits import cookie, visit
from tidemark.ui.player.bundle import script

_component: Final = st.components.v2.component(
    "tidemark_holding", js=script(Path(__file__).parent / "holding.js"), isolate_styles=False
)


def hold(*, leaving: bool) -> None:
    """From here on, the browser knows this visit. ``leaving``: to leave the page is to end it."""
    _component(key="own_stream_holding", data={"cookie": cookie(), "visit": visit().number, "leaving": leaving})
