"""What the player asks about its scenario, answered wherever Python runs: on a server, or in the browser itself."""

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from tidemark.simulator.engine.trace.trace import Trace, TraceTooLong
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.explore.smallest import keeps, smallest_changes
from tidemark.simulator.limits import EXPORT_BYTES, SEARCHED_STEPS
from tidemark.simulator.programs import TARGETS, NotExpressible, program
from tidemark.simulator.programs.differing import Aspect, NotCompared, differing
from tidemark.simulator.proof.spark_twin import RECORDS_A_BATCH
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import words
from tidemark.ui.catalogue.walkable import done_for
from tidemark.ui.share.files import FORMS, forms, rows_of, trace_of, written

from tidemark import simulator

# A scenario as programs for real engines, and what differs between these: what the tab Code shows.


def programs_of(scenario: Scenario) -> dict[str, Any]:
    """``programs``: {to, file, text, reason} for each engine, with a ``reason`` in place of a text that cannot be.

    ``differing``: {title, cells} for each aspect in which the engines part ways, with ``batch`` records in each of
    Spark's micro-batches; or ``not_compared``, the reason.
    """
    rows: tuple[Aspect, ...] = ()
    reason = ""
    try:
        rows = differing(scenario)
    except NotCompared as obstacle:
        reason = str(obstacle)
    return {
        "programs": [_program(scenario, to) for to in TARGETS],
        "differing": [{"title": each.title, "cells": each.cells} for each in rows],
        "not_compared": reason,
        "batch": RECORDS_A_BATCH,
    }


def _program(scenario: Scenario, to: str) -> dict[str, str]:
    file = "Main.java" if to == "flink-java" else f"{scenario.name}-{to}.py"
    try:
        return {"to": to, "file": file, "text": program(scenario, to), "reason": ""}
    except NotExpressible as error:
        return {"to": to, "file": file, "text": "", "reason": str(error)}


# What would have kept a lost record, found by runs: for the Why card, where the facts alone do not say it.


def remedies(scenario: Scenario, question: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to {item, settings}: {remedies}, each {what, before, after}: the least raise that keeps the record.

    Of the settings that are named alone; in a run that is too long, or for what is no item, {problem}.
    """
    item, names = question.get("item"), question.get("settings")
    if not isinstance(item, int) or not isinstance(names, list) or not is_short(scenario):
        return {"problem": words("share.desk.unknown")}
    more = [each for each in smallest_changes(scenario, keeps(item)) if each.what in names and each.after > each.before]
    return {"remedies": [{"what": each.what, "before": each.before, "after": each.after} for each in more]}


def is_short(scenario: Scenario) -> bool:
    """Whether the run has at most ``SEARCHED_STEPS`` steps."""
    try:
        simulator.run(scenario, lambda row: None, Trace(limit=SEARCHED_STEPS))
    except TraceTooLong:
        return False
    return True


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
