"""The collector of cycles rests while a trace grows, and works again afterwards."""

import gc

import pytest
from tidemark.simulator.engine.values.items import End, Item, Record
from tidemark.simulator.resting import COLLECTOR_AT_REST
from tidemark.simulator.scenario import model

from tidemark import simulator

WINDOW = model.Window(model.Tumbling(10), model.EventTimeTrigger(), model.Function("aggregate", "sum"))
INPUTS = (model.InputSpec("events", 1, model.BoundedOutOfOrderness(0)),)


def run(*stream: Item, trace: simulator.Trace | None) -> list[bool]:
    seen: list[bool] = []
    simulator.run(model.Scenario("rest", WINDOW, stream, INPUTS), lambda row: seen.append(gc.isenabled()), trace)
    return seen


def test_it_rests_during_a_traced_run_alone() -> None:
    assert not any(run(Record("a", 1, 1), End(), trace=simulator.Trace()))
    assert gc.isenabled()
    assert all(run(Record("a", 1, 1), End(), trace=None))


def test_it_works_again_after_a_run_that_was_stopped() -> None:
    with pytest.raises(simulator.TraceTooLong):
        run(Record("a", 1, 1), End(), trace=simulator.Trace(limit=3))
    assert gc.isenabled()


def test_the_last_of_several_runs_wakes_it() -> None:
    with COLLECTOR_AT_REST:
        assert not any(run(Record("a", 1, 1), End(), trace=simulator.Trace()))
        assert not gc.isenabled()
    assert gc.isenabled()
