"""Classroom rooms: anonymous answers are counted exactly and within limits, and hostile ones are refused."""

import base64
import io
import threading
from collections.abc import Mapping
from typing import Any

import pytest
from PIL import Image
from tidemark.simulator.limits import (
    CODE_TRIES,
    CODES_OF_A_PAGE,
    DOOR_CHARACTERS,
    ROOM_LIFE_S,
    ROOM_RESTS_S,
    ROOMS,
    VOTERS,
    VOTES_OF_A_VOTER,
)
from tidemark.simulator.scenario import load
from tidemark.ui import catalogue
from tidemark.ui.learning.classroom import rooms as answering
from tidemark.ui.learning.classroom import rooms as module
from tidemark.ui.learning.classroom import teacher
from tidemark.ui.learning.classroom.rooms import LETTERS, LETTERS_OF_A_CODE, Rooms, Ticket, Tries, View
from tidemark.ui.learning.classroom.teacher import door_to
from tidemark.ui.learning.classroom.votes import Question
from tidemark.ui.payload.contents import payload
from tidemark.ui.payload.packing import pack

from tests.qr import read

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


def opened(rooms: Rooms) -> Ticket:
    ticket = rooms.open()
    assert ticket is not None
    return ticket


@pytest.fixture
def room(rooms: Rooms) -> Ticket:
    ticket = opened(rooms)
    assert rooms.ask(ticket.code, ticket.token, QUESTION)
    return ticket


def counts(rooms: Rooms, room: Ticket) -> tuple[int, ...]:
    """Of the vote that is open, or of the last one."""
    count = rooms.count(room.code, room.token)
    assert count is not None
    assert count.tally is not None
    assert count.tally.answers == sum(count.tally.counts[-1])
    return count.tally.counts[-1]


def seen(rooms: Rooms, room: Ticket, number: int) -> View:
    view = rooms.look(room.code, browser(number))
    assert view is not None
    return view


def test_a_room_from_its_opening_to_its_second_question(rooms: Rooms) -> None:
    room = opened(rooms)
    assert len(room.code) == LETTERS_OF_A_CODE
    assert set(room.code) <= set(LETTERS)
    assert seen(rooms, room, 1) == View(0)
    assert rooms.ask(room.code, room.token, QUESTION)
    assert seen(rooms, room, 1) == View(1, "first", 0, QUESTION)
    assert rooms.vote(room.code, browser(1), 1, 0, 2) == ""
    assert rooms.vote(room.code, browser(2), 1, 0, 2) == ""
    assert counts(rooms, room) == (0, 0, 2)
    # A voter may change the answer until the vote is closed; it stays one answer.
    assert rooms.vote(room.code, browser(1), 1, 0, 0) == ""
    assert counts(rooms, room) == (1, 0, 1)
    assert seen(rooms, room, 1).first == 0
    assert rooms.close(room.code, room.token, show=True)
    assert rooms.vote(room.code, browser(3), 1, 0, 0) == "closed"
    assert counts(rooms, room) == (1, 0, 1)
    assert rooms.ask(room.code, room.token, NEXT)
    assert counts(rooms, room) == (0, 0)


def test_the_class_votes_talks_and_votes_again(rooms: Rooms, room: Ticket) -> None:
    for number, choice in ((1, 1), (2, 1), (3, 0), (4, 2)):
        rooms.vote(room.code, browser(number), 1, 0, choice)
    assert not rooms.again(room.code, room.token), "the first vote is still open"
    assert rooms.pause(room.code, room.token)
    assert seen(rooms, room, 1) == View(1, "talk", None, QUESTION, first=1)
    assert rooms.vote(room.code, browser(5), 1, 0, 0) == "closed"
    assert rooms.again(room.code, room.token)
    # The first answers are kept: the second vote starts empty beside them.
    assert counts(rooms, room) == (0, 0, 0)
    assert seen(rooms, room, 1) == View(1, "second", 1, QUESTION, first=1)
    for number, choice in ((1, 0), (2, 1), (3, 0), (5, 0)):
        assert rooms.vote(room.code, browser(number), 1, 1, choice) == ""
    assert seen(rooms, room, 1).second == 0
    assert rooms.close(room.code, room.token, show=True)
    count = rooms.count(room.code, room.token)
    assert count is not None
    assert count.tally is not None
    assert count.tally.counts == ((1, 2, 1), (3, 1, 0))
    # From choice 1 one went to 0 and one stayed. Browser 4 did not vote again, and 5 had not voted before.
    assert count.tally.moved == ((1, 0, 0), (1, 1, 0), (0, 0, 0))
    assert not rooms.again(room.code, room.token)
    assert not rooms.pause(room.code, room.token)
    assert "browser-" not in repr(rooms._rooms), "who chose what is forgotten"


