"""What all visitors share on a server: the shelf of long texts. Nobody can take all of it."""

from collections.abc import Iterator

import pytest
from tidemark.ui.server import roles
from tidemark.ui.share.links import SHELF_BYTES, Shelf, Text

SECRET = "a-secret-of-this-course"
LONG = Text("a" * (SHELF_BYTES // 16), False)


@pytest.fixture(autouse=True)
def without_a_secret_again() -> Iterator[None]:
    yield
    roles.require("", 0, dict)


def visitor(machine: str, secret: str = "") -> None:
    """From here on the visitor sits at ``machine``, with the teacher's cookie or without."""
    roles.require(SECRET, 8501, lambda: {"tidemark_teacher_8501": secret}, lambda: machine)


def test_many_texts_of_one_visitor_leave_those_of_the_others() -> None:
    shelf = Shelf()
    shelf.put("of the lesson", LONG, "the teacher")
    shelf.put("of another", LONG, "192.168.1.8")
    for number in range(40):
        shelf.put(str(number), LONG, "192.168.1.9")
    assert shelf.find("of the lesson") == LONG
    assert shelf.find("of another") == LONG
    assert [number for number in range(40) if shelf.find(str(number))] == list(range(26, 40)), "its newest stay"


def test_a_text_belongs_to_whoever_brought_it_first() -> None:
    shelf = Shelf()
    shelf.put("of the lesson", LONG, "the teacher")
    shelf.put("of the lesson", LONG, "192.168.1.9")
    for number in range(40):
        shelf.put(str(number), LONG, "192.168.1.9")
    assert shelf.find("of the lesson") == LONG


def test_a_visitor_is_a_machine_and_the_teacher_is_one_wherever_they_sit() -> None:
    visitor("192.168.1.9")
    assert roles.who() == "192.168.1.9"
    visitor("192.168.1.9", SECRET)
    assert roles.who() == "the teacher"
