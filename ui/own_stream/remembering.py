"""What the reader chose on the page, kept while the reader is on another one.

Streamlit forgets what a widget held as soon as a run does not draw it.
"""

from typing import Any, Final

import streamlit as st

_KEPT: Final = "own_stream_kept"


def restore(key: str, options: Any = None) -> None:
    """Before the widget ``key`` is drawn: give it what it held, if Streamlit has forgotten it.

    ``options``: what it can hold now; anything else stays forgotten.
    """
    kept = st.session_state.get(_KEPT, {})
    if key in kept and key not in st.session_state and (options is None or kept[key] in options):
        st.session_state[key] = kept[key]


def remember(key: str, value: Any) -> None:
    """After the widget ``key`` was drawn: keep what it holds."""
    st.session_state.setdefault(_KEPT, {})[key] = value


def is_kept(key: str) -> bool:
    """Whether the widget ``key`` comes back as the reader left it."""
    return key in st.session_state.get(_KEPT, {})
