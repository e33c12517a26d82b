"""Without a mouse: Tab reaches every control, which is then visible; elements under a card are skipped."""

from typing import Any

import pytest

from tests.browser.opening import PLAYER, TAKEN_OVER, frames
from tests.browser.player import OpenPage

FOCUSED = """() => {
  const here = document.activeElement;
  const style = getComputedStyle(here);
  const box = here.getBoundingClientRect();
  const ring = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
  const inside = box.top < innerHeight && box.bottom > 0 && box.left < innerWidth && box.right > 0;
  const clipped = here.closest('.tm-side > *') && getComputedStyle(here.closest('.tm-side > *')).clipPath !== 'none';
  const name = here.getAttribute("aria-label") || here.labels?.[0]?.innerText || here.innerText || "";
  return {
    tag: here.tagName, name: name.split("\\n")[0].slice(0, 40), ring,
    seen: inside && !clipped && here.checkVisibility({visibilityProperty: true}),
    size: Math.round(Math.min(box.width, box.height)),
  };
}"""


def turns(page: Any, most: int = 80) -> list[dict[str, Any]]:
    """The element with the focus after each press of Tab, from the start of the page to its end."""
    page.wait_for_function(TAKEN_OVER)  # until then the order of Tab still changes
    page.evaluate("document.activeElement.blur()")
    found = []
    for _ in range(most):
        page.keyboard.press("Tab")
        here = page.evaluate(FOCUSED)
        if here["tag"] == "BODY":
            break
        found.append(here)
    assert len(found) < most
    return [each for each in found if not each["name"].startswith("Skip to")]


