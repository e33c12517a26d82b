"""What an exercise is, an answer that was graded, and the small scenarios that are drawn for each level.

A seed decides all of them by way of ``Chance``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Protocol, TypeVar

from tidemark.simulator.explore.runs import Ran
from tidemark.simulator.inventory.items import FORMS, Item, Look, Spot

Of = TypeVar("Of")


class Chance:
    """Numbers drawn one after another; ``name`` decides all of them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._drawn = 0

    def below(self, count: int) -> int:
        """A number from 0 to ``count`` - 1."""
        self._drawn += 1
        digest = sha256(f"{self._name} {self._drawn}".encode()).digest()
        return int.from_bytes(digest[:8], "big") % count

    def between(self, least: int, most: int) -> int:
        """A number from ``least`` to ``most``, both included."""
        return least + self.below(most - least + 1)

    def happens(self, percent: int) -> bool:
        """Whether something happens that does so in ``percent`` of 100 cases."""
        return self.below(100) < percent

    def of(self, options: Sequence[Of]) -> Of:
        """One of ``options``, which are not empty."""
        return options[self.below(len(options))]

    def shuffled(self, options: Sequence[Of]) -> list[Of]:
        """All of ``options`` in some order."""
        left, found = list(options), list[Of]()
        while left:
            found.append(left.pop(self.below(len(left))))
        return found


FORM: Final = FORMS[0]
"""An exercise is told once, so its item has only one form."""

UNIT: Final = 1000
"""Everything happens at whole seconds (ms)."""

SIZES: Final = (5, 10, 20)
"""Lengths of windows."""

STARTS: Final = 4
"""The first window starts at one of so many multiples of its length."""

EXACT: Final = 35
"""So many of 100 records are exactly at the end of a window, or bring the watermark there."""

NAMES: Final = ("a", "b")


@dataclass(frozen=True, slots=True)
class Level:
    """What scenarios of a level have. ``strays``: how many of 100 records come later than the bound allows."""

    records: int
    strays: int
    keys: int = 1
    lateness: bool = False
    session: bool = False
    channels: int = 1
    idle: bool = False


@dataclass(frozen=True, slots=True)
class Strays:
    """How often (of 100) a record comes later than the bound allows, and by how much (s) at most."""

    often: int
    most: int


LEVELS: Final = (
    Level(5, 0),
    Level(6, 20),
    Level(6, 15, keys=2),
    Level(7, 25, lateness=True),
    Level(6, 15, session=True),
    Level(7, 10, channels=2),
    Level(7, 10, keys=2, lateness=True, channels=2),
    Level(7, 10, channels=2, idle=True),
)
"""From the simplest to the most difficult; the number of a level is its place, from 1."""


def level_of(number: int) -> Level:
    """The level with this number."""
    return LEVELS[number - 1]


def drawn(chance: Chance, number: int, asks: str, *, late: bool = False, strays: int | None = None) -> Item:
    """A scenario of a level. ``late``: windows take late records, ``strays``: so many of 100 records come very late,
    both whatever the level says."""
    level = level_of(number)
    session = level.session and not late
    size = chance.of(SIZES[:2] if session else SIZES)
    bound = chance.between(1, max(2, size // 2))
    lateness = chance.between(2, size) if late or level.lateness else 0
    clock = level.idle or (session and chance.happens(50))
    often, most = (level.strays, size + lateness) if strays is None else (strays, 2 * size + lateness)
    spots = _spots(chance, level, size, bound, Strays(often, most), session)
    # The clock starts at 0: by a later start, every channel would be idle before its first record.
    start = 0 if level.idle else size * chance.below(STARTS)
    look = Look(UNIT, start, NAMES[: level.keys])
    records = tuple(_timed(chance, spots, level, look.start, size) if clock else spots)
    return Item(
        asks, asks, records, {FORM: look}, size, bound,
        session=session, lateness=lateness, channels=level.channels, idle=size if level.idle else 0,
    )  # fmt: skip


def _spots(chance: Chance, level: Level, size: int, bound: int, strays: Strays, session: bool) -> list[Spot]:
    """Records in the order in which they arrive: most in time, some later than others that happened after them."""
    time, sent = 0, list[tuple[int, int]]()
    for number in range(level.records):
        # The last ones lie past the first window, or nothing would fire before the input ends.
        step = chance.between(size // 2, size) if number >= level.records - 2 else chance.between(1, size // 2)
        if session and chance.happens(35):
            step = chance.between(size, size + size // 2)
        time += step
        if not session and number and chance.happens(EXACT):
            time += -(time - chance.of((0, bound))) % size  # at the end of a window, or a bound later
        stray = chance.happens(strays.often)
        most = strays.most if stray else bound
        sent.append((time + (chance.between(1, most) if stray or chance.happens(50) else 0), time))
    sent.sort(key=lambda each: each[0])
    return [Spot(ts, None, chance.below(level.keys), chance.below(level.channels)) for _, ts in sent]


def _timed(chance: Chance, spots: list[Spot], level: Level, start: int, size: int) -> list[Spot]:
    """The records with times of arrival. Where channels may turn idle, one of them falls silent for long enough."""
    silent = chance.between(2, len(spots) - 2) if level.idle else len(spots)
    found, at = list[Spot](), start
    for number, spot in enumerate(spots):
        at = max(at, start + spot.ts) + chance.between(1, 2)
        if number == silent:
            at += 2 * size
        channel = spot.channel
        if level.idle and number == 1:
            channel = 1 - found[0].channel
        elif number >= silent:
            channel = found[0].channel
        found.append(Spot(spot.ts, at - start, spot.key, channel))
    return found


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
    """A run that explains the answer: ``step`` to open it at, ``belief`` or ``other`` to compare it with."""

    item: Item
    step: int | None = None
    belief: str | None = None
    other: Item | None = None


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
        """What is shown: {ask, settings} and {choices}, {number}, {records} or {stream}, without the answer."""

    def grade(self, draw: Draw, answer: Any) -> Verdict:
        """Grade an answer by the engine. Raises ``AnswerError`` for what is none."""
