"""What the player asks about its scenario, answered wherever Python runs: on a server, or in the browser itself."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from tidemark.simulator.limits import EXPORT_BYTES
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.values.errors import ScenarioError
from tidemark.simulator.words import words
from tidemark.ui.share.files import FORMS, forms, rows_of, trace_of, written
from tidemark.ui.share.programs import programs_of
from tidemark.ui.share.remedies import remedies
from tidemark.ui.walkable import done_for

Answer = tuple[dict[str, Any], bytes]
"""What is said, and the content of a file, which may be empty."""

Answering = Callable[[Mapping[str, Any]], Answer]
"""What answers a request; it raises nothing that the reader could not read."""


def packed_answer(answer: Answer, **more: Any) -> bytes:
    """An answer on its way to the browser: what is said and ``more``, as JSON after its length, and the file."""
    said, body = answer
    head = json.dumps({**said, **more}).encode()
    return len(head).to_bytes(4, "big") + head + body


_MAKERS: Final = {"rows": rows_of, "trace": trace_of}


def answers_about(scenario: Scenario, source: Callable[[], bytes], ending: str) -> dict[str, Answering]:
    """What answers each kind of request about ``scenario``; ``source`` returns its file, with the suffix ``ending``."""

    def data(question: Mapping[str, Any]) -> Answer:
        if question.get("what") == "scenario":
            return {"type": "text/plain", "ending": ending}, source()
        return _data(str(question.get("what")), str(question.get("form")), scenario)

    return {
        "data": data,
        "programs": lambda _question: (programs_of(scenario), b""),
        "remedies": lambda question: (remedies(scenario, question), b""),
    }


def answer_to(question: Mapping[str, Any], kinds: Mapping[str, Answering]) -> Answer:
    """The answer to a request, or the problem in words, whatever the request."""
    answering = kinds.get(str(question.get("kind")))
    if answering is None:
        return {"problem": words("share.desk.unknown")}, b""
    try:
        return answering(question)
    except ScenarioError as error:
        return {"problem": str(error)}, b""


def _data(what: str, form: str, scenario: Scenario) -> Answer:
    if what not in _MAKERS or form not in FORMS:
        return {"problem": words("share.desk.unknown")}, b""
    if form not in forms():
        return {"problem": words("share.desk.no_library", form=form)}, b""
    body = done_for(scenario, _file, scenario, what, form)
    if len(body) > EXPORT_BYTES:
        return {"problem": words("share.desk.too_large", most=EXPORT_BYTES // 2**20)}, b""
    return {"type": FORMS[form]}, body


def _file(scenario: Scenario, what: str, form: str) -> bytes:
    return written(_MAKERS[what](scenario), form)
