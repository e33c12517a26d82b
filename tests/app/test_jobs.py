"""Background checks: they run one at a time, every outcome is reported, and results outlive the app."""

import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.proof import spark_checks
from tidemark.simulator.scenario import load, model
from tidemark.simulator.words import current_language, speaking, words
from tidemark.ui import catalogue
from tidemark.ui.catalogue.walkable import done_for, is_long
from tidemark.ui.payload.packing import packed
from tidemark.ui.server import pool as module
from tidemark.ui.server.bridge import connect
from tidemark.ui.server.orders import connect as connect_orders
from tidemark.ui.server.orders import heavily
from tidemark.ui.server.pool import Busy, Pool, Replaced, TakesTooLong
from tidemark.ui.spark import jobs as kept
from tidemark.ui.spark.jobs import Asked, Job, Jobs
from tidemark.ui.spark.views import about, estimate

SCENARIO = model.Scenario(
    "tiny", model.Window(model.Tumbling(1000), model.EventTimeTrigger(), model.Function("aggregate", "sum")), ()
)
ASKED = Asked("tiny", "Tiny", ("scenario", "tiny"), 7)
PANE = {"row": "pane", "key": "a", "start": 0, "end": 1000, "item": 3, "value": 1}


class Stopped(Exception):
    pass


class Fault(StrEnum):
    VALUE = "value"


def report(differing: int = 0, seconds: float = 2.0, events: int = 7) -> SimpleNamespace:
    """The result of a bridge's check."""
    found = [SimpleNamespace(simulator=PANE, spark=None, members=[])] * differing
    return SimpleNamespace(
        engine="batch", way="native", events=events, panes=4, differing=differing, differences=found, seconds=seconds,
        spark_version="4", java_version="17", counts={"simulator": {"pane": 4}, "spark": {"pane": 4 - differing}},
        stages={"spark": 1.0}, distributions=None,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(spark_checks, "FOLDER", tmp_path / "checks")
    return tmp_path / "runs"


@pytest.fixture
def jobs_of(folder: Path) -> Callable[..., Jobs]:
    """``jobs_of(check, warm_up)`` returns the jobs of a server whose bridge has these functions."""

    def made(check: Any, warm_up: Any = None) -> Jobs:
        names = {"Cancelled": Stopped, "Fault": Fault, "STAGES": (), "gaps_of": lambda *_: []}
        names["is_long"] = lambda _, events: (events or 0) > 10
        connect(SimpleNamespace(check=check, warm_up=warm_up, **names))
        return Jobs(folder)

    return made


def ended(job: Job) -> Job:
    until = time.monotonic() + 60
    while job.running and time.monotonic() < until:
        time.sleep(0.01)
    return job


def test_a_check_receives_what_was_requested(jobs_of: Any) -> None:
    asked: dict[str, Any] = {}

    def check(scenario: Any, events: Any, **options: Any) -> Any:
        asked.update(options, scenario=scenario, events=events)
        options["progress"]("spark", 0, 2)
        options["progress"]("spark", 2, 2)
        return report()

    job = ended(jobs_of(check).start(SCENARIO, Asked("tiny", "Tiny", ("scenario", "tiny"), 7, "batch", "value")))
    assert (job.state, asked["scenario"], asked["events"], asked["engine"]) == ("done", SCENARIO, 7, "batch")
    assert job.result is not None
    assert job.result.equal
    assert asked["fault"] is Fault.VALUE
    begin, end = job.stages["spark"]
    assert begin is not None
    assert end is not None
    assert begin <= end
    assert job.progress["spark"] == (2, 2)


def test_a_failure_is_reported_in_the_language_of_the_requester(jobs_of: Any) -> None:
    def check(*_: Any, **__: Any) -> Any:
        raise RuntimeError(words("spark.failures.interrupted"))

    jobs = jobs_of(check)
    problems = {}
    for language in ("zh", "en"):
        with speaking(language):
            asked = Asked("tiny", "Tiny", ("scenario", "tiny"), 7)
        problems[language] = ended(jobs.start(SCENARIO, asked)).problem
    assert problems == {language: words("spark.failures.interrupted", language=language) for language in problems}


def test_a_failure_keeps_its_message(jobs_of: Any) -> None:
    def check(*_: Any, **__: Any) -> None:
        raise RuntimeError("no Java here")

    jobs = jobs_of(check)
    job = ended(jobs.start(SCENARIO, ASKED))
    assert (job.state, job.problem) == ("failed", "no Java here")
    assert ended(jobs.start(SCENARIO, ASKED)).state == "failed", "the worker continues after a failure"


def test_a_stop_is_not_a_failure(jobs_of: Any) -> None:
    def check(*_: Any, cancelled: Event, **__: Any) -> None:
        assert cancelled.wait(60)
        raise Stopped

    jobs = jobs_of(check)
    job = jobs.start(SCENARIO, ASKED)
    while job.state == "waiting":
        time.sleep(0.01)
    jobs.stop(job)
    assert ended(job).state == "cancelled"


def test_one_check_runs_at_a_time_and_the_others_know_their_place(jobs_of: Any) -> None:
    go, at_once = Event(), []

    def check(*_: Any, **__: Any) -> Any:
        at_once.append(1)
        assert len(at_once) == 1
        assert go.wait(60)
        at_once.pop()
        return report()

    jobs = jobs_of(check)
    first, second, third = (jobs.start(SCENARIO, ASKED) for _ in range(3))
    while first.state == "waiting":
        time.sleep(0.01)
    assert [jobs.before(each) for each in (first, second, third)] == [0, 1, 2]
    jobs.stop(second)
    assert (second.state, jobs.before(third)) == ("cancelled", 1), "a waiting check is cancelled at once"
    go.set()
    assert [ended(each).state for each in (first, second, third)] == ["done", "cancelled", "done"]


def test_spark_is_started_once_when_the_page_is_opened(jobs_of: Any) -> None:
    asked = []

    def warm_up(scenario: Any, engine: str, cancelled: Event) -> None:
        asked.append((scenario, engine))
        cancelled.wait(60)
        asked.append(cancelled.is_set())
        raise RuntimeError("no Java")

    jobs = jobs_of(lambda *_, **__: report(), warm_up)
    for _ in range(3):
        jobs.expect(SCENARIO, "batch")
    assert ended(jobs.start(SCENARIO, ASKED)).state == "done", "a check does not queue behind the warm-up"
    jobs.end()
    assert asked == [(SCENARIO, "batch"), True], "the warm-up ends with the server, and its failure fails no check"


def test_a_long_check_does_not_wait_for_a_warm_up_that_it_cannot_use(jobs_of: Any) -> None:
    started, ended_early = Event(), Event()

    def warm_up(scenario: Any, engine: str, cancelled: Event) -> None:
        started.set()
        if cancelled.wait(60):
            ended_early.set()

    def check(*_: Any, **__: Any) -> Any:
        assert ended_early.wait(60)
        return report()

    jobs = jobs_of(check, warm_up)
    jobs.expect(SCENARIO, "batch")
    assert started.wait(60)
    assert ended(jobs.start(SCENARIO, replace(ASKED, events=11))).state == "done"


def test_spark_is_not_warmed_up_after_a_check_has_started_it(jobs_of: Any) -> None:
    asked: list[Any] = []
    jobs = jobs_of(lambda *_, **__: report(), lambda *each, **_: asked.append(each))
    assert not jobs.spark_runs
    ended(jobs.start(SCENARIO, ASKED))
    assert jobs.spark_runs
    jobs.expect(SCENARIO, "batch")
    jobs.end()
    assert asked == []


def test_results_survive_a_restart(jobs_of: Any, folder: Path) -> None:
    job = ended(jobs_of(lambda *_, **__: report(differing=2)).start(SCENARIO, ASKED))
    until = time.monotonic() + 60
    while json.loads((folder / f"{job.id}.json").read_text())["state"] != "done" and time.monotonic() < until:
        time.sleep(0.01)
    again = Jobs(folder).find(job.id)
    assert again is not None
    assert (again.state, again.asked, again.result) == ("done", ASKED, job.result)
    assert again.asked_at.replace(microsecond=0) == job.asked_at.replace(microsecond=0)


def test_a_check_that_ended_with_the_app_is_reported(jobs_of: Any, folder: Path) -> None:
    """The file of a job that was still running when the app ended."""
    job = ended(jobs_of(lambda *_, **__: report()).start(SCENARIO, ASKED))
    kept.write(folder, "0badcafe", {**job.as_json(), "id": "0badcafe", "state": "running", "result": None})
    again = Jobs(folder).find("0badcafe")
    assert again is not None
    assert (again.state, again.result) == ("interrupted", None)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"id": 1}', '{"id": "x", "asked": {}}', "[" * 9999])
