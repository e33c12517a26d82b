"""The teacher's side of a room: requests of the player about it, by way of the desk (``ui/share/desk.py``).

The browser names only the step; the question and its answers come from the run itself. So nobody can show a class
words of their own, and the right answer is the one that the trace shows.
"""

import csv
import io
import ipaddress
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final
from urllib.parse import urlsplit

import segno
from tidemark.simulator.limits import DOOR_CHARACTERS, ROOMS
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import words
from tidemark.ui.learning.classroom.questions import beside, question_at
from tidemark.ui.learning.classroom.rooms import Count, rooms
from tidemark.ui.learning.classroom.votes import SHOWN, Answer, Tally
from tidemark.ui.server.roles import is_teacher
from tidemark.ui.share.files import text_cell

# What a class answered, as a file without names: JSON for a program, CSV for a spreadsheet.

FORMS: Final = {"json": "application/json", "csv": "text/csv"}

HEAD: Final = (
    "question",
    "number",
    "text",
    "way",
    "choice",
    "right",
    "belief",
    "first_vote",
    "second_vote",
    "moved_to",
)
"""The columns of the CSV file: one row for each choice. ``moved_to``: how many went from it to which choice."""


def written(tallies: Sequence[Tally], form: str) -> bytes:
    """The file of ``form``, one of ``FORMS``."""
    if form == "json":
        return json.dumps([as_json(each) for each in tallies], ensure_ascii=False, indent=1).encode(errors="replace")
    text = io.StringIO()
    out = csv.writer(text, lineterminator="\n")
    out.writerow(HEAD)
    for tally in tallies:
        out.writerows([text_cell(each) if isinstance(each, str) else each for each in row] for row in _rows(tally))
    # Spreadsheets take a file without this mark for one in the encoding of their country.
    return text.getvalue().encode("utf-8-sig", errors="replace")


def as_json(tally: Tally) -> dict[str, Any]:
    """A question with the counts of its votes."""
    question = tally.question
    return {
        "question": question.id,
        "number": tally.number,
        "text": question.text,
        "way": question.answering.name,
        "choices": list(question.choices),
        "right": question.answer,
        "beliefs": [belief or None for belief in _beliefs(tally)],
        "votes": [list(counts) for counts in tally.counts],
        "given": [[{"answer": shown(tally, answer), "count": n} for answer, n in votes] for votes in tally.given],
        "moved": [list(row) for row in tally.moved],
    }


def shown(tally: Tally, answer: Answer) -> str | list[str]:
    """An answer in words: the windows, the place, or the number."""
    told = tally.question.answering.told()
    if isinstance(answer, tuple):
        return [told["windows"][index]["text"] for index in answer]
    if "places" in told:
        return str(told["places"][answer])
    scale = int(told.get("scale", 1))
    return str(answer) if scale == 1 else f"{answer / scale:.3f}"


def _beliefs(tally: Tally) -> tuple[str, ...]:
    return tally.question.beliefs or ("",) * len(tally.question.choices)


def _rows(tally: Tally) -> list[list[Any]]:
    question = tally.question
    rows: list[list[Any]] = []
    for choice, text in enumerate(question.choices):
        votes = [counts[choice] for counts in tally.counts]
        moved = [f"{to + 1}: {count}" for to, count in enumerate(tally.moved[choice] if tally.moved else ()) if count]
        rows.append(
            [question.id, tally.number, question.text, question.answering.name, f"{choice + 1}. {text}",
             int(choice == question.answer), _beliefs(tally)[choice], votes[0], votes[1] if len(votes) > 1 else "",
             ", ".join(moved)]
        )  # fmt: skip
    return rows


# The way into a room for phones: a QR code of the voting address, if phones can reach it.

QUIET: Final = 4
"""The white margin around the code in modules, as the standard requires."""

PIXELS: Final = 12
"""Pixels of the picture per module."""

_ADDRESS = re.compile(r"https?://[!-~]+")


