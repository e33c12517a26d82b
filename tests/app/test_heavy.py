"""Long work is done by processes: in turn, one order for each visitor, ended when nobody waits for it any more."""

import os
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario import load
from tidemark.simulator.words import current_language, speaking
from tidemark.ui import catalogue
from tidemark.ui.catalogue.walkable import done_for, is_long
from tidemark.ui.payload.packing import packed
from tidemark.ui.server import pool as module
from tidemark.ui.server.orders import connect, heavily
from tidemark.ui.server.pool import Busy, Pool, Replaced, TakesTooLong

LONG = """
scenario: 1
name: long
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 4s}}}
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
stream: {generate: {events: 700, seed: 1, keys: 4, every: 100ms}}
"""


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """Whatever became of an order, the pool takes the next one."""
    made = Pool({}, processes=1)
    yield made
    made.close()


def patiently(_before: int) -> None:
    """A visitor who waits as long as it takes."""


class Left(Exception):
    """The visitor has left."""


def test_an_order_is_done_by_another_process_in_the_visitors_language(pool: Pool) -> None:
    assert pool.do("ann", patiently, os.getpid) != os.getpid()
    assert pool.do("ann", patiently, os.getpid) == pool.do("ben", patiently, os.getpid), "the process stays"
    with speaking("zh"):
        assert pool.do("ann", patiently, current_language) == "zh"


def test_what_an_order_raises_arrives_whole(pool: Pool) -> None:
    with pytest.raises(ScenarioError) as raised:
        pool.do("ann", patiently, scenarios.parse, "scenario: [", "mine.yaml")
    with pytest.raises(ScenarioError) as here:
        scenarios.parse("scenario: [", "mine.yaml")
    assert raised.value.problems == here.value.problems
    assert str(raised.value) == str(here.value)


def test_an_order_that_takes_too_long_is_ended_and_the_next_one_is_done() -> None:
    pool = Pool({}, processes=1, longest_s=0.3)
    process = pool.do("ann", patiently, os.getpid)
    with pytest.raises(TakesTooLong):
        pool.do("ann", patiently, time.sleep, 60)
    assert not Path(f"/proc/{process}").exists()
    assert pool.do("ann", patiently, max, 3, 5) == 5
    pool.close()


def test_an_order_that_needs_too_much_memory_is_refused(pool: Pool) -> None:
    with pytest.raises(TakesTooLong):
        pool.do("ann", patiently, bytes, 2**33)
    assert pool.do("ann", patiently, max, 3, 5) == 5


def test_a_visitor_who_leaves_ends_what_was_begun_for_them(pool: Pool) -> None:
    process = pool.do("ann", patiently, os.getpid)

    def leaves(before: int) -> None:
        raise Left

    with pytest.raises(Left):
        pool.do("ann", leaves, time.sleep, 60)
    assert not Path(f"/proc/{process}").exists()


def test_those_who_wait_know_their_place_and_a_new_order_takes_the_place_of_the_old(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOOKS_S", 0.01)
    monkeypatch.setattr(module, "ORDERS_WAITING", 2)
    begun, waits, places = Event(), Event(), []

    def first(_before: int) -> None:
        begun.set()

    def second(before: int) -> None:
        places.append(before)
        waits.set()

    with ThreadPoolExecutor() as visitors:
        ann = visitors.submit(pool.do, "ann", first, time.sleep, 60)
        begun.wait()
        ben = visitors.submit(pool.do, "ben", second, max, 3, 5)
        waits.wait()
        assert places[0] == 1, "one comes first"
        cem = visitors.submit(pool.do, "cem", patiently, max, 2, 3)
        while len(pool._line) < 2:
            time.sleep(0.01)
        with pytest.raises(Busy):
            pool.do("dee", patiently, max, 1, 2)
        with pytest.raises(Busy):
            pool.do("ann", patiently, max, 1, 2)
        with pytest.raises(Replaced):
            ann.result()
        assert (ben.result(), cem.result()) == (5, 3)


def test_the_line_goes_round_the_machines(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody with many tabs waits for themselves; where the line is full, the last of theirs has to go."""
    monkeypatch.setattr(module, "LOOKS_S", 0.01)
    monkeypatch.setattr(module, "ORDERS_WAITING", 3)
    begun, go, done = Event(), Event(), dict[str, float]()

    def until_told(_before: int) -> None:
        begun.set()
        if go.is_set():
            raise Left

    def order(name: str, machine: str) -> None:
        done[name] = pool.do(name, patiently, time.monotonic, machine=machine)

    with ThreadPoolExecutor() as visitors:
        running = visitors.submit(pool.do, "tab 1", until_told, time.sleep, 60, machine="here")
        begun.wait()
        tabs = []
        for number in range(2, 5):
            tabs.append(visitors.submit(order, f"tab {number}", "here"))
            while len(pool._line) < number - 1:
                time.sleep(0.01)
        other = visitors.submit(order, "another", "there")
        with pytest.raises(Busy):
            tabs[-1].result()
        with pytest.raises(Busy):
            order("tab 5", "here")
        go.set()
        with pytest.raises(Left):
            running.result()
        other.result()
        for tab in tabs[:-1]:
            tab.result()
    assert sorted(done, key=done.__getitem__) == ["another", "tab 2", "tab 3"]


def test_a_short_run_is_worked_on_at_once_and_a_long_one_is_ordered() -> None:
    ordered: list[object] = []
    short, long = load(catalogue.FOLDER / "two-clocks.yaml"), scenarios.parse(LONG)
    connect(lambda function, *arguments: ordered.append(function) or function(*arguments))
    try:
        assert (is_long(short), is_long(long)) == (False, True)
        assert done_for(short, max, 3, 5) == done_for(long, max, 3, 5) == 5
        assert ordered == [max]
    finally:
        connect(None)
    assert heavily(max, 3, 5) == 5, "without a server it is done here"


def test_a_walkthrough_made_by_a_process_is_the_same_byte_for_byte(pool: Pool) -> None:
    entry = catalogue.Entry("long", Path("x"), "stamp", scenarios.parse(LONG))
    here = packed(entry, "long", "here", ())
    connect(lambda function, *arguments: pool.do("ann", patiently, function, *arguments))
    try:
        assert packed(entry, "long", "there", ()) == here
    finally:
        connect(None)
