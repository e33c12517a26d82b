"""How often comparisons stood exactly at their boundary: counted from a trace, told by the report."""

from dataclasses import replace

import pytest
from tidemark.simulator.engine.values.items import End, Record, Watermark
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    EventTimeTrigger,
    Function,
    Generated,
    InputSpec,
    IntervalJoin,
    Process,
    Scenario,
    Session,
    Tumbling,
    Window,
)
from tidemark.spark_bridge.results import boundaries
from tidemark.spark_bridge.results.boundaries import Boundaries, Boundary, boundaries_of
from tidemark.spark_bridge.results.report import Report

SUM = Function("aggregate", "sum")
TUMBLING = Scenario(
    "tumbling",
    Window(Tumbling(5000), EventTimeTrigger(), SUM, allowed_lateness=2000),
    stream=(
        Record("a", 4999, 1),
        Watermark(4998),
        Record("a", 0, 1),  # a millisecond before the window fires
        Watermark(4999),
        Record("a", 1, 1),  # exactly then
        Watermark(6998),
        Record("a", 7, 1),  # a millisecond before its lateness ends
        Watermark(6999),
        Record("a", 9, 1),  # exactly then: dropped
        Watermark(7000),
        Record("a", 8, 1),  # a millisecond behind
    ),
    inputs=(InputSpec("events"),),
)


def counted(scenario: Scenario) -> dict[str, tuple[int | None, int | None, int | None]]:
    return {each.formula: (each.before, each.exactly, each.behind) for each in boundaries_of(scenario).found}


def test_the_comparisons_of_windows() -> None:
    assert counted(TUMBLING) == {
        "max_timestamp + allowed_lateness <= watermark": (1, 1, 1),
        "max_timestamp <= watermark": (1, 1, 0),
        "start <= timestamp < end": (1, 1, 1),
        "timer <= watermark": (None, 2, 0),
    }


def test_sessions_that_touch() -> None:
    operator = replace(TUMBLING.operator, assigner=Session(100), allowed_lateness=0)
    stream = (Record("a", 0, 1), Record("a", 100, 1), Record("a", 299, 1), Record("b", 0, 1), Record("b", 99, 1))
    assert counted(replace(TUMBLING, operator=operator, stream=stream))["start <= other_end"] == (None, 1, 1)


def test_both_bounds_of_an_interval_join() -> None:
    inputs = (InputSpec("left"), InputSpec("right"))
    stream = [Record("a", 1000, 1, "left"), *(Record("a", ts, 1, "right") for ts in (800, 801, 900, 1200))]
    found = counted(Scenario("join", IntervalJoin(-200, 200), tuple(stream), inputs))
    assert found == {"left + lower <= right": (None, 1, 1), "right <= left + upper": (None, 1, 0)}


def test_a_comparison_that_is_told_only_if_it_holds_is_not_called_missed() -> None:
    stream = (Watermark(10), Record("a", 9, 1), Record("a", 11, 1), End())
    found = boundaries_of(Scenario("sort", Process(Function("process", "event-sort")), stream, (InputSpec("events"),)))
    assert {each.formula: each.exactly for each in found.found} == {
        "timer <= watermark": 0,
        "timestamp <= watermark": 0,
        "timestamp > watermark": 0,
    }
    late = Boundary("timestamp < watermark", None, None, 3)
    assert Boundaries(4, (late,)).missed == ()


@pytest.mark.parametrize(("share", "missed"), [(0, True), (100_000, False)])
def test_the_report_warns_where_nothing_stood_exactly(share: int, missed: bool) -> None:
    stream = Generated(3000, 7, 100, 10, 4000, 20_000, 20_000, border_millionths=share)
    inputs = (InputSpec("events", 1, BoundedOutOfOrderness(2000)),)
    found = boundaries_of(replace(TUMBLING, stream=stream, inputs=inputs))
    report = Report("x", "batch", "native", 3000, 1, 0, (), 0.5, "4", "17", boundaries=found)
    assert ("Nothing stood exactly at: max_timestamp + allowed_lateness <= watermark" in report.as_text()) is missed
    assert ("borders: 0.1" in report.as_text()) is missed
    assert report.as_json()["boundaries"]["items"] == 3000
    assert bool(report.as_json()["boundaries"]["missed"]) is missed


def test_a_long_run_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundaries, "MOST_ITEMS", 3)
    assert boundaries_of(TUMBLING).items == 3
    monkeypatch.setattr(boundaries, "MOST_STEPS", 4)
    assert boundaries_of(TUMBLING).items < 3