def reachable(address: str) -> bool:
    """Whether another machine can reach this one by ``address``: the host is not a name for the machine itself."""
    host = (urlsplit(address).hostname or "").rstrip(".")
    try:
        number = ipaddress.ip_address(host)
    except ValueError:
        return host != "localhost" and not host.endswith(".localhost")
    return not (number.is_loopback or number.is_unspecified)


def door_to(address: object, code: str) -> str | None:
    """The QR code of ``address`` with the room ``code``, as a data URI of a PNG picture, black on white.

    None if phones cannot reach it, or if ``address`` is not an address. The library writes the picture, so no part of
    the address becomes markup.
    """
    if not isinstance(address, str) or len(address) > DOOR_CHARACTERS or not _ADDRESS.fullmatch(address):
        return None
    try:
        if not reachable(address):
            return None
    except ValueError:
        return None
    picture = segno.make(f"{address}?room={code}", micro=False, error="m")
    return picture.png_data_uri(scale=PIXELS, border=QUIET, dark="#000000", light="#ffffff")


Said = tuple[dict[str, Any], bytes]


def answer_to(kind: str, asked: Mapping[str, Any], facts: bytes, scenario: Scenario | None = None) -> Said:
    """Answer ``ask``, ``count``, ``pause``, ``again``, ``show``, ``close`` and ``tally``.

    ``facts`` is the packed payload of the page, ``scenario`` what it shows. The answer is what ``_results`` returns
    with {code, token}; or {gone: true} if the room no longer exists, or {problem} if the visitor may not ask. An
    ``ask`` with the voting ``address`` also gets its QR code as ``door``, None if phones cannot reach that address. A
    ``tally`` has the file in a ``form`` beside it.
    """
    code, token = asked.get("code"), asked.get("token")
    door = {}
    match kind:
        case "ask" if not is_teacher():
            return {"problem": words("roles.asks")}, b""
        case "ask":
            question = question_at(facts, asked.get("step"), scenario)
            if question is None:
                return {"gone": True}, b""
            if not rooms().ask(code, token, question):
                ticket = rooms().open()
                if ticket is None:
                    return {"problem": words("roles.no_more_rooms", most=ROOMS)}, b""
                code, token = ticket.code, ticket.token
                rooms().ask(code, token, question)
            door = {"door": door_to(asked.get("address"), str(code))}
        case "pause":
            rooms().pause(code, token)
        case "again":
            rooms().again(code, token)
        case "show":
            rooms().close(code, token, show=True)
        case "close":
            rooms().close(code, token)
        case _:  # ``count`` and ``tally``: every answer has the counts
            pass
    count = rooms().count(code, token)
    if count is None:
        return {"gone": True}, b""
    form = asked.get("form")
    if kind == "tally" and isinstance(form, str) and form in FORMS:
        return {"code": code, "token": token, **_results(count, None), "type": FORMS[form]}, written(
            rooms().tallies(code, token), form
        )
    believed = scenario if kind == "show" else None
    return {"code": code, "token": token, **_results(count, believed), **door}, b""


def _results(count: Count, scenario: Scenario | None) -> dict[str, Any]:
    """{asked, stage, way, text, choices, answer, right, because, replies, answers, votes, given, moved}.

    With the ``scenario``, of a question that was just answered, also ``belief``: the one behind most wrong answers.
    """
    tally = count.tally
    if tally is None:
        return {"asked": "", "stage": count.stage, "answers": 0, "votes": [], "given": [], "moved": []}
    question = tally.question
    belief = tally.belief() if count.stage == SHOWN and scenario is not None else ""
    return {
        "asked": question.id,
        "stage": count.stage,
        "way": {"name": question.answering.name, **question.answering.told()},
        "text": question.text,
        "choices": list(question.choices),
        "answer": question.answer,
        "right": question.answering.standing_for(question.answer),
        "because": question.because,
        "replies": list(question.replies),
        "answers": tally.answers,
        "votes": [list(votes) for votes in tally.counts],
        "given": [[list(each) for each in votes] for votes in tally.given],
        "moved": [list(row) for row in tally.moved],
        **({"belief": beside(scenario, belief)} if belief and scenario is not None else {}),
    }
