"""The files in which learners hand in their answers. They hold choices and no score: that is computed here.

A file is JSON: ``{"tidemark": "inventory", "edition": …, "id": …, "forms": {"A": {"answers": [0, 2, null, …]}}}``.
Whatever else is in it is ignored. The id is random; it pairs the two forms of one learner and names nobody.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.inventory.choices import key_of
from tidemark.simulator.inventory.grading import Answers
from tidemark.simulator.inventory.items import FORMS, edition
from tidemark.simulator.limits import ANSWERS_BYTES
from tidemark.simulator.words import words

MARK: Final = "inventory"

ID: Final = re.compile(r"[a-z2-9]{4}-[a-z2-9]{4}")
"""What an id looks like."""


class AnswersError(ValueError):
    """A file cannot be taken in; the message says why."""


@dataclass(frozen=True, slots=True)
class Handed:
    """What one file says."""

    id: str
    forms: Mapping[str, Answers]


def read_answers(text: str) -> Handed:
    """The answers in ``text``. Raises ``AnswersError``."""
    if len(text.encode("utf-8", "replace")) > ANSWERS_BYTES:
        raise _wrong("large", limit=ANSWERS_BYTES // 1024)
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        raise _wrong("not_json") from None
    if not isinstance(read, dict) or read.get("tidemark") != MARK:
        raise _wrong("not_ours")
    id, forms = read.get("id"), read.get("forms")
    if not isinstance(id, str) or not ID.fullmatch(id):
        raise _wrong("id")
    if read.get("edition") != edition():
        raise _wrong("edition")
    if not isinstance(forms, dict) or not forms or not set(forms) <= set(FORMS):
        raise _wrong("forms")
    return Handed(id, {form: _answers(form, forms[form]) for form in FORMS if form in forms})


def _answers(form: str, table: Any) -> Answers:
    answers = table.get("answers") if isinstance(table, dict) else None
    key = key_of(form)
    if not isinstance(answers, list) or len(answers) != len(key):
        raise _wrong("count", form=form, count=len(key))
    for number, (answer, choices) in enumerate(zip(answers, key, strict=True), 1):
        if answer is not None and (type(answer) is not int or not 0 <= answer < len(choices)):
            raise _wrong("answer", form=form, number=number)
    return answers


def written(id: str, forms: Mapping[str, Answers]) -> str:
    """A file of these answers, as the page writes it."""
    said = {
        "tidemark": MARK,
        "edition": edition(),
        "id": id,
        "forms": {f: {"answers": list(a)} for f, a in forms.items()},
    }
    return json.dumps(said, indent=1) + "\n"


def _wrong(why: str, **fields: str | int) -> AnswersError:
    return AnswersError(words(f"inventory.refused.{why}", language=None, **fields))
