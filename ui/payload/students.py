"""The student edition of what the player shows: no notes, and no answers to what is asked."""

from collections.abc import Mapping
from typing import Any

Row = dict[str, Any]


def for_students(contents: Mapping[str, Any]) -> Row:
    """The payload ``contents`` without notes, right answers, reasons, replies and beliefs.

    A question that is not graded has the answer None. What the run itself shows stays: the facts of every step.
    """
    beats, predictions = ([_ungraded(each) for each in contents[part]] for part in ("beats", "predictions"))
    return {**contents, "edition": "student", "beats": beats, "predictions": predictions}


def _ungraded(stop: Mapping[str, Any]) -> Row:
    told = {**stop, "note": ""}
    if not stop["choices"]:
        return told
    nothing = ["" for _ in stop["choices"]]
    return {**told, "answer": None, "because": "", "replies": nothing, "beliefs": nothing}
