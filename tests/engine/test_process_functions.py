"""A process function behind ``aggregate`` or ``reduce``: it sees one result, and changes nothing else.

Source: ``WindowedStream.aggregate(AggregateFunction, ProcessWindowFunction)``. Flink's rows are those of
``tests/golden/aggregate-process-….jsonl`` and ``reduce-process-….jsonl``.
"""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from tidemark.simulator import run_rows, run_traced
from tidemark.simulator.engine.functions import FIRINGS
from tidemark.simulator.engine.trace.events import PaneFired, StateAdded, StateCleared, StateUpdated
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.build import build
from tidemark.simulator.timeline.laws import laws_of

CALLS = [("aggregate", each) for each in ("sum", "count", "min", "max", "avg")]
CALLS += [("reduce", each) for each in ("sum", "min", "max")]
WINDOWS = (
    "assigner: {type: tumbling, size: 5s}",
    "assigner: {type: sliding, size: 6s, slide: 2s}, allowed_lateness: 2s",
    "assigner: {type: session, gap: 2s}, allowed_lateness: 2s",
    "assigner: {type: global}, trigger: {type: count, max: 2}",
    "assigner: {type: global}, trigger: {type: count, max: 2}, evictor: {type: count, max: 0, after: true}",
)
RECORDS = st.lists(st.tuples(st.integers(0, 20_000), st.sampled_from("ab"), st.integers(-9, 9)), max_size=12)


def scenario_of(windows: str, call: str, compute: str, records: list[tuple[int, str, int]]) -> Scenario:
    items = [f"{{ts: {ts}, key: {key}, value: {value}}}" for ts, key, value in records]
    return parse(
        "scenario: 1\nname: process\n"
        "inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 1s}}}\n"
        f"operator: {{type: window, {windows}, function: {{call: {call}, compute: {compute}}}}}\n"
        f"stream: [{', '.join([*items, '{end: true}'])}]\n"
    )


def kept(scenario: Scenario) -> list[Any]:
    """What the windows hold after each record."""
    return [step.event.after for step in run_traced(scenario)[1] if isinstance(step.event, StateAdded)]


@given(st.sampled_from(WINDOWS), st.sampled_from(CALLS), RECORDS)
def test_the_rows_and_the_state_are_those_of_the_function_alone(
    windows: str, function: tuple[str, str], records: list[tuple[int, str, int]]
) -> None:
    call, compute = function
    alone, pair = (scenario_of(windows, each, compute, records) for each in (call, f"{call}-process"))
    rows = [dict(row) for row in run_rows(pair)]
    for row in rows:
        if row["row"] == "pane":
            assert row["value"]["window_end"] == row["end"]
            row["value"] = row["value"]["value"]
    assert rows == run_rows(alone)
    assert kept(pair) == kept(alone)


@given(st.sampled_from(WINDOWS), st.sampled_from(CALLS), RECORDS)
def test_a_trace_has_the_same_rows(
    windows: str, function: tuple[str, str], records: list[tuple[int, str, int]]
) -> None:
    scenario = scenario_of(windows, f"{function[0]}-process", function[1], records)
    rows, trace = run_traced(scenario)
    assert rows == run_rows(scenario)
    fired = [step.event.value for step in trace if isinstance(step.event, PaneFired)]
    assert fired == [row["value"] for row in rows if row["row"] == "pane"]
    assert all(law["holds"] for law in laws_of(build(scenario, trace)))


def counted(scenario: Scenario) -> tuple[set[Any], set[Any]]:
    """The windows whose firings are counted, and those whose count is cleared."""
    events = [step.event for step in run_traced(scenario)[1]]
    counts = {(e.key, e.namespace) for e in events if isinstance(e, StateUpdated) and e.state == FIRINGS}
    return counts, {(e.key, e.namespace) for e in events if isinstance(e, StateCleared) and e.state == FIRINGS}


@given(st.sampled_from(WINDOWS[:2]), RECORDS)
def test_a_count_is_cleared_with_its_window_or_stays_for_ever(
    windows: str, records: list[tuple[int, str, int]]
) -> None:
    cleared, kept_for_ever = (
        scenario_of(windows, "aggregate-process", f"sum, firings: {each}", records) for each in ("cleared", "kept")
    )
    assert run_rows(cleared) == run_rows(kept_for_ever)
    panes = [row for row in run_rows(cleared) if row["row"] == "pane"]
    assert [row["value"]["firing"] for row in panes] == [row["pane"] + 1 for row in panes]
    counts, gone = counted(cleared)
    assert gone == counts
    assert counted(kept_for_ever) == (counts, set())
    for scenario in (cleared, kept_for_ever):
        assert all(law["holds"] for law in laws_of(build(scenario, run_traced(scenario)[1])))


@given(RECORDS.filter(bool))
def test_windows_that_merge_have_no_state_of_their_own(records: list[tuple[int, str, int]]) -> None:
    scenario = scenario_of(WINDOWS[2], "aggregate-process", "sum, firings: kept", records)
    rows, _ = run_traced(scenario)
    assert rows == run_rows(scenario)
    message = "Per-window state is not allowed when using merging windows."
    error = {"row": "error", "type": "UnsupportedOperationException", "message": message, "item": rows[-1]["item"]}
    assert rows[-1] == error
