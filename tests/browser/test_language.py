"""The language switch in a browser: the step stays, a reload keeps the choice, and a link sets its own language."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.opening import reload

CHINESE = re.compile("[\u4e00-\u9fff]")
SWITCH = ".tm-languages"
PATIENCE = 30_000
"""Milliseconds until a walkthrough is built in another language, on a busy machine."""


def language(page: Any) -> str:
    return page.evaluate("document.documentElement.lang")


def headline(page: Any) -> Any:
    return page.locator(".tm-what")


def chosen(page: Any) -> Any:
    return page.locator(f"{SWITCH} [aria-pressed=true]")


@pytest.mark.journey
def test_the_switch_keeps_scenario_and_step_and_a_reload_keeps_the_language(open_page: Any) -> None:
    page = open_page("/?scenario=late-but-allowed&step=40", size=(1280, 720))
    assert language(page) == "en"
    english = headline(page).inner_text()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")
    page.locator(f"{SWITCH} [data-language=zh]").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".tidemark-player")).to_have_attribute("data-step", "43")
    expect(headline(page)).to_have_text(CHINESE, timeout=PATIENCE)
    expect(chosen(page)).to_have_text("中文")
    assert language(page) == "zh-Hans"
    assert "step=43" in page.url
    reload(page)
    expect(headline(page)).to_have_text(CHINESE, timeout=PATIENCE)
    expect(page.locator(".tm-door").first).to_have_text(CHINESE, timeout=PATIENCE)
    room = "document.documentElement.scrollHeight <= innerHeight && document.documentElement.scrollWidth <= innerWidth"
    assert page.evaluate(room)
    page.locator(f"{SWITCH} [data-language=en]").click()
    expect(page.locator(".tidemark-player")).to_have_attribute("data-ready", "true")
    expect(headline(page)).not_to_have_text(CHINESE, timeout=PATIENCE)
    page.keyboard.press("ArrowLeft")
    expect(headline(page)).to_have_text(english)


def test_a_link_opens_in_its_language_and_the_switch_rewrites_it(open_player: Any) -> None:
    page = open_player("/?scenario=late-but-allowed&step=7&lang=zh", size=(1280, 720))
    expect(headline(page)).to_have_text(CHINESE, timeout=PATIENCE)
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/?scenario=late-but-allowed&step=9&lang=zh")
    page.locator(f"{SWITCH} [data-language=en]").click()
    expect(headline(page)).not_to_have_text(CHINESE, timeout=PATIENCE)
    page.wait_for_url("**/?scenario=late-but-allowed&step=9&lang=en", timeout=PATIENCE)
    assert language(page) == "en"


def test_while_presenting_the_switch_is_out_of_the_way(open_player: Any) -> None:
    page = open_player("/?scenario=late-but-allowed&step=40&present=1&lang=zh", size=(1280, 720))
    expect(page.locator(SWITCH)).to_be_hidden()
    expect(page.locator(".tm-present-what, .tm-present-why").first).to_have_text(CHINESE, timeout=PATIENCE)
    for part in (".tm-present-head", ".tm-present-words"):
        box = page.locator(part).bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 1280
