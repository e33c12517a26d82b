"""Largest timestamp minus all deductions is a channel's watermark; a timestamp not yet sent has no deductions."""

from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run_traced, timeline
from tidemark.simulator.scenario import load
from tidemark.ui.payload.brief import with_taken

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"
BOUNDED = ["late-but-allowed", "idle-channel", "periodic-watermark", "two-clocks", "car-trace"]


def channels(name: str) -> list[dict[str, Any]]:
    scenario = load(FOLDER / f"{name}.yaml")
    rows = timeline.build(scenario, run_traced(scenario)[1]).tables["channels"]
    return [with_taken(row, scenario) for row in rows]


@pytest.mark.parametrize("name", BOUNDED)
def test_the_deductions_lead_to_the_watermark(name: str) -> None:
    rows = channels(name)
    assert any(row["taken"] for row in rows)
    for row in rows:
        if row["taken"]:
            assert row["max_timestamp"] - sum(row["taken"]) == row["watermark"], row


def test_a_timestamp_that_was_not_sent_has_no_deductions() -> None:
    sums = [(row["max_timestamp"], row["watermark"], row["taken"]) for row in channels("late-but-allowed")]
    assert (6200, 4199, [2000, 1]) in sums
    assert (6200, 1399, []) in sums
    assert (None, None, None) in sums
