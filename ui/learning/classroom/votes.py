"""A question to a class while it is answered, and what is left of it: how many chose what, in one vote or in two.

Who chose what is known until the question is closed, since an answer may be changed and the second vote is compared
with the first one. Then only counts stay.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Final, Protocol

# The ways in which a class answers: choosing, tapping windows, dragging a record, entering a number.
#
# A way knows what a phone must be told, reads an answer that a phone sent, and finds the choice that it stands for.
# It was made from the run, so that no browser is trusted. What it tells a phone does not say what is right.

Answer = int | tuple[int, ...]
"""An answer that was understood: an index, a number (times in ms), or the indexes of the windows that were tapped."""

MOST_DIGITS: Final = 20
"""The most characters of a number that is entered."""

FARTHEST: Final = 2**53
"""Numbers that are entered are smaller than this: beyond it browsers do not count exactly."""


class Way(Protocol):
    """How a question is answered."""

    @property
    def name(self) -> str:
        """``choose``, ``tap``, ``drag`` or ``enter``."""

    def told(self) -> Mapping[str, Any]:
        """What a phone needs to offer it, as JSON."""

    def read(self, given: object) -> Answer | None:
        """The answer in what a phone sent; None if it is none."""

    def choice_of(self, answer: Answer) -> int:
        """The choice of the question that ``answer`` stands for, as an index."""

    def standing_for(self, choice: int) -> Answer:
        """The answer that ``choice`` stands for, which is one of the choices of the run."""


@dataclass(frozen=True, slots=True)
class Choose:
    """One of ``count`` choices."""

    count: int
    name: str = "choose"

    def told(self) -> Mapping[str, Any]:
        """Nothing: the choices are texts of the question."""
        return {}

    def read(self, given: object) -> Answer | None:
        """An index of a choice."""
        return given if type(given) is int and 0 <= given < self.count else None

    def choice_of(self, answer: Answer) -> int:
        """The choice itself."""
        assert isinstance(answer, int)
        return answer

    def standing_for(self, choice: int) -> Answer:
        """The choice itself."""
        return choice


@dataclass(frozen=True, slots=True)
class Enter:
    """A number. ``scale``: how many of its units one is that is entered; 1000 where ms are entered as seconds.

    ``values``: those of the choices, in their order; any other number stands for the choice after them.
    """

    scale: int
    values: tuple[int, ...]
    name: str = "enter"

    def told(self) -> Mapping[str, Any]:
        """``scale``."""
        return {"scale": self.scale}

    def read(self, given: object) -> Answer | None:
        """A number as people write it, with a point or a comma; no more decimals than the scale has."""
        if not isinstance(given, str) or not 0 < len(given.strip()) <= MOST_DIGITS or not given.isascii():
            return None
        try:
            number = Decimal(given.strip().replace(",", ".")) * self.scale
        except InvalidOperation:
            return None
        if not number.is_finite() or abs(number) >= FARTHEST or number != int(number):
            return None
        return int(number)

    def choice_of(self, answer: Answer) -> int:
        """The choice with this value, otherwise the last one."""
        return self.values.index(answer) if isinstance(answer, int) and answer in self.values else len(self.values)

    def standing_for(self, choice: int) -> Answer:
        """Its number."""
        return self.values[choice]


@dataclass(frozen=True, slots=True)
class Tap:
    """Some of ``windows``, or none: each {key, start, end, text}, with bounds in ms, None for the global window.

    ``sets``: those that each choice names, as indexes in rising order; any other set stands for the choice after them.
    """

    windows: tuple[tuple[str, int | None, int | None, str], ...]
    sets: tuple[tuple[int, ...], ...]
    name: str = "tap"

    def told(self) -> Mapping[str, Any]:
        """``windows``."""
        return {"windows": [dict(zip(("key", "start", "end", "text"), each, strict=True)) for each in self.windows]}

    def read(self, given: object) -> Answer | None:
        """Indexes of different windows."""
        if not isinstance(given, list) or len(given) > len(self.windows):
            return None
        if any(type(each) is not int or not 0 <= each < len(self.windows) for each in given):
            return None
        return tuple(sorted(given)) if len(set(given)) == len(given) else None

    def choice_of(self, answer: Answer) -> int:
        """The choice that names exactly these windows, otherwise the last one."""
        return self.sets.index(answer) if isinstance(answer, tuple) and answer in self.sets else len(self.sets)

    def standing_for(self, choice: int) -> Answer:
        """Its windows."""
        return self.sets[choice]


@dataclass(frozen=True, slots=True)
class Drag:
    """A place for a record on the axis of event time: place n is ``first + n * apart`` (ms), ``origin`` is its own.

    ``lost``: for each place, whether the run drops the record there. Right is the lost place nearest to ``origin``: the
    choices are that place, a lost one that is further away, and one where the record still counts.
    """

    first: int
    apart: int
    origin: int
    lost: tuple[bool, ...]
    places: tuple[str, ...]
    name: str = "drag"

    def told(self) -> Mapping[str, Any]:
        """The places, each as a text, and which of them is the record's own."""
        return {"places": list(self.places), "origin": self.origin}

    @property
    def nearest(self) -> int:
        """The lost place nearest to ``origin``."""
        return max(place for place in range(self.origin) if self.lost[place])

    def read(self, given: object) -> Answer | None:
        """A place, as an index."""
        return given if type(given) is int and 0 <= given < len(self.lost) else None

    def choice_of(self, answer: Answer) -> int:
        """0: as far as needed, 1: further than needed, 2: not far enough."""
        assert isinstance(answer, int)
        return 0 if answer == self.nearest else 1 if self.lost[answer] else 2

    def standing_for(self, choice: int) -> Answer:
        """The nearest lost place; only the right choice is one place."""
        return self.nearest


