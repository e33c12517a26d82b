"""A link to a scenario is read before Streamlit has started; Streamlit then takes over the player that is there."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.opening import PLAYER, visit

pytestmark = pytest.mark.browser

ADDRESS = "/?scenario=late-but-allowed&step=80"
TAKEN_OVER = (
    "!document.querySelector('.tm-first-paint') && !!document.querySelector('[data-testid=stMain] .tidemark-player')"
)


@pytest.fixture
def page(chromium: Any, server: str) -> Iterator[Any]:
    context = chromium.new_context(viewport={"width": 1280, "height": 720}, base_url=server)
    page = context.new_page()
    visit(page, ADDRESS)  # from now on the scenario is ready
    page.wait_for_function(TAKEN_OVER)
    yield page
    context.close()


def step(page: Any) -> int:
    return int(page.get_attribute(PLAYER, "data-step"))


def test_it_is_drawn_and_steps_while_streamlit_has_not_come(page: Any) -> None:
    page.route("**/static/js/**", lambda route: route.abort())
    visit(page, ADDRESS)
    assert page.locator(".tm-what").inner_text() == "Window [0, 5) of key a fires again: result 22."
    page.keyboard.press("ArrowRight")
    page.keyboard.press("i")
    assert step(page) == 82, "a novice's next step"
    assert page.locator(".tm-sheet h2").first.inner_text() == "State"
    assert page.locator(".tm-plane").bounding_box()["width"] > 400


def test_streamlit_takes_over_the_player_with_all_that_was_done(page: Any) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    visit(page, ADDRESS)
    page.evaluate("(name) => { document.querySelector(name).isTheSame = true; }", PLAYER)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("o")
    page.wait_for_function(TAKEN_OVER)
    assert page.evaluate("(name) => document.querySelector(name).isTheSame", PLAYER)
    assert page.locator(".tidemark-player").count() == 1
    assert step(page) == 82, "a novice's next step"
    assert page.locator(".tm-sheet h2").first.inner_text() == "Code walk"
    page.locator(".tm-chooser-select").select_option("two-clocks")
    page.wait_for_selector('[data-scenario="two-clocks"][data-ready="true"]')
    assert errors == []


def test_another_scenario_chosen_before_streamlit_comes_is_opened_when_it_does(page: Any) -> None:
    visit(page, ADDRESS)
    page.locator(".tm-chooser-select").select_option("two-clocks")
    page.wait_for_selector('[data-testid=stMain] [data-scenario="two-clocks"][data-ready="true"]')
    assert page.locator(".tidemark-player").count() == 1
