"""Long-lived objects are exempt from garbage collection, dropped ones are collected, and no other thread suffers."""

import gc
import os
import platform
import subprocess
import sys
import weakref
from collections.abc import Iterator
from threading import Event, Thread

import pytest
from tidemark.ui.server.memory import MOST_LOOSE, PAUSE_S, Settling, Uncollected


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
