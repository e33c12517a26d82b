"""Messages from the browser's components, as callbacks find them."""

from collections.abc import Mapping
from typing import Any

import streamlit as st


def message(component: str, name: str) -> Any:
    """What the browser sent under ``name`` to the component with the key ``component``; None once that is gone.

    A callback may run after its page: the reader goes elsewhere while a message is on its way, or the browser connects
    again and the new session has not run yet. Then nobody waits for an answer, so there is nothing to do.
    """
    sent = st.session_state.get(component)
    return sent.get(name) if isinstance(sent, Mapping) else None
