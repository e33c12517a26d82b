"""Two runs under one cursor, in a browser."""

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import pytest
from tidemark.ui.share.links import token_of

from tests.browser.conftest import ROOT
from tests.browser.opening import COMPARE, PATIENCE, PLAYER, visit

SCENARIOS = ROOT / "scenarios"


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
    comparison.get_by_role("button", name="Overlay", exact=True).click()
    shown = comparison.evaluate("document.querySelector('.tm-compare-planes').dataset.overlay")
    assert shown == "true"
    assert comparison.is_hidden(".tm-compare-equal")
    comparison.get_by_role("button", name="Side by side", exact=True).click()


@pytest.mark.journey
def test_a_changed_setting_runs_side_b_again_and_is_in_the_address(comparison: Any) -> None:
    comparison.select_option('[data-side="B"] [data-setting="bound"]', "2000")
    comparison.wait_for_function("new URL(location.href).searchParams.get('b.bound') === '2000'")
    comparison.wait_for_function("document.querySelector('[data-side=B] [data-setting=bound]')?.value === '2000'")
    comparison.wait_for_selector(COMPARE)
    assert moment(comparison) == 12


def swept(page: Any, server: str, place: str, setting: str) -> dict[str, Any]:
    """The curves of a sweep of ``setting``: for each measure the shapes of its lines and its single marks."""
    visit(page, f"{server}/compare?{place}", COMPARE)
    page.click("#tm-compare-sweep")
    page.wait_for_selector(DOT, timeout=PATIENCE)
    if page.input_value(".tm-compare-sweep select") != setting:
        page.select_option(".tm-compare-sweep select", setting)
        page.wait_for_function(
            "(setting) => document.querySelector('.tm-compare-sweep [data-setting]').dataset.setting === setting",
            arg=setting,
        )
        page.wait_for_selector(DOT, timeout=PATIENCE)
    return page.evaluate("""() => Object.fromEntries(
      [...document.querySelectorAll(".tm-compare-curve")].map((each) => [each.dataset.measure, {
        lines: [...each.querySelectorAll(".mark-line path")].map((node) => node.getAttribute("d")),
        alone: each.querySelectorAll(".mark-symbol path").length,
      }]),
    )""")


DOT = ".tm-compare-dot:not([hidden])[aria-valuenow]"


def test_a_sweep_draws_steps_where_it_knows_and_marks_where_it_does_not(fresh: Callable[..., Any], server: str) -> None:
    page = fresh(viewport={"width": 1280, "height": 720}).new_page()
    # A bound is only compared: each change is found to the millisecond, and no line slopes.
    found = swept(page, server, "scenario=late-but-allowed&b.bound=5000", "bound")
    assert page.get_attribute(DOT, "aria-valuenow") == "5000"
    assert {name: [len(each["lines"]), each["alone"]] for name, each in found.items()} == {
        "complete": [2, 0], "latency": [1, 0], "state": [1, 0]
    }  # fmt: skip
    for each in found.values():
        for path in each["lines"]:
            points = [tuple(map(float, point.split(","))) for point in re.findall(r"[-\d.]+,[-\d.]+", path)]
            assert all(one[0] == other[0] or one[1] == other[1] for one, other in pairwise(points)), "no line slopes"
    inside = "node => node.scrollHeight <= node.clientHeight"
    assert page.locator(".tm-compare-sweep").evaluate(inside), "the sweep is fully visible in a small window too"
    page.focus(DOT)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("new URL(location.href).searchParams.get('b.bound') === '6000'")
    # A gap moves the ends of windows: nothing is known between two values, so no line joins them.
    found = swept(page, server, "scenario=session-bridge", "gap")
    assert not any(each["lines"] for each in found.values())
    assert found["complete"]["alone"] == 2 * found["state"]["alone"] > 0
    assert "between them, nothing is known" in page.inner_text(".tm-compare-sweep")


def test_two_equal_runs_say_what_to_do_and_answers_come_into_view(fresh: Callable[..., Any], server: str) -> None:
    page = fresh(viewport={"width": 1280, "height": 720}).new_page()
    visit(page, f"{server}/compare?scenario=late-but-allowed&b.bound=banana", COMPARE)
    assert "b.bound=banana" in page.inner_text(".tm-compare-refused")
    said = "All results are the same · Change B, or find a stream that tells them apart"
    assert page.inner_text(".tm-compare-lead") == said
    assert not page.is_visible(".tm-compare-next")
    page.get_by_role("button", name="Overlay", exact=True).click()
    assert "A and B show the same at every step" in page.inner_text(".tm-compare-equal:visible")
    page.click("#tm-compare-smallest")
    page.wait_for_selector(".tm-compare-all", timeout=PATIENCE)
    page.wait_for_selector(COMPARE)
    assert "With a bound of 3.001 s or more, nothing is lost (A has 2 s)" in page.inner_text(".tm-compare-all")
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


