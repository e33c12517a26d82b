"""Exercises without end: a seed, a level and a kind make one, always the same one."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final, cast

from tidemark.simulator.explore.beliefs import BELIEFS
from tidemark.simulator.practice import bounds, differences, faults, fires, orders
from tidemark.simulator.practice.exercise import LEVELS, Chance, Draw, Exercise, Kind, Level, Verdict, level_of
from tidemark.simulator.practice.faults import BELIEF_OF

KINDS: Final[Mapping[str, Kind]] = {
    module.NAME: cast("Kind", module) for module in (fires, bounds, orders, faults, differences)
}
"""The kinds of exercises by their names."""

ABOUT: Final = frozenset({*(each.name for each in BELIEFS), *BELIEF_OF.values()})
"""The beliefs that an exercise may be about."""

NEEDS: Final[Mapping[str, Callable[[Level], bool]]] = {
    "after-each-record": lambda level: False,
    "fastest-channel": lambda level: level.channels > 1,
    "watermark-per-key": lambda level: level.keys > 1,
    "wall-clock": lambda level: level.session or level.idle,
    "gap-on-the-clock": lambda level: level.session,
    "fired-is-final": lambda level: level.lateness,
    "lateness-delays": lambda level: level.lateness,
}
"""What a level must have for some beliefs to matter at all."""

MOST_SEED: Final = 10**9

TRIES: Final = 8
"""So many draws may fail to be about the belief that is wanted, before any other will do."""

MOST_TRIES: Final = 400
"""More draws than any exercise needs; ``tests/practice`` counts them."""

KEPT: Final = 64
"""So many exercises are remembered between the question and the answer."""


def kind_of(seed: int) -> str:
    """The kind of exercise of a seed for which no kind is given."""
    return list(KINDS)[Chance(f"kind {seed}").below(len(KINDS))]


@lru_cache(maxsize=KEPT)
def exercise_of(seed: int, level: int, kind: str = "", wanted: str = "") -> Exercise:
    """The exercise of a seed (0 … ``MOST_SEED``) and a level (1 … number of levels).

    ``wanted``: a belief that it should be about, as far as the level and the kind allow. Raises ``KeyError`` for a kind
    that does not exist and ``IndexError`` for such a level.
    """
    if not 1 <= level <= len(LEVELS):
        raise IndexError(level)
    name = kind or kind_of(seed)
    tries = TRIES if NEEDS.get(wanted, bool)(level_of(level)) else 0
    for number in range(MOST_TRIES):
        question_of = wanted if number < tries else ""
        chance = Chance(f"{seed} {level} {name} {number}")
        draw = KINDS[name].make(chance, level, question_of)
        if draw is not None:
            return Exercise(seed, level, name, wanted, question_of or _about(chance, draw), draw)
    raise AssertionError(f"no exercise: {seed} {level} {name}")


def _about(chance: Chance, draw: Draw) -> str:
    return chance.of(draw.beliefs) if draw.beliefs else ""


def question_of(exercise: Exercise) -> Mapping[str, Any]:
    """What is shown of an exercise."""
    return KINDS[exercise.kind].question_of(exercise.draw)


def grade(exercise: Exercise, answer: Any) -> Verdict:
    """Grade an answer. Raises ``AnswerError`` for what is none."""
    return KINDS[exercise.kind].grade(exercise.draw, answer)
