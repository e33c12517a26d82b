"""The server's side of the player's exports: data as files. Stepping never comes here."""

import gzip
from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import current_language
from tidemark.ui.learning.classroom.teacher import answer_to as of_class
from tidemark.ui.pages.language import resume
from tidemark.ui.player.components import component
from tidemark.ui.server.cache import keeping
from tidemark.ui.server.orders import NotDone
from tidemark.ui.server.screen import guarded, message
from tidemark.ui.share.answers import Answer, Answering, answer_to, answers_about, packed_answer
from tidemark.ui.share.page import fonts, shell


@st.fragment
@guarded
def desk(
    scenario: Scenario,
    source: Callable[[], bytes],
    ending: str,
    facts: bytes,
    more: Mapping[str, Answering] | None = None,
) -> None:
    """Answer the player's requests about ``scenario``. A fragment: it reruns alone.

    ``source`` returns the scenario's file, which has the suffix ``ending``; ``facts`` is the packed payload that the
    player shows, and the source of a question to the class. ``more`` answers further kinds of requests.
    """
    resume()
    question = st.session_state.pop("_question", None)
    if isinstance(question, dict):
        st.session_state["_answer"] = packed_answer(
            _answer(question, scenario, source, ending, facts, more or {}), number=question.get("number")
        )
    component("desk")(key="desk", data=st.session_state.get("_answer", b""), on_ask_change=_asked, height=1)


def _asked() -> None:
    st.session_state["_question"] = message("desk", "ask")


def _answer(
    question: Mapping[str, Any], scenario: Scenario, source: Callable[[], bytes], ending: str, facts: bytes,
    more: Mapping[str, Answering],
) -> Answer:  # fmt: skip
    """The answer to a request, or the problem in words, whatever the request."""
    try:
        match question.get("kind"):
            case "fonts":
                return {"type": "text/css"}, fonts()
            case "taken":
                return {}, b""
            case str(kind) if kind.startswith("room-"):
                return of_class(kind.removeprefix("room-"), question, facts, scenario)
            case _:
                return answer_to(question, {**answers_about(scenario, source, ending), **more})
    except (ScenarioError, NotDone) as error:
        return {"problem": str(error)}, b""


# The template of the offline page (``ui/share/page.py``) on its way to the browser, which fills it in.

_KIT = """
// The frame of the offline page, as it is sent once to each browser (ui/player/share/dialog.ts fills it).
export default function keep({ data }) {
  const desk = (globalThis.tidemarkDesk ??= { waiting: new Map(), number: Date.now() });
  desk.kit = data;
  desk.kitCame?.();
}
"""

_component = st.components.v2.component("tidemark_kit", js=_KIT, isolate_styles=False)


@keeping(8)
def _packed(language: str) -> bytes:
    return gzip.compress(shell().encode(), mtime=0)


def mount_kit() -> None:
    """Send the template to this browser, once."""
    _component(key="kit", data=_packed(current_language()), height=1)
