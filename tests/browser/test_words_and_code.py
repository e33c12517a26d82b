"""The levels of words and the code walk: at every level the page says what the facts say."""

import random
import re
from typing import Any

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator import timeline
from tidemark.simulator.timeline.code.walk import walk
from tidemark.simulator.timeline.explain.narrator import LEVELS

from tests.browser.opening import reload
from tests.browser.player import ROOT, OpenPage, go, step_of
from tests.timeline.in_words import in_words
from tidemark import simulator

NAME = "late-but-allowed"


def steps_of(level: str) -> list[dict[str, Any]]:
    scenario = scenarios.load(ROOT / "scenarios" / f"{NAME}.yaml")
    _, trace = simulator.run_traced(scenario)
    return in_words(timeline.build(scenario, trace), level=level)


def shown_words(page: Any) -> tuple[str, str]:
    return page.locator(".tm-now .tm-what").text_content(), page.locator(".tm-now .tm-why").text_content()


def running(page: Any, where: str) -> tuple[str, str]:
    """Text and values of the highlighted line."""
    line = page.locator(f"{where} .tm-code-now")
    assert line.get_attribute("aria-current") == "step"
    return line.locator(".tm-code-text").text_content().strip(), line.locator(".tm-code-live").text_content()


@pytest.mark.journey
def test_the_same_step_at_every_level_without_a_request(open_page: OpenPage) -> None:
    page = open_page(f"/?scenario={NAME}&step=40")
    page.wait_for_load_state("networkidle")  # the page may still be loading, and begin its own scripts later
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    fonts = (".woff2",)  # that of code comes when the first code is shown
    drawn = random.Random(7).sample(range(160), 4)
    for level in LEVELS:
        page.locator(f'[data-level="{level}"].tm-level').click()
        steps = steps_of(level)
        for step in drawn:
            go(page, step)
            assert shown_words(page) == (steps[step]["what"], steps[step]["why"]), (level, step)
    assert [each for each in requests if not each.startswith("blob:") and not each.endswith(fonts)] == []


def test_the_level_is_kept_and_changed_by_a_key_and_the_log_follows(open_player: OpenPage) -> None:
    page = open_player(f"/?scenario={NAME}&step=70")
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


def test_an_arrow_key_goes_as_far_as_the_level_says(open_player: OpenPage) -> None:
    page = open_player(f"/?scenario={NAME}&step=30")
    steps = []
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        steps.append(int(page.get_attribute(".tidemark-player", "data-step")))
    assert steps == [31, 33, 40]  # it arrives, it counts, the watermark moves
    page.keyboard.press("x")
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute(".tidemark-player", "data-step") == "39"  # the channel's watermark
    page.keyboard.press("x")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert page.get_attribute(".tidemark-player", "data-step") == "41"


def test_arrow_keys_step_after_a_choice_by_mouse_and_change_it_after_one_by_keyboard(open_player: OpenPage) -> None:
    page = open_player(f"/?scenario={NAME}&step=30&words=novice")
    level, way = page.locator(".tm-level[aria-pressed=true]"), page.locator(".tm-segment[data-view=up]")
    page.locator(".tm-level[data-level=source]").click()
    page.keyboard.press("ArrowRight")
    assert (level.get_attribute("data-level"), step_of(page)) == ("source", 31)
    way.click()
    page.keyboard.press("ArrowRight")
    assert (way.get_attribute("aria-pressed"), step_of(page)) == ("true", 32)
    level.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert (level.get_attribute("data-level"), step_of(page)) == ("novice", 32)


def test_a_novice_sees_no_name_of_a_class(open_player: OpenPage) -> None:
    page = open_player(f"/?scenario={NAME}&step=45&open=code")
    assert running(page, ".tm-walk") == ("contents[key, w].add(record)", "sum 16")
    assert not re.search(r"[a-z]{2}[A-Z][a-z]", page.locator(".tidemark-player").inner_text())
    page.keyboard.press("x")
    assert "WindowOperator.processElement" in page.locator(".tm-walk").inner_text()


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720)], ids=["1440x900", "1280x720"])
def test_the_code_walk_shows_the_running_line(open_player: OpenPage, size: tuple[int, int]) -> None:
    scenario = scenarios.load(ROOT / "scenarios" / f"{NAME}.yaml")
    texts = {line.id: line.text for part in walk(scenario) for method in part.methods for line in method.lines}
    steps = steps_of("practitioner")
    page = open_player(f"/?scenario={NAME}&step=90&words=practitioner", size=size)
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


def test_a_word_says_what_it_means(open_player: OpenPage) -> None:
    page = open_player(f"/?scenario={NAME}&step=80")
    tip = page.get_by_role("tooltip")
    mark = page.locator(".tm-legend [data-mark='late']").first
    mark.hover()
    tip.wait_for()
    assert tip.inner_text().startswith("A record that arrived after its window had fired")
    page.keyboard.press("Escape")
    tip.wait_for(state="hidden")
    page.locator(".tm-sentence [data-term='watermark']").focus()
    tip.wait_for()
    assert tip.inner_text().splitlines()[0].lower() == "watermark"
    page.locator(".tm-sentence [data-term='watermark']").blur()
    tip.wait_for(state="hidden")
