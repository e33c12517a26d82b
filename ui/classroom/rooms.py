"""Rooms in which a question is answered anonymously: who takes part, what is asked, how many chose what.

Nothing is written to disk. A voter is a random text made by the voter's browser; it is forgotten when its question is
closed, and only the counts stay. Whoever opens a room gets an unguessable token; without it nobody can ask or count.
All limits are defined here; whatever exceeds them is refused.
"""

import secrets
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tidemark.simulator.limits import (
    ROOM_LIFE_S,
    ROOM_QUESTIONS,
    ROOM_RESTS_S,
    ROOMS,
    VOTE_CHOICES,
    VOTERS,
    VOTES_OF_A_VOTER,
)
from tidemark.ui.classroom.votes import CLOSED, SHOWN, Question, Tally, Votes
from tidemark.ui.classroom.ways import Answer

LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""The letters of codes: no vowels, so that they do not form words."""

LETTERS_OF_A_CODE: Final = 5
"""3.2 million codes; ``tries`` limits how fast somebody may go through them."""

LETTERS_OF_A_VOTER: Final = range(16, 65)
"""The allowed lengths of the text that identifies a browser: shorter ones could be guessed."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """The code that the room is given, and the token that stays with whoever opened it."""

    code: str
    token: str


@dataclass(frozen=True, slots=True)
class View:
    """A room as a voter sees it: its ``number``-th question (0: none yet) and its stage (see ``votes``).

    ``first`` and ``second`` are the voter's own answers; no one else's are in it. ``vote``: the open one, None if none.
    """

    number: int
    stage: str = CLOSED
    vote: int | None = None
    question: Question | None = None
    first: Answer | None = None
    second: Answer | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """A room as its teacher sees it: what was answered, None if nothing was asked yet."""

    stage: str = CLOSED
    tally: Tally | None = None


@dataclass(slots=True)
class _Room:
    token: str
    used: float
    asked: Votes | None = None
    before: list[Tally] = field(default_factory=list)

    def put_away(self) -> None:
        """Keep the counts of the question that is over, if anybody answered it."""
        if self.asked is not None and any(map(sum, self.asked.tally().counts)):
            self.before = [*self.before, self.asked.tally()][-ROOM_QUESTIONS:]


class Rooms:
    """All rooms of a server. Every method may be called from any thread. ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._rooms: dict[str, _Room] = {}  # in order of use, least recently used first

    def open(self) -> Ticket | None:
        """A new room; None while there are ``ROOMS`` of which none rests: a room in use is never closed."""
        with self._lock:
            self._sweep()
            if len(self._rooms) >= ROOMS:
                oldest = next(iter(self._rooms))
                if self._clock() - self._rooms[oldest].used < ROOM_RESTS_S:
                    return None
                del self._rooms[oldest]
            code = self._free_code()
            self._rooms[code] = _Room(secrets.token_urlsafe(24), self._clock())
            return Ticket(code, self._rooms[code].token)

    def ask(self, code: object, token: object, question: Question) -> bool:
        """Put ``question`` to the room; one that is open keeps its answers. False: not this teacher's room."""
        with self._lock:
            room = self._of_teacher(code, token)
            if room is None or not 0 <= question.answer < len(question.choices) <= VOTE_CHOICES:
                return False
            asked = room.asked
            if asked is None or asked.question != question or asked.stage in (SHOWN, CLOSED):
                room.put_away()
                number = 1 if asked is None else asked.number + 1
                if asked is not None:
                    asked.close(show=False)
                room.asked = Votes(number, question, VOTERS, VOTES_OF_A_VOTER)
            return True

    def pause(self, code: object, token: object) -> bool:
        """End the first vote without the right answer. False: there is none, or it is not this teacher's room."""
        with self._lock:
            room = self._of_teacher(code, token)
            return room is not None and room.asked is not None and room.asked.pause()

    def again(self, code: object, token: object) -> bool:
        """Open the second vote on the same question. False: the first is not over, or not this teacher's room."""
        with self._lock:
            room = self._of_teacher(code, token)
            return room is not None and room.asked is not None and room.asked.again()

    def close(self, code: object, token: object, *, show: bool = False) -> bool:
        """Take no more answers; with ``show`` the voters see the right one. Who chose what is forgotten here, so a
        browser that shows its reader's choice later must remember it itself.
        """
        with self._lock:
            room = self._of_teacher(code, token)
            if room is None or room.asked is None:
                return False
            room.asked.close(show=show)
            return True

    def count(self, code: object, token: object) -> Count | None:
        """The room as its teacher sees it; None without the right token."""
        with self._lock:
            room = self._of_teacher(code, token)
            if room is None:
                return None
            return Count() if room.asked is None else Count(room.asked.stage, room.asked.tally())

    def tallies(self, code: object, token: object) -> Sequence[Tally]:
        """What was answered to each question of the room so far, oldest first; none without the right token."""
        with self._lock:
            room = self._of_teacher(code, token)
            if room is None or room.asked is None:
                return ()
            now = room.asked.tally()
            return (*room.before, now) if any(map(sum, now.counts)) else tuple(room.before)

    def look(self, code: object, voter: object = None) -> View | None:
        """The room as a voter sees it; None if there is none. It does not reveal the choices of others."""
        with self._lock:
            room = self._at(code)
            if room is None or room.asked is None:
                return None if room is None else View(0)
            asked = room.asked
            first, second = asked.own(voter) if isinstance(voter, str) else (None, None)
            return View(asked.number, asked.stage, asked.vote, asked.question, first, second)

    def vote(self, code: object, voter: object, number: object, vote: object, given: object) -> str:
        """Count what was ``given`` in the ``number``-th question for ``voter``, replacing an earlier answer.

        ``vote``: 0 for the first, 1 for the second, so that an answer which was under way does not count in the other
        one. Returns "" if it counts, otherwise why not: a name under ``pages.vote.refused``.
        """
        with self._lock:
            room = self._at(code)
            if room is None:
                return "no_room"
            if not isinstance(voter, str) or len(voter) not in LETTERS_OF_A_VOTER or not voter.isascii():
                return "no_answer"
            asked = room.asked
            if asked is None or asked.vote is None:
                return "closed"
            if type(number) is not int or number != asked.number or type(vote) is not int or vote != asked.vote:
                return "other_question"
            answer = asked.question.answering.read(given)
            return "no_answer" if answer is None else asked.take(voter, answer)

    # --- with the lock held -----------------------------------------------------------------------------------------

    def _at(self, code: object) -> _Room | None:
        room = self._rooms.get(code) if isinstance(code, str) else None
        return None if room is None or self._clock() - room.used > ROOM_LIFE_S else room

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
        for code in [code for code, room in self._rooms.items() if now - room.used > ROOM_LIFE_S]:
            del self._rooms[code]

    def _free_code(self) -> str:
        while True:
            code = "".join(secrets.choice(LETTERS) for _ in range(LETTERS_OF_A_CODE))
            if code not in self._rooms:
                return code
