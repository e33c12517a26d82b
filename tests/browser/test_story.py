"""A scenario as a story: what is read before the first step and after the last one."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.opening import reload

pytestmark = pytest.mark.browser

OpenPage = Callable[..., Any]


def test_it_says_what_it_is_about_before_the_first_step(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped")
    opening = page.locator(".tm-opening")
    assert "One record arrives after its window has fired." in opening.inner_text()
    assert page.locator(".tidemark-player").get_attribute("data-step") == "0"
    reload(page)
    assert opening.is_visible(), "the address names no step yet"
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/?scenario=late-and-dropped&step=*")
    assert opening.is_hidden()
    assert page.locator(".tm-now").is_visible()


def test_a_link_to_a_step_opens_that_step_and_nothing_over_it(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped&step=0")
    assert page.locator(".tm-opening").is_hidden()
    assert page.locator(".tm-what").is_visible()


def test_the_end_leads_on_to_the_next_scenario_of_the_lesson(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped&step=3")
    assert page.locator(".tm-ending").is_hidden()
    page.keyboard.press("End")
    page.locator(".tm-next-scenario").click()
    page.wait_for_selector('.tidemark-player[data-scenario="late-but-allowed"][data-ready="true"]')
    assert page.locator(".tm-opening").is_visible()


def test_page_down_after_the_last_beat_comes_to_the_end(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped&step=80")
    page.keyboard.press("PageDown")
    page.wait_for_selector(".tm-ending:visible")
    page.keyboard.press("Home")
    page.keyboard.press("PageUp")
    page.wait_for_selector(".tm-opening:visible")