def test_every_control_is_reached_and_seen(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-but-allowed&step=90")
    controls = turns(page)
    assert [each for each in controls if not (each["ring"] and each["seen"] and each["name"])] == []
    buttons = [
        each for each in controls if each["tag"] in ("BUTTON", "SELECT", "INPUT") and "– Change" not in each["name"]
    ]
    assert [each for each in buttons if each["size"] < 32] == []
    names = " · ".join(each["name"] for each in controls)
    for name in ("Choose a scenario", "Copy link", "Share", "Present", "Play", "Speed", "Step", "Find steps",
                 "Next result", "All jumps", "Code walk", "Differences", "State", "Table", "Keys"):  # fmt: skip
        assert name in names


@pytest.mark.parametrize(("path", "size"), [("&why=record:8", (1280, 720)), ("&embed=true", (700, 480))])
def test_elements_under_a_card_are_skipped(open_page: OpenPage, path: str, size: tuple[int, int]) -> None:
    page = open_page(f"/?scenario=late-but-allowed&step=90{path}", size=size)
    controls = turns(page)
    assert [each for each in controls if not (each["ring"] and each["seen"])] == []
    assert page.locator('table[data-table="timers"] tbody tr').count() > 0, "screen readers still find the tables"
    assert ("Novice" in {each["name"] for each in controls}) is False


def test_w_takes_the_focus_along_and_esc_brings_it_back(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=90")
    page.locator(".tm-why-button").focus()
    page.keyboard.press("w")
    assert page.evaluate("document.activeElement.className") == "tm-reason-body"
    page.keyboard.press("Escape")
    assert "tm-why-button" in page.evaluate("document.activeElement.className")


MARK = """() => {
  const here = document.activeElement;
  return here.role === "option" ? `${here.ariaLabel} ${here.ariaPosInSet}/${here.ariaSetSize}` : here.role;
}"""


def test_marks_are_two_stops_and_arrows_go_from_one_to_the_next(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=90")
    page.locator(".tm-numbered").focus()
    page.keyboard.press("Tab")
    assert page.evaluate(MARK) == "Record #8: in time. Key a, 11.0 s, value 3. 12/15"
    page.keyboard.press("ArrowUp")
    assert page.evaluate(MARK) == "Result 22, late, [0, 5), key a 11/15"
    page.keyboard.press("Enter")
    assert page.locator(".tm-reason-question").inner_text() == "Has [0, 5) of key a fired?"
    assert page.evaluate("document.activeElement.ariaSelected") == "true"
    page.keyboard.press("Tab")
    assert page.evaluate(MARK) == "Window [0, 5) of key a: fired, state kept, holds 4, 5, 7, 6, result 22 1/5"
    page.keyboard.press("ArrowLeft")
    assert int(page.get_attribute(PLAYER, "data-step")) < 90, "← and → keep stepping"
    assert page.evaluate(MARK).startswith("Window [0, 5) of key a")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.className") == "tm-segment tm-numbered"
    page = open_player("/?scenario=interval-join-keeps&step=40")
    assert page.locator(".tm-reach:not([hidden])").count() == 1, "no windows below it, so no stop for them"


def test_all_keys_are_on_one_sheet_and_say_what_the_run_lacks(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=90", size=(1280, 720))
    page.keyboard.press("h")
    body = page.locator(".tm-sheet-body")
    assert body.evaluate("node => node.scrollHeight - node.clientHeight") <= 4
    caps = [cap for cap in page.locator(".tm-help dt kbd").all_inner_texts() if len(cap) == 1 and cap.isalpha()]
    assert sorted(caps) == sorted("FLMUAKNBVJQCWOXSSDGITZYRHEPBDGNVE")
    assert page.locator(".tm-help dd", has_text="none here").all_inner_texts() == [
        "window merge none here", "checkpoint or restore none here"]  # fmt: skip
    page.keyboard.press("Escape")
    page.keyboard.press("k")
    page.wait_for_function("document.querySelector('.tm-live').textContent === 'none in this run'")
    page.set_viewport_size({"width": 1440, "height": 900})
    frames(page, 30)
    assert page.locator(".tm-live").text_content() == "none in this run", "drawing again announces nothing new"
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('.tm-live').textContent !== 'none in this run'")


def test_the_link_carries_words_drawer_and_card(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=90")
    page.keyboard.press("x")
    page.keyboard.press("w")
    page.wait_for_url("**/?scenario=late-but-allowed&step=90&words=practitioner&why=record%3A8")
    page.keyboard.press("i")
    page.wait_for_url("**&open=state&why=record%3A8")
    there = page.url.partition("/?")[2]
    other = open_player(f"/?{there}")
    assert other.locator(".tm-level[aria-pressed=true]").text_content() == "Practitioner"
    assert other.locator(".tm-sheet h2").first.inner_text() == "State"
    assert other.locator(".tm-reason-question").inner_text() == "What happened to record #8?"
    assert other.evaluate("localStorage.getItem('tidemark.level')") is None, (
        "a link does not change the reader's choice"
    )
    third = open_player("/?scenario=late-but-allowed&step=90&words=source&present=1", size=(1280, 720))
    assert third.locator(".tm-present-what").inner_text().startswith("StatusWatermarkValve")
    for wrong in ("words=no&open=__proto__&why=window:none", "open=no&why=nothing"):
        third = open_player(f"/?scenario=late-but-allowed&step=3&{wrong}")
        assert not third.locator(".tm-sheet, .tm-reasons").first.is_visible()


def test_a_narrow_frame_of_a_course_page_cuts_nothing_off(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=112&words=source&embed=true", size=(700, 480))
    edges = """() => [...document.querySelectorAll('.tm-transport > *, .tm-buttons > *, .tm-embed-head > *')]
      .filter(node => node.checkVisibility()).map(node => node.getBoundingClientRect())
      .filter(box => box.right > innerWidth || box.left < 0 || box.bottom > innerHeight).length"""
    for width, height in ((700, 480), (400, 480), (340, 320)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(edges) == 0, width
        assert page.locator(".tm-play").bounding_box()["x"] < width / 2
    page.set_viewport_size({"width": 400, "height": 480})
    page.wait_for_function("document.querySelector('.tm-lanes').clientHeight > 60")  # less in the smallest frame
    before = page.locator(".tm-plane").bounding_box()
    page.locator(".tm-lane-box[data-id]").first.click()
    card = page.locator(".tm-reason").bounding_box()
    assert card["width"] > 300
    assert card["height"] > 150
    page.keyboard.press("Escape")
    for _ in range(6):
        page.keyboard.press("ArrowLeft")
        assert page.locator(".tm-plane").bounding_box() == before
