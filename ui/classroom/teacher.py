"""The teacher's side of a room: requests of the player about it, by way of the desk (``ui/share/desk.py``).

The browser names only the step; the question and its answers come from the run itself. So nobody can show a class
words of their own, and the right answer is the one that the trace shows.
"""

import gzip
import json
from collections.abc import Mapping
from typing import Any

from ui.classroom.door import door_to
from ui.classroom.room_of_server import rooms
from ui.classroom.rooms import Question, View


def answer_to(kind: str, asked: Mapping[str, Any], facts: bytes) -> dict[str, Any]:
    """Answer ``ask``, ``count``, ``show`` and ``close``; ``facts`` is the packed payload of the page.

    The answer is {code, token, open, shown, answers, counts}, or {gone: true} if the room no longer exists. An ``ask``
    with the voting ``address`` also gets its QR code as ``door``, None if phones cannot reach that address.
    """
    code, token = asked.get("code"), asked.get("token")
    door = {}
    match kind:
        case "ask":
            question = question_at(facts, asked.get("step"))
            if question is None:
                return {"gone": True}
            if not rooms().ask(code, token, question):
                ticket = rooms().open()
                code, token = ticket.code, ticket.token
                rooms().ask(code, token, question)
            door = {"door": door_to(asked.get("address"), str(code))}
        case "show":
            rooms().close(code, token, show=True)
        case "close":
            rooms().close(code, token)
        case _:  # ``count``: every answer has the counts
            pass
    view = rooms().count(code, token)
    return {"gone": True} if view is None else {"code": code, "token": token, **_results(view), **door}


def _results(view: View) -> dict[str, Any]:
    asked = view.question.id if view.question else ""
    return {
        "asked": asked,
        "open": view.open,
        "shown": view.shown,
        "answers": view.answers,
        "counts": list(view.counts),
    }


def question_at(facts: bytes, step: object) -> Question | None:
    """The question that the player asks at ``step`` while presenting; None if it asks none."""
    if type(step) is not int:
        return None
    payload = json.loads(gzip.decompress(facts))
    for beat in payload["beats"]:
        if beat["step"] == step and beat["choices"] and beat["answer"] is not None:
            return Question(
                f"{payload['name']} {step}",
                beat["text"],
                tuple(beat["choices"]),
                beat["answer"],
                beat["because"],
                tuple(beat["replies"]),
            )
    return None
