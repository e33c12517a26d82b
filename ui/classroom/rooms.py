"""Rooms in which a question is answered without names: who is in, what is asked, how many chose what.

Nothing is written anywhere. A voter is a random text that the voter's browser made; with the question that it answered
it is forgotten, and only the counts stay. Whoever opens a room gets a token that nobody can guess; without it nothing
can be asked or counted. All limits are stated here; what goes beyond them is refused without a word about it.
"""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""Of codes: no vowels, so that no words come out."""

LETTERS_OF_A_CODE: Final = 4
MOST_ROOMS: Final = 100
"""Of one server; the room that its teacher used longest ago makes room for a new one."""

MOST_VOTERS: Final = 500
"""Who answers one question; the next one is refused."""

MOST_CHOICES: Final = 12
LIFE_S: Final = 3 * 3600.0
"""A room that its teacher has not used for so long (seconds) is gone."""

LETTERS_OF_A_VOTER: Final = range(16, 65)
"""The length of the text by which a browser is told from another: shorter ones could be guessed."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. ``id`` names it within the teacher's course; ``wrong``: what is said to each choice, maybe ""."""

    id: str
    text: str
    choices: tuple[str, ...]
    answer: int
    because: str = ""
    wrong: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ticket:
    """The code that is told to the room, and the token that stays with whoever opened it."""

    code: str
    token: str


@dataclass(frozen=True, slots=True)
class View:
    """A room as somebody sees it: its ``number``-th question (0: none yet), while ``open`` answers are taken.

    ``counts`` are there for the teacher, ``mine`` for a voter. ``shown``: the right answer has been told.
    """

    number: int
    question: Question | None = None
    open: bool = False
    shown: bool = False
    answers: int = 0
    counts: tuple[int, ...] = ()
    mine: int | None = None


@dataclass(slots=True)
class _Room:
    token: str
    used: float
    number: int = 0
    question: Question | None = None
    open: bool = False
    shown: bool = False
    votes: dict[str, int] = field(default_factory=dict)
    counts: list[int] = field(default_factory=list)


class Rooms:
    """All rooms of a server. Every method may be called from any thread. ``clock`` gives seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rooms: dict[str, _Room] = {}  # in order of use, the longest unused first

    def open(self) -> Ticket:
        """A new room."""
        with self._lock:
            self._sweep()
            while len(self._rooms) >= MOST_ROOMS:
                del self._rooms[next(iter(self._rooms))]
            code = self._free_code()
            self._rooms[code] = _Room(secrets.token_urlsafe(24), self._clock())
            return Ticket(code, self._rooms[code].token)

    def ask(self, code: object, token: object, question: Question) -> bool:
        """Put ``question`` to the room; one that is open there already stays as it is. False: not this one's room."""
        with self._lock:
            room = self._of_teacher(code, token)
            if room is None or not 0 <= question.answer < len(question.choices) <= MOST_CHOICES:
                return False
            if not (room.open and room.question == question):
                room.number += 1
                room.question, room.open, room.shown = question, True, False
                room.votes, room.counts = {}, [0] * len(question.choices)
            return True

    def close(self, code: object, token: object, *, show: bool = False) -> bool:
        """Take no more answers; with ``show`` the voters see the right one. Who chose what is forgotten here: a browser
        that wants to tell its reader what they had chosen has to remember it.
        """
        with self._lock:
            room = self._of_teacher(code, token)
            if room is None or room.question is None:
                return False
            room.open, room.shown, room.votes = False, room.shown or show, {}
            return True

    def count(self, code: object, token: object) -> View | None:
        """The room as its teacher sees it; None without a token that fits."""
        with self._lock:
            room = self._of_teacher(code, token)
            if room is None:
                return None
            return View(room.number, room.question, room.open, room.shown, sum(room.counts), counts=tuple(room.counts))

    def look(self, code: object, voter: object = None) -> View | None:
        """The room as a voter sees it; None where there is none. What others chose is not told."""
        with self._lock:
            room = self._at(code)
            if room is None:
                return None
            mine = room.votes.get(voter) if isinstance(voter, str) else None
            return View(room.number, room.question, room.open, room.shown, sum(room.counts), mine=mine)

    def vote(self, code: object, voter: object, number: object, choice: object) -> bool:
        """Count ``choice`` of the ``number``-th question for ``voter``, instead of an earlier one. False: refused."""
        with self._lock:
            room = self._at(code)
            if room is None or not room.open or type(number) is not int or number != room.number:
                return False
            if type(choice) is not int or not 0 <= choice < len(room.counts):
                return False
            if not isinstance(voter, str) or len(voter) not in LETTERS_OF_A_VOTER or not voter.isascii():
                return False
            before = room.votes.get(voter)
            if before is None and len(room.votes) >= MOST_VOTERS:
                return False
            if before is not None:
                room.counts[before] -= 1
            room.votes[voter] = choice
            room.counts[choice] += 1
            return True

    # --- with the lock held -----------------------------------------------------------------------------------------

    def _at(self, code: object) -> _Room | None:
        room = self._rooms.get(code) if isinstance(code, str) else None
        return None if room is None or self._clock() - room.used > LIFE_S else room

    def _of_teacher(self, code: object, token: object) -> _Room | None:
        room = self._at(code)
        if room is None or not isinstance(token, str):
            return None
        if not secrets.compare_digest(room.token.encode(), token.encode("utf-8", "replace")):
            return None
        room.used = self._clock()
        self._rooms[str(code)] = self._rooms.pop(str(code))
        return room

    def _sweep(self) -> None:
        now = self._clock()
        for code in [code for code, room in self._rooms.items() if now - room.used > LIFE_S]:
            del self._rooms[code]

    def _free_code(self) -> str:
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(LETTERS_OF_A_CODE))
            if code not in self._rooms:
                return code