def test_a_version_of_flink_is_chosen_for_side_b_and_the_rule_leads_to_its_scenario(
    fresh: Callable[..., Any], server: str
) -> None:
    page = fresh(viewport={"width": 1280, "height": 720}).new_page()
    visit(page, f"{server}/compare?scenario=first-of-each-key&flink=0.9", COMPARE)
    assert "Flink 0.9 is not a version that Tidemark knows" in page.inner_text(".tm-compare-refused")
    page.get_by_label("Compare with").select_option("flink 2.0")
    page.wait_for_selector(".tm-compare-notes a")
    assert page.inner_text(".tm-compare-lead") == "5 of 5 results differ"
    notes = page.locator(".tm-compare-notes")
    assert "(FLINK-37005)" in notes.inner_text()
    below = notes.bounding_box()["y"] + notes.bounding_box()["height"]
    assert below <= page.locator(".tm-compare-side").first.bounding_box()["y"]
    page.click(".tm-compare-notes a")
    page.wait_for_selector(PLAYER, timeout=PATIENCE)
    assert "by the rules of Flink 2.0" in page.inner_text(".tm-sentence")


def test_two_scenarios_of_the_readers_own_are_compared_and_back_shows_what_was(
    fresh: Callable[..., Any], server: str
) -> None:
    page = fresh(viewport={"width": 1280, "height": 720}).new_page()
    text = (SCENARIOS / "late-and-dropped.yaml").read_text(encoding="utf-8").split("goals:")[0]
    tokens = [token_of(text.replace("bound: 2s", f"bound: {bound}s"), json=False) for bound in (1, 4)]
    visit(page, f"{server}/compare?s={tokens[0]}&b.bound=0", COMPARE)
    against = page.get_by_label("Compare with")
    against.select_option("door link")
    page.fill(".tm-compare-link", "not a link")
    page.keyboard.press("Enter")
    assert page.inner_text(".tm-compare-problem") == "This is no link to a scenario."
    page.fill(".tm-compare-link", f"{server}/?s={tokens[1]}&step=4")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('[data-side=B] [data-setting=bound]')?.value === '4000'")
    page.wait_for_selector(COMPARE)
    assert f"with.s={tokens[1]}" in page.url
    assert not page.is_visible(".tm-compare-other"), (
        "what B is stands in its list, and is not cut off beside the settings"
    )
    assert page.input_value('[data-side="A"] [data-setting="bound"]') == "1000"
    assert against.evaluate("(list) => list.selectedOptions[0].text").startswith("Late and dropped, copy (")
    page.go_back()
    page.wait_for_function("document.querySelector('[data-side=B] [data-setting=bound]')?.value === '0'")


TEXT_SIZES = """() => [...document.querySelectorAll(".tidemark-compare *")]
  .filter((each) => each.checkVisibility({ visibilityProperty: true }) && each.closest("svg") === null)
  .filter((each) => [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
  .filter((each) => !each.closest("option, .tm-visually-hidden, [aria-live]"))
  .map((each) => parseFloat(getComputedStyle(each).fontSize) * (each.currentCSSZoom ?? 1))"""


def test_a_clicker_leads_both_runs_through_the_beats_for_a_room(comparison: Any) -> None:
    comparison.set_viewport_size({"width": 1280, "height": 720})
    comparison.keyboard.press("Home")
    comparison.keyboard.press("p")
    comparison.wait_for_url("**&present=1")
    assert not comparison.is_visible("#tidemark-header")
    said = []
    for _ in range(3):
        comparison.keyboard.press("PageDown")
        said.append((moment(comparison), comparison.inner_text(".tm-present-why")))
    assert said == sorted(set(said))
    assert "the window [0, 5) emits its first result for key a, 16" in said[1][1]
    assert comparison.inner_text(".tm-present-beat") == "Note 3 of 6"
    assert min(comparison.evaluate(TEXT_SIZES)) >= 20
    assert comparison.evaluate("document.documentElement.scrollHeight <= innerHeight")
    comparison.keyboard.press("Escape")
    assert comparison.is_visible("#tidemark-header")


