"""A form graded: how many answers are right, and which beliefs the wrong ones come from.

A belief is *held* if every item that offers its answer got it, and *wavers* if at least two did, but not all. Whoever
guesses picks a given answer in one item of four, so three of three happen to one guesser in 64 for each belief. A
further rule keeps most of these out: where right answers and answers of held beliefs together are fewer than half of
the form, the answers follow no pattern, and no belief is named.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tidemark.simulator.inventory.choices import HELD, asked_about, key_of

PATTERN: Final = 0.5
"""The share of a form that right answers and held beliefs must explain."""

WAVERS: Final = 2
"""So many answers by one belief are worth a word, even if not all of its items got one."""

Answers = Sequence[int | None]
"""For each item the index of the choice; None for an item without an answer."""


@dataclass(frozen=True, slots=True)
class Graded:
    """``picked``: how many answers each belief has. ``patternless``: too few answers are explained, see above."""

    form: str
    right: int
    items: int
    picked: Mapping[str, int]
    held: tuple[str, ...]
    wavers: tuple[str, ...]
    patternless: bool


def grade(form: str, answers: Answers) -> Graded:
    """Grade the answers to a form, which are as many as it has items."""
    key = key_of(form)
    behind = [row[answer] for row, answer in zip(key, answers, strict=True) if answer is not None]
    picked = Counter(behind)
    right = picked.pop(None, 0)
    offered = asked_about()
    held = tuple(each for each in HELD if offered[each] and picked[each] == offered[each])
    wavers = tuple(each for each in HELD if each not in held and picked[each] >= WAVERS)
    explained = right + sum(picked[each] for each in held)
    patternless = explained < PATTERN * len(key)
    return Graded(
        form, right, len(key), {each: picked[each] for each in HELD},
        () if patternless else held, () if patternless else wavers, patternless,
    )  # fmt: skip


def answers_by(form: str, *beliefs: str) -> list[int]:
    """The answers of somebody who holds ``beliefs`` and is right in all else; the first of them that applies counts."""
    found = []
    for row in key_of(form):
        belief = next((each for each in beliefs if each in row), None)
        found.append(row.index(belief))
    return found
