"""The reader's language: the one that the link asks for, else their own choice, else what the browser prefers.

A language chosen by a link or by the switch stays: in the session, and in a cookie for the next session. Streamlit runs
each session in threads of its own and the current language belongs to a thread, so everything that starts there (a run
of a page, a callback, a fragment) must call ``resume`` first.
"""

from typing import Final

import streamlit as st
from tidemark.simulator.scenario.languages import languages_of
from tidemark.simulator.words import LANGUAGES, current_language, section, speak, words
from tidemark.simulator.words.tags import canonical, is_tag
from tidemark.ui.catalogue import find
from tidemark.ui.player.components import component
from tidemark.ui.server.screen import message
from tidemark.ui.server.tags import COOKIE, LINK, name_of, preferred, tag

_STATE: Final = "tidemark_language"
_ASKED: Final = "tidemark_language_asked"


def resume() -> None:
    """Speak the reader's language from here on in this thread.

    A link counts once only: Streamlit keeps reporting the address that the session started with, and would otherwise
    undo every later choice.
    """
    asked = st.query_params.get(LINK)
    if asked and is_tag(asked) and asked != st.session_state.get(_ASKED):
        st.session_state[_ASKED] = asked
        st.session_state[_STATE] = canonical(asked)
    speak(_wanted())


def language_switch() -> None:
    """The switch in the header. It stores the choice in the browser and declares the language of the page."""
    contents = {
        "languages": [{"language": each, "name": name_of(each), "tag": tag(each)} for each in offered()],
        "current": current_language(),
        "label": words("app.languages"),
        "controls": section("app.controls"),
        "keep": st.session_state.get(_STATE) is not None,
        "cookie": COOKIE,
        "link": LINK,
        "losses": {"words": section("app.storage"), "comma": words("app.comma")},
    }
    component("language")(key="language", data=contents, on_chosen_change=_chosen)


def offered() -> list[str]:
    """The languages of the switch: the interface's, those of the scenario that the address names, the current one."""
    name = st.query_params.get("scenario")
    entry = find(name) if name else None
    more = () if entry is None or entry.scenario is None else languages_of(entry.scenario)
    return list(dict.fromkeys([*LANGUAGES, *more, current_language()]))


def _wanted() -> str:
    return preferred(st.session_state.get(_STATE), st.context.cookies.get(COOKIE), st.context.locale or "")


def _chosen() -> None:
    """The reader chose another language; a link in the address is rewritten by the browser."""
    wanted = message("language", "chosen")
    if isinstance(wanted, str) and is_tag(wanted):
        st.session_state[_STATE] = wanted
