"""Laws of the engine that hold for every scenario and every operator type."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tidemark.simulator.engine.pipeline import Pipeline
from tidemark.simulator.engine.trace.trace import Trace, step_as_json
from tidemark.simulator.engine.values.items import Checkpoint, Item, Record, Restore
from tidemark.simulator.engine.values.time import MAX
from tidemark.simulator.scenario import builder, model

from tests.examples import examples
from tests.random_scenarios.flink import Uses, scenarios
from tests.random_scenarios.operators import interval_joins, table_functions, window_joins, window_top_ns, windows

NO_RESTORES = Uses(restores=0)
ENDING = Uses(restores=0, ends=True)
EVENT = ("event",)
FORGETTING = {
    "windows": windows(times=EVENT),
    "window joins": window_joins(times=EVENT),
    "table functions": table_functions(times=EVENT),
    "window Top-N": window_top_ns(),
    "interval joins": interval_joins(),
}
"""Operators that forget everything in the end."""
LAWS = settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def rows_of(scenario: model.Scenario, trace: Trace | None = None) -> list[dict]:
    rows: list[dict] = []
    Pipeline(builder.plan(scenario), rows.append, trace).run(scenario.stream)
    return rows


def without_item(rows: list[dict]) -> list[str]:
    return [json.dumps({name: each for name, each in row.items() if name != "item"}, sort_keys=True) for row in rows]


@LAWS
@given(scenarios())
def test_the_rows_are_the_same_with_and_without_a_trace(scenario: model.Scenario) -> None:
    assert rows_of(scenario) == rows_of(scenario, Trace())


@LAWS
@given(scenarios())
def test_a_trace_is_json_and_numbers_its_steps(scenario: model.Scenario) -> None:
    trace = Trace()
    rows_of(scenario, trace)
    steps = [json.loads(json.dumps(step_as_json(step))) for step in trace]
    assert [step["step"] for step in steps] == list(range(len(steps)))
    assert all(step["place"] for step in steps)


@LAWS
@given(scenarios(uses=NO_RESTORES))
def test_every_row_comes_from_a_step_of_its_own(scenario: model.Scenario) -> None:
    kinds = {
        "PaneFired": "pane",
        "JoinMatched": "joined",
        "GroupFired": "group",
        "QueuePopped": "emitted",
        "LeftRowJoined": "joined",
        "OverEmitted": "emitted",
        "DeduplicateEmitted": "emitted",
        "LateSideOutput": "late",
        "LateDropped": "dropped",
        "LateForWindow": "dropped",
        "RowRanked": "ranked",
        "WatermarkForwarded": "watermark",
        "OperatorFailed": "error",
    }
    trace = Trace()
    rows = rows_of(scenario, trace)
    traced = [kinds[type(step.event).__name__] for step in trace if type(step.event).__name__ in kinds]
    assert traced == [row["row"] for row in rows]


@LAWS
@given(scenarios(uses=NO_RESTORES))
def test_every_record_is_accounted_for(scenario: model.Scenario) -> None:
    """Exactly one of these: a record is added to state, goes to the side output, is dropped, or is silently skipped.

    A window Top-N drops a record from each window that is over, and may keep it in others.
    """
    trace = Trace()
    rows = rows_of(scenario, trace)
    failed = any(row["row"] == "error" for row in rows)
    # Where rows wait in a buffer, they come into state at a watermark, which may be that of another item.
    into_state = "RowBuffered" if scenario.operator.buffers_rows else "StateAdded"
    kept = {into_state, "BufferAdded", "QueuePushed", "RowStored", "VersionStored", "RowIgnored"}
    gone = {"LateDropped", "LateSideOutput", "ElementSilentlySkipped"}
    fates: dict[int, set[str]] = {}
    for step in trace:
        name = type(step.event).__name__
        if name == "RecordArrived":
            fates[step.item] = set()
        elif name in kept or name in gone or (name == "DeduplicateEmitted" and step.item in fates):
            fates[step.item].add(name if name in gone else "kept")
            fates[step.item].discard("LateForWindow")
        elif name == "LateForWindow" and "kept" not in fates[step.item]:
            fates[step.item].add(name)
    records = [index for index, item in enumerate(scenario.stream) if isinstance(item, Record)]
    reached = [index for index in records if index in fates]
    assert failed or reached == records
    assert all(len(fates[index]) == 1 for index in (reached[:-1] if failed else reached))


@LAWS
@given(scenarios(uses=NO_RESTORES), st.data())
def test_a_restore_is_exactly_once(scenario: model.Scenario, data: st.DataObject) -> None:
    """A crash and a restore change no rows.

    The checkpoint comes first, so the restore brings back the empty state and replays the whole stream. The clock
    stands still: only then is the replay identical to a run without a crash.
    """
    still: tuple[Item, ...] = tuple(replay_safe(item) for item in scenario.stream)
    rows = rows_of(replace(scenario, stream=still))
    if any(row["row"] == "error" for row in rows):
        return
    crash = data.draw(st.integers(0, len(still)))
    crashed = (Checkpoint("start"), *still[:crash], Restore("start"), *still[crash:])
    again = rows_of(replace(scenario, stream=crashed))
    assert without_item(again) == without_item(rows)


@pytest.mark.parametrize("kind", FORGETTING)
@settings(LAWS, max_examples=examples(60))
@given(data=st.data())
def test_the_end_of_input_leaves_nothing_behind(kind: str, data: st.DataObject) -> None:
    """Every window is cleaned up, and every buffer emptied, unless the windows stay for ever or the clock decides."""
    scenario = data.draw(scenarios(FORGETTING[kind], ENDING))
    operator, rows = scenario.operator, list[dict]()
    pipeline = Pipeline(builder.plan(scenario), rows.append)
    pipeline.run(scenario.stream)
    snapshot = pipeline.snapshot()
    stays = isinstance(getattr(operator, "assigner", None), model.Global) or "ProcessingTime" in repr(operator)
    if stays or getattr(operator, "allowed_lateness", 0) == MAX or any(row["row"] == "error" for row in rows):
        return
    assert snapshot["watermark"] == MAX
    assert {name: table for name, table in snapshot["state"].items() if table} == {}
    assert snapshot["timers"] == {"event": [], "processing": []}


def replay_safe(item: Item) -> Item:
    """The item without its clock time, so that the clock stands still."""
    if isinstance(item, Record):
        return item._replace(at=None)
    if hasattr(item, "by"):
        return replace(item, by=0, at=None)
    return replace(item, at=None)
