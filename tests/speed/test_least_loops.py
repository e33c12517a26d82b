"""The minimal loops against which the engine is measured produce the engine's own rows."""

import json
from typing import Any

import pytest
from tidemark.simulator.engine.pipeline import Pipeline
from tidemark.simulator.scenario import builder
from tidemark.simulator.scenario.stream import items

from benchmarks.engine import OPERATORS, scenario_of
from benchmarks.least_loops import LEAST_LOOPS


@pytest.mark.parametrize("case", OPERATORS)
def test_a_least_loop_produces_the_same_rows(case: str) -> None:
    scenario = scenario_of(case, 8_000)
    stream = list(items(scenario))
    engine: list[dict[str, Any]] = []
    least: list[dict[str, Any]] = []
    Pipeline(builder.plan(scenario), engine.append).run(stream)
    LEAST_LOOPS[case](stream, least.append)
    by_item = sorted(json.dumps(row, sort_keys=True) for row in engine)
    assert sorted(json.dumps(row, sort_keys=True) for row in least) == by_item