def test_nothing_scrolls_in_either_size(comparison: Any) -> None:
    for size in ({"width": 1280, "height": 720}, {"width": 1440, "height": 900}):
        comparison.set_viewport_size(size)
        assert comparison.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_the_global_window_has_its_name(fresh: Callable[..., Any], server: str) -> None:
    page = fresh(viewport={"width": 1440, "height": 900}).new_page()
    visit(page, f"{server}/compare?scenario=the-last-three", COMPARE)
    windows = page.locator('[data-table="compared"] tbody th').all_inner_texts()
    assert windows
    assert {window.split(maxsplit=1)[1] for window in windows} == {"all time"}


STOPPED = """(selector) => {
  document.querySelector(selector).click();
  window.dispatchEvent(new CustomEvent("tidemark:unanswered"));
  const panel = document.querySelector(".tm-compare-tools [role=tabpanel]:not([hidden])");
  return [...panel.querySelectorAll(".tm-compare-row [role=status], p[role=status]")].map((each) => each.innerText);
}"""
"""Begins something, and does at once what *Stop* does in a site."""


def test_a_search_that_was_stopped_says_so_and_can_be_begun_again(chromium: Any, server: str) -> None:
    page = chromium.new_page(viewport={"width": 1440, "height": 900})
    visit(page, f"{server}/compare?scenario=late-but-allowed&b.bound=5000", COMPARE)
    assert page.evaluate(STOPPED, "#tm-compare-smallest") == ["Stopped. Search again"]
    page.get_by_role("button", name="Search again").click()
    page.wait_for_selector(".tm-compare-list h4")
    assert page.evaluate(STOPPED, "#tm-compare-sweep")[0] == "Stopped."
    page.get_by_role("button", name="Run the range").click()
    page.wait_for_selector(".tm-compare-curve .mark-line path", state="attached", timeout=PATIENCE)
    page.click("#tm-compare-fewest")
    page.evaluate(STOPPED, ".tm-compare-list:not([hidden]) button")
    assert page.get_by_role("button", name="Find the fewest").is_enabled()
    page.click("#tm-compare-stream")
    page.evaluate(STOPPED, ".tm-compare-list:not([hidden]) button")
    page.get_by_role("button", name="Search").click()
    page.get_by_role("button", name="Compare on this stream").click(timeout=PATIENCE)
    page.locator(".tm-compare-lead", has_text="1 of 1 results differ").wait_for()
    chosen = "lists => lists.map(({ selectedOptions: [one] }) => one.text)"
    sides = page.locator(".tm-compare-choices select").evaluate_all(chosen)
    assert sides == ["Late, but allowed: smallest stream", "the same with other settings"]
    assert "They differ on" in page.inner_text(".tm-compare-stream"), "the tab and its answer stay"
    page.close()


def test_a_search_is_stopped_and_the_page_goes_on_at_once(chromium: Any, server: str) -> None:
    page = chromium.new_page(viewport={"width": 1440, "height": 900})
    visit(page, f"{server}/compare?scenario=idle-channel&b.idle-timeout=5001&tab=stream", COMPARE)
    search = page.get_by_role("button", name="Search", exact=True)
    for _ in range(2):
        search.click()
        page.get_by_role("button", name="Stop", exact=True).click()
        assert page.inner_text(".tm-compare-stream [role=status]") == "Stopped."
        assert search.is_enabled()
    page.locator(".tm-compare-choices select").last.select_option("spark 3")
    page.wait_for_function("location.search.includes('spark=3')", timeout=PATIENCE)
    page.close()


def test_a_second_search_leaves_the_answer_where_it_is(chromium: Any, server: str) -> None:
    page = chromium.new_page(viewport={"width": 1440, "height": 900})
    visit(page, f"{server}/compare?scenario=late-but-allowed&b.allowed-lateness=0&tab=stream", COMPARE)
    for tab, start, answer in (
        ("stream", "Search", "They differ on"),
        ("fewest", "Find the fewest", "items remain"),
        ("smallest", "Search", "would have fired with record"),
    ):
        page.click(f"#tm-compare-{tab}")
        panel = page.locator(".tm-compare-tools [role=tabpanel]:visible")
        button = panel.get_by_role("button", name=start, exact=True)
        button.click()
        panel.filter(has_text=answer).wait_for(timeout=PATIENCE)
        before = panel.inner_text()
        button.click()
        assert panel.inner_text() == before, tab
        assert button.is_enabled(), tab
    page.close()
