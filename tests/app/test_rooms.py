"""Classroom rooms: anonymous answers are counted exactly and within limits, and hostile ones are refused."""

import threading
from collections.abc import Mapping
from typing import Any

import pytest

from simulator.scenario import load
from ui import catalogue
from ui.classroom import rooms as module
from ui.classroom import students, teacher
from ui.classroom.rooms import LETTERS, LIFE_S, MOST_ROOMS, MOST_VOTERS, Question, Rooms, Ticket
from ui.payload.contents import payload
from ui.payload.packing import pack

QUESTION = Question("two-clocks 5", "Which window?", ("its own", "the open one", "none"), answer=0)
NEXT = Question("two-clocks 9", "How many?", ("all", "one"), answer=1)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def browser(number: int) -> str:
    return f"browser-{number:024}"


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def rooms(clock: Clock) -> Rooms:
    return Rooms(clock)


@pytest.fixture
def room(rooms: Rooms) -> Ticket:
    ticket = rooms.open()
    assert rooms.ask(ticket.code, ticket.token, QUESTION)
    return ticket


def counts(rooms: Rooms, room: Ticket) -> tuple[int, ...]:
    view = rooms.count(room.code, room.token)
    assert view is not None
    assert view.answers == sum(view.counts)
    return view.counts


def test_a_room_from_its_opening_to_its_second_question(rooms: Rooms) -> None:
    room = rooms.open()
    assert len(room.code) == 4
    assert set(room.code) <= set(LETTERS)
    empty = rooms.look(room.code)
    assert empty is not None
    assert (empty.number, empty.question, empty.open) == (0, None, False)
    assert rooms.ask(room.code, room.token, QUESTION)
    seen = rooms.look(room.code, browser(1))
    assert seen is not None
    assert (seen.number, seen.question, seen.open, seen.mine, seen.counts) == (1, QUESTION, True, None, ())
    assert rooms.vote(room.code, browser(1), 1, 2)
    assert rooms.vote(room.code, browser(2), 1, 2)
    assert counts(rooms, room) == (0, 0, 2)
    # A voter may change the answer until the question is closed; it stays one answer.
    assert rooms.vote(room.code, browser(1), 1, 0)
    assert counts(rooms, room) == (1, 0, 1)
    assert getattr(rooms.look(room.code, browser(1)), "mine", None) == 0
    assert rooms.close(room.code, room.token, show=True)
    assert not rooms.vote(room.code, browser(3), 1, 0)
    assert counts(rooms, room) == (1, 0, 1)
    assert rooms.ask(room.code, room.token, NEXT)
    assert counts(rooms, room) == (0, 0)


def test_repeating_a_question_keeps_its_answers_and_another_starts_empty(rooms: Rooms, room: Ticket) -> None:
    rooms.vote(room.code, browser(1), 1, 1)
    assert rooms.ask(room.code, room.token, QUESTION)
    assert counts(rooms, room) == (0, 1, 0)
    rooms.close(room.code, room.token)
    assert rooms.ask(room.code, room.token, QUESTION)
    assert counts(rooms, room) == (0, 0, 0)
    assert not rooms.vote(room.code, browser(1), 1, 1), "the question is already closed"
    assert rooms.vote(room.code, browser(1), 2, 1)


def test_closing_a_question_forgets_who_chose_what(rooms: Rooms, room: Ticket) -> None:
    rooms.vote(room.code, browser(1), 1, 1)
    rooms.close(room.code, room.token)
    assert browser(1) not in repr(rooms._rooms)
    assert counts(rooms, room) == (0, 1, 0)


@pytest.mark.parametrize("token", ["", "x", None, 7, b"x", "ä" * 32, "\ud800" * 32, ["x"]])
def test_only_the_token_of_the_room_may_ask_count_or_close(rooms: Rooms, room: Ticket, token: object) -> None:
    other = rooms.open()
    for wrong in (token, other.token, room.token[:-1]):
        assert not rooms.ask(room.code, wrong, NEXT)
        assert not rooms.close(room.code, wrong, show=True)
        assert rooms.count(room.code, wrong) is None
    assert getattr(rooms.look(room.code), "question", None) == QUESTION


@pytest.mark.parametrize(
    ("code", "voter", "number", "choice"),
    [
        ("????", browser(1), 1, 0),
        (None, browser(1), 1, 0),
        (["x"], browser(1), 1, 0),
        ({}, browser(1), 1, 0),
        ("own", "short", 1, 0),
        ("own", "x" * 65, 1, 0),
        ("own", "ä" * 20, 1, 0),
        ("own", None, 1, 0),
        ("own", 7, 1, 0),
        ("own", ["x"] * 20, 1, 0),
        ("own", browser(1), 2, 0),
        ("own", browser(1), "1", 0),
        ("own", browser(1), True, 0),
        ("own", browser(1), 1, 3),
        ("own", browser(1), 1, -1),
        ("own", browser(1), 1, "0"),
        ("own", browser(1), 1, True),
        ("own", browser(1), 1, 0.0),
        ("own", browser(1), 1, None),
    ],
)
def test_an_invalid_answer_is_refused_and_not_counted(
    rooms: Rooms, room: Ticket, code: object, voter: object, number: object, choice: object
) -> None:
    assert not rooms.vote(room.code if code == "own" else code, voter, number, choice)
    assert counts(rooms, room) == (0, 0, 0)


