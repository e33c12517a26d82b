"""What the player asks about its scenario, answered wherever Python runs: on a server, or in the browser itself."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Final

from tidemark.simulator.engine.trace.trace import Trace, TraceTooLong, step_as_json
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.explore.smallest import keeps, smallest_changes
from tidemark.simulator.limits import EXPORT_BYTES, SEARCHED_STEPS
from tidemark.simulator.programs import TARGETS, NotExpressible, program
from tidemark.simulator.programs.differing import Aspect, NotCompared, differing
from tidemark.simulator.proof.spark_twin import RECORDS_A_BATCH
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import words
from tidemark.ui.catalogue.walkable import done_for, walked

from tidemark import simulator

# Rows and trace of a run as files: CSV for a spreadsheet, JSON Lines as the command line prints them, Parquet.
#
# Numbers stay exact: 64-bit integers are digits in CSV and ``int64`` in Parquet. A member that is not a plain value
# (a list, the two sides of a join) becomes JSON text; so does a column with values of several types.

# Text in the cell of a spreadsheet: it is never a formula, whatever an author or a record says.

_STARTS_A_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


def text_cell(text: str) -> str:
    """``text`` with an apostrophe in front where a spreadsheet would compute it, or where it has one already."""
    return f"'{text}" if text.startswith((*_STARTS_A_FORMULA, "'")) else text


Row = Mapping[str, Any]

FORMS: Final = {"csv": "text/csv", "jsonl": "application/x-ndjson", "parquet": "application/vnd.apache.parquet"}
"""Suffixes of the files, and their media types."""


def rows_of(scenario: Scenario) -> list[Row]:
    """The output rows as ``python -m simulator run`` prints them, of as much of the stream as can be walked through."""
    return list(simulator.run_rows(walked(scenario)[0]))


def trace_of(scenario: Scenario) -> list[Row]:
    """The micro-steps as ``python -m simulator trace`` prints them, of as much as can be walked through."""
    return [step_as_json(step) for step in walked(scenario)[1]]


def written(rows: Sequence[Row], form: str) -> bytes:
    """``rows`` as a file in ``form``, one of ``forms()``."""
    return {"csv": _csv, "jsonl": _json_lines, "parquet": _parquet}[form](rows)


def forms() -> list[str]:
    """The forms that can be written here: Parquet needs a library."""
    return [form for form in FORMS if form != "parquet" or find_spec("pyarrow") is not None]


def _parquet(rows: Sequence[Row]) -> bytes:
    from tidemark.ui.share.parquet import parquet_file  # only here, because a browser does not have its library

    return parquet_file(rows, _columns(rows))


def _json_lines(rows: Iterable[Row]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def _columns(rows: Iterable[Row]) -> list[str]:
    """Every member of any row, in order of first appearance."""
    return list(dict.fromkeys(name for row in rows for name in row))


def _csv(rows: Sequence[Row]) -> bytes:
    columns = _columns(rows)
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return out.getvalue().encode("utf-8-sig", "backslashreplace")


def _cell(value: Any) -> str:
    """A value as a cell; a text that a spreadsheet would take for a formula gets an apostrophe in front."""
    match value:
        case None:
            return ""
        case str():
            return text_cell(value)
        case _:
            return json.dumps(value)


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
