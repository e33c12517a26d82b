"""What the page of the class is told: its room, the question, its own answers, and the right one once it is shown."""

from collections.abc import Mapping, MutableMapping
from typing import Any

from tidemark.simulator.limits import CODES_OF_A_PAGE
from tidemark.ui.classroom.room_of_server import rooms, tries
from tidemark.ui.classroom.rooms import View
from tidemark.ui.classroom.votes import FIRST, SECOND, SHOWN, TALK

PHASES = (FIRST, TALK, SECOND, SHOWN)
"""The stages in which a phone shows the question."""


def answer_to(
    asked: Mapping[str, Any], known: MutableMapping[str, str] | None = None, machine: str | None = None
) -> dict[str, Any]:
    """The reply to a browser: {number, room, question, stage, vote, text, way, first, second}, and after an answer
    ``refused``: why it does not count, "" if it does. The right answer comes with the stage ``shown`` and not before,
    and with it the choice that the answer stands for which the browser has ``kept``.

    ``room`` is False if no room has this code. ``known``: the voter of each room that this open page has been in; it
    takes part in a room as one voter only, and tries few codes. ``machine``: where the browser is; a machine that tries
    too many codes is asked to ``wait``; None: unlimited. A page that has tried too many is ``worn``: it tries no more.
    """
    code, voter = asked.get("code"), asked.get("voter")
    number = asked.get("number")
    reply: dict[str, Any] = {"number": number if type(number) is int else 0}
    known = {} if known is None else known
    if machine is not None and isinstance(code, str) and code not in known and not tries().take(machine):
        return {**reply, "room": False, "wait": True}
    is_own = _is_own(code, voter, known)
    if isinstance(code, str) and code not in known and len(known) >= CODES_OF_A_PAGE:
        return {**reply, "room": False, "worn": True}  # whether there is such a room is not for this page to know
    view = rooms().look(code, voter if is_own else None)
    if "given" in asked:
        refused = "another" if not is_own else rooms().vote(
            code, voter, asked.get("question"), asked.get("vote"), asked["given"]
        )  # fmt: skip
        view = rooms().look(code, voter if is_own else None)
        reply["refused"] = refused
    return {
        **reply,
        "room": view is not None and (is_own or code in known),
        **_seen(view, asked.get("kept")),
    }


def _is_own(code: object, voter: object, known: MutableMapping[str, str]) -> bool:
    """Whether this page may take part in the room as this voter: the first one that it named there."""
    if not isinstance(code, str) or not isinstance(voter, str):
        return False
    if code not in known and len(known) < CODES_OF_A_PAGE:
        known[code] = voter
    return known.get(code) == voter


def _seen(view: View | None, kept: object) -> dict[str, Any]:
    if view is None or view.question is None:
        return {}
    question = view.question
    seen: dict[str, Any] = {
        "question": view.number, "stage": view.stage, "vote": view.vote, "first": view.first, "second": view.second,
    }  # fmt: skip
    way = question.answering
    if view.stage in PHASES:
        seen |= {"text": question.text, "way": way.name, **way.told()}
        # A number that was entered is not to be picked from a list.
        if way.name == "choose" or view.stage == SHOWN:
            seen["choices"] = list(question.choices)
    if view.stage == SHOWN:
        seen |= {"answer": question.answer, "because": question.because, "replies": list(question.replies)}
        mine = way.read(kept)
        seen["chosen"] = None if mine is None else way.choice_of(mine)
    return seen
