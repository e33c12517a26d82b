"""Long-lived objects are exempt from garbage collection, dropped ones are collected, and no other thread suffers."""

import gc
import os
import platform
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from threading import Event, Thread

import pytest
from tidemark.ui.server import roles
from tidemark.ui.server.cache import keeping
from tidemark.ui.server.memory import MOST_LOOSE, PAUSE_S, Settling, Uncollected
from tidemark.ui.share import links
from tidemark.ui.share.links import SHELF_BYTES, Shelf, Text


class Node:
    """An object that refers to itself, so that only garbage collection frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def thaw() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_many_new_objects_are_frozen_but_not_at_every_run() -> None:
    settling = Settling()
    stays = [[number] for number in range(MOST_LOOSE + 1)]
    assert settling.settle(100.0)
    assert len(gc.get_objects()) < MOST_LOOSE
    assert not settling.settle(200.0), "there is nothing new"
    more = [[number] for number in range(MOST_LOOSE + 1)]
    assert settling.settle(300.0)
    again = [[number] for number in range(MOST_LOOSE + 1)]
    assert not settling.settle(300.0 + PAUSE_S / 2), "the last freeze was just now"
    assert len(stays) == len(more) == len(again)


def test_a_frozen_object_that_was_dropped_is_freed_by_the_next_freeze() -> None:
    settling = Settling()
    node, many = Node(), [[number] for number in range(MOST_LOOSE + 1)]
    reference = weakref.ref(node)
    assert settling.settle(100.0)
    del node
    gc.collect()
    assert reference() is not None, "a collection does not look at frozen objects"
    many += [[number] for number in range(MOST_LOOSE + 1)]
    assert settling.settle(200.0)
    assert reference() is None


def test_collection_pauses_while_answers_are_made() -> None:
    uncollected = Uncollected()
    with uncollected.answering():
        with uncollected.answering():
            assert not gc.isenabled()
        assert not gc.isenabled(), "another answer is still being made"
    assert gc.isenabled()
    with pytest.raises(ValueError, match="no answer"), uncollected.answering():
        raise ValueError("no answer")
    assert gc.isenabled()


def test_a_tuple_that_another_thread_is_making_is_left_alone() -> None:
    """A tuple grows in place while a generator feeds it, which fails if anything else refers to it at that moment."""
    settling = Settling()
    settling.settle(100.0)
    stays = [[number] for number in range(MOST_LOOSE // 2)]
    failed: list[SystemError] = []
    done = Event()

    def make_tuples() -> None:
        while not done.is_set():
            try:
                tuple(str(number) for number in range(2_000))
            except SystemError as error:
                failed.append(error)

    switching = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    thread = Thread(target=make_tuples)
    thread.start()
    try:
        for run in range(1, 601):
            settling.settle(100.0 + run * PAUSE_S)
    finally:
        done.set()
        thread.join()
        sys.setswitchinterval(switching)
    assert stays
    assert failed == []


BUSY = """
import os, threading
from benchmarks.app import resident_mb
from tidemark.ui.server.memory import allocate_sparingly, give_back

def work():
    small = [bytes(3000) for _ in range(2000)]
    large = bytes(20 * 2**20)
    ready.wait()

if SPARINGLY:
    assert allocate_sparingly()
before = resident_mb(os.getpid())
ready = threading.Barrier(20)
threads = [threading.Thread(target=work) for _ in range(20)]
for each in threads: each.start()
for each in threads: each.join()
if SPARINGLY:
    give_back()
print(resident_mb(os.getpid()) - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="it is about the allocator of the GNU C library")
def test_what_busy_threads_have_freed_goes_back_to_the_system() -> None:
    """20 threads at a time take 26 MB each; by default a fifth of that stays."""

    def kept_mb(*, sparingly: bool) -> float:
        command = [sys.executable, "-c", BUSY.replace("SPARINGLY", str(sparingly))]
        untold = {name: value for name, value in os.environ.items() if not name.startswith("MALLOC_")}
        return float(subprocess.run(command, capture_output=True, text=True, check=True, env=untold).stdout)

    assert kept_mb(sparingly=True) < 20
    assert kept_mb(sparingly=False) > 50


# What a function has made is kept: by its arguments, so many of them, and made once however many ask at a time.

THREE_RECORDS = """scenario: 1
name: three
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
stream: [{ts: 1s, key: a, value: 1}, {ts: 2s, key: a, value: 2}, {ts: 9s, key: b, value: 3}]
"""


def test_a_result_is_kept_by_the_arguments_that_count() -> None:
    made = []

    @keeping()
    def text(_whole: list[int], name: str, language: str = "en") -> str:
        made.append(name)
        return f"{name} {language} {len(_whole)}"

    assert text([1], "a") == text([1, 2], name="a") == text([], "a", language="en") == "a en 1"
    assert text([], "a", "zh") == "a zh 0"
    assert made == ["a", "a"]
    text.clear()
    assert text([], "a") == "a en 0"


def test_of_more_than_it_may_keep_it_forgets_the_one_asked_for_longest_ago() -> None:
    made = []

    @keeping(2)
    def doubled(number: int) -> int:
        made.append(number)
        return 2 * number

    for number in (1, 2, 1, 3, 1, 2):
        assert doubled(number) == 2 * number
    assert made == [1, 2, 3, 2]


def test_of_more_weight_than_it_may_keep_it_forgets_the_same_way_but_never_the_latest() -> None:
    made = []

    @keeping(10, weigh=len, most_weight=5)
    def text(name: str) -> str:
        made.append(name)
        return name

    for name in ("aa", "bb", "aa", "cc", "aa", "bb", "a heavy one", "a heavy one"):
        assert text(name) == name
    assert made == ["aa", "bb", "cc", "bb", "a heavy one"]


def test_scenarios_of_files_and_links_are_kept_by_their_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of half a megabyte has 12,000 records, which take 6 MB; forty of them stayed in the server for ever."""
    links._entry.clear()
    monkeypatch.setattr(links._entry._kept, "most_weight", 5)
    for number in range(3):
        links.of_file("a.yaml", f"{THREE_RECORDS}# {number}\n")
    assert len(links._entry._kept) == 1
    links._entry.clear()


def test_a_failure_is_not_kept() -> None:
    tries = []

    @keeping()
    def refused(name: str) -> str:
        tries.append(name)
        raise ValueError(name)

    for _ in range(2):
        with pytest.raises(ValueError, match="x"):
            refused("x")
    assert tries == ["x", "x"]


def test_who_asks_for_the_same_at_a_time_waits_and_for_something_else_does_not() -> None:
    made = []
    begun, go_on = threading.Event(), threading.Event()

    @keeping()
    def slow(name: str) -> str:
        made.append(name)
        if name == "slow":
            begun.set()
            assert go_on.wait(10)
        return name

    waiting = [threading.Thread(target=slow, args=("slow",)) for _ in range(3)]
    waiting[0].start()
    assert begun.wait(10)
    for each in waiting[1:]:
        each.start()
    assert slow("quick") == "quick"
    time.sleep(0.01)
    go_on.set()
    for each in waiting:
        each.join(10)
    assert made == ["slow", "quick"]


# What all visitors share on a server: the shelf of long texts. Nobody can take all of it.

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
