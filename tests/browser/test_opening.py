"""An address is read before Streamlit has started; Streamlit then takes over what is there."""

import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import pytest
from tidemark.ui.share.links import token_of

from tests.browser.conftest import has_first_paint
from tests.browser.opening import COMPARE, PLAYER, TAKEN_OVER, visit
from tests.browser.player import step_of

ADDRESS = "/?scenario=late-but-allowed&step=80"


@pytest.fixture
def page(fresh: Callable[..., Any], server: str) -> Any:
    page = fresh(viewport={"width": 1280, "height": 720}, base_url=server).new_page()
    if not has_first_paint(server + ADDRESS):
        visit(page, ADDRESS)  # from now on the scenario is ready
        page.wait_for_function(TAKEN_OVER)
    return page


def test_however_it_is_started_the_app_listens_to_its_own_machine_alone(server: str) -> None:

    def refuses(address: str) -> bool:
        with socket.socket() as asking:
            return asking.connect_ex((address, urlsplit(server).port)) != 0

    assert not refuses("127.0.0.1")
    assert refuses("127.0.0.2"), "another address of this machine, where an app for everybody answers"


LINKS = "#tidemark-header a"
PLACES = """(links) => links.map((link) => {
  const { x, y, width } = link.getBoundingClientRect();
  return [link.innerText.trim(), x, y, width];
})"""
TEXT = """name: mine
scenario: 1
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 2s}}}
operator:
  type: window
  assigner: {type: tumbling, size: 5s}
  function: {call: aggregate, compute: sum}
stream:
  - {ts: 1s, key: a, value: 4}
  - {ts: 9s, key: a, value: 1}
"""


NO_STREAMLIT = "**/static/js/**", lambda route: route.abort()
"""Streamlit's scripts do not come."""


def without_streamlit(context: Any) -> Any:
    page = context.new_page()
    page.route(*NO_STREAMLIT)
    return page


@pytest.fixture
def early(page: Any) -> Any:
    """A page to which Streamlit's scripts do not come."""
    page.route(*NO_STREAMLIT)
    return page


def test_it_is_drawn_and_steps_while_streamlit_has_not_come(page: Any) -> None:
    page.route(*NO_STREAMLIT)
    visit(page, ADDRESS)
    assert page.locator(".tm-what").inner_text() == "Window [0, 5) of key a fires again: result 22."
    page.keyboard.press("ArrowRight")
    page.keyboard.press("i")
    assert step_of(page) == 82, "a novice's next step"
    assert page.locator(".tm-sheet h2").first.inner_text() == "State"
    assert page.locator(".tm-plane").bounding_box()["width"] > 400


@pytest.mark.journey
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
    assert step_of(page) == 82, "a novice's next step"
    assert page.locator(".tm-sheet h2").first.inner_text() == "Code walk"
    page.locator(".tm-chooser-select").select_option("two-clocks")
    page.wait_for_selector('[data-scenario="two-clocks"][data-ready="true"]')
    assert errors == []


def test_a_press_that_streamlit_comes_into_is_a_click_all_the_same(early: Any) -> None:
    visit(early, ADDRESS)
    early.evaluate("globalThis.clicks = 0; addEventListener('click', () => (clicks += 1))")
    early.get_by_role("button", name="Step forward").first.hover()
    early.mouse.down()
    early.evaluate("""() => {
      const [place, there] = [document.querySelector("#tidemark-opening"), document.createElement("div")];
      there.className = place.className;
      place.before(there);
      document.querySelector("#tidemark-opening-style").removeAttribute("id");  // as if Streamlit brought the styles
      tidemarkOpening.take(there, () => {});
    }""")
    early.mouse.up()
    assert early.evaluate("clicks") == 1
    assert step_of(early) == 82


