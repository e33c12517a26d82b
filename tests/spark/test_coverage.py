"""What the bridge covers, and that it reports what it does not cover without starting anything."""

import subprocess
import sys
from dataclasses import replace
from typing import Any

import pytest
from tidemark.simulator.engine.values.items import Checkpoint, Record, Restore, Status, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario.model import (
    UNBOUNDED,
    AfterEndOfWindow,
    ContinuousEventTimeTrigger,
    ContinuousProcessingTimeTrigger,
    CountElement,
    CountEvictor,
    CountTrigger,
    Deduplicate,
    EventTimeTrigger,
    EveryElement,
    Frame,
    Function,
    Generated,
    Global,
    InputSpec,
    IntervalJoin,
    MonotonousTimestamps,
    NeverTrigger,
    Over,
    Process,
    ProcessingTimeTrigger,
    Punctuated,
    PurgingTrigger,
    Scenario,
    Session,
    Sliding,
    SparkWindow,
    SqlWatermark,
    TemporalJoin,
    Tumbling,
    Window,
    WindowJoin,
    WindowTopN,
)
from tidemark.spark_bridge import GAPS, LIMITS, NotCovered, check, gaps_of

SUM = Function("aggregate", "sum")
TUMBLING = Window(Tumbling(5000), EventTimeTrigger(), SUM)
TWO = (InputSpec("left"), InputSpec("right"))
COVERED = Scenario("covered", TUMBLING, (Record("a", 1, 1),))


def of(**changes: Any) -> Scenario:
    """The covered scenario with other fields."""
    return replace(COVERED, **changes)


def window(**changes: Any) -> Scenario:
    """The covered scenario with another window operator."""
    return of(operator=replace(TUMBLING, **changes))


def records(*pairs: tuple[int, Any]) -> Scenario:
    """The covered scenario with these timestamps and values."""
    return of(stream=tuple(Record("a", ts, value) for ts, value in pairs))


NOT_COVERED = {
    "spark_rules": of(engine="spark", operator=SparkWindow(Tumbling(1), SUM)),
    "unknown_trigger": window(trigger=PurgingTrigger(AfterEndOfWindow())),  # type: ignore[arg-type]
    "sum_leaves_64_bits": records((0, MAX), (0, 1)),
    "replays": of(stream=(Checkpoint("c"), *[Watermark(1)] * 1500, *[Restore("c")] * 700)),
    "times_leave_64_bits": records((MIN, 1)),
}


def test_every_gap_has_an_example() -> None:
    assert [gap.name for gap in GAPS + LIMITS] == list(NOT_COVERED)


@pytest.mark.parametrize("name", NOT_COVERED)
def test_a_gap_is_reported_with_its_reason(name: str) -> None:
    gaps = gaps_of(NOT_COVERED[name], "batch")
    assert name in [gap.name for gap in gaps]
    assert all(gap.reason for gap in gaps)
    with pytest.raises(NotCovered, match=r"\w"):
        check(NOT_COVERED[name], engine="batch")


def test_a_streaming_query_follows_the_rules_of_spark() -> None:
    assert [gap.name for gap in gaps_of(COVERED, "streaming")] == ["flink_rules"]
    with pytest.raises(NotCovered, match="Flink"):
        check(COVERED, engine="streaming")


@pytest.mark.parametrize(
    "scenario",
    [
        COVERED,
        of(operator=Process(Function("event-sort"))),
        of(operator=Deduplicate("first")),
        of(operator=Deduplicate("last"), stream=(Checkpoint("c"), Restore("c"))),
        of(operator=WindowTopN(Tumbling(5000), 1)),
        of(operator=TemporalJoin(), inputs=TWO, stream=()),
        of(operator=Over(Frame(rows=1), SUM)),
        of(operator=Over(Frame(range=UNBOUNDED), SUM), stream=(Checkpoint("c"), Restore("c"))),
        window(assigner=Sliding(10, 3, -2), allowed_lateness=MAX, late_output="side"),
        records((MIN + 808, 1)),
        records((MAX - 5000, MAX), (0, 0)),
        window(function=Function("aggregate", "max")),
        of(operator=WindowJoin("window-join", Tumbling(1), EventTimeTrigger()), inputs=TWO, stream=()),
        of(operator=IntervalJoin(0, 0), inputs=TWO, stream=()),
        window(api="sql", trigger=AfterEndOfWindow(CountElement(2), EveryElement()), updates=True),
        window(assigner=Session(1)),
        window(assigner=Global(), trigger=NeverTrigger()),
        window(evictor=CountEvictor(1)),
        window(trigger=PurgingTrigger(CountTrigger(2))),
        of(inputs=(InputSpec("events", 1, SqlWatermark(1)),)),
        of(inputs=(InputSpec("events", 1, SqlWatermark(1, 200)),)),
        of(inputs=(InputSpec("events", 1, MonotonousTimestamps(idle_timeout=1)),)),
        of(stream=(Status("idle"),)),
        window(time="processing", trigger=ProcessingTimeTrigger()),
        window(trigger=ContinuousProcessingTimeTrigger(5)),
        window(assigner=Global(), trigger=PurgingTrigger(ContinuousEventTimeTrigger(5))),
        of(stream=(Checkpoint("c"), Restore("c"))),
        of(operator=replace(TUMBLING, api="tvf", trigger=AfterEndOfWindow()), stream=(Checkpoint("c"), Restore("c"))),
        of(operator=WindowTopN(Tumbling(5000), 1), stream=(Checkpoint("c"), Restore("c"))),
        window(time="processing", trigger=ProcessingTimeTrigger(), assigner=Global()),
    ],
)
def test_covered(scenario: Scenario) -> None:
    assert gaps_of(scenario) == []


@pytest.mark.parametrize(
    "scenario",
    [
        records((MAX, 1)),
        of(stream=(Record("a", None, 1),), inputs=(InputSpec("events", 1, Punctuated(1)),)),
        of(stream=(Record("a", None, 1),), inputs=(InputSpec("events", 1, SqlWatermark(0)),)),
        of(
            operator=Process(Function("event-sort")),
            stream=(Record("a", MIN + 5, 1),),
            inputs=(InputSpec("events", 1, SqlWatermark(9)),),
        ),
        records((0, 1e308), (0, 1e308)),
        records((0, MAX), (0, -1)),
        replace(records((0, MAX), (0, 1)), operator=Over(Frame(rows=1), SUM)),
        replace(records((MAX - 5000, 1)), operator=Over(Frame(range=4000), SUM)),
        replace(records((MAX - 100, 1)), operator=WindowTopN(Tumbling(5000), 1)),
        of(stream=Generated(10**9, 1, 1, 10**10)),
        of(stream=Generated(10**9, 1, 1, 1, values=(0, 10**10))),
        replace(window(assigner=Sliding(5000, 1000)), stream=(Record("a", MIN + 100, 1),)),
        replace(window(assigner=Session(5000)), stream=(Record("a", MAX - 100, 1),)),
        of(operator=IntervalJoin(0, 5000), inputs=TWO, stream=(Record("a", MAX - 100, 1, "left"),)),
    ],
)
def test_possible_overflow_is_not_covered(scenario: Scenario) -> None:
    assert gaps_of(scenario)


def test_planning_and_reporting_import_no_pyspark() -> None:
    """Finding out what is covered needs neither pyspark nor Java."""
    code = (
        "import sys; from tidemark.spark_bridge import commands; from tidemark.spark_bridge.simulation import run; "
        "print('pyspark' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
