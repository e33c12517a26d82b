"""The real query: its rows batch by batch, compared with rows worked out by hand and with the simulator's."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from threading import Event, Timer
from time import monotonic
from typing import Any

import pytest
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.spark_bridge import Cancelled, Fault, check
from tidemark.spark_bridge.spark.stages import Stages

from tests.random_scenarios import spark as by_spark
from tests.random_scenarios.drawn import drawn
from tests.spark.spark_sides import MASTER

pytestmark = pytest.mark.spark

HEAD = """\
scenario: 1
name: streaming
engine: spark
inputs: {events: {watermark: {delay: 5}}}
operator: {type: window, assigner: {type: tumbling, size: 10}, function: {call: aggregate, compute: sum}}
stream:
"""
LATE = parse(
    HEAD
    + """\
  - {ts: 4, key: a, value: 1}
  - {ts: 17, key: a, value: 2}
  - {batch: end}
  - {batch: end}
  - {ts: 9, key: a, value: 10}
  - {ts: 3, key: a, value: 20}
  - {ts: 8, key: b, value: 30}
  - {ts: 26, key: b, value: 40}
"""
)
"""The watermark is 12 from batch 1 on, which closes [0, 10). After an empty batch it also applies to late records."""

OVERFLOW = parse(
    HEAD
    + """\
  - {ts: 1, key: a, value: 9223372036854775807}
  - {batch: end}
  - {ts: 2, key: a, value: 1}
  - {batch: end}
"""
)


@pytest.fixture
def streamed(spark: Any, tmp_path: Path) -> Callable[[Scenario], list[list[dict[str, Any]]]]:
    """A function that runs a scenario in the streaming engine."""
    from tidemark.spark_bridge.streaming.exchange import Files
    from tidemark.spark_bridge.streaming.run import batches_of

    return lambda scenario: batches_of(scenario, Files(scenario, spark, tmp_path / "query"), Stages(None, Event()))


def batch(number: int, watermark: int, late: int, read: int, given: int, state: int) -> dict[str, Any]:
    figures = {"rows_in": read, "rows_out": given, "state_rows": state}
    return {"row": "batch", "batch": number, "watermark": watermark, "late_watermark": late} | figures


def pane(key: str, start: int, value: int, number: int, watermark: int) -> dict[str, Any]:
    row = {"row": "pane", "key": key, "start": start, "end": start + 10, "value": value}
    return row | {"batch": number, "watermark": watermark}


@pytest.mark.journey
def test_batch_by_batch(streamed: Callable[[Scenario], list[list[dict[str, Any]]]]) -> None:
    assert streamed(LATE) == [
        [batch(0, 0, 0, 2, 0, 2)],
        [pane("a", 0, 1, 1, 12), batch(1, 12, 0, 0, 1, 1)],
        # Three late records, but only two different keys and windows.
        [{"row": "dropped", "batch": 2, "watermark": 12, "counted": 2}, batch(2, 12, 12, 4, 0, 2)],
        # A batch without data, because the watermark moved.
        [pane("a", 10, 2, 3, 21), batch(3, 21, 12, 0, 1, 1)],
    ]


def test_a_query_that_fails_on_its_data(streamed: Callable[[Scenario], list[list[dict[str, Any]]]]) -> None:
    assert streamed(OVERFLOW) == [
        [batch(0, 0, 0, 1, 0, 1)],
        [{"row": "error", "type": "ArithmeticException", "item": 3}],
    ]


@pytest.fixture
def nothing_left_behind(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Temporary files go to a folder that must be empty afterwards, and no query may still run."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []
    assert not spark.streams.active


@pytest.mark.usefixtures("nothing_left_behind")
@pytest.mark.parametrize("kind", by_spark.KINDS)
def test_equal(kind: str) -> None:
    long = (each for each in drawn(by_spark.scenarios(kind), 40) if len(each.stream) > 11)
    report = check(next(long), master=MASTER)
    assert report.differences == ()
    assert (report.engine, report.way) == ("streaming", "micro-batch")
    assert report.counts["simulator"] == report.counts["spark"]
    assert report.counts["spark"]["batch"] > 1


@pytest.mark.journey
@pytest.mark.usefixtures("nothing_left_behind")
def test_both_sides_fail_in_the_same_batch() -> None:
    report = check(OVERFLOW, master=MASTER)
    assert report.equal
    assert report.counts["spark"] == {"batch": 1, "error": 1}


@pytest.mark.journey
@pytest.mark.usefixtures("nothing_left_behind")
def test_a_planted_fault_is_found() -> None:
    """``test_streaming_parts.py`` covers every kind of fault."""
    assert not check(LATE, master=MASTER, fault=Fault.BOUND).equal


@pytest.mark.usefixtures("nothing_left_behind")
def test_cancelled() -> None:
    """A query of hundreds of batches ends soon after its cancellation."""
    stream = "{generate: {events: 500, seed: 1, keys: 2, every: 100ms, batch_every: 1}}"
    cancelled = Event()

    def progress(stage: str, done: int, total: int) -> None:
        if stage == "spark" and done:
            Timer(0.5, cancelled.set).start()

    began = monotonic()
    with pytest.raises(Cancelled):
        check(
            parse(HEAD.replace("stream:\n", f"stream: {stream}\n")),
            master=MASTER,
            progress=progress,
            cancelled=cancelled,
        )
    assert monotonic() - began < 60
