"""The sum beside a channel's watermark gives that watermark; a time that has not been sent stands alone."""

from pathlib import Path

import pytest

from simulator import run_traced, timeline
from simulator.scenario import load
from simulator.timeline.format import time_format
from simulator.words import speaking
from ui.payload.about import with_formula
from ui.times import TimeStyle

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"
IN_SECONDS = ["late-but-allowed", "idle-channel", "periodic-watermark", "two-clocks", "early-on-time-late"]


@pytest.mark.parametrize("name", IN_SECONDS)
def test_a_sum_gives_the_number_that_stands_beside_it(name: str) -> None:
    scenario = load(FOLDER / f"{name}.yaml")
    style = TimeStyle(time_format(scenario))
    rows = timeline.build(scenario, run_traced(scenario)[1]).tables["channels"]
    for row in rows:
        formula = with_formula(row, scenario, style)["formula"]
        if " − " in formula:
            first, *taken = (round(1000 * float(number)) for number in formula.split(" − "))
            assert first - sum(taken) == row["watermark"], (row, formula)
        elif formula:
            assert formula == f"seen {style.exact(row['max_timestamp'])}, not sent", row


def test_a_time_that_was_not_sent_is_told_as_such() -> None:
    scenario = load(FOLDER / "late-but-allowed.yaml")
    style = TimeStyle(time_format(scenario))
    rows = timeline.build(scenario, run_traced(scenario)[1]).tables["channels"]
    told = {with_formula(row, scenario, style)["formula"] for row in rows}
    assert "seen 6.200, not sent" in told
    assert "6.200 − 2.000 − 0.001" in told
    with speaking("zh"):
        assert "看到 6.200，还没发出" in {with_formula(row, scenario, style)["formula"] for row in rows}


def test_of_times_on_the_clock_there_is_room_for_what_is_taken_off_alone() -> None:
    scenario = load(FOLDER / "car-trace.yaml")
    style = TimeStyle(time_format(scenario))
    rows = timeline.build(scenario, run_traced(scenario)[1]).tables["channels"]
    told = {
        ((row["max_timestamp"] or 0) - 30_000 == row["watermark"], with_formula(row, scenario, style)["formula"])
        for row in rows
    }
    assert told == {(True, "− 30 s"), (False, "")}
