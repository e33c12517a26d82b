"""A question to a class while it is answered, and what is left of it: how many chose what, in one vote or in two.

Who chose what is known until the question is closed, since an answer may be changed and the second vote is compared
with the first one. Then only counts stay.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from tidemark.ui.classroom.ways import Answer, Choose, Way

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
