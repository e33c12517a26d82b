"""The laws of the timeline, over random scenarios of every kind of operator."""

import json
import re
from typing import Any

from hypothesis import given, settings
from tidemark.simulator.engine.pipeline import Pipeline
from tidemark.simulator.engine.trace.trace import Trace, plain
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario import builder
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline import Timeline, build
from tidemark.simulator.timeline.facts import Row

from tests.examples import examples
from tests.random_scenarios.flink import SHORT, scenarios
from tests.timeline.in_words import in_words
from tests.timeline.rebuild import visible_state


def run(scenario: Scenario) -> tuple[list[Row], Trace, list[tuple[int, dict[str, Any]]]]:
    """Rows, trace, and after each item the last step with the engine's own snapshot."""
    rows: list[Row] = []
    trace = Trace()
    pipeline = Pipeline(builder.plan(scenario), rows.append, trace)
    snapshots: list[tuple[int, dict[str, Any]]] = []

    def look(index: int) -> None:
        if len(trace):
            snapshots.append((len(trace) - 1, comparable(pipeline.snapshot())))

    assert isinstance(scenario.stream, tuple)
    pipeline.run(scenario.stream, after_item=look)
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


@given(scenarios(uses=SHORT))
@settings(max_examples=examples(600))
def test_the_state_rebuilt_from_the_trace_equals_the_engines_own_after_every_item(scenario: Scenario) -> None:
    _, trace, snapshots = run(scenario)
    timeline = build(scenario, trace)
    for step, snapshot in snapshots:
        assert comparable(visible_state(timeline, step)) == snapshot


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


@given(scenarios(uses=SHORT))
def test_the_facts_of_any_run(scenario: Scenario) -> None:
    """They are plain JSON, have lifetimes, and the last outputs are the rows; each step says what happened."""
    rows, trace, _ = run(scenario)
    timeline = build(scenario, trace)
    assert_lifetimes(timeline, len(trace))
    outputs = timeline.at(len(trace) - 1, "outputs")["outputs"] if len(trace) else []
    assert [output["row"] for output in outputs] == [plain(row) for row in rows]
    assert [output["number"] for output in outputs] == list(range(len(rows)))
    steps = in_words(timeline)
    assert timeline.number_of_steps == len(steps) == len(trace)
    for number, step in enumerate(steps):
        (row,) = timeline.at(number, "steps")["steps"]
        assert row["step"] == step["step"] == number
        assert step["what"].endswith(".")
        assert not re.search(r"\{\w*\}", step["what"] + step["why"]), "a field was not filled in"
        assert step["trail"][-1]
        assert len(step["trail"]) <= 7
        for table in ("timers", "contents", "queue", "buffers"):
            orders = [row["order"] for row in timeline.at(number, table)[table]]
            assert len(set(orders)) == len(orders), "every place in an order is unique"


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
