"""Laws of Spark's rules, checked on random scenarios with every kind of operator."""

import json
from collections import Counter, defaultdict
from dataclasses import replace
from typing import Any

from hypothesis import HealthCheck, given, settings
from tidemark.simulator import run_rows, run_traced
from tidemark.simulator.engine.trace.events import JoinMatched, JoinRowStored
from tidemark.simulator.engine.trace.trace import Trace, plain, step_as_json
from tidemark.simulator.engine.values.items import BatchEnd, Record
from tidemark.simulator.scenario.builder import dialect_plan
from tidemark.simulator.scenario.model import Scenario, SparkJoin, SparkWindow
from tidemark.simulator.spark_rules.micro_batches import MicroBatches
from tidemark.simulator.timeline import build
from tidemark.simulator.timeline.laws import laws_of

from tests.examples import examples
from tests.random_scenarios.spark import scenarios
from tests.timeline.rebuild import visible_batches
from tests.timeline.test_laws import assert_lifetimes, at_step, cut_after
from tests.timeline.test_levels import assert_every_step_has_a_line, assert_words_at_every_level

LAWS = settings(max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.too_slow])
FEWER = settings(LAWS, max_examples=examples(50))

Rows = list[dict[str, Any]]


def traced(scenario: Scenario) -> tuple[Rows, Trace, list[tuple[int, dict[str, Any]]]]:
    """Rows, trace, and for each batch its last step with the engine's own snapshot after it."""
    rows: Rows = []
    trace = Trace()
    engine = MicroBatches(dialect_plan(scenario), rows.append, trace)
    snapshots: list[tuple[int, dict[str, Any]]] = []
    assert isinstance(scenario.stream, tuple)
    engine.run(scenario.stream, lambda batch: snapshots.append((len(trace) - 1, engine.snapshot())))
    return rows, trace, snapshots


def of_kind(rows: Rows, *kinds: str) -> Rows:
    return [row for row in rows if row["row"] in kinds]


@LAWS
@given(scenarios())
def test_the_rows_are_the_same_with_and_without_a_trace(scenario: Scenario) -> None:
    assert traced(scenario)[0] == run_rows(scenario)


@LAWS
@given(scenarios())
def test_the_state_rebuilt_from_the_trace_equals_the_engines_own_after_every_batch(scenario: Scenario) -> None:
    _, trace, snapshots = traced(scenario)
    timeline = build(scenario, trace)
    for step, snapshot in snapshots:
        assert comparable(visible_batches(timeline, step)) == comparable(snapshot)


def comparable(snapshot: dict[str, Any]) -> dict[str, Any]:
    """The snapshot with its state as text, so that 1 and True differ."""
    tables = snapshot["state"].items()
    state = {name: sorted((repr(at), repr(held)) for at, held in table.items()) for name, table in tables}
    return snapshot | {"state": state}


@FEWER
@given(scenarios())
def test_the_outputs_at_the_last_step_are_the_rows_of_the_run(scenario: Scenario) -> None:
    rows, trace, _ = traced(scenario)
    outputs = build(scenario, trace).at(len(trace) - 1, "outputs")["outputs"] if len(trace) else []
    assert [output["row"] for output in outputs] == [plain(row) for row in rows]


@FEWER
@given(scenarios())
def test_every_row_comes_from_a_step_of_its_own(scenario: Scenario) -> None:
    kinds = {"PaneEmitted": "pane", "JoinMatched": "joined", "RecordFiltered": "dropped", "BatchEnded": "batch"}
    rows, trace, _ = traced(scenario)
    from_steps = [kinds[type(step.event).__name__] for step in trace if type(step.event).__name__ in kinds]
    assert from_steps == [row["row"] for row in rows]
    steps = [json.loads(json.dumps(step_as_json(step))) for step in trace]
    assert all(type(step["watermark"]) is int and step["place"] for step in steps)


@LAWS
@given(scenarios())
def test_batches_count_from_0_and_pass_their_watermark_on(scenario: Scenario) -> None:
    batches = of_kind(run_rows(scenario), "batch")
    assert [row["batch"] for row in batches] == list(range(len(batches)))
    assert sum(row["rows_in"] for row in batches) == sum(isinstance(item, Record) for item in scenario.stream)
    marks = [0, 0, *(row["watermark"] for row in batches[1:])]
    assert [row["late_watermark"] for row in batches] == marks[: len(batches)]
    assert marks == sorted(marks)


