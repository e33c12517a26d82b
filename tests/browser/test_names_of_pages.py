"""Each page has a title of its own, one heading of the first level, and controls that are named in its language."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from tidemark.simulator.words import LANGUAGES, speaking, words
from tidemark.ui.pages.opening.doors import page_name
from tidemark.ui.server.tags import COOKIE, tag

from tests.browser.opening import PLAYER, visit
from tests.browser.pages import READY

HEADINGS = "[...document.querySelectorAll('h1')].filter((node) => node.checkVisibility()).map((node) => node.innerText)"

STREAMLITS = re.compile(r"\b(?:Expand|Collapse|Navigate|Sidebar|Logo|App pages|Skip to main)\b|\b[a-z]+_[a-z_]+\b")
"""What Streamlit calls its controls, and its icons."""

SCENARIO = {"en": "Two clocks", "zh": "两个时钟"}

MENU = ".tm-menu"
DOORS = "#tidemark-doors"


@pytest.mark.journey
def test_every_page_has_a_title_one_heading_and_named_controls(fresh: Callable[..., Any], server: str) -> None:
    """The languages take turns."""
    context = fresh(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, base_url=server)
    page = context.new_page()
    titles = []
    for turn, (path, ready) in enumerate(READY.items()):
        language = LANGUAGES[turn % len(LANGUAGES)]
        context.add_cookies([{"name": COOKIE, "value": language, "url": server}])
        with speaking(language):
            visit(page, f"/{path}?scenario=two-clocks" if path == "" else f"/{path}", ready)
            called = SCENARIO[language] if path == "" else page_name(path)
            page.wait_for_function("(title) => document.title === title", arg=f"{called} · Tidemark")
            titles.append(called)
            page.wait_for_function(f"({HEADINGS}).length === 1")
            assert page.evaluate("document.documentElement.lang") == tag(language)
            page.get_by_role("button", name=words("app.controls.menu"), exact=True).wait_for()
            named = page.locator("body").aria_snapshot()
            said = [line for line in named.splitlines() if not line.strip().startswith("- textbox")]
            assert [line for line in said if STREAMLITS.search(line) and "/url" not in line] == [], path
    assert len(set(titles)) == len(READY)
    for language in LANGUAGES:
        with speaking(language):
            assert len({page_name(path) for path in READY}) == len(READY)


def test_a_message_in_place_of_a_page_has_a_heading_as_well(fresh: Callable[..., Any], server: str) -> None:
    page = fresh(base_url=server).new_page()
    visit(page, "/?s=yAAAA", ".st-key-tm_notice")
    page.wait_for_function("document.title === 'Player · Tidemark'")
    assert page.evaluate(HEADINGS) == ["Player"]


def test_the_tab_is_called_after_the_scenario_that_is_open(fresh: Callable[..., Any], server: str) -> None:
    page = fresh(base_url=server).new_page()
    visit(page, "/?scenario=two-clocks", PLAYER)
    page.locator(".tm-chooser-select").select_option("late-but-allowed")
    page.wait_for_selector('[data-testid=stMain] [data-scenario="late-but-allowed"][data-ready="true"]')
    page.wait_for_function("document.title === 'Late, but allowed · Tidemark'")
    page.go_back()
    page.wait_for_function("document.title === 'Two clocks · Tidemark'")


def test_beside_the_menu_of_a_phone_nothing_is_pressed_and_its_button_is_free(
    fresh: Callable[..., Any], server: str
) -> None:
    page = fresh(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, base_url=server).new_page()
    visit(page, "/symptoms", ".tidemark-symptoms")
    page.tap(MENU)
    page.wait_for_selector(DOORS)
    page.tap(MENU)  # Playwright refuses what lies below something else
    page.wait_for_selector(DOORS, state="hidden")
    page.tap(MENU)
    page.wait_for_selector(DOORS)
    page.touchscreen.tap(345, 820)
    page.wait_for_selector(DOORS, state="hidden")
    assert page.locator(".tidemark-symptoms [aria-expanded=true], .tidemark-symptoms details[open]").count() == 0


@pytest.mark.parametrize(("path", "language"), [("nothing", "en"), ("a/b/nothing", "zh")])
def test_an_address_without_a_page_says_so_and_leads_to_the_library(
    fresh: Callable[..., Any], server: str, language: str, path: str
) -> None:
    context = fresh(base_url=server)
    context.add_cookies([{"name": COOKIE, "value": language, "url": server}])
    page = visit(context.new_page(), f"/{path}", "h1")
    with speaking(language):
        assert page.locator("h1").inner_text() == words("pages.missing.title")
        assert page.title() == f"{words('pages.missing.title')} · Tidemark"
        page.get_by_role("link", name=words("pages.missing.to_library")).click()
    page.wait_for_selector(READY["library"], state="attached")


REACHED = "document.activeElement.querySelector('span')?.innerText ?? document.activeElement.innerText"


def test_keys_go_through_all_doors_or_past_them(fresh: Callable[..., Any], server: str) -> None:
    page = visit(fresh(base_url=server).new_page(), "/library", READY["library"])
    reached = []
    while reached[-1:] != ["Class results"]:
        page.keyboard.press("Tab")
        reached.append(page.evaluate(REACHED))
        assert len(reached) < 30, reached
    assert reached[:9] == [
        "Skip to the content",
        "Tidemark",
        "Learn",
        "Path",
        "Guide",
        "Tour",
        "Practice",
        "Test yourself",
        "Explore",
    ]
    page.locator(".tm-skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.dataset.testid") == "stMain"
