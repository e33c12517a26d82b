"""Choices: the right answer and three wrong ones, as far as possible each what one belief expects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.practice.chance import Chance
from tidemark.simulator.practice.exercise import AnswerError
from tidemark.simulator.words import words

MANY: Final = 4


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer. ``belief``: who expects it, "" for nobody in particular."""

    value: Any
    right: bool = False
    belief: str = ""


def mixed(
    chance: Chance, right: Any, expected: Mapping[str, Any], others: Sequence[Any], wanted: str = ""
) -> tuple[Choice, ...]:
    """Up to four choices in some order. ``expected``: the answer of each belief; ``others`` fill up what is missing.

    Where beliefs share an answer it is said to be that of ``wanted``, or of the first; answers of one belief alone come
    first. The answer of ``wanted`` is always among the choices, unless it is right.
    """
    held: dict[Any, list[str]] = {}
    for belief, answer in expected.items():
        if answer != right:
            held.setdefault(answer, []).append(belief)
    wrong = [Choice(answer, belief=wanted if wanted in names else names[0]) for answer, names in held.items()]
    wrong = chance.shuffled(wrong)
    wrong.sort(key=lambda each: (each.belief != wanted or not wanted, len(held[each.value])))
    for answer in others:
        if answer != right and answer not in held:
            held[answer] = []
            wrong.append(Choice(answer))
    return tuple(chance.shuffled([Choice(right, right=True), *wrong[: MANY - 1]]))


def right_one(choices: Sequence[Choice]) -> int:
    """The index of the right choice."""
    return next(index for index, each in enumerate(choices) if each.right)


def chosen(choices: Sequence[Choice], answer: Any) -> Choice:
    """The choice that was made. Raises ``AnswerError``."""
    if type(answer) is not int or not 0 <= answer < len(choices):
        raise AnswerError(words("practice.no_choice"))
    return choices[answer]
