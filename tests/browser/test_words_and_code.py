"""The levels of words and the code walk: at every level the page says what the facts say."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import simulator
from simulator import scenario as scenarios
from simulator import timeline
from simulator.timeline.code.walk import walk
from simulator.timeline.explain.narrator import LEVELS
from tests.browser.opening import reload
from tests.timeline.in_words import in_words

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
OpenPage = Callable[..., Any]
NAME = "late-but-allowed"


def steps_of(level: str) -> list[dict[str, Any]]:
    scenario = scenarios.load(ROOT / "scenarios" / f"{NAME}.yaml")
    _, trace = simulator.run_traced(scenario)
    return in_words(timeline.build(scenario, trace), level=level)


def go(page: Any, step: int) -> None:
    script = "(range, step) => { range.value = step; range.dispatchEvent(new Event('input', {bubbles: true})); }"
    page.locator("input.tm-range").evaluate(script, step)
    page.wait_for_selector(f'.tidemark-player[data-step="{step}"]')


def shown_words(page: Any) -> tuple[str, str]:
    return page.locator(".tm-now .tm-what").text_content(), page.locator(".tm-now .tm-why").text_content()


def running(page: Any, where: str) -> tuple[str, str]:
    """Text and values of the highlighted line."""
    line = page.locator(f"{where} .tm-code-now")
    assert line.get_attribute("aria-current") == "step"
    return line.locator(".tm-code-text").text_content().strip(), line.locator(".tm-code-live").text_content()


def test_the_same_step_at_every_level_without_a_request(open_page: OpenPage) -> None:
    page = open_page(f"/?scenario={NAME}&step=40")
    page.wait_for_load_state("networkidle")  # the page may still be loading
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    drawn = random.Random(7).sample(range(160), 4)
    for level in LEVELS:
        page.locator(f'[data-level="{level}"].tm-level').click()
        steps = steps_of(level)
        for step in drawn:
            go(page, step)
            assert shown_words(page) == (steps[step]["what"], steps[step]["why"]), (level, step)
    assert requests == []


def test_the_level_is_kept_and_changed_by_a_key_and_the_log_follows(open_page: OpenPage) -> None:
    page = open_page(f"/?scenario={NAME}&step=70")
    page.keyboard.press("x")
    assert shown_words(page)[0] == steps_of("practitioner")[70]["what"]
    page.keyboard.press("s")
    assert page.locator(".tm-log .tm-hl .tm-log-what").text_content() == steps_of("practitioner")[70]["what"]
    page.keyboard.press("x")
    assert page.locator(".tm-log .tm-hl .tm-log-what").text_content() == steps_of("source")[70]["what"]
    pressed = page.locator('.tm-level[aria-pressed="true"]')
    assert (pressed.count(), pressed.get_attribute("data-level")) == (1, "source")
    reload(page)
    assert shown_words(page)[0] == steps_of("source")[70]["what"]


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720)], ids=["1440x900", "1280x720"])
def test_the_code_walk_shows_the_running_line(open_page: OpenPage, size: tuple[int, int]) -> None:
    scenario = scenarios.load(ROOT / "scenarios" / f"{NAME}.yaml")
    texts = {line.id: line.text for part in walk(scenario) for method in part.methods for line in method.lines}
    steps = steps_of("novice")
    page = open_page(f"/?scenario={NAME}&step=90", size=size)
    page.keyboard.press("o")
    for step in random.Random(size[0]).sample(range(len(steps)), 4):
        go(page, step)
        wanted = texts[steps[step]["lines"][-1]].strip(), steps[step]["live"][-1]
        assert running(page, ".tm-walk") == wanted
        if page.locator(".tm-code").is_visible():
            assert running(page, ".tm-now") == wanted
        line = page.locator(".tm-walk .tm-code-now").bounding_box()
        sheet = page.locator(".tm-sheet-body").bounding_box()
        assert sheet["y"] <= line["y"] <= sheet["y"] + sheet["height"] - line["height"], "the line must be in view"
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
