"""The engine's own loop, written out: the rows of every scenario are the same, from whichever item on."""

import ast
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tidemark.simulator.pipeline import item_loop
from tidemark.simulator.pipeline.pipeline import Pipeline
from tidemark.simulator.proof.recordings import GOLDEN
from tidemark.simulator.scenario import builder, load, model
from tidemark.simulator.scenario.stream import items

from benchmarks.engine import OPERATORS, scenario_of
from tests.examples import examples
from tests.random_scenarios.flink import Uses, scenarios
from tidemark import simulator

FILES = sorted(GOLDEN.glob("*.yaml"))
CALLED = {
    "Grid._found",
    "Grid.windows_of",
    "InternalTimerService._on_processing_time",
    "KeyedStateBackend.table",
    "MergingWindowOperator._add_windows",
    "MergingWindowOperator._on_merge",
    "MergingWindowOperator.clear_all_state",
    "MergingWindowOperator.skip_late",
    "MergingWindowSet._add_to_all",
    "Pipeline._control",
    "WindowProcessFunction.not_late",
    "WindowTriggerContext.get_state",
    "add",
    "wrap",
}
"""Functions of the engine that are still called, each of them seldom: where windows begin, merge or end, or never."""


def rows_of(scenario: model.Scenario, stream: list[Any], after: int) -> list[dict[str, Any]]:
    """The rows of a run whose loop is written out from item ``after`` on."""
    rows: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(item_loop, "INLINED_AFTER", after)
        Pipeline(builder.plan(scenario), rows.append).run(stream)
    return rows


def is_written_out(scenario: model.Scenario) -> bool:
    loop = Pipeline(builder.plan(scenario), print).loop
    return loop._inlined() != loop.work_on and loop._may_inline


@pytest.mark.parametrize("file", [each for each in FILES if load(each).engine == "flink"], ids=lambda file: file.stem)
def test_golden_rows_are_the_same(file: Path) -> None:
    scenario = load(file)
    stream = list(items(scenario))
    expected = simulator.run_rows(scenario)
    assert rows_of(scenario, stream, 0) == expected
    assert rows_of(scenario, stream, len(stream) // 2) == expected


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(scenarios(uses=Uses(restores=0)))
def test_random_rows_are_the_same(scenario: model.Scenario) -> None:
    stream = list(scenario.stream)
    expected = rows_of(scenario, stream, len(stream))
    assert rows_of(scenario, stream, 0) == expected
    assert rows_of(scenario, stream, 7) == expected


@pytest.mark.parametrize("case", OPERATORS)
def test_of_a_measured_case_only_what_is_seldom_is_called(case: str) -> None:
    scenario = scenario_of(case, 100)
    assert is_written_out(scenario)
    loop = Pipeline(builder.plan(scenario), print).loop
    functions = [loop._inlined(), *(sender.follow for sender in loop.senders.values())]
    objects = [each for function in functions for each in (getattr(function, "__kwdefaults__", None) or {}).values()]
    called = [getattr(each, "__func__", each) for each in objects]
    assert {each.__qualname__ for each in called if isinstance(each, FunctionType) and is_ours(each)} <= CALLED


def is_ours(function: FunctionType) -> bool:
    return function.__module__.startswith("simulator.")


def test_a_run_with_a_restore_or_a_trace_is_never_written_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(item_loop, "INLINED_AFTER", 0)
    monkeypatch.setattr(item_loop.ItemLoop, "_inlined", lambda self: pytest.fail("written out"))
    restoring = load(next(file for file in FILES if "restore:" in file.read_text(encoding="utf-8")))
    simulator.run_rows(restoring)
    simulator.run_traced(load(FILES[0]))


def test_no_function_sets_a_global() -> None:
    """What a module's name stands for is taken for good."""
    sources = Path(simulator.__file__).parent.rglob("*.py")
    trees = [ast.parse(source.read_text(encoding="utf-8")) for source in sources]
    assert not [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Global)]
