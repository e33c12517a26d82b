"""The teacher's side of a room: requests of the player about it, by way of the desk (``ui/share/desk.py``).

The browser names only the step; the question and its answers come from the run itself. So nobody can show a class
words of their own, and the right answer is the one that the trace shows.
"""

from collections.abc import Mapping
from typing import Any

from tidemark.simulator.limits import ROOMS
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import words
from tidemark.ui.classroom.asked import question_at
from tidemark.ui.classroom.believed import beside
from tidemark.ui.classroom.door import door_to
from tidemark.ui.classroom.room_of_server import rooms
from tidemark.ui.classroom.rooms import Count
from tidemark.ui.classroom.tally import FORMS, written
from tidemark.ui.classroom.votes import SHOWN
from tidemark.ui.roles import is_teacher

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