@LAWS
@given(scenarios())
def test_every_record_is_accounted_for(scenario: Scenario) -> None:
    """In each of its windows, a record either reaches state or is filtered: exactly one of these."""
    _, trace, _ = traced(scenario)
    fates: dict[int, Counter[str]] = defaultdict(Counter)
    for step in trace:
        fates[step.item][type(step.event).__name__] += 1
    for item, record in enumerate(scenario.stream):
        if not isinstance(record, Record):
            continue
        found = fates[item]
        if isinstance(scenario.operator, SparkJoin):
            assert found["JoinRowStored"] + found["RecordFiltered"] == 1
        else:
            windows = next(len(s.event.windows) for s in trace if s.item == item and hasattr(s.event, "windows"))
            assert found["PartialUpdated"] + found["RecordFiltered"] == windows


@LAWS
@given(scenarios())
def test_a_single_batch_drops_only_what_is_before_1970(scenario: Scenario) -> None:
    """The watermark is 0 before the first batch and does not move within a batch."""
    stream = tuple(item for item in scenario.stream if not isinstance(item, BatchEnd))
    for row in of_kind(run_rows(replace(scenario, stream=stream)), "dropped"):
        assert (row["ts"] if row["end"] is None else row["end"]) <= 0


@LAWS
@given(scenarios("sliding"))
def test_append_emits_a_window_once_with_the_last_value_of_update(scenario: Scenario) -> None:
    """What append mode emits when a window closes is what update mode last emitted for it."""
    assert isinstance(scenario.operator, SparkWindow)
    if scenario.inputs[0].delay is None:
        return
    panes: dict[str, dict[str, Any]] = {}
    for mode in ("append", "update"):
        rows = of_kind(run_rows(replace(scenario, operator=replace(scenario.operator, output_mode=mode))), "pane")
        panes[mode] = {repr((row["key"], row["start"])): row["value"] for row in rows}
        assert mode == "update" or len(panes[mode]) == len(rows)
    assert panes["append"].items() <= panes["update"].items()


@FEWER
@given(scenarios("join"))
def test_a_join_loses_only_what_was_late(scenario: Scenario) -> None:
    """Every pair of unfiltered records within the bounds is emitted once, however the stream is cut into batches."""
    operator = scenario.operator
    assert isinstance(operator, SparkJoin)
    _, trace, _ = traced(scenario)
    stored: dict[str, list[Any]] = {"left": [], "right": []}
    emitted = []
    for event in (step.event for step in trace):
        if isinstance(event, JoinRowStored):
            stored[event.side].append(event)
        elif isinstance(event, JoinMatched):
            left, right = event.left, event.right
            emitted.append((repr(event.key), left.timestamp, left.value, right.timestamp, right.value))
    pairs = [
        (repr(left.key), left.ts, left.value, right.ts, right.value)
        for left in stored["left"]
        for right in stored["right"]
        if left.key == right.key and within(operator, left.ts, right.ts)
    ]
    assert sorted(emitted) == sorted(pairs)


def within(operator: SparkJoin, left: int, right: int) -> bool:
    return operator.lower is None or operator.upper is None or operator.lower <= right - left <= operator.upper


# Every step of a micro-batch has a sentence at every level, a line in the code walk, and correct facts.

FEW = settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@FEW
@given(scenarios())
def test_any_run_has_a_sentence_at_every_level_and_a_code_line_for_each_step(scenario: Scenario) -> None:
    timeline = build(scenario, run_traced(scenario)[1])
    assert_words_at_every_level(timeline)
    assert_every_step_has_a_line(timeline)


@FEW
@given(scenarios())
def test_facts_at_a_step_do_not_depend_on_what_comes_after_it(scenario: Scenario) -> None:
    _, trace = run_traced(scenario)
    whole = build(scenario, trace)
    for step in range(0, len(trace), 1 + len(trace) // 10):
        assert at_step(build(scenario, cut_after(trace, step)), step) == at_step(whole, step)


@FEW
@given(scenarios())
def test_the_facts_of_any_run_have_lifetimes_and_their_laws_hold(scenario: Scenario) -> None:
    _, trace = run_traced(scenario)
    timeline = build(scenario, trace)
    assert_lifetimes(timeline, len(trace))
    assert all(row["holds"] for row in laws_of(timeline))
