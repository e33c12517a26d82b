"""Two runs under one cursor, in a browser."""

from collections.abc import Iterator
from typing import Any

import pytest

pytestmark = pytest.mark.browser

COMPARED = '.tidemark-compare[data-ready="true"]'


@pytest.fixture(scope="module")
def comparison(chromium: Any, server: str) -> Iterator[Any]:
    page = chromium.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{server}/compare?scenario=late-but-allowed&b.bound=5000&b.allowed-lateness=0&moment=12")
    page.wait_for_selector(COMPARED)
    yield page
    page.close()


def moment(page: Any) -> int:
    return int(page.get_attribute(COMPARED, "data-moment"))


def test_keys_move_one_cursor_over_both_runs(comparison: Any) -> None:
    assert moment(comparison) == 12
    comparison.keyboard.press("ArrowRight")
    assert moment(comparison) == 14
    comparison.keyboard.press("Home")
    assert moment(comparison) == 0
    comparison.keyboard.press("d")
    assert moment(comparison) == 12
    assert "2 only in A so far" in comparison.inner_text(".tm-compare-lead")
    seen = comparison.locator('[data-table="compared"] [data-seen="true"]')
    assert seen.count() == 2


def test_overlay_shows_what_differs_and_nothing_else(comparison: Any) -> None:
    comparison.click("text=Overlay")
    shown = comparison.evaluate("document.querySelector('.tm-compare-planes').dataset.overlay")
    assert shown == "true"
    comparison.click("text=Side by side")


def test_another_number_runs_side_b_anew_and_stands_in_the_address(comparison: Any) -> None:
    comparison.select_option('[data-side="B"] [data-setting="bound"]', "2000")
    comparison.wait_for_function("new URL(location.href).searchParams.get('b.bound') === '2000'")
    comparison.wait_for_function("document.querySelector('[data-side=B] [data-setting=bound]')?.value === '2000'")
    comparison.wait_for_selector(COMPARED)
    assert moment(comparison) == 12


def test_a_sweep_draws_its_curves_with_side_b_as_a_dot(chromium: Any, server: str) -> None:
    page = chromium.new_page(viewport={"width": 1440, "height": 900})
    page.goto(f"{server}/compare?scenario=late-but-allowed&b.bound=5000")
    page.wait_for_selector(COMPARED)
    page.click("#tm-compare-sweep")
    page.click("text=Run the sweep")
    page.wait_for_selector(".tm-compare-dot", timeout=90_000)
    assert page.get_attribute(".tm-compare-dot", "aria-valuenow") == "5000"
    page.close()


def test_nothing_scrolls_in_either_size(comparison: Any) -> None:
    for size in ({"width": 1280, "height": 720}, {"width": 1440, "height": 900}):
        comparison.set_viewport_size(size)
        assert comparison.evaluate("document.documentElement.scrollHeight <= innerHeight")