def test_a_question_without_a_right_answer_or_with_too_many_is_refused(rooms: Rooms, room: Ticket) -> None:
    assert not rooms.ask(room.code, room.token, Question("x", "?", ("a", "b"), answer=2))
    assert not rooms.ask(room.code, room.token, Question("x", "?", ("a", "b"), answer=-1))
    assert not rooms.ask(room.code, room.token, Question("x", "?", tuple("abcdefghijklm"), answer=0))


def test_a_full_room_accepts_no_more_voters_but_those_in_it_may_change_their_answer(rooms: Rooms, room: Ticket) -> None:
    for number in range(MOST_VOTERS):
        assert rooms.vote(room.code, browser(number), 1, 0)
    assert not rooms.vote(room.code, browser(MOST_VOTERS), 1, 0)
    assert rooms.vote(room.code, browser(0), 1, 1)
    assert counts(rooms, room) == (MOST_VOTERS - 1, 1, 0)


def test_a_new_room_replaces_the_least_recently_used_one(rooms: Rooms) -> None:
    tickets = [rooms.open() for _ in range(MOST_ROOMS)]
    assert rooms.count(tickets[0].code, tickets[0].token)
    newest = rooms.open()
    assert rooms.look(tickets[0].code), "the teacher has just used it"
    assert rooms.look(tickets[1].code) is None
    assert rooms.look(newest.code)


def test_voters_do_not_keep_an_abandoned_room_open(rooms: Rooms, room: Ticket, clock: Clock) -> None:
    clock.now = LIFE_S
    assert rooms.vote(room.code, browser(1), 1, 0)
    clock.now = LIFE_S + 1
    assert rooms.look(room.code) is None
    assert not rooms.vote(room.code, browser(2), 1, 0)
    assert rooms.count(room.code, room.token) is None
    rooms.open()
    assert room.code not in rooms._rooms, "a room that is over is forgotten"


def test_a_code_in_use_is_not_assigned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = iter("BBBB" + "BBBB" + "CCCC")
    monkeypatch.setattr(module.secrets, "choice", lambda _: next(letters))
    rooms = Rooms()
    assert [rooms.open().code, rooms.open().code] == ["BBBB", "CCCC"]


def test_concurrent_answers_are_each_counted_once(rooms: Rooms, room: Ticket) -> None:
    start = threading.Barrier(16)

    def student(number: int) -> None:
        start.wait()
        for turn in range(200):
            rooms.vote(room.code, browser(number), 1, (number + turn) % 3)
        rooms.vote(room.code, browser(number), 1, number % 3)

    threads = [threading.Thread(target=student, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts(rooms, room) == tuple(sum(number % 3 == choice for number in range(16)) for choice in range(3))


# --- what browsers receive ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return payload(load(catalogue.FOLDER / "two-clocks.yaml"))


def test_the_question_comes_from_the_run_and_its_answer_is_sent_only_when_shown(run: dict[str, Any]) -> None:
    facts = pack(run)
    beat = next(beat for beat in run["beats"] if beat["choices"])
    room = teacher.answer_to("ask", {"step": beat["step"], "text": "Mine?", "choices": ["x"]}, facts)
    message = {"number": 1, "code": room["code"], "voter": browser(1)}
    seen = students.answer_to(message)
    assert (seen["text"], seen["choices"]) == (beat["text"], beat["choices"])
    assert not {"answer", "because", "replies", "counts", "token"} & set(seen)
    assert students.answer_to({**message, "question": seen["question"], "choice": beat["answer"]})["taken"] is True
    mine = {name: room[name] for name in ("code", "token")}
    assert teacher.answer_to("count", mine, facts)["counts"][beat["answer"]] == 1
    assert teacher.answer_to("count", {**mine, "token": "x"}, facts) == {"gone": True}
    teacher.answer_to("show", mine, facts)
    reply = students.answer_to(message)
    assert (reply["answer"], reply["because"], reply["open"]) == (beat["answer"], beat["because"], False)
    assert reply["replies"] == beat["replies"], "a wrong answer gets its reply on the phone as well"
    assert [number for number, text in enumerate(reply["replies"]) if not text] == [beat["answer"]]
    # The next question of the lecture uses the same room under its own number.
    again = teacher.answer_to("ask", {**mine, "step": run["beats"][-1]["step"]}, facts)
    assert (again["code"], again["answers"]) == (room["code"], 0)
    assert students.answer_to(message)["question"] == seen["question"] + 1


@pytest.mark.parametrize("step", [None, "44", 0, -1, 10**30, True, 1.0, [1]])
def test_no_room_opens_at_a_step_without_a_question(run: dict[str, Any], step: object) -> None:
    assert teacher.answer_to("ask", {"step": step}, pack(run)) == {"gone": True}


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"number": "1", "code": ["x"], "voter": {}},
        {"number": True, "code": "\ud800", "voter": None, "choice": None},
        {"code": "<b>x</b>", "voter": "x" * 10**6, "question": "1", "choice": [0]},
    ],
)
def test_a_nonsensical_request_is_answered_with_no_room(message: Mapping[str, Any]) -> None:
    assert students.answer_to(message) == {"number": 0, "room": False}
