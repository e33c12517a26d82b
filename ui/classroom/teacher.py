"""The teacher's side of a room: what the player's browser asks about it, by way of the desk (``ui/share/desk.py``).

The browser says at which step it asks; the question with its answers is taken from the run itself, so nobody can put
words of their own before a class, and what is right is what the trace shows.
"""

import gzip
import json
from collections.abc import Mapping
from typing import Any

from ui.classroom.door import door_to
from ui.classroom.room_of_server import rooms
from ui.classroom.rooms import Question, View


def answer_to(kind: str, asked: Mapping[str, Any], facts: bytes) -> dict[str, Any]:
    """Answers ``ask``, ``count``, ``show`` and ``close``; ``facts`` is the packed payload of the page.

    {code, token, open, shown, answers, counts}, or {gone: true} where there is no such room any more. Who asks and says
    the ``address`` of the vote is told ``door``: its QR code, null where phones cannot reach it.
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
        case _:  # ``count``, which every answer does
            pass
    view = rooms().count(code, token)
    return {"gone": True} if view is None else {"code": code, "token": token, **_told(view), **door}


def _told(view: View) -> dict[str, Any]:
    asked = view.question.id if view.question else ""
    return {
        "asked": asked,
        "open": view.open,
        "shown": view.shown,
        "answers": view.answers,
        "counts": list(view.counts),
    }


def question_at(facts: bytes, step: object) -> Question | None:
    """The question that the player asks at ``step`` while presenting; None where it asks none."""
    if type(step) is not int:
        return None
    payload = json.loads(gzip.decompress(facts))
    for beat in payload["beats"]:
        if beat["step"] == step and beat["choices"]:
            return Question(
                f"{payload['name']} {step}",
                beat["text"],
                tuple(beat["choices"]),
                beat["answer"],
                beat["because"],
                tuple(beat.get("wrong", ())),
            )
    return None
