"""Where a visitor was last: the browser keeps the scenario's name in a cookie, so that the server knows it at once.

``ui/player/frame/place.ts`` writes it. The step is in the browser's own storage.
"""

from typing import Final

import streamlit as st

COOKIE: Final = "tidemark_place"
NOWHERE: Final = "-"
"""The value for somebody who has been here, and whose place does not matter: the first visit is over or was left."""


def last_place() -> str | None:
    """The scenario at which this visitor was last, ``NOWHERE`` for any; None for somebody who has never been here."""
    place = st.context.cookies.get(COOKIE)
    return place if isinstance(place, str) else None
