"""Which steps matter to whom, and that a longer step loses no sentence."""

from itertools import groupby
from pathlib import Path

import pytest
from tidemark.simulator import run_traced
from tidemark.simulator.scenario import load
from tidemark.simulator.timeline import build
from tidemark.simulator.timeline.explain.narrator import LEVELS
from tidemark.simulator.timeline.stops import NOVICE, PRACTITIONER, levels_of, shown_at
from tidemark.simulator.timeline.wording import Wording
from tidemark.simulator.words import section

ROOT = Path(__file__).parents[2]
FILES = [file for folder in ("scenarios", "tests/golden") for file in sorted((ROOT / folder).glob("*.yaml"))]


def told(name: str, level: str, items: range) -> list[str]:
    """What readers of ``level`` read at their stops in ``items``."""
    scenario = load(ROOT / "scenarios" / f"{name}.yaml")
    steps = build(scenario, run_traced(scenario)[1]).tables["steps"]
    wording, levels = Wording(scenario, steps, level=level), levels_of(steps)
    shown = [row for row in steps if row["item"] in items and shown_at(level, levels[row["step"]])]
    return [f"{wording.what(row)} {wording.why(row)}".strip() for row in shown]


def test_a_record_is_three_steps_for_a_novice() -> None:
    assert told("late-but-allowed", "novice", range(3, 4)) == [
        "Record #3 arrives on channel 0: key a, 6.2 s, value 1.",
        "Record #3 goes into window [5, 10) of key a: sum 1 so far. Windows are 5 s long and follow one another. "
        "A window includes its start but not its end.",
        "The watermark moves from 1.399 to 2.699. Channel 0 sends watermark 4.199. It is the largest timestamp seen, "
        "6.200, minus the bound of 2 s, minus 1 ms. The slowest channel decides, and that is channel 1.",
    ]


def test_a_practitioner_reads_the_watermark_of_the_channel_at_a_step_of_its_own() -> None:
    steps = told("late-but-allowed", "practitioner", range(3, 4))
    assert [each.split(" ", 1)[0] for each in steps].count("Timer") == 2
    assert not any("4.199" in each for each in steps if "2.699" in each)


def test_a_channel_that_is_held_back_by_another_matters() -> None:
    assert told("late-but-allowed", "novice", range(1, 2))[-1].startswith("The watermark of channel 0 is now 1.399.")


def test_a_record_in_many_windows_counts_once() -> None:
    arrived, counted = told("sliding-copies", "novice", range(1))[:2]
    assert arrived.startswith("Record #0 arrives")
    assert counted.count("Record #0 goes into window") == 1
    assert "Record #0 belongs to window [10, 20), window [8, 18)" in counted


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_item_has_a_stop_and_a_level_has_all_of_the_one_before(file: Path) -> None:
    scenario = load(file)
    steps = build(scenario, run_traced(scenario)[1]).tables["steps"]
    levels = levels_of(steps)
    for _, group in groupby(range(len(steps)), key=lambda step: steps[step]["item"]):
        assert any(shown_at("novice", levels[step]) for step in group)
    shown = [{step for step, each in enumerate(levels) if shown_at(level, each)} for level in LEVELS]
    assert shown[0] <= shown[1] <= shown[2] == set(range(len(steps)))
    assert all(earlier < step for step, each in enumerate(levels) for earlier, _ in each["since"])


def test_what_matters_is_something_that_happens() -> None:
    known = section("explain")["novice"]["what"]
    assert known.keys() >= (NOVICE | PRACTITIONER)
    assert not NOVICE & PRACTITIONER
