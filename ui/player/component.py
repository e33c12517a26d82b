"""The player as a Streamlit component: mounted in the page itself, without a frame around it."""

from collections.abc import Callable

import streamlit as st

from ui.player.bundle import script, style

_component = st.components.v2.component("tidemark_player", js=script(), css=style(), isolate_styles=False)


def player(facts: bytes, *, key: str = "player", on_open: Callable[[], None] | None = None) -> str | None:
    """Show a packed payload (``ui.payload``). Returns the name of the scenario that the reader just chose, if any.

    The step is the browser's own affair: it stands in the address and never comes here.
    """
    result = _component(key=key, data=facts, on_open_change=on_open or (lambda: None))
    chosen = result.get("open")
    return chosen if isinstance(chosen, str) else None
