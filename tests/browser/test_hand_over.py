"""What is open goes along from page to page, by the links of the navigation and by Back and Forward."""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.browser.opening import AUTHOR, COMPARE, PATIENCE, PLAYER, visit
from tests.browser.pages import follow_link

WALKTHROUGH = f"{PLAYER}[data-step]"
"""The player itself: the other pages have its class as well."""

SPARK = ".tm-spark"
LIBRARY = ".tidemark-library"

CLICK_AT_ONCE = """
  const watch = new MutationObserver(() => {
    const link = document.querySelector('#tidemark-doors [data-address="compare"]');
    if (!link) return;
    watch.disconnect();
    link.click();
  });
  if (location.pathname === "/") watch.observe(document, { childList: true, subtree: true });
"""


@pytest.fixture
def page(fresh: Callable[..., Any]) -> Any:
    return fresh(viewport={"width": 1440, "height": 900}).new_page()


def follow(page: Any, to: str, ready: str) -> dict[str, str]:
    """Follow a link of the navigation; returns the parts of the address."""
    follow_link(page, to)
    page.wait_for_selector(ready, state="attached", timeout=PATIENCE)
    return address(page)


def address(page: Any) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(page.url).query).items()}


def test_every_page_opens_what_is_open_and_the_walkthrough_comes_back_to_its_step(page: Any, server: str) -> None:
    visit(page, f"{server}/?scenario=sliding-copies&step=44")
    page.keyboard.press("ArrowRight")  # the address still says 44
    step = page.get_attribute(WALKTHROUGH, "data-step")
    assert step != "44"
    follow(page, "compare", COMPARE)
    assert page.inner_text(".tm-compare-title") == "Sliding windows overlap"
    page.wait_for_function("new URL(location.href).searchParams.has('moment')")
    assert set(address(page)) > {"scenario", "moment", "step"}, "the address also says what side B is"
    assert set(follow(page, "author", AUTHOR)) == {"draft"}, "the draft has an address of its own"
    assert page.input_value(".tm-au-title") == "Sliding windows overlap"
    assert follow(page, "spark", SPARK) == {"scenario": "sliding-copies"}
    follow(page, "library", LIBRARY)
    follow(page, "", WALKTHROUGH)
    page.wait_for_function("new URL(location.href).searchParams.has('step')")
    shown = address(page)
    assert (shown["scenario"], shown["step"]) == ("sliding-copies", step)
    assert page.get_attribute(WALKTHROUGH, "data-step") == step


def test_a_link_names_what_is_open_from_the_moment_it_is_there(page: Any, server: str) -> None:
    page.add_init_script(CLICK_AT_ONCE)
    visit(page, f"{server}/?scenario=two-clocks&step=10", COMPARE)
    page.wait_for_function("new URL(location.href).searchParams.has('moment')")
    assert (address(page)["scenario"], address(page)["step"]) == ("two-clocks", "10")


def test_back_and_forward_open_the_pages_as_they_were(page: Any, server: str) -> None:
    visit(page, f"{server}/?scenario=two-clocks&step=10")
    follow(page, "compare", COMPARE)
    page.wait_for_function("new URL(location.href).searchParams.has('moment')")
    compared = page.url
    page.go_back()
    page.wait_for_selector(WALKTHROUGH, state="attached", timeout=PATIENCE)
    assert (address(page)["scenario"], page.get_attribute(WALKTHROUGH, "data-step")) == ("two-clocks", "10")
    page.go_forward()
    page.wait_for_selector(COMPARE, state="attached", timeout=PATIENCE)
    page.wait_for_function("(url) => location.href === url", arg=compared)
    assert page.inner_text(".tm-compare-title") == "Two clocks"


def test_a_changed_draft_goes_along_and_is_compared_with_its_original(page: Any, server: str) -> None:
    visit(page, f"{server}/author?scenario=two-clocks", AUTHOR)
    page.fill(".tm-au-title", "My clocks")
    page.keyboard.press("Enter")
    page.wait_for_selector('.tidemark-author[data-busy="false"]')
    shown = follow(page, "", WALKTHROUGH)
    assert set(shown) >= {"s"}
    assert page.inner_text(".tm-chooser h1") == "My clocks"
    follow(page, "author", AUTHOR)
    assert page.input_value(".tm-au-title") == "My clocks"
    page.click('[data-act="compare"]')
    page.wait_for_selector(COMPARE, state="attached", timeout=PATIENCE)
    assert address(page)["with"] == "two-clocks"


def test_the_player_compares_its_scenario_at_its_step_with_what_the_reader_chooses(page: Any, server: str) -> None:
    visit(page, f"{server}/?scenario=late-but-allowed&step=80")
    page.keyboard.press("c")
    page.click('[data-against="spark"]')
    page.wait_for_selector(COMPARE, state="attached", timeout=PATIENCE)
    page.wait_for_function("new URL(location.href).searchParams.get('spark') === '3'")
    assert address(page)["step"] == "80"
    page.go_back()
    page.wait_for_selector(WALKTHROUGH, state="attached", timeout=PATIENCE)
    assert page.get_attribute(WALKTHROUGH, "data-step") == "80"


def test_back_from_a_card_of_the_library_is_the_library(page: Any, server: str) -> None:
    visit(page, f"{server}/library", LIBRARY)
    page.locator(".tidemark-library a[href*='scenario=two-clocks']").first.click()
    page.wait_for_selector(WALKTHROUGH, state="attached", timeout=PATIENCE)
    page.click(".tm-edit-copy")
    page.wait_for_selector(AUTHOR, state="attached", timeout=PATIENCE)
    page.go_back()
    page.wait_for_selector(WALKTHROUGH, state="attached", timeout=PATIENCE)
    page.go_back()
    page.wait_for_selector(LIBRARY, state="attached", timeout=PATIENCE)
    assert urlsplit(page.url)[2:4] == ("/library", "")
