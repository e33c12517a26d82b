"""The laws of the timeline, over random scenarios of every kind of operator."""

import json
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from hypothesis import given, settings
from tidemark.simulator import run_traced
from tidemark.simulator.engine.trace.trace import Trace, plain
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario import load, model
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
from tidemark.simulator.scenario.stream import items
from tidemark.simulator.timeline import Timeline, build
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.laws import ALL_COME, ALL_LOST, ALL_SORTED, FORWARD, LOWEST, laws_of

from tests.examples import examples
from tests.random_scenarios.flink import SHORT, scenarios
from tidemark import simulator


def run(scenario: Scenario) -> tuple[list[Row], Trace, list[tuple[int, dict[str, Any]]]]:
    """Rows, trace, and after each item the last step with the engine's own snapshot."""
    rows: list[Row] = []
    trace = Trace()
    pipeline = simulator.pipeline_of(scenario, rows.append, trace)
    snapshots: list[tuple[int, dict[str, Any]]] = []

    def look(index: int) -> None:
        if len(trace):
            snapshots.append((len(trace) - 1, comparable(pipeline.snapshot())))

    pipeline.run(items(scenario), after_item=look)
    return rows, trace, snapshots


def comparable(snapshot: dict[str, Any]) -> dict[str, Any]:
    """A copy in which order counts only where it is significant, and tuples are lists."""
    state = {
        name: {repr(entry): plain_deep(value) for entry, value in table.items()}
        for name, table in snapshot["state"].items()
    }
    return {**snapshot, "state": state}


def plain_deep(value: Any) -> Any:
    if isinstance(value, dict):
        return {repr(key): plain_deep(each) for key, each in value.items()}
    return plain(value)


def cut_after(trace: Trace, step: int) -> Trace:
    """The trace of a run that was stopped after ``step``."""
    cut = Trace()
    for each in trace.steps[: step + 1]:
        cut.item, cut.at, cut.watermark = each.item, each.at, MIN if each.watermark is None else each.watermark
        cut.add(each.event)
    return cut


def at_step(timeline: Timeline, step: int) -> dict[str, list[Row]]:
    """The facts that hold at ``step``, without anything that the future decides: records to come, ends, the axis."""
    hidden = ("until_step", "arrival", "newest_arrival")
    return {
        table: [
            {name: value for name, value in row.items() if name not in hidden}
            for row in rows
            if row.get("fate") != "ahead"
        ]
        for table, rows in timeline.at(step).items()
    }


@given(scenarios(uses=SHORT))
@settings(max_examples=examples(60))
def test_facts_at_a_step_do_not_depend_on_what_comes_after_it(scenario: Scenario) -> None:
    _, trace, _ = run(scenario)
    complete = build(scenario, trace)
    for step in range(0, len(trace), 1 + len(trace) // 20):
        assert at_step(build(scenario, cut_after(trace, step)), step) == at_step(complete, step)


def assert_lifetimes(timeline: Timeline, number_of_steps: int) -> None:
    """The tables are plain JSON, every fact has a lifetime, and those of one id do not overlap."""
    assert json.loads(json.dumps(timeline.tables)) == timeline.tables
    for table, rows in timeline.tables.items():
        assert [row["from_step"] for row in rows] == sorted(row["from_step"] for row in rows), table
        free: dict[str, int] = {}
        for row in rows:
            begins, ends = row["from_step"], row["until_step"]
            assert ends is None or begins < ends
            if "id" in row:
                assert free.get(row["id"], 0) <= begins, row["id"]
                free[row["id"]] = number_of_steps + 1 if ends is None else ends


# The laws that the player shows: a wrong fact breaks them.

ROOT = Path(__file__).resolve().parents[2]


def timeline_of(scenario: model.Scenario) -> Timeline:
    _, trace = simulator.run_traced(scenario)
    return build(scenario, trace)


def broken(timeline: Timeline) -> set[str]:
    return {row["law"] for row in laws_of(timeline) if not row["holds"]}


def test_the_laws_at_the_end_of_a_run() -> None:
    rows = laws_of(timeline_of(load(ROOT / "scenarios" / "late-but-allowed.yaml")))
    last = {row["law"]: row["numbers"] for row in rows if row["until_step"] is None}
    fates = {"on-time": 10, "late-accepted": 1, "dropped": 1, "side": 0, "skipped": 0, "arrived": 0, "waiting": 0}
    assert last[ALL_COME] == {"came": 12} | fates
    assert last[ALL_LOST] == {"lost": 1, "rows": 1}
    assert set(last) == {ALL_COME, ALL_LOST, FORWARD, LOWEST}
    for law in last:
        mine = [row for row in rows if row["law"] == law]
        assert [row["until_step"] for row in mine[:-1]] == [row["from_step"] for row in mine[1:]], "no gap, no overlap"
        assert mine[0]["from_step"] == 0


def test_a_record_waits_until_its_first_result() -> None:
    rows = laws_of(timeline_of(load(ROOT / "scenarios" / "sliding-copies.yaml")))
    waiting = [row["numbers"]["waiting"] for row in rows if row["law"] == ALL_COME]
    assert max(waiting) == 2
    assert waiting[-1] == 0
    never = laws_of(timeline_of(load(ROOT / "scenarios" / "nothing-says-when.yaml")))
    assert [row["numbers"]["waiting"] for row in never if row["law"] == ALL_COME][-1] == 5, "no trigger ever fires"


def first(timeline: Timeline, table: str, **having: object) -> dict[str, object]:
    return next(row for row in timeline.tables[table] if all(row[name] == value for name, value in having.items()))


def test_a_wrong_fact_breaks_them() -> None:
    def late() -> Timeline:
        return timeline_of(load(ROOT / "scenarios" / "late-but-allowed.yaml"))

    timeline = late()
    timeline.tables["records"].remove(first(timeline, "records", fate="late-accepted"))
    assert broken(timeline) == {ALL_COME}
    timeline = late()
    first(timeline, "records", fate="dropped")["fate"] = "on-time"
    assert broken(timeline) == {ALL_LOST}
    timeline = late()
    first(timeline, "watermark", value=4199)["value"] = 9000
    assert broken(timeline) == {FORWARD, LOWEST}
    timeline = timeline_of(load(ROOT / "scenarios" / "car-trace.yaml"))
    timeline.tables["queue"].pop()
    assert ALL_SORTED in broken(timeline)


# The timeline, and the time to build it, grow with what happens and not with what the state holds.

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
