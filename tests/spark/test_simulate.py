"""The simulator's process beside Spark: what it reports while it runs, and what if it is stopped."""

import time
from pathlib import Path
from threading import Event, current_thread

import pytest
from tidemark.simulator.scenario import model
from tidemark.spark_bridge.simulation.run import digests_in, simulation
from tidemark.spark_bridge.spark.stages import CheckFails

MANY = 100_000_000


def counting(events: int) -> model.Scenario:
    """A generated stream into tumbling windows."""
    window = model.Window(model.Tumbling(1000), model.EventTimeTrigger(), model.Function("aggregate", "count"))
    watermark = model.MonotonousTimestamps()
    return model.Scenario("s", window, model.Generated(events, 1, 2, 10), (model.InputSpec("events", 1, watermark),))


def test_a_finished_run_reports_its_last_item(tmp_path: Path) -> None:
    reported: list[int] = []
    with simulation(counting(1000), tmp_path, reported.append) as running:
        running.wait()
    assert reported[-1] > 1000
    assert digests_in(tmp_path)


def test_a_stopped_run_does_not_claim_to_be_finished(tmp_path: Path) -> None:
    reported: list[int] = []
    with simulation(counting(MANY), tmp_path, reported.append) as running:
        until = time.monotonic() + 30
        while not reported and time.monotonic() < until:
            time.sleep(0.05)
        running.stop()
        with pytest.raises(CheckFails, match="while it was working"):
            running.wait()
    assert reported
    assert max(reported) < MANY


def test_leaving_a_run_while_it_reports_is_silent(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As with Ctrl-C: the listener is still busy with an item when the block ends."""
    begun, listening = Event(), []

    def slowly(_: int) -> None:
        listening.append(current_thread())
        begun.set()
        time.sleep(0.3)

    with simulation(counting(MANY), tmp_path, slowly):
        assert begun.wait(30)
    assert not any(thread.is_alive() for thread in listening)
    assert capsys.readouterr().err == ""
