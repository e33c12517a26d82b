"""The sides of a comparison: numbers as they are typed, lengths of windows, what a belief leaves out, the beats."""

from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Scenario
from tidemark.ui.compare.choice import Choice, ChoiceError, configured, span_of
from tidemark.ui.compare.contents import contents

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return load(ROOT / "scenarios" / "late-but-allowed.yaml")


@pytest.mark.parametrize(
    ("typed", "ms"),
    [
        ("5000", 5000),
        ("0.5 s", 500),
        ("1,5s", 1500),
        ("250 ms", 250),
        ("1m30s", 90_000),
        ("0.0005 s", None),
        ("s", None),
    ],
)
def test_a_number_is_read_as_it_is_typed(typed: str, ms: int | None) -> None:
    assert span_of(typed) == ms


def test_lengths_of_windows_are_set_as_far_as_they_go_together() -> None:
    sliding = load(ROOT / "scenarios" / "sliding-copies.yaml")
    changed: Any = configured(sliding, {"size": 20_000, "slide": 500}).operator
    assert (changed.assigner.size, changed.assigner.slide) == (20_000, 500)
    growing = load(ROOT / "scenarios" / "the-day-so-far.yaml")
    with pytest.raises(ChoiceError, match="step=7s"):
        configured(growing, {"step": 7000})
    offered = contents(Choice("x"), growing, growing, {})["sides"][1]["settings"]
    for setting in offered:
        for choice in setting["choices"] if not setting["sweeps"] else []:
            assert configured(growing, {setting["name"]: choice["value"]})


def test_records_that_a_belief_leaves_out_are_seen_as_dropped(scenario: Scenario) -> None:
    comparison = contents(Choice("x", belief="late-is-out-of-order"), scenario, scenario, {})
    planes = [side["plane"] for side in comparison["sides"]]
    steps = {place["moment"]: place["steps"] for place in comparison["cursor"]}

    def seen(side: int, moment: int, source: str) -> set[tuple[float, float, str]]:
        rows = planes[side]["sources"][source]
        alive = [
            row for row in rows
            if row["from_step"] <= steps[moment][side] < (row["until_step"] or planes[side]["steps"])
        ]  # fmt: skip
        return {(row.get("x", 0), row["y"], row.get("fate", "")) for row in alive}

    # The record of moment 8 is late, but Flink takes it; moment 20 brings the record that Flink drops as well.
    truth, believed = (seen(side, 8, "records") for side in (0, 1))
    assert {place[:2] for place in truth} == {place[:2] for place in believed}
    assert believed - truth == {(4300, 7000, "dropped")}
    assert [fate for *_, fate in sorted(seen(1, 22, "records"))].count("dropped") == 3
    assert all(seen(0, moment, "now") == seen(1, moment, "now") for moment in steps)
    assert [steps[moment][1] for moment in sorted(steps)] == sorted({step for _, step in steps.values()})
    assert planes[1]["parts"][0]["signals"] == planes[0]["parts"][0]["signals"]


def test_the_beats_of_side_a_lead_a_presentation_while_its_numbers_are_those_of_its_file(scenario: Scenario) -> None:
    told = contents(Choice("x", settings={"b": {"size": 10_000}}), scenario, scenario, {})["beats"]
    assert [beat["step"] for beat in told] == sorted(beat["step"] for beat in told)
    assert told[0]["text"]
    assert any(beat["because"] for beat in told)
    assert contents(Choice("x", settings={"a": {"bound": 0}}), scenario, scenario, {})["beats"] == []
