"""Background checks: told progress is kept, and every way to end is told."""

import time
from enum import StrEnum
from types import SimpleNamespace
from typing import Any

import pytest

from simulator.scenario import model
from ui.spark.jobs import Job, Jobs, connect

SCENARIO = model.Scenario(
    "tiny", model.Window(model.Tumbling(1000), model.EventTime(), model.Function("aggregate", "sum")), ()
)


class Stopped(Exception):
    pass


class Fault(StrEnum):
    VALUE = "value"


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Any:
    """``run(check)`` gives the finished job of a bridge whose check is that."""

    def ran(check: Any, fault: str | None = None, stop: bool = False) -> Job:
        connect(SimpleNamespace(check=check, Cancelled=Stopped, Fault=Fault, STAGES=(), gaps_of=lambda s, e: []))
        job = Jobs().start(SCENARIO, "Tiny", 7, fault)
        if stop:
            job.stop.set()
        until = time.monotonic() + 10
        while job.running and time.monotonic() < until:
            time.sleep(0.01)
        return job

    return ran


def test_a_check_is_given_what_was_asked(run: Any) -> None:
    asked: dict[str, Any] = {}

    def check(scenario: Any, events: Any, **options: Any) -> str:
        asked.update(options, scenario=scenario, events=events)
        options["progress"]("spark", 0, 2)
        options["progress"]("spark", 2, 2)
        return "report"

    job = run(check, fault="value")
    assert (job.state, job.report, asked["scenario"], asked["events"]) == ("done", "report", SCENARIO, 7)
    assert asked["fault"] is Fault.VALUE
    begin, end = job.stages["spark"]
    assert begin is not None
    assert end is not None
    assert begin <= end
    assert job.done["spark"] == (2, 2)


def test_a_failure_is_kept_with_its_words(run: Any) -> None:
    def check(*_: Any, **__: Any) -> None:
        raise RuntimeError("no Java here")

    job = run(check)
    assert (job.state, job.problem) == ("failed", "no Java here")


def test_a_stop_is_no_failure(run: Any) -> None:
    def check(*_: Any, cancelled: Any, **__: Any) -> None:
        assert cancelled.wait(5)
        raise Stopped

    assert run(check, stop=True).state == "cancelled"