def test_an_answer_under_way_when_the_vote_changes_does_not_count_in_the_other(rooms: Rooms, room: Ticket) -> None:
    rooms.pause(room.code, room.token)
    rooms.again(room.code, room.token)
    assert rooms.vote(room.code, browser(1), 1, 0, 2) == "other_question"
    assert counts(rooms, room) == (0, 0, 0)


def test_the_second_vote_may_be_skipped(rooms: Rooms, room: Ticket) -> None:
    rooms.vote(room.code, browser(1), 1, 0, 1)
    rooms.pause(room.code, room.token)
    assert rooms.close(room.code, room.token, show=True)
    count = rooms.count(room.code, room.token)
    assert count is not None
    assert count.tally is not None
    assert (count.stage, count.tally.counts, count.tally.moved) == ("shown", ((0, 1, 0),), ())


def test_repeating_a_question_keeps_its_answers_and_another_starts_empty(rooms: Rooms, room: Ticket) -> None:
    rooms.vote(room.code, browser(1), 1, 0, 1)
    assert rooms.ask(room.code, room.token, QUESTION)
    assert counts(rooms, room) == (0, 1, 0)
    rooms.close(room.code, room.token)
    assert rooms.ask(room.code, room.token, QUESTION)
    assert counts(rooms, room) == (0, 0, 0)
    assert rooms.vote(room.code, browser(1), 1, 0, 1) == "other_question", "that one is already closed"
    assert rooms.vote(room.code, browser(1), 2, 0, 1) == ""


def test_the_counts_of_all_questions_stay_until_the_room_is_gone(rooms: Rooms, room: Ticket) -> None:
    rooms.vote(room.code, browser(1), 1, 0, 1)
    rooms.ask(room.code, room.token, NEXT)
    rooms.ask(room.code, room.token, QUESTION)  # nobody answered the one before: it is left out
    rooms.vote(room.code, browser(1), 3, 0, 0)
    found = rooms.tallies(room.code, room.token)
    assert [(each.number, each.question.id, each.counts) for each in found] == [
        (1, "two-clocks 5", ((0, 1, 0),)),
        (3, "two-clocks 5", ((1, 0, 0),)),
    ]
    assert rooms.tallies(room.code, "x") == ()


def test_closing_a_question_forgets_who_chose_what(rooms: Rooms, room: Ticket) -> None:
    rooms.vote(room.code, browser(1), 1, 0, 1)
    rooms.close(room.code, room.token)
    assert browser(1) not in repr(rooms._rooms)
    assert counts(rooms, room) == (0, 1, 0)


@pytest.mark.parametrize("token", ["", "x", None, 7, b"x", "ä" * 32, "\ud800" * 32, ["x"]])
def test_only_the_token_of_the_room_may_ask_count_or_close(rooms: Rooms, room: Ticket, token: object) -> None:
    other = opened(rooms)
    for wrong in (token, other.token, room.token[:-1]):
        assert not rooms.ask(room.code, wrong, NEXT)
        assert not rooms.pause(room.code, wrong)
        assert not rooms.again(room.code, wrong)
        assert not rooms.close(room.code, wrong, show=True)
        assert rooms.count(room.code, wrong) is None
    assert getattr(rooms.look(room.code), "question", None) == QUESTION


