"""An exercise, an answer that was graded, and what every kind of exercise can do."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.inventory.items import Item
from tidemark.simulator.practice.levels import Chance


class AnswerError(ValueError):
    """What was sent is no answer to the exercise; the message says why."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What a kind makes of chance: a scenario, its run, and the ``task``, which the kind alone understands.

    ``beliefs``: those that lead to a wrong answer here.
    """

    item: Item
    truth: Ran
    beliefs: tuple[str, ...]
    task: Any


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise. ``seed``, ``level`` and ``kind`` make it again, with ``wanted`` if a belief was asked for.

    ``about``: the belief that it is kept under when the answer is right, or wrong in no known way; "" for none.
    """

    seed: int
    level: int
    kind: str
    wanted: str
    about: str
    draw: Draw


@dataclass(frozen=True, slots=True)
class Run:
    """A run that explains the answer: ``step`` to open it at, ``belief`` to compare it with."""

    item: Item
    step: int | None = None
    belief: str | None = None


@dataclass(frozen=True, slots=True)
class Verdict:
    """``belief``: the one by which the answer would be right. ``said``: sentences with the numbers of the run.

    ``choice``: the index of the right choice, where there are choices.
    """

    right: bool
    belief: str | None
    said: tuple[str, ...]
    run: Run
    choice: int | None = None


class Kind(Protocol):
    """A kind of exercise: a module."""

    def make(self, chance: Chance, level: int, wanted: str) -> Draw | None:
        """An exercise of ``level`` with one right answer, about the belief ``wanted`` if that is one; None for a
        draw that gives none."""

    def question_of(self, draw: Draw) -> Mapping[str, Any]:
        """What is shown: {ask, settings} and {choices}, {number} or {records}; nothing in it tells the answer."""

    def grade(self, draw: Draw, answer: Any) -> Verdict:
        """Grade an answer by the engine. Raises ``AnswerError`` for what is none."""
