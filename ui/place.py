"""What is open goes along: the links of the navigation name it, whichever page they lead to.

Only the browser knows the step, so ``place.js`` does all of it; here it is mounted, in the frame of every page.
"""

from pathlib import Path

import streamlit as st
from tidemark.ui.player.bundle import script

_component = st.components.v2.component(
    "tidemark_place", js=script(Path(__file__).parent / "place.js"), isolate_styles=False
)


def mount_place() -> None:
    """Let the links of the navigation carry what is open."""
    _component(key="place", height=1)