@pytest.mark.parametrize(
    ("code", "voter", "number", "vote", "given", "why"),
    [
        ("????", browser(1), 1, 0, 0, "no_room"),
        (None, browser(1), 1, 0, 0, "no_room"),
        (["x"], browser(1), 1, 0, 0, "no_room"),
        ("own", "short", 1, 0, 0, "no_answer"),
        ("own", "x" * 65, 1, 0, 0, "no_answer"),
        ("own", "ä" * 20, 1, 0, 0, "no_answer"),
        ("own", None, 1, 0, 0, "no_answer"),
        ("own", ["x"] * 20, 1, 0, 0, "no_answer"),
        ("own", browser(1), 2, 0, 0, "other_question"),
        ("own", browser(1), "1", 0, 0, "other_question"),
        ("own", browser(1), True, 0, 0, "other_question"),
        ("own", browser(1), 1, 1, 0, "other_question"),
        ("own", browser(1), 1, False, 0, "other_question"),
        ("own", browser(1), 1, None, 0, "other_question"),
        ("own", browser(1), 1, 0, 3, "no_answer"),
        ("own", browser(1), 1, 0, -1, "no_answer"),
        ("own", browser(1), 1, 0, "<b>0</b>", "no_answer"),
        ("own", browser(1), 1, 0, True, "no_answer"),
        ("own", browser(1), 1, 0, 0.0, "no_answer"),
        ("own", browser(1), 1, 0, None, "no_answer"),
        ("own", browser(1), 1, 0, [0], "no_answer"),
    ],
)
def test_a_forged_answer_is_refused_with_the_reason_and_not_counted(
    rooms: Rooms, room: Ticket, code: object, voter: object, number: object, vote: object, given: object, why: str
) -> None:
    assert rooms.vote(room.code if code == "own" else code, voter, number, vote, given) == why
    assert counts(rooms, room) == (0, 0, 0)


def test_a_voter_who_floods_the_room_is_refused_and_the_others_are_not(rooms: Rooms, room: Ticket) -> None:
    for turn in range(VOTES_OF_A_VOTER):
        assert rooms.vote(room.code, browser(1), 1, 0, turn % 3) == ""
    assert rooms.vote(room.code, browser(1), 1, 0, 0) == "too_often"
    assert rooms.vote(room.code, browser(2), 1, 0, 0) == ""
    rooms.pause(room.code, room.token)
    rooms.again(room.code, room.token)
    assert rooms.vote(room.code, browser(1), 1, 1, 0) == "", "another vote, another count"


def test_a_question_without_a_right_answer_or_with_too_many_is_refused(rooms: Rooms, room: Ticket) -> None:
    assert not rooms.ask(room.code, room.token, Question("x", "?", ("a", "b"), answer=2))
    assert not rooms.ask(room.code, room.token, Question("x", "?", ("a", "b"), answer=-1))
    assert not rooms.ask(room.code, room.token, Question("x", "?", tuple("abcdefghijklm"), answer=0))


def test_a_full_room_accepts_no_more_voters_but_those_in_it_may_change_their_answer(rooms: Rooms, room: Ticket) -> None:
    for number in range(VOTERS):
        assert rooms.vote(room.code, browser(number), 1, 0, 0) == ""
    assert rooms.vote(room.code, browser(VOTERS), 1, 0, 0) == "full"
    assert rooms.vote(room.code, browser(0), 1, 0, 1) == ""
    assert counts(rooms, room) == (VOTERS - 1, 1, 0)


def test_a_new_room_replaces_the_one_that_rested_longest_and_never_one_in_use(rooms: Rooms, clock: Clock) -> None:
    tickets = [opened(rooms) for _ in range(ROOMS)]
    assert rooms.open() is None, "all are in use"
    clock.now = ROOM_RESTS_S
    assert rooms.count(tickets[0].code, tickets[0].token)
    newest = opened(rooms)
    assert rooms.look(tickets[0].code), "the teacher has just used it"
    assert rooms.look(tickets[1].code) is None
    assert rooms.look(newest.code)


