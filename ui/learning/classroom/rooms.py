"""Rooms in which a question is answered anonymously: who takes part, what is asked, how many chose what.

Nothing is written to disk. A voter is a random text made by the voter's browser; it is forgotten when its question is
closed, and only the counts stay. Whoever opens a room gets an unguessable token; without it nobody can ask or count.
All limits are defined here; whatever exceeds them is refused.
"""

import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from tidemark.simulator.limits import (
    CODE_TRIES,
    CODE_TRIES_PER_S,
    CODES_OF_A_PAGE,
    ROOM_LIFE_S,
    ROOM_QUESTIONS,
    ROOM_RESTS_S,
    ROOMS,
    VOTE_CHOICES,
    VOTERS,
    VOTES_OF_A_VOTER,
)
from tidemark.ui.learning.classroom.votes import CLOSED, FIRST, SECOND, SHOWN, TALK, Answer, Question, Tally, Votes

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


# How often somebody may try codes of rooms: enough for a class that mistypes, too seldom to find one by trying.
#
# Each machine has tries in store and gets a new one every second. Only a new code costs one: a phone in its room
# asks for the same code again and again.

MOST_MACHINES: Final = 10_000
"""The most machines that are remembered; the one that tried longest ago goes first."""


class Tries:
    """The tries of all machines. Every method may be called from any thread. ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # machine -> (tries left, when that was so)

    def take(self, machine: str) -> bool:
        """Use one try of ``machine``; False: it has none left for the moment."""
        with self._lock:
            now = self._clock()
            left, then = self._left.pop(machine, (float(CODE_TRIES), now))
            left = min(CODE_TRIES, left + (now - then) * CODE_TRIES_PER_S)
            self._left[machine] = (max(0.0, left - 1), now) if left >= 1 else (left, now)
            while len(self._left) > MOST_MACHINES:
                self._left.popitem(last=False)
            return left >= 1


# The rooms of this server, and the tries at their codes: shared by all sessions, in memory, gone with the process.


@cache
def rooms() -> Rooms:
    """The same object for every session."""
    return Rooms()


@cache
def tries() -> Tries:
    """The same object for every session."""
    return Tries()


# What the page of the class is told: its room, the question, its own answers, and the right one once it is shown.

PHASES = (FIRST, TALK, SECOND, SHOWN)
"""The stages in which a phone shows the question."""


def answer_to(
    asked: Mapping[str, Any], known: MutableMapping[str, str] | None = None, machine: str | None = None
) -> dict[str, Any]:
    """The reply to a browser: {number, room, question, stage, vote, text, way, first, second}, and after an answer
    ``refused``: why it does not count, "" if it does. The right answer comes with the stage ``shown`` and not before,
    and with it the choice that the answer stands for which the browser has ``kept``.

    ``room`` is False if no room has this code. ``known``: the voter of each room that this open page has been in; it
    takes part in a room as one voter only, and tries few codes. ``machine``: where the browser is; a machine that tries
    too many codes is asked to ``wait``; None: unlimited. A page that has tried too many is ``worn``: it tries no more.
    """
    code, voter = asked.get("code"), asked.get("voter")
    number = asked.get("number")
    reply: dict[str, Any] = {"number": number if type(number) is int else 0}
    known = {} if known is None else known
    if machine is not None and isinstance(code, str) and code not in known and not tries().take(machine):
        return {**reply, "room": False, "wait": True}
    is_own = _is_own(code, voter, known)
    if isinstance(code, str) and code not in known and len(known) >= CODES_OF_A_PAGE:
        return {**reply, "room": False, "worn": True}  # whether there is such a room is not for this page to know
    view = rooms().look(code, voter if is_own else None)
    if "given" in asked:
        refused = "another" if not is_own else rooms().vote(
            code, voter, asked.get("question"), asked.get("vote"), asked["given"]
        )  # fmt: skip
        view = rooms().look(code, voter if is_own else None)
        reply["refused"] = refused
    return {
        **reply,
        "room": view is not None and (is_own or code in known),
        **_seen(view, asked.get("kept")),
    }


def _is_own(code: object, voter: object, known: MutableMapping[str, str]) -> bool:
    """Whether this page may take part in the room as this voter: the first one that it named there."""
    if not isinstance(code, str) or not isinstance(voter, str):
        return False
    if code not in known and len(known) < CODES_OF_A_PAGE:
        known[code] = voter
    return known.get(code) == voter


def _seen(view: View | None, kept: object) -> dict[str, Any]:
    if view is None or view.question is None:
        return {}
    question = view.question
    seen: dict[str, Any] = {
        "question": view.number, "stage": view.stage, "vote": view.vote, "first": view.first, "second": view.second,
    }  # fmt: skip
    way = question.answering
    if view.stage in PHASES:
        seen |= {"text": question.text, "way": way.name, **way.told()}
        # A number that was entered is not to be picked from a list.
        if way.name == "choose" or view.stage == SHOWN:
            seen["choices"] = list(question.choices)
    if view.stage == SHOWN:
        seen |= {"answer": question.answer, "because": question.because, "replies": list(question.replies)}
        mine = way.read(kept)
        seen["chosen"] = None if mine is None else way.choice_of(mine)
    return seen
