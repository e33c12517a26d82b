"""The player in the hands of a test: going to a step, reading which one is shown, and the facts of a scenario."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tidemark.simulator import scenario as scenarios
from tidemark.simulator import timeline
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.wording import time_format
from tidemark.ui.payload.times import TimeStyle

from tidemark import simulator

OpenPage = Callable[..., Any]
"""What the fixtures ``open_page`` and ``open_player`` are."""

ROOT = Path(__file__).resolve().parents[2]


def go(page: Any, step: int) -> None:
    """Go to ``step`` with the scrubber, as a hand would move it."""
    script = "(range, step) => { range.value = step; range.dispatchEvent(new Event('input', {bubbles: true})); }"
    page.locator("input.tm-range").evaluate(script, step)


def step_of(page: Any) -> int:
    """The step that is shown."""
    return int(page.get_attribute(".tidemark-player", "data-step"))


def run_of(file: Path | str) -> tuple[Timeline, TimeStyle]:
    """The facts of a file, or of a scenario of the library by its name, and how its times are written."""
    scenario = scenarios.load(file if isinstance(file, Path) else ROOT / "scenarios" / f"{file}.yaml")
    _, trace = simulator.run_traced(scenario)
    return timeline.build(scenario, trace), TimeStyle(time_format(scenario))
