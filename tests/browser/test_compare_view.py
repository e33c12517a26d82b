"""Two runs under one cursor, in a browser."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.opening import COMPARE, PATIENCE, visit

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def comparison(chromium: Any, server: str) -> Iterator[Any]:
    page = chromium.new_page(viewport={"width": 1440, "height": 900})
    visit(page, f"{server}/compare?scenario=late-but-allowed&b.bound=5000&b.allowed-lateness=0&moment=12", COMPARE)
    yield page
    page.close()


def moment(page: Any) -> int:
    return int(page.get_attribute(COMPARE, "data-moment"))


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


def test_at_the_end_heading_card_and_table_agree_on_the_count(comparison: Any) -> None:
    place = moment(comparison)
    comparison.keyboard.press("End")
    lead = comparison.inner_text(".tm-compare-lead")
    assert lead == f"{comparison.locator('.tm-compare-differs').count()} of 7 results differ"
    assert comparison.inner_text(".tm-compare-summary").startswith(f"{lead}: ")
    comparison.keyboard.press("Home")
    while moment(comparison) < place:
        comparison.keyboard.press("ArrowRight")


def test_the_focus_ring_of_the_page_starts_below_the_header(comparison: Any) -> None:
    comparison.mouse.click(700, 62)
    comparison.keyboard.press("Shift")
    top = """() => {
      const main = document.querySelector('[data-testid="stMain"]');
      main.focus({ focusVisible: true });
      return [getComputedStyle(main).outlineColor, getComputedStyle(main, "::before").top];
    }"""
    assert comparison.evaluate(top) == ["rgba(0, 0, 0, 0)", "44px"]


def test_the_overlay_shows_only_differences(comparison: Any) -> None:
    comparison.click("text=Overlay")
    shown = comparison.evaluate("document.querySelector('.tm-compare-planes').dataset.overlay")
    assert shown == "true"
    comparison.click("text=Side by side")


def test_a_changed_setting_runs_side_b_again_and_is_in_the_address(comparison: Any) -> None:
    comparison.select_option('[data-side="B"] [data-setting="bound"]', "2000")
    comparison.wait_for_function("new URL(location.href).searchParams.get('b.bound') === '2000'")
    comparison.wait_for_function("document.querySelector('[data-side=B] [data-setting=bound]')?.value === '2000'")
    comparison.wait_for_selector(COMPARE)
    assert moment(comparison) == 12


def swept(page: Any, server: str, place: str, setting: str) -> dict[str, Any]:
    """The path of each curve and the number of single marks after a sweep of ``setting``."""
    visit(page, f"{server}/compare?{place}", COMPARE)
    page.click("#tm-compare-sweep")
    page.select_option(".tm-compare-sweep select", setting)
    page.get_by_role("button", name="Run the sweep").click()
    page.wait_for_selector(".tm-compare-curves", timeout=90_000)
    return page.evaluate("""() => ({
      paths: [...document.querySelectorAll(".tm-compare-curves .tm-compare-curve")].map(node => node.getAttribute("d")),
      alone: document.querySelectorAll(".tm-compare-curves .tm-compare-alone").length,
    })""")


def test_a_sweep_draws_steps_where_it_knows_and_marks_where_it_does_not(chromium: Any, server: str) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 720})
    # A bound is only compared: each change is found to the millisecond, and no line slopes.
    found = swept(page, server, "scenario=late-but-allowed&b.bound=5000", "bound")
    assert page.get_attribute(".tm-compare-dot", "aria-valuenow") == "5000"
    assert [len(found["paths"]), found["alone"]] == [4, 0]
    assert all(re.fullmatch(r"M[\d. ]+(H[\d.]+V[\d.]+)+", path) for path in found["paths"])
    inside = "node => node.scrollHeight <= node.clientHeight"
    assert page.locator(".tm-compare-sweep").evaluate(inside), "the sweep is fully visible in a small window too"
    for size, high in (((1440, 900), 178), ((1280, 720), 100)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.wait_for_selector(f'.tm-compare-curves[viewBox="0 0 1320 {high}"]')
        assert page.locator(".tm-compare-curves").count() == page.locator(".tm-compare-legend").count() == 1
    # A gap moves the ends of windows: nothing is known between two values, so no line joins them.
    found = swept(page, server, "scenario=session-bridge", "gap")
    assert not any("H" in path or "L" in path for path in found["paths"])
    assert found["alone"] == 4 * found["paths"][0].count("M")
    assert "between them, nothing is known" in page.inner_text(".tm-compare-sweep")
    page.close()


def test_two_equal_runs_say_what_to_do_and_answers_come_into_view(chromium: Any, server: str) -> None:
    page = chromium.new_page(viewport={"width": 1280, "height": 720})
    visit(page, f"{server}/compare?scenario=late-but-allowed&b.bound=banana", COMPARE)
    assert "b.bound=banana" in page.inner_text(".tm-compare-refused")
    assert page.inner_text(".tm-compare-lead") == "All results are the same · Change a setting of B, or open the sweep"
    assert not page.is_visible(".tm-compare-next")
    page.click("text=Overlay")
    assert "A and B show the same at every step" in page.inner_text(".tm-compare-equal")
    page.click("#tm-compare-smallest")
    page.wait_for_selector(".tm-compare-all", timeout=PATIENCE)
    page.wait_for_selector(COMPARE)
    assert "With a bound of 3.001 s or more, nothing is lost (now 2 s)" in page.inner_text(".tm-compare-all")
    page.click(".tm-compare-fires button")
    page.wait_for_selector(".tm-compare-fires li", timeout=90_000)
    page.wait_for_selector(COMPARE)
    inside = """() => {
      const [answer, panel] = [".tm-compare-fires li", ".tm-compare-tools"]
        .map((each) => document.querySelector(each).getBoundingClientRect());
      return answer.top >= panel.top && answer.bottom <= panel.bottom;
    }"""
    page.wait_for_function(inside)
    page.click("#tm-compare-fewest")
    page.click("text=Find the fewest")
    page.wait_for_selector('[data-table="fewest"]', timeout=90_000)
    assert page.locator('[data-table="fewest"] tbody tr').count() == 3
    assert "s=" in (page.get_attribute("text=Open in Author", "href") or "")
    page.close()


def test_nothing_scrolls_in_either_size(comparison: Any) -> None:
    for size in ({"width": 1280, "height": 720}, {"width": 1440, "height": 900}):
        comparison.set_viewport_size(size)
        assert comparison.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_the_global_window_has_its_name(chromium: Any, server: str) -> None:
    page = chromium.new_page(viewport={"width": 1440, "height": 900})
    visit(page, f"{server}/compare?scenario=the-last-three", COMPARE)
    windows = page.locator('[data-table="compared"] tbody th').all_inner_texts()
    page.close()
    assert windows
    assert {window.split(maxsplit=1)[1] for window in windows} == {"all time"}