def test_voters_do_not_keep_an_abandoned_room_open(rooms: Rooms, room: Ticket, clock: Clock) -> None:
    clock.now = ROOM_LIFE_S
    assert rooms.vote(room.code, browser(1), 1, 0, 0) == ""
    clock.now = ROOM_LIFE_S + 1
    assert rooms.look(room.code) is None
    assert rooms.vote(room.code, browser(2), 1, 0, 0) == "no_room"
    assert rooms.count(room.code, room.token) is None
    rooms.open()
    assert room.code not in rooms._rooms, "a room that is over is forgotten"


def test_a_code_in_use_is_not_assigned_again(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = iter("BBBBB" + "BBBBB" + "CCCCC")
    monkeypatch.setattr(module.secrets, "choice", lambda _: next(letters))
    rooms = Rooms()
    assert [opened(rooms).code, opened(rooms).code] == ["BBBBB", "CCCCC"]


def test_concurrent_answers_are_each_counted_once(rooms: Rooms, room: Ticket) -> None:
    start = threading.Barrier(16)

    def student(number: int) -> None:
        start.wait()
        for turn in range(VOTES_OF_A_VOTER - 1):
            rooms.vote(room.code, browser(number), 1, 0, (number + turn) % 3)
        rooms.vote(room.code, browser(number), 1, 0, number % 3)

    threads = [threading.Thread(target=student, args=(number,)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counts(rooms, room) == tuple(sum(number % 3 == choice for number in range(16)) for choice in range(3))


def test_a_machine_that_tries_codes_has_to_wait_and_the_others_have_not(clock: Clock) -> None:
    tries = Tries(clock)
    assert all(tries.take("a") for _ in range(CODE_TRIES))
    assert not tries.take("a")
    assert tries.take("b")
    clock.now = 1.0
    assert tries.take("a"), "one a second"
    assert not tries.take("a")


def test_a_part_of_a_try_is_none_and_is_kept(clock: Clock) -> None:
    tries = Tries(clock)
    taken = [tries.take("a") for _ in range(CODE_TRIES)]
    for clock.now in (0.25, 0.5, 0.75, 1.0, 1.25):
        taken.append(tries.take("a"))
    assert taken == [True] * CODE_TRIES + [False, False, False, True, False]


# --- what browsers receive ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run() -> dict[str, Any]:
    return payload(load(catalogue.FOLDER / "two-clocks.yaml"))


def test_the_question_comes_from_the_run_and_its_answer_is_sent_only_when_shown(run: dict[str, Any]) -> None:
    facts = pack(run)
    beat = next(beat for beat in run["beats"] if beat["choices"])
    room, _ = teacher.answer_to("ask", {"step": beat["step"], "text": "Mine?", "choices": ["x"]}, facts)
    message = {"number": 1, "code": room["code"], "voter": browser(1)}
    told = answering.answer_to(message)
    assert (told["text"], told["choices"]) == (beat["text"], beat["choices"])
    secret = {"answer", "because", "replies", "counts", "token", "right", "chosen", "beliefs"}
    mine = {name: room[name] for name in ("code", "token")}
    wrong = (beat["answer"] + 1) % len(beat["choices"])
    sent = {**message, "question": told["question"], "vote": 0, "given": wrong}
    assert answering.answer_to(sent)["refused"] == ""
    for kind in ("pause", "again"):
        assert not secret & set(answering.answer_to({**message, "kept": wrong}))
        teacher.answer_to(kind, mine, facts)
    again = answering.answer_to(message)
    assert (again["vote"], again["first"], again["second"]) == (1, wrong, None)
    assert not secret & set(again)
    assert answering.answer_to({**sent, "vote": 1, "given": beat["answer"]})["refused"] == ""
    count, _ = teacher.answer_to("count", mine, facts)
    assert [votes[beat["answer"]] for votes in count["votes"]] == [0, 1]
    assert count["moved"][wrong][beat["answer"]] == 1
    assert teacher.answer_to("count", {**mine, "token": "x"}, facts) == ({"gone": True}, b"")
    teacher.answer_to("show", mine, facts)
    reply = answering.answer_to({**message, "kept": wrong})
    assert (reply["answer"], reply["because"], reply["vote"]) == (beat["answer"], beat["because"], None)
    assert reply["chosen"] == wrong
    assert reply["replies"] == beat["replies"], "a wrong answer gets its reply on the phone as well"
    assert [number for number, text in enumerate(reply["replies"]) if not text] == [beat["answer"]]
    # The next question of the lecture uses the same room under its own number.
    last = max(each["step"] for each in run["beats"] if each["choices"])
    after, _ = teacher.answer_to("ask", {**mine, "step": last}, facts)
    assert (after["code"], after["answers"]) == (room["code"], 0)
    assert answering.answer_to(message)["question"] == told["question"] + 1


def test_an_open_page_votes_once_and_tries_few_codes(run: dict[str, Any]) -> None:
    beat = next(beat for beat in run["beats"] if beat["choices"])
    room, _ = teacher.answer_to("ask", {"step": beat["step"]}, pack(run))
    page: dict[str, str] = {}
    sent = {"number": 1, "code": room["code"], "question": 1, "vote": 0, "given": 0}
    assert answering.answer_to({**sent, "voter": browser(1)}, page)["refused"] == ""
    for number in range(2, 9):
        assert answering.answer_to({**sent, "voter": browser(number)}, page)["refused"] == "another"
    count, _ = teacher.answer_to("count", {name: room[name] for name in ("code", "token")}, pack(run))
    assert count["answers"] == 1
    script: dict[str, str] = {}
    for number in range(CODES_OF_A_PAGE):
        answering.answer_to({"number": 1, "code": f"X{number}", "voter": browser(1)}, script)
    # It is told that it has tried too many: that there is no such room would not be true.
    refused = answering.answer_to({**sent, "voter": browser(1)}, script)
    assert refused == {"number": 1, "room": False, "worn": True}


@pytest.mark.parametrize("step", [None, "44", 0, -1, 10**30, True, 1.0, [1]])
def test_no_room_opens_at_a_step_without_a_question(run: dict[str, Any], step: object) -> None:
    assert teacher.answer_to("ask", {"step": step}, pack(run)) == ({"gone": True}, b"")


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"number": "1", "code": ["x"], "voter": {}},
        {"number": True, "code": "\ud800", "voter": None, "given": None},
        {"code": "<b>x</b>", "voter": "x" * 10**6, "question": "1", "given": [0]},
    ],
)
def test_a_nonsensical_request_is_answered_with_no_room(message: Mapping[str, Any]) -> None:
    reply = answering.answer_to(message)
    assert (reply["number"], reply["room"]) == (0, False)
    assert "text" not in reply


