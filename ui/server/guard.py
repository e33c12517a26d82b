"""What a page shows when it cannot be shown: long work that was given up, or a mistake of ours.

A mistake is told in plain words with a line to report; the whole of it goes to the server's log. What the visitor was
working on is not touched: a draft, the answers and the room are kept by the browser.
"""

import logging
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Final, ParamSpec

import streamlit as st
from tidemark.simulator.words import words
from tidemark.ui.server.heavy.order import NotDone

Parameters = ParamSpec("Parameters")

_ROOT: Final = Path(__file__).resolve().parents[2]
_LOG: Final = logging.getLogger("tidemark")


@contextmanager
def guard() -> Iterator[None]:
    """Within this, whatever is raised is shown as a notice in place of the rest. What Streamlit raises passes."""
    try:
        yield
    except NotDone as error:
        _notice(str(error))
    except Exception as error:
        _LOG.exception("a page failed")
        _notice(words("trouble.title"), words("trouble.kept"))
        st.caption(words("trouble.report"))
        st.code(place_of(error), language=None)


def guarded(part: Callable[Parameters, None]) -> Callable[Parameters, None]:
    """A part of a page that runs again by itself, with a ``guard`` of its own."""

    @wraps(part)
    def within(*args: Parameters.args, **kwargs: Parameters.kwargs) -> None:
        with guard():
            part(*args, **kwargs)

    return within


def place_of(error: Exception) -> str:
    """What was raised, and the innermost place in our own code: what a report needs, and no more."""
    ours = [
        f"{Path(each.filename).relative_to(_ROOT).as_posix()}:{each.lineno}"
        for each in traceback.extract_tb(error.__traceback__)
        if Path(each.filename).is_relative_to(_ROOT) and "site-packages" not in each.filename
    ]
    return " · ".join([type(error).__name__, *ours[-1:]])


def _notice(text: str, more: str = "") -> None:
    with st.container(key="tm_notice"):
        st.text(text)
        if more:
            st.caption(more)
        with st.container(horizontal=True):
            st.page_link("ui/pages/library.py", label=words("pages.walkthrough.to_library"))
