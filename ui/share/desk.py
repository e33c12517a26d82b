"""The server's side of the player's exports: data as files, and animations. Stepping never comes here."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import streamlit as st

from simulator.scenario.model import Scenario
from simulator.values.errors import ScenarioError
from simulator.words import words
from ui.classroom.teacher import answer_to
from ui.language import resume
from ui.messages import message
from ui.player.bundle import script
from ui.share.animations import AnimationError, animations
from ui.share.files import FORMS, rows_of, trace_of, written
from ui.share.page import fonts
from ui.share.remedies import remedies

MOST_BYTES: Final = 40 * 1024 * 1024
"""The largest file that is sent through the page."""

_component = st.components.v2.component(
    "tidemark_desk", js=script(Path(__file__).parent / "desk.js"), isolate_styles=False
)

Answer = tuple[dict[str, Any], bytes]
Answering = Callable[[Mapping[str, Any]], Answer]
"""What answers a request; it raises nothing that the reader could not read."""


@st.fragment
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
        st.session_state["_answer"] = _packed(question, _answer(question, scenario, source, ending, facts, more or {}))
    _component(key="desk", data=st.session_state.get("_answer", b""), on_ask_change=_asked, height=1)


def _asked() -> None:
    st.session_state["_question"] = message("desk", "ask")


def _packed(question: Mapping[str, Any], answer: Answer) -> bytes:
    said, body = answer
    head = json.dumps({**said, "number": question.get("number")}).encode()
    return len(head).to_bytes(4, "big") + head + body


def _answer(
    question: Mapping[str, Any], scenario: Scenario, source: Callable[[], bytes], ending: str, facts: bytes,
    more: Mapping[str, Answering],
) -> Answer:  # fmt: skip
    """The answer to a request, or the problem in words, whatever the request."""
    try:
        match question.get("kind"):
            case "data":
                if question.get("what") == "scenario":
                    return {"type": "text/plain", "ending": ending}, source()
                return _data(str(question.get("what")), str(question.get("form")), scenario)
            case "fonts":
                return {"type": "text/css"}, fonts()
            case "remedies":
                return remedies(scenario, question), b""
            case str(kind) if kind in more:
                return more[kind](question)
            case "taken":
                return {}, b""
            case str(kind) if kind.startswith("room-"):
                return answer_to(kind.removeprefix("room-"), question, facts, scenario)
            case str(kind) if kind.startswith("animation-"):
                return animations().answer(kind.removeprefix("animation-"), question)
            case _:
                return {"problem": words("share.desk.unknown")}, b""
    except (ScenarioError, AnimationError) as error:
        return {"problem": str(error)}, b""


def _data(what: str, form: str, scenario: Scenario) -> Answer:
    makers = {"rows": rows_of, "trace": trace_of}
    if what not in makers or form not in FORMS:
        return {"problem": words("share.desk.unknown")}, b""
    body = written(makers[what](scenario), form)
    if len(body) > MOST_BYTES:
        return {"problem": words("share.desk.too_large", most=MOST_BYTES // 2**20)}, b""
    return {"type": FORMS[form]}, body