def test_a_broken_file_is_skipped(text: str, jobs_of: Any, folder: Path) -> None:
    job = ended(jobs_of(lambda *_, **__: report()).start(SCENARIO, ASKED))
    (folder / "broken.json").write_text(text)
    again = Jobs(folder)
    assert again.unreadable == 1
    assert again.find(job.id) is not None


def test_only_a_few_files_are_kept(folder: Path) -> None:
    for number in range(kept.KEPT + 3):
        kept.write(folder, f"{number:03}", {})
    kept.forget_old(folder)
    assert len(list(folder.iterdir())) == kept.KEPT


def test_a_folder_that_cannot_be_written_stops_nothing(jobs_of: Any, folder: Path) -> None:
    folder.write_text("a file where the folder should be")
    assert ended(jobs_of(lambda *_, **__: report()).start(SCENARIO, ASKED)).state == "done"


def test_the_estimate_adapts(jobs_of: Any) -> None:
    """A check took half the estimated time, so the next estimate is half as long, apart from the start."""
    assert estimate(1_000_000, [], "tiny") == pytest.approx(52.0)
    jobs = jobs_of(lambda *_, **__: report(seconds=32.0, events=1_000_000))
    ended(jobs.start(SCENARIO, ASKED))
    assert estimate(1_000_000, jobs.all(), "tiny") == pytest.approx(32.0)
    assert [about(each) for each in (3, 32, 90, 4000)] == ["5 s", "30 s", "2 min", "1.1 h"]


# Long work is done by processes: in turn, one order for each visitor, ended when nobody waits for it any more.

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
    connect_orders(lambda function, *arguments: ordered.append(function) or function(*arguments))
    try:
        assert (is_long(short), is_long(long)) == (False, True)
        assert done_for(short, max, 3, 5) == done_for(long, max, 3, 5) == 5
        assert ordered == [max]
    finally:
        connect_orders(None)
    assert heavily(max, 3, 5) == 5, "without a server it is done here"


def test_a_walkthrough_made_by_a_process_is_the_same_byte_for_byte(pool: Pool) -> None:
    entry = catalogue.Entry("long", Path("x"), "stamp", scenarios.parse(LONG))
    here = packed(entry, "long", "here", ())
    connect_orders(lambda function, *arguments: pool.do("ann", patiently, function, *arguments))
    try:
        assert packed(entry, "long", "there", ()) == here
    finally:
        connect_orders(None)
