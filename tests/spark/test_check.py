"""The whole check: equal sides, planted faults, progress, cancelling, and nothing left behind."""

import tempfile
from dataclasses import replace
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

import pytest
from tidemark.simulator.engine.values.items import End, Record
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    DynamicSession,
    EventTimeTrigger,
    Function,
    Generated,
    InputSpec,
    Process,
    Scenario,
    Sliding,
    Window,
)
from tidemark.spark_bridge import STAGES, Cancelled, EngineFails, Fault, Report, Work, check
from tidemark.spark_bridge.plan.batch import SMALL_ITEMS
from tidemark.spark_bridge.spark.java import QUICK_ITEMS

from tests.spark.spark_sides import MASTER

pytestmark = pytest.mark.spark

STREAM = Generated(3000, 7, 4, 100, 4000, 20_000, late_by=20_000, end=True, border_millionths=100_000)
LATE = Scenario(
    name="late-panes",
    operator=Window(Sliding(10_000, 5000), EventTimeTrigger(), Function("aggregate", "avg"), allowed_lateness=15_000),
    stream=STREAM,
    inputs=(InputSpec("events", 2, BoundedOutOfOrderness(2000, 200)),),
)
SORT = replace(LATE, name="sort", operator=Process(Function("event-sort")))
LISTED = replace(
    LATE,
    name="listed",
    stream=(*(Record("a", ts, 1) for ts in (1000, 13_000, 8000)), End()),
    inputs=(InputSpec("events", 1, BoundedOutOfOrderness(2000)),),
)
"""Two windows fire, and one of them again: its plan takes a fraction of the time of a generated stream's."""


@pytest.fixture(autouse=True)
def nothing_left_behind(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Temporary files go to a folder that must be empty afterwards, except for those of a session started here."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    yield
    assert [path for path in tmp_path.iterdir() if not path.name.startswith("tidemark-spark-")] == []


def checked(scenario: Scenario, **more: Any) -> Report:
    return check(scenario, master=MASTER, **more)


@pytest.mark.parametrize(("scenario", "events"), [(LATE, SMALL_ITEMS + 4000), (SORT, 600)])
def test_equal(scenario: Scenario, events: int) -> None:
    """Once with enough records that Spark compiles its stages and replans. Every stage reports progress."""
    reported: list[tuple[str, int, int]] = []
    report = checked(scenario, events=events, progress=lambda *step: reported.append(step))
    assert report.equal
    assert report.first_difference is None
    assert (report.engine, report.way, report.events) == ("batch", "native", events)
    assert report.counts["simulator"] == report.counts["spark"]
    assert report.panes > 100
    assert set(report.stages) == {stage for stage, _, _ in reported} == set(STAGES)
    assert all(0 <= done <= total for _, done, total in reported)
    assert ("compare", 1, 1) in reported


def test_no_events() -> None:
    assert checked(LATE, events=0).panes == 0


@pytest.mark.parametrize(
    ("scenario", "fault"),
    [
        pytest.param(LISTED, Fault.LOST, marks=pytest.mark.journey),
        (replace(LISTED, operator=SORT.operator), Fault.TWICE),
    ],
)
def test_a_planted_fault_is_found(scenario: Scenario, fault: Fault) -> None:
    """Exactly one row differs. ``test_compare.py`` covers every kind of fault, ``test_command.py`` one in a value."""
    report = checked(scenario, fault=fault)
    assert not report.equal
    assert report.differing == len(report.differences) == 1
    found = report.differences[0]
    assert found.members == []
    assert (found.spark is None) == (fault is Fault.LOST)
    assert (found.simulator is None) == (fault is Fault.TWICE)
    if fault is Fault.LOST:
        assert found.simulator is not None
        assert found.simulator["timing"] == "late"


def test_losing_one_of_two_equal_rows_is_one_difference() -> None:
    """Two rows are equal in every member; the planted fault removes one of them."""
    twins = replace(SORT, stream=(Record("a", 1, 5), Record("a", 1, 5), End()))
    report = checked(twins, fault=Fault.LOST)
    assert (report.panes, report.differing) == (2, 1)


def test_cancelled() -> None:
    """A long check ends within seconds of its cancellation, in the middle of Spark's work."""
    cancelled, began = Event(), 0.0

    def cancel_once_running(work: Work) -> None:
        nonlocal began
        if work.running and not cancelled.is_set():
            began = monotonic()
            cancelled.set()

    with pytest.raises(Cancelled):
        checked(LATE, events=QUICK_ITEMS - 1, cancelled=cancelled, work=cancel_once_running)
    assert 0 < monotonic() - began < 30


def test_a_failing_simulator_does_not_count_as_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/bin/false")
    with pytest.raises(RuntimeError):
        checked(LATE, events=10)


def test_a_scenario_on_which_the_engine_fails_is_not_compared() -> None:
    """A session gap of 0: Flink throws an exception, so there are no rows to compare with Spark's."""
    stream = (Record("a", 1, {"gap": 5}), Record("a", 2, {"gap": 0}))
    sessions = Window(DynamicSession("gap"), EventTimeTrigger(), Function("process", "count"))
    with pytest.raises(EngineFails, match=r"item 1.*gap"):
        checked(Scenario("gap-0", sessions, stream))
