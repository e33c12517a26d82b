"""The reader's language: the one that the link asks for, else their own choice, else what the browser prefers.

A language chosen by a link or by the switch stays: in the session, and in a cookie for the next session. Streamlit runs
each session in threads of its own and the current language belongs to a thread, so everything that starts there (a run
of a page, a callback, a fragment) must call ``resume`` first.
"""

from pathlib import Path
from typing import Final

import streamlit as st

from simulator.scenario.languages import languages_of
from simulator.words import DEFAULT_LANGUAGE, LANGUAGES, current_language, speak, words
from simulator.words.tags import canonical, is_tag
from ui.catalogue import find
from ui.messages import message
from ui.player.bundle import script

COOKIE: Final = "tidemark_language"
"""The cookie in which the browser keeps the choice. It holds the language and nothing else."""

LINK: Final = "lang"
"""The name of the language in a link."""

TAGS: Final = {"zh": "zh-Hans"}
"""The language tag of HTML where it differs from the name used here."""

_STATE: Final = "tidemark_language"
_ASKED: Final = "tidemark_language_asked"

_component = st.components.v2.component(
    "tidemark_language", js=script(Path(__file__).parent / "language.js"), isolate_styles=False
)


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
        "menu": words("app.menu"),
        "keep": st.session_state.get(_STATE) is not None,
        "cookie": COOKIE,
        "link": LINK,
    }
    _component(key="language", data=contents, on_chosen_change=_chosen)


def offered() -> list[str]:
    """The languages of the switch: the interface's, those of the scenario that the address names, the current one."""
    name = st.query_params.get("scenario")
    entry = find(name) if name else None
    more = () if entry is None or entry.scenario is None else languages_of(entry.scenario)
    return list(dict.fromkeys([*LANGUAGES, *more, current_language()]))


def name_of(language: str) -> str:
    """The name of a language of the interface in its own words; "" for any other, whose name the browser knows."""
    return words("app.language", language=language) if language in LANGUAGES else ""


def tag(language: str) -> str:
    """The language as HTML names it: ``en``, ``zh-Hans``."""
    return TAGS.get(language, language)


def preferred(asked: str | None, kept: str | None, accepted: str) -> str:
    """The language that the link asks for, else the ``kept`` one, else the first one that the browser accepts.

    The browser's is taken only if the interface has it: for that one pages are made ready before anybody asks.
    """
    for each in (asked, kept):
        if isinstance(each, str) and is_tag(each):
            return canonical(each)
    first = accepted.partition(",")[0].strip().lower().partition("-")[0]
    return first if first in LANGUAGES else DEFAULT_LANGUAGE


def _wanted() -> str:
    return preferred(st.session_state.get(_STATE), st.context.cookies.get(COOKIE), st.context.locale or "")


def _chosen() -> None:
    """The reader chose another language; a link in the address is rewritten by the browser."""
    wanted = message("language", "chosen")
    if isinstance(wanted, str) and is_tag(wanted):
        st.session_state[_STATE] = wanted
