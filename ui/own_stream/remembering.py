"""What the reader chose on the page, kept while the reader is on another one or loads it again.

Streamlit forgets what a widget held as soon as a run does not draw it.
"""

from typing import Any

import streamlit as st
from tidemark.ui.own_stream.visits import visit


def restore(key: str, options: Any = None, first: Any = None) -> None:
    """Before the widget ``key`` is drawn: give it what it held, if Streamlit has forgotten it.

    ``options``: what it can hold now; anything else stays forgotten. ``first``: what it holds at first.
    """
    if key in st.session_state:
        return
    for held in (visit().kept.get(key), first):
        if held is not None and (options is None or held in options):
            st.session_state[key] = held
            return


def remember(key: str, value: Any) -> None:
    """After the widget ``key`` was drawn: keep what it holds."""
    visit().kept[key] = value


def is_kept(key: str) -> bool:
    """Whether the widget ``key`` comes back as the reader left it."""
    return key in visit().kept