def test_a_place_that_has_left_the_page_meanwhile_is_taken_over_without_an_error(early: Any) -> None:
    """Streamlit may mount into what it has removed already, when the reader has gone to another page."""
    visit(early, ADDRESS)
    early.keyboard.press("o")
    left = """() => {
      const [gone, found] = [document.createElement("div"), document.querySelector(".tm-host")];
      tidemarkOpening.take(gone, () => {});
      return [gone.contains(found), gone.isConnected];
    }"""
    assert early.evaluate(left) == [True, False]


def test_another_scenario_chosen_before_streamlit_comes_is_opened_when_it_does(page: Any) -> None:
    visit(page, ADDRESS)
    page.locator(".tm-chooser-select").select_option("two-clocks")
    page.wait_for_selector('[data-testid=stMain] [data-scenario="two-clocks"][data-ready="true"]')
    assert page.locator(".tidemark-player").count() == 1


def test_the_first_visit_the_last_place_a_lecture_and_an_own_scenario_are_drawn_alike(page: Any) -> None:
    own = f"/?s={token_of(TEXT, json=False)}&step=3"
    lecture = "/?scenario=two-clocks&lecture=lecture&present=1&card=1"
    for address in ("/?visit=1", lecture, own):  # from now on they are ready
        visit(page, address)
    context, url = page.context, page.url
    page.close()  # a page that is left remembers its own place
    context.clear_cookies()
    page = without_streamlit(context)
    visit(page, "/", '[data-scenario="first-two-phones"][data-ready="true"]')
    assert page.locator(".tm-visit-head h1").inner_text() == "Ten minutes with event time"
    page.close()
    context.add_cookies([{"name": "tidemark_place", "value": "late-but-allowed", "url": url}])
    page = without_streamlit(context)
    visit(page, "/", '[data-scenario="late-but-allowed"][data-ready="true"]')
    visit(page, lecture)
    assert page.locator(".tm-title-place").inner_text().startswith("1 of ")
    visit(page, own, '[data-scenario="mine"][data-ready="true"]')
    assert step_of(page) == 3


@pytest.mark.parametrize(
    "address", ["/?scenario=two-clocks&lecture=lecture&present=1&card=1", f"/?s={token_of(TEXT, json=False)}&step=3"]
)
def test_what_is_drawn_early_is_what_streamlit_draws(page: Any, address: str) -> None:
    visit(page, address)
    page.evaluate("(name) => { document.querySelector(name).isTheSame = true; }", PLAYER)
    page.wait_for_function(TAKEN_OVER)
    assert page.evaluate("(name) => document.querySelector(name).isTheSame", PLAYER)


def test_a_link_that_cannot_be_opened_gets_the_message_of_the_page(page: Any) -> None:
    visit(page, "/?s=yAAAA", ".st-key-tm_notice")
    assert "damaged" in page.locator(".st-key-tm_notice").inner_text()


def test_a_page_shows_its_header_first_and_keeps_it_in_place(early: Any) -> None:
    page = early
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    visit(page, "/compare?scenario=two-clocks", "#tidemark-header")
    before = page.locator(LINKS).evaluate_all(PLACES)
    assert [name for name, *_ in before if name in ("Learn", "Explore", "Compare", "Diagnose", "Teach")] == [
        "Learn", "Explore", "Compare", "Diagnose", "Teach",
    ]  # fmt: skip
    page.unroute("**/static/js/**")
    said.clear()
    visit(page, "/compare?scenario=two-clocks", COMPARE)
    page.wait_for_selector(".tm-early-languages", state="detached")
    after = page.locator(LINKS).evaluate_all(PLACES)
    for early_link, link in zip(before, after, strict=True):
        assert early_link == pytest.approx(link, abs=1.5)
    assert said == [], "the console says nothing"


def test_a_language_can_be_chosen_before_streamlit_comes(early: Any) -> None:
    visit(early, "/library", "#tidemark-header")
    early.locator("#tidemark-header button[lang=zh-Hans]").click()
    early.wait_for_selector('html[lang="zh-Hans"]')
    assert early.locator("#tidemark-header [aria-current=page]").inner_text() == "场景库"
