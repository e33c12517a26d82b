"""A simulated class: learners who each hold one belief, answer form A by it, and lose it or keep it before form B."""

from collections.abc import Collection, Sequence
from typing import Final

from tidemark.simulator.inventory.choices import HELD
from tidemark.simulator.inventory.files import written
from tidemark.simulator.inventory.grading import answers_by
from tidemark.simulator.inventory.items import FORMS

BEFORE, AFTER = FORMS

RUNNABLE: Final = HELD[:13]
"""The beliefs that have runs of their own; the last two of ``HELD`` are about a number alone."""


def simulated_class(beliefs: Sequence[str] = HELD, keeping: Collection[str] = ()) -> list[tuple[str, str]]:
    """The files (name, text) of a class in which learner n holds ``beliefs[n]``; after it those in ``keeping`` stay."""
    files = []
    for number, belief in enumerate(beliefs):
        id = f"{'bcdefghjkmnpqrstvwx'[number]}{number % 8 + 2}aa-aaaa"
        after = [belief] if belief in keeping else []
        answers = {BEFORE: answers_by(BEFORE, belief), AFTER: answers_by(AFTER, *after)}
        files.append((f"{belief}.json", written(id, answers)))
    return files
