"""The timeline, and the time to build it, grow with what happens and not with what the state holds."""

import json
from time import process_time

import pytest
from tidemark.simulator import run_traced
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    EventTimeTrigger,
    Function,
    Global,
    InputSpec,
    NeverTrigger,
    Operator,
    Process,
    Scenario,
    Session,
    Window,
)
from tidemark.simulator.timeline import build

COLLECT = Function("process", "collect")
GROWING = [
    Window(Global(), NeverTrigger(), COLLECT),
    Window(Session(10000), EventTimeTrigger(), COLLECT),
    Process(Function("event-sort")),
]


def scenario_of(operator: Operator, records: int) -> Scenario:
    """Records 10 ms apart that all stay in state, because the watermark is far behind."""
    stream = tuple(Record("a", 10 * number, number) for number in range(records))
    watermark = BoundedOutOfOrderness(10**9)
    return Scenario("growing", operator, stream, (InputSpec("events", 1, watermark),))


def bytes_of(operator: Operator, records: int) -> int:
    scenario = scenario_of(operator, records)
    return len(json.dumps(build(scenario, run_traced(scenario)[1]).tables))


@pytest.mark.parametrize("operator", GROWING, ids=["global window", "session", "queue"])
def test_twice_the_records_make_twice_the_facts_whatever_the_state_holds(operator: Operator) -> None:
    assert bytes_of(operator, 400) < 2.2 * bytes_of(operator, 200)


@pytest.mark.parametrize("operator", GROWING, ids=["global window", "session", "queue"])
def test_six_times_the_steps_take_about_six_times_as_long(operator: Operator) -> None:
    """A timeline that visited the whole state in every step would take more than thirty times as long."""
    few = min(seconds_of(operator, 100) for _ in range(2))
    assert seconds_of(operator, 600) < 16 * few


def seconds_of(operator: Operator, records: int) -> float:
    """Processor time for building the timeline."""
    scenario = scenario_of(operator, records)
    trace = run_traced(scenario)[1]
    begin = process_time()
    build(scenario, trace)
    return process_time() - begin