FIRST: Final = "first"
TALK: Final = "talk"
SECOND: Final = "second"
SHOWN: Final = "shown"
CLOSED: Final = "closed"
"""The stages of a question: a first vote, its result without the answer, a second vote, the answer; or it was left."""

VOTES: Final = {FIRST: 0, SECOND: 1}
"""The stages in which answers are taken, and which vote that is."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. ``id`` names it within the teacher's course; ``replies``: the comment on each choice, maybe "".

    ``beliefs``: the belief behind each choice (a name under ``beliefs`` in the catalogue), "" for none. ``way``: how it
    is answered, None by choosing.
    """

    id: str
    text: str
    choices: tuple[str, ...]
    answer: int
    because: str = ""
    replies: tuple[str, ...] = ()
    beliefs: tuple[str, ...] = ()
    way: Way | None = None

    @property
    def answering(self) -> Way:
        """How it is answered."""
        return Choose(len(self.choices)) if self.way is None else self.way


@dataclass(frozen=True, slots=True)
class Tally:
    """What a class answered, without names. ``number``: of the question in its room.

    ``counts``: for each vote the number of answers by choice; ``given``: for each vote how often each answer was given,
    empty if it is answered by choosing. ``moved``: by choice of the first and of the second vote, how many of those who
    took part in both went from one to the other; () after one vote.
    """

    number: int
    question: Question
    counts: tuple[tuple[int, ...], ...] = ()
    given: tuple[tuple[tuple[Answer, int], ...], ...] = ()
    moved: tuple[tuple[int, ...], ...] = ()

    @property
    def answers(self) -> int:
        """How many answered in the last vote."""
        return sum(self.counts[-1]) if self.counts else 0

    def belief(self) -> str:
        """The belief that most wrong answers of the last vote lead back to; "" if no belief does."""
        held: Counter[str] = Counter()
        for choice, belief in enumerate(self.question.beliefs):
            if belief and choice != self.question.answer and self.counts:
                held[belief] += self.counts[-1][choice]
        return max(held, key=lambda belief: held[belief]) if held.total() else ""


@dataclass(slots=True)
class Votes:
    """A question and its answers so far. ``most`` voters in each vote, each with ``changes`` answers at most."""

    number: int
    question: Question
    most: int
    changes: int
    stage: str = FIRST
    _votes: list[dict[str, Answer]] = field(default_factory=lambda: [{}])
    _sent: Counter[str] = field(default_factory=Counter)
    _kept: Tally | None = None

    @property
    def vote(self) -> int | None:
        """Which vote is open: 0 for the first, 1 for the second; None if answers are not taken."""
        return VOTES.get(self.stage)

    def own(self, voter: str) -> tuple[Answer | None, Answer | None]:
        """The first and the second answer of ``voter``, None where there is none, or if it is forgotten."""
        first, second = ([each.get(voter) for each in self._votes] + [None, None])[:2]
        return first, second

    def take(self, voter: str, answer: Answer) -> str:
        """Count ``answer`` in the open vote, in place of an earlier one; "" or why it is refused."""
        assert self.vote is not None
        votes = self._votes[self.vote]
        if voter not in votes and len(votes) >= self.most:
            return "full"
        if self._sent[voter] >= self.changes:
            return "too_often"
        self._sent[voter] += 1
        votes[voter] = answer
        return ""

    def pause(self) -> bool:
        """End the first vote without the answer. False: there is no first vote to end."""
        return self._go(FIRST, TALK)

    def again(self) -> bool:
        """Open the second vote; the first one is kept. False: the class has not voted yet, or has voted twice."""
        if not self._go(TALK, SECOND):
            return False
        self._votes.append({})
        self._sent.clear()
        return True

    def close(self, *, show: bool) -> None:
        """Take no more answers and forget who gave them; with ``show`` the right one may be seen."""
        if self._kept is None:
            self._kept = self.tally()
            self._votes, self._sent = [], Counter()
        self.stage = SHOWN if show or self.stage == SHOWN else CLOSED

    def tally(self) -> Tally:
        """What was answered so far."""
        if self._kept is not None:
            return self._kept
        way = self.question.answering
        chosen = [{voter: way.choice_of(answer) for voter, answer in votes.items()} for votes in self._votes]
        size = range(len(self.question.choices))
        both = Counter((chosen[0][voter], choice) for voter, choice in chosen[-1].items() if voter in chosen[0])
        given = [tuple(sorted(Counter(votes.values()).items(), key=lambda each: str(each[0]))) for votes in self._votes]
        return Tally(
            self.number,
            self.question,
            tuple(tuple(list(choices.values()).count(each) for each in size) for choices in chosen),
            () if way.name == "choose" else tuple(given),
            tuple(tuple(both[before, after] for after in size) for before in size) if len(chosen) > 1 else (),
        )

    def _go(self, before: str, after: str) -> bool:
        if self.stage != before:
            return False
        self.stage = after
        return True
