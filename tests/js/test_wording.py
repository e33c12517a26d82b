"""The browser puts a step into the same words as Python: every sentence of the library, and times of any size."""

import json
from datetime import date
from pathlib import Path
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from tidemark.simulator import timeline
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.scenario import load
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.timeline.explain.narrator import LEVELS
from tidemark.simulator.timeline.wording import CLOCK, SECONDS, TimeFormat, Wording, duration, time_format
from tidemark.simulator.words import LANGUAGES, section, speaking
from tidemark.ui.catalogue.walkable import walked
from tidemark.ui.payload.columns import for_telling, telling
from tidemark.ui.payload.packing import pack
from tidemark.ui.payload.times import TimeStyle

from tests.js.node import needs_node, node

SCENARIOS = Path(__file__).parents[2] / "scenarios"
GOLDEN = Path(__file__).parents[1] / "golden"

LIBRARY = sorted(SCENARIOS.glob("*.yaml"))
HARD = [GOLDEN / f"{name}.yaml" for name in ("session-avg-merge", "delta-trigger-global", "watermark-long-min")]
"""Runs with numbers that JavaScript would write in another way."""

pytestmark = needs_node

SCRIPT = Path(__file__).with_name("wording.js")


@pytest.fixture(scope="module")
def runs() -> list[tuple[Path, Scenario, list[dict[str, Any]]]]:
    """Each scenario with the steps of its run, which have no words in them."""
    found = [(path, *walked(load(path))) for path in [*LIBRARY, *HARD]]
    return [(path, scenario, timeline.build(scenario, trace).tables["steps"]) for path, scenario, trace in found]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_step_reads_the_same_in_the_browser(tmp_path: Path, language: str, runs: list[Any]) -> None:
    files, wanted = [], []
    with speaking(language):
        for path, scenario, steps in runs:
            part = {
                "tables": {"steps": for_telling(steps)},
                "telling": telling(scenario, steps),
                "style": TimeStyle(time_format(scenario)).as_json(),
                "words": section("player"),
            }
            files.append(tmp_path / f"{path.stem}.gz")
            files[-1].write_bytes(pack(part))
            wanted += [
                (f"{path.stem} {level}", shown(Wording(scenario, steps, level=level), steps)) for level in LEVELS
            ]
    (tmp_path / "list").write_text("\n".join(map(str, files)), encoding="utf-8")
    found = node(SCRIPT, "steps", tmp_path / "list").splitlines()
    for (name, here), there in zip(wanted, found, strict=True):
        assert json.loads(there) == here, name


def shown(wording: Wording, steps: list[dict[str, Any]]) -> list[list[Any]]:
    """Everything in words about each step."""
    return [
        [wording.what(row), wording.why(row), wording.predicate(row), wording.live(row), wording.trail(number)]
        for number, row in enumerate(steps)
    ]


STYLES = (
    TimeFormat(SECONDS, ZoneInfo("UTC"), None),
    TimeFormat(CLOCK, ZoneInfo("UTC"), date(2026, 3, 2)),
    TimeFormat(CLOCK, ZoneInfo("Asia/Shanghai"), None),
    TimeFormat(CLOCK, ZoneInfo("America/New_York"), date(1970, 1, 1)),
)


@pytest.mark.parametrize("style", STYLES, ids=lambda style: f"{style.style} {style.zone}")
def test_times_and_durations_are_written_alike(tmp_path: Path, style: TimeFormat) -> None:
    chance = Random(str(style))
    some = [chance.randint(-most, most) for most in (10**8, 10**9, 4 * 10**12, 2**53) for _ in range(200)]
    asked = {
        "times": [MAX, MIN, 0, -1, 59_999, 60_000, *some],
        "durations": [0, 1, 999, 1000, 60_000, 60_250, 3_600_000, 86_400_000, *some],
    }
    (tmp_path / "asked").write_text(json.dumps({**asked, "style": TimeStyle(style).as_json()}), encoding="utf-8")
    assert json.loads(node(SCRIPT, "times", tmp_path / "asked")) == {
        "exact": [style.exact(ms) for ms in asked["times"]],
        "record": [style.record(ms) for ms in asked["times"]],
        "window": [style.window(TimeWindow(ms, ms)) for ms in asked["times"]],
        "durations": [duration(ms) for ms in asked["durations"]],
    }
