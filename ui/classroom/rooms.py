"""Rooms in which a question is answered anonymously: who takes part, what is asked, how many chose what.

Nothing is written to disk. A voter is a random text made by the voter's browser; it is forgotten when its question is
closed, and only the counts stay. Whoever opens a room gets an unguessable token; without it nobody can ask or count.
All limits are defined here; whatever exceeds them is refused silently.
"""

import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""The letters of codes: no vowels, so that they do not form words."""

LETTERS_OF_A_CODE: Final = 4
MOST_ROOMS: Final = 100
"""The most rooms of a server; a new one replaces the room that its teacher used longest ago."""

MOST_VOTERS: Final = 500
"""The most voters of one question; further ones are refused."""

MOST_CHOICES: Final = 12
LIFE_S: Final = 3 * 3600.0
"""A room expires when its teacher has not used it for this many seconds."""

LETTERS_OF_A_VOTER: Final = range(16, 65)
"""The allowed lengths of the text that identifies a browser: shorter ones could be guessed."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked. ``id`` names it within the teacher's course; ``replies``: the comment on each choice, maybe ""."""

    id: str
    text: str
    choices: tuple[str, ...]
    answer: int
    because: str = ""
    replies: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ticket:
    """The code that the room is given, and the token that stays with whoever opened it."""

    code: str
    token: str


@dataclass(frozen=True, slots=True)
class View:
    """A room as somebody sees it: its ``number``-th question (0: none yet), which takes answers while ``open``.

    Only the teacher sees ``counts``, only a voter ``mine``. ``shown``: the right answer has been revealed.
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
    """All rooms of a server. Every method may be called from any thread. ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rooms: dict[str, _Room] = {}  # in order of use, least recently used first

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
        """Put ``question`` to the room; an open one keeps its answers. False: not this teacher's room."""
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
        """Take no more answers; with ``show`` the voters see the right one. Who chose what is forgotten here, so a
        browser that shows its reader's choice later must remember it itself.
        """
        with self._lock:
            room = self._of_teacher(code, token)
            if room is None or room.question is None:
                return False
            room.open, room.shown, room.votes = False, room.shown or show, {}
            return True

    def count(self, code: object, token: object) -> View | None:
        """The room as its teacher sees it; None without the right token."""
        with self._lock:
            room = self._of_teacher(code, token)
            if room is None:
                return None
            return View(room.number, room.question, room.open, room.shown, sum(room.counts), counts=tuple(room.counts))

    def look(self, code: object, voter: object = None) -> View | None:
        """The room as a voter sees it; None if there is none. It does not reveal the choices of others."""
        with self._lock:
            room = self._at(code)
            if room is None:
                return None
            mine = room.votes.get(voter) if isinstance(voter, str) else None
            return View(room.number, room.question, room.open, room.shown, sum(room.counts), mine=mine)

    def vote(self, code: object, voter: object, number: object, choice: object) -> bool:
        """Count ``choice`` in the ``number``-th question for ``voter``, replacing an earlier one. False: refused."""
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
