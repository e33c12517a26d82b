"""What every page does with Streamlit: messages from components, plain text, and what is shown when a page fails."""

import logging
import re
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import wraps
from html import escape
from pathlib import Path
from typing import Any, Final, Literal, ParamSpec

import streamlit as st
from tidemark.simulator.places import ROOT
from tidemark.simulator.words import words
from tidemark.ui.server.orders import NotDone

Parameters = ParamSpec("Parameters")

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
        f"{place.relative_to(ROOT).as_posix()}:{each.lineno}"
        for each in traceback.extract_tb(error.__traceback__)
        if (place := Path(each.filename)).is_relative_to(ROOT) and "site-packages" not in place.relative_to(ROOT).parts
    ]
    return " · ".join([type(error).__name__, *ours[-1:]])


def _notice(text: str, more: str = "") -> None:
    with st.container(key="tm_notice"):
        st.text(text)
        if more:
            st.caption(more)
        with st.container(horizontal=True):
            st.page_link("ui/pages/library.py", label=words("pages.walkthrough.to_library"))


# Messages from the browser's components, as callbacks find them.


def message(component: str, name: str) -> Any:
    """What the browser sent under ``name`` to the component with the key ``component``; None once that is gone.

    A callback may run after its page: the reader goes elsewhere while a message is on its way, or the browser connects
    again and the new session has not run yet. Then nobody waits for an answer, so there is nothing to do.
    """
    sent = st.session_state.get(component)
    return sent.get(name) if isinstance(sent, Mapping) else None


# Messages where only plain text can be shown. ``ui/player/base/dom.ts`` shows the same ones with code as code.

_BETWEEN_BACKTICKS = re.compile(r"`([^`\n]+)`")


def plain(message: str) -> str:
    """``message`` without the backticks around members, values and commands."""
    return _BETWEEN_BACKTICKS.sub(r"\1", message)


def say(message: str, kind: Literal["note", "problem"] = "problem") -> None:
    """Show ``message`` on a page of Streamlit, each character as itself.

    Streamlit's own messages and labels read Markdown: of words from outside they would make links and pictures. So they
    show words of the catalogue alone (``tests/hostile/test_patterns.py``), and this shows all that names a file, a
    column, an address or an error.
    """
    role = "alert" if kind == "problem" else "note"
    st.html(f'<p class="tm-said" data-kind="{kind}" role="{role}">{escape(plain(message))}</p>')


# Where a visitor was last: the browser keeps the scenario's name in a cookie, so that the server knows it at once.
#
# ``ui/player/frame/place.ts`` writes it. The step is in the browser's own storage.

COOKIE: Final = "tidemark_place"
NOWHERE: Final = "-"
"""The value for somebody who has been here, and whose place does not matter: the first visit is over or was left."""


def last_place() -> str | None:
    """The scenario at which this visitor was last, ``NOWHERE`` for any; None for somebody who has never been here."""
    place = st.context.cookies.get(COOKIE)
    return place if isinstance(place, str) else None
