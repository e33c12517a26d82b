"""Whole checks of long streams whose records and watermarks meet the borders exactly; part of ``make mutants`` alone.

All times are multiples of 100 ms, and nothing is disordered but what is late by so much that it meets a border.
"""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tidemark.simulator.engine.generators import SqlWatermark
from tidemark.simulator.scenario.model import (
    AfterEndOfWindow,
    BoundedOutOfOrderness,
    Cumulative,
    Deduplicate,
    EventTimeTrigger,
    Function,
    Generated,
    InputSpec,
    IntervalJoin,
    Operator,
    Process,
    Scenario,
    Session,
    Sliding,
    Tumbling,
    Window,
)
from tidemark.spark_bridge import check

from tests.spark.spark_sides import MASTER

pytestmark = pytest.mark.spark

EVENTS = 30_000
SUM = Function("aggregate", "sum")
STREAM = Generated(EVENTS, 7, 4, 100, late_millionths=300_000, late_by=1000, end=True)
LATER = replace(STREAM, late_by=4100)
ONE = (InputSpec("events", 2, BoundedOutOfOrderness(200)),)
"""Watermarks 1 ms below a multiple of 100: at the last instants of windows."""
ROUND = (InputSpec("events", 1, BoundedOutOfOrderness(99)),)
"""Watermarks at multiples of 100: at the times of records."""


def of(operator: Operator, stream: Generated, inputs: tuple[InputSpec, ...], origin: int = 0) -> Scenario:
    return Scenario("edge", operator, stream, inputs, origin=origin)


TUMBLING = Window(Tumbling(1000), EventTimeTrigger(), SUM, allowed_lateness=700)
CASES = {
    "tumbling": of(TUMBLING, STREAM, ONE),
    "tumbling, much later": of(TUMBLING, replace(STREAM, late_by=1900), ONE, origin=-5000),
    "without lateness": of(replace(TUMBLING, allowed_lateness=0), STREAM, ONE),
    "sliding": of(replace(TUMBLING, assigner=Sliding(1500, 500)), replace(STREAM, late_by=2100), ONE),
    "in a gap": of(replace(TUMBLING, assigner=Sliding(700, 1000)), replace(STREAM, late_by=1700), ONE),
    "ticks": of(TUMBLING, STREAM, (InputSpec("events", 2, BoundedOutOfOrderness(200, 300)),)),
    "idle": of(TUMBLING, STREAM, (InputSpec("events", 3, BoundedOutOfOrderness(200, 200, 500)),)),
    "cumulative": of(Window(Cumulative(3000, 1000), AfterEndOfWindow(), SUM, "sql", allowed_lateness=700), LATER, ONE),
    "sql": of(TUMBLING, STREAM, (InputSpec("events", 2, SqlWatermark(200)),), origin=-5000),
    "sessions": of(Window(Session(300), EventTimeTrigger(), SUM, allowed_lateness=700), replace(STREAM, keys=9), ONE),
    "sessions, much later": of(
        Window(Session(300), EventTimeTrigger(), SUM, allowed_lateness=700),
        replace(STREAM, keys=9, late_by=1200),
        ROUND,
    ),
    "event sort": of(Process(Function("event-sort")), replace(STREAM, late_by=200), ROUND),
    "first row": of(Deduplicate("first"), replace(STREAM, late_by=200, keys=20_000), ROUND),
    "last row": of(Deduplicate("last"), replace(STREAM, late_by=200), ROUND),
    **{
        f"interval join, {lower} to {upper}": of(
            IntervalJoin(lower, upper),
            replace(STREAM, late_by=late_by, keys=9),
            tuple(replace(ROUND[0], name=side) for side in ("left", "right")),
        )
        for lower, upper, late_by in ((-300, 200, 200), (-500, -100, 400), (100, 500, 100))
    },
}


@pytest.fixture(scope="module", autouse=True)
def _session() -> Iterator[None]:
    from tidemark.spark_bridge.spark import session

    yield
    with session.LOCK:
        session.discard_session()


@pytest.mark.parametrize("case", CASES)
def test_both_sides_are_equal(case: str) -> None:
    report = check(CASES[case], master=MASTER)
    assert report.equal, report.as_text()
