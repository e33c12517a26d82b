"""The timelines of the golden scenarios: the same rows, the engine's state after each item, and a sentence per step."""

from pathlib import Path

import pytest

import simulator
from simulator.scenario import load
from simulator.scenario.stream import items
from simulator.timeline import build
from simulator.timeline.rebuild import visible_state
from simulator.trace.trace import Trace, plain
from tests.timeline.in_words import in_words
from tests.timeline.test_laws import comparable

FILES = sorted((Path(__file__).parent.parent / "golden").glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_timeline_of_a_golden_run(file: Path) -> None:
    scenario = load(file)
    rows: list[simulator.Row] = []
    trace = Trace()
    pipeline = simulator.pipeline_of(scenario, rows.append, trace)
    snapshots = {}

    def look(index: int) -> None:
        if len(trace):
            snapshots[len(trace) - 1] = comparable(pipeline.snapshot())

    pipeline.run(items(scenario), after_item=look)
    timeline = build(scenario, trace)
    assert [row["row"] for row in timeline.at(len(trace) - 1, "outputs")["outputs"]] == [plain(row) for row in rows]
    for step, snapshot in snapshots.items():
        assert comparable(visible_state(timeline, step)) == snapshot
    for row in in_words(timeline):
        assert row["what"].endswith(".")
        assert not row["why"].startswith("The rule with its numbers"), "this rule has no sentence"
