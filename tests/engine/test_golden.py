"""For every scenario in ``tests/golden``, our rows equal those of real Flink 2.3 operators.

``simulator/proof/recordings.py`` defines equality; the player's badges use the same comparison.
"""

from pathlib import Path

import pytest
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.proof.recordings import GOLDEN, by_item, compare, recorded_rows
from tidemark.simulator.scenario import load

from tidemark import simulator

FILES = sorted(GOLDEN.glob("*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_our_rows_are_flinks_rows(file: Path) -> None:
    scenario = load(file)
    found = compare(scenario, simulator.run_rows(scenario), recorded_rows(file.with_suffix(".jsonl")))
    assert found.first is None
    assert found.same


def test_there_are_recordings() -> None:
    assert len(FILES) >= 129


@pytest.mark.parametrize("change", ["value", "end", "watermark"])
def test_the_comparison_can_fail(change: str) -> None:
    rows = recorded_rows(GOLDEN / "tumbling-allowed-lateness.jsonl")
    spoiled = [dict(row) for row in rows]
    pane = next(row for row in spoiled if row["row"] == "pane")
    pane[change] = MIN if pane[change] == MAX else pane[change] + 1
    assert by_item(spoiled, loose_lists=False) != by_item(rows, loose_lists=False)
