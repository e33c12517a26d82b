"""What holds in every run of a file and of a random scenario: each runs once, and all of it is asked of that run."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from tidemark.simulator import run_traced
from tidemark.simulator.engine.trace.trace import plain
from tidemark.simulator.engine.values.versions import NEWEST, VERSIONS
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline import Timeline, build
from tidemark.simulator.timeline.facts import Row
from tidemark.simulator.timeline.laws import ALL_COME, laws_of

from tests import golden_versions
from tests.examples import examples
from tests.random_scenarios.flink import SHORT, scenarios
from tests.timeline.in_words import in_words
from tests.timeline.rebuild import visible_state
from tests.timeline.test_conditions import Explained, assert_conditions
from tests.timeline.test_laws import assert_lifetimes, comparable, run
from tests.timeline.test_levels import (
    FILES,
    assert_every_item_has_a_stop_and_a_level_has_all_of_the_one_before,
    assert_every_step_has_a_line,
    assert_words_at_every_level,
)
from tests.timeline.test_state_facts import other_numbers


def assert_laws(timeline: Timeline) -> None:
    """Those that the player shows hold, and whoever waits is among those that were accepted."""
    rows = laws_of(timeline)
    assert [row["law"] for row in rows if not row["holds"]] == []
    for row in rows:
        if row["law"] == ALL_COME:
            numbers = {name: number or 0 for name, number in row["numbers"].items()}
            assert 0 <= numbers["waiting"] <= numbers["on-time"] + numbers["late-accepted"] + numbers["arrived"]


def assert_outputs(timeline: Timeline, rows: list[Row], steps: int) -> None:
    """The last outputs are the rows."""
    outputs = timeline.at(steps - 1, "outputs")["outputs"] if steps else []
    assert [output["row"] for output in outputs] == [plain(row) for row in rows]
    assert [output["number"] for output in outputs] == list(range(len(rows)))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_every_run_of_a_file(file: Path) -> None:
    scenario, golden = load(file), file.parent.name == "golden"
    rows, trace, snapshots = run(scenario) if golden else (*run_traced(scenario), [])
    timeline = build(scenario, trace)
    assert_outputs(timeline, rows, len(trace))
    if scenario.engine == "flink":
        assert_laws(timeline)
        assert other_numbers(timeline, trace) == []
        assert_every_item_has_a_stop_and_a_level_has_all_of_the_one_before(timeline)
    if golden:
        assert_states(timeline, snapshots)
        assert_conditions(Explained(scenario, trace, timeline))
    assert_words_at_every_level(timeline)
    assert_every_step_has_a_line(timeline)


@pytest.mark.parametrize("path", golden_versions.FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("flink", [VERSIONS[0], "1.17", NEWEST])
def test_a_run_by_the_rules_of_a_version(path: Path, flink: str) -> None:
    scenario = load(path, flink=flink)
    rows, trace, snapshots = run(scenario)
    timeline = build(scenario, trace)
    assert_outputs(timeline, rows, len(trace))
    assert_laws(timeline)
    assert other_numbers(timeline, trace) == []
    assert_every_item_has_a_stop_and_a_level_has_all_of_the_one_before(timeline)
    assert_states(timeline, snapshots)
    assert_conditions(Explained(scenario, trace, timeline))
    assert_words_at_every_level(timeline)
    assert_every_step_has_a_line(timeline)


def assert_states(timeline: Timeline, snapshots: list[tuple[int, Row]]) -> None:
    """The state rebuilt from the trace equals the engine's own after every item."""
    for step, snapshot in snapshots:
        assert comparable(visible_state(timeline, step)) == snapshot


@given(scenarios(uses=SHORT))
@settings(max_examples=examples(600))
def test_the_state_rebuilt_from_the_trace_equals_the_engines_own_after_every_item(scenario: Scenario) -> None:
    _, trace, snapshots = run(scenario)
    assert_states(build(scenario, trace), snapshots)


@given(scenarios())
@settings(max_examples=examples(150))
def test_any_run(scenario: Scenario) -> None:
    """Its facts are plain JSON and have lifetimes, its laws hold, and each step says what happened at every level."""
    rows, trace = run_traced(scenario)
    timeline = build(scenario, trace)
    assert_lifetimes(timeline, len(trace))
    assert_outputs(timeline, rows, len(trace))
    assert_laws(timeline)
    assert_words_at_every_level(timeline)
    assert_every_step_has_a_line(timeline)
    steps = in_words(timeline)
    assert timeline.number_of_steps == len(steps) == len(trace)
    for number, step in enumerate(steps):
        (row,) = timeline.at(number, "steps")["steps"]
        assert row["step"] == step["step"] == number
        assert step["trail"][-1]
        assert len(step["trail"]) <= 7
        for table in ("timers", "contents", "queue", "buffers"):
            orders = [row["order"] for row in timeline.at(number, table)[table]]
            assert len(set(orders)) == len(orders), "every place in an order is unique"