# The QR code of a vote: it leads into the room, and it is absent where phones cannot reach the app.

PNG = "data:image/png;base64,"


@pytest.mark.parametrize(
    "address",
    ["http://10.0.0.7/vote", "http://192.0.2.2:8501/vote", "https://room.example/vote", "http://[fd00::2]:80/vote"],
)
def test_a_phone_reads_the_address_and_the_room(address: str) -> None:
    door = door_to(address, "BCDF")
    assert door is not None
    assert door.startswith(PNG)
    picture = Image.open(io.BytesIO(base64.b64decode(door.removeprefix(PNG))))
    assert (picture.mode, picture.getextrema()) == ("1", (0, 255)), "black on white, whatever the theme"
    assert read(picture) == f"{address}?room=BCDF"


@pytest.mark.parametrize(
    "address",
    [
        "http://localhost:8501/vote",
        "http://LOCALHOST./vote",
        "http://app.localhost/vote",
        "http://127.0.0.1:8501/vote",
        "http://127.9.9.9/vote",
        "http://[::1]:8501/vote",
        "http://0.0.0.0:8501/vote",
    ],
)
def test_there_is_no_code_where_phones_cannot_reach_the_app(address: str) -> None:
    assert door_to(address, "BCDF") is None


@pytest.mark.parametrize(
    "address",
    [
        None, 7, "", "vote", "javascript:alert(1)", "http://", "http://[x/vote", "http://a b/vote", "http://ä.de/vote",
        "http://a.example/" + "x" * DOOR_CHARACTERS, ["http://a.example/vote"],
    ],
)  # fmt: skip
def test_an_invalid_address_has_no_code(address: object) -> None:
    assert door_to(address, "BCDF") is None
