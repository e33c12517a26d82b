"""The simulator's process beside Spark: what it tells while it runs, and when it does not come to its end."""

import time
from pathlib import Path
from threading import Event, current_thread

import pytest

from simulator.scenario import model
from spark_bridge.failures import CheckFails
from spark_bridge.simulate import digests_in, simulation

MANY = 100_000_000


def counting(events: int) -> model.Scenario:
    """A generated stream into tumbling windows."""
    window = model.Window(model.Tumbling(1000), model.EventTimeTrigger(), model.Function("aggregate", "count"))
    watermark = model.MonotonousTimestamps()
    return model.Scenario("s", window, model.Generated(events, 1, 2, 10), (model.InputSpec("events", 1, watermark),))


def test_a_run_that_is_over_tells_its_last_item(tmp_path: Path) -> None:
    told: list[int] = []
    with simulation(counting(1000), tmp_path, told.append) as running:
        running.wait()
    assert told[-1] > 1000
    assert digests_in(tmp_path)


def test_a_run_that_is_stopped_does_not_say_that_it_is_done(tmp_path: Path) -> None:
    told: list[int] = []
    with simulation(counting(MANY), tmp_path, told.append) as running:
        until = time.monotonic() + 30
        while not told and time.monotonic() < until:
            time.sleep(0.05)
        running.stop()
        with pytest.raises(CheckFails, match="in the middle of its work"):
            running.wait()
    assert told
    assert max(told) < MANY


def test_a_run_that_is_left_while_it_tells_ends_without_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As Ctrl-C does: whoever listens is not done with the last item when the block ends."""
    begun, listening = Event(), []

    def slowly(_: int) -> None:
        listening.append(current_thread())
        begun.set()
        time.sleep(0.3)

    with simulation(counting(MANY), tmp_path, slowly):
        assert begun.wait(30)
    assert not any(thread.is_alive() for thread in listening)
    assert capsys.readouterr().err == ""
