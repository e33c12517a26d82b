"""Editions of what the player shows: for students without notes and answers, for an LMS without notes."""

from collections.abc import Mapping
from typing import Any, Final, Literal

Row = dict[str, Any]

Edition = Literal["full", "graded", "student"]

FULL: Final = "full"
GRADED: Final = "graded"
"""The questions are graded, so the answers are there, but nothing that only the teacher should read."""
STUDENT: Final = "student"


def edition_of(contents: Mapping[str, Any], edition: Edition) -> Mapping[str, Any]:
    """The payload ``contents``, which is the full one, as another edition."""
    if edition == STUDENT:
        return for_students(contents)
    if edition == GRADED:
        return {**contents, "edition": edition, "beats": [{**each, "note": ""} for each in contents["beats"]]}
    return contents


def for_students(contents: Mapping[str, Any]) -> Row:
    """The payload ``contents`` without notes, right answers, reasons, replies and beliefs.

    A question that is not graded has the answer None. What the run itself shows stays: the facts of every step.
    """
    beats, predictions = ([_ungraded(each) for each in contents[part]] for part in ("beats", "predictions"))
    return {**contents, "edition": STUDENT, "beats": beats, "predictions": predictions}


def _ungraded(stop: Mapping[str, Any]) -> Row:
    told = {**stop, "note": ""}
    if not stop["choices"]:
        return told
    nothing = ["" for _ in stop["choices"]]
    return {**told, "answer": None, "because": "", "replies": nothing, "beliefs": nothing}
