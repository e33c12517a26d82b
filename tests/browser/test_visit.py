"""The first visit keeps its visitor, whatever is dragged or pressed; Back and Forward show what their address says."""

from typing import Any

import pytest

from tests.browser.opening import PLAYER, frames, reload
from tests.browser.player import OpenPage

SCENE = "/?scenario=first-two-phones&step=22&visit=1"
VISITING = f"{PLAYER}.tm-visiting"
RESTS = "[data-testid='stApp'][data-test-script-state='notRunning']"
SAID = ".tm-tryout-said"

KEYS = [*"abcdefghijklmnopqrstuvwxyz123456789/.,", "Enter", "Escape", "Home", " "]
"""Every key of the full player but those that step; ``PageDown`` and the arrows have a test of their own."""

OPENED = """() => {
  const player = document.querySelector(".tidemark-player");
  const there = [...document.querySelectorAll(".tm-sheet, dialog[open], .tm-pop, .tm-share")];
  const found = there.filter((each) => each.checkVisibility()).map((each) => each.className);
  if (!player.classList.contains("tm-visiting")) found.push("the full player");
  if (player.dataset.mode === "present" || player.dataset.level !== "novice") found.push("another mode");
  return found;
}"""
"""What a scene does not have."""

SHOWN = """() => {
  const seen = document.querySelector(".tidemark-player").cloneNode(true);
  for (const each of seen.querySelectorAll("[aria-describedby]")) each.removeAttribute("aria-describedby");
  for (const each of seen.querySelectorAll(".tm-live, .tm-tip, .tm-ghost")) each.remove();
  return [seen.dataset.step, seen.innerHTML.replace(/id="[^"]*"|url\\([^)]*\\)|href="#[^"]*"/g, "")];
}"""
"""What a player shows, without the names that it gives to parts of its pictures."""


def drag(page: Any) -> None:
    """Drag a record of the picture sideways, and wait for the changed run."""
    dot = page.locator(".tm-pic-records > [data-id]").first.bounding_box()
    x, y = dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 90, y, steps=4)
    page.mouse.up()
    page.wait_for_selector(f"{SAID}:visible")
    page.wait_for_selector(VISITING)


def scene_of(page: Any) -> tuple[str | None, str | None, bool]:
    """Scenario and step that are shown, and whether as a scene of the visit."""
    player = page.locator(PLAYER)
    visiting = "tm-visiting" in player.get_attribute("class")
    return player.get_attribute("data-scenario"), player.get_attribute("data-step"), visiting


@pytest.mark.journey
def test_a_record_that_is_dragged_changes_the_scene_and_undo_restores_it(open_page: OpenPage) -> None:
    page = open_page(SCENE, newcomer=True)
    before, address, places = page.evaluate(SHOWN), page.url, page.evaluate("history.length")
    drag(page)
    assert page.inner_text(SAID).startswith("One record moved.")
    assert page.locator(".tm-tryout-links :is(a, button)").all_inner_texts() == ["Undo\nEsc"], "no way leads out"
    frames(page, 30)
    assert (page.url, page.evaluate("history.length")) == (address, places)
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector(SAID, state="detached")
    page.wait_for_selector(VISITING)
    frames(page, 30)
    assert page.evaluate(SHOWN) == before
    assert page.url == address
    drag(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    page.wait_for_selector(SAID, state="detached")
    page.wait_for_selector(VISITING)
    frames(page, 30)
    assert page.evaluate(SHOWN) == before


def test_a_changed_scene_ends_with_undo_and_a_reload_shows_the_scene(open_page: OpenPage) -> None:
    page = open_page(SCENE, newcomer=True)
    drag(page)
    page.keyboard.press("End")
    button = page.locator(".tm-visit-on")
    assert button.inner_text() == "Undo"
    assert page.locator(".tm-visit-done").count() == 0, "the scene itself has not been seen to its end"
    reload(page)
    assert scene_of(page) == ("first-two-phones", "22", True)
    assert page.locator(f"{SAID}:visible").count() == 0
    drag(page)
    page.get_by_role("button", name="Scene 2:").click()
    page.wait_for_selector(f'{VISITING}[data-scenario="first-watermark"]')
    page.go_back()
    page.wait_for_selector(f'{VISITING}[data-scenario="first-two-phones"]')
    assert scene_of(page) == ("first-two-phones", "22", True)


def test_a_finger_that_swipes_a_record_stays_in_the_scene(open_page: OpenPage) -> None:
    page = open_page(SCENE, size=(390, 844), newcomer=True)
    client = page.context.new_cdp_session(page)
    page.locator(".tm-pic-records > [data-id]").first.scroll_into_view_if_needed()
    dot = page.locator(".tm-pic-records > [data-id]").first.bounding_box()
    x, y = dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2
    for kind, points in (
        ("touchStart", [{"x": x, "y": y}]),
        *(("touchMove", [{"x": x + by, "y": y}]) for by in (10, 30, 60)),
        ("touchEnd", []),
    ):
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_selector(f"{SAID}:visible")
    assert scene_of(page)[2]
    client.detach()


def test_no_key_leads_out_of_a_scene_or_opens_what_it_has_no_room_for(open_player: OpenPage) -> None:
    page = open_player(SCENE, newcomer=True)
    stops = page.evaluate(SHOWN)[0]
    for key in KEYS:
        for pressed in (key, f"Shift+{key}"):
            page.keyboard.press(pressed)
            assert page.evaluate(OPENED) == [], pressed
    page.keyboard.press("Escape")
    page.wait_for_url("**/?scenario=first-two-phones&step=*&visit=1*")
    assert stops == "22"


def test_page_down_walks_through_the_visit_and_waits_at_questions(open_page: OpenPage) -> None:
    page = open_page("/?scenario=first-two-phones&visit=1", newcomer=True)
    for _ in range(12):
        page.keyboard.press("PageDown")
    question = page.locator(PLAYER).get_attribute("data-step")
    assert page.locator(".tm-visit-on").is_disabled()
    page.keyboard.press("1")
    for _ in range(20):
        if page.locator(PLAYER).get_attribute("data-scenario") != "first-two-phones":
            break
        page.keyboard.press("PageDown")
        frames(page)
    page.wait_for_selector(f'{VISITING}[data-scenario="first-watermark"]')
    for _ in range(20):
        if page.locator(PLAYER).get_attribute("data-scenario") == "first-two-phones":
            break
        page.keyboard.press("PageUp")
        frames(page, 10)
    page.wait_for_selector(f'{VISITING}[data-scenario="first-two-phones"]')
    assert question is not None


def test_the_language_is_switched_within_the_scene(open_page: OpenPage) -> None:
    page = open_page(f"{SCENE}&lang=en", newcomer=True)
    drag(page)
    page.get_by_role("button", name="中文").click()
    page.wait_for_function("document.querySelector('.tm-visit-skip')?.textContent.includes('场景库')")
    page.wait_for_selector(VISITING)
    assert scene_of(page) == ("first-two-phones", "22", True)


def test_back_and_forward_show_the_scene_the_end_and_the_player_of_their_address(open_page: OpenPage) -> None:
    page = open_page("/?scenario=first-idle&visit=1&step=30", newcomer=True)
    end = ".tm-visit-end:visible"
    page.get_by_role("button", name="Scene 6:").click()
    page.wait_for_selector(f'{VISITING}[data-scenario="first-prediction"]')
    page.wait_for_selector(".tm-opening:visible")
    page.keyboard.press("End")
    page.get_by_role("button", name="See how you did").click()
    page.wait_for_selector(end)
    page.locator(".tm-visit-door").first.click()
    full = '.tidemark-player[data-scenario="late-but-allowed"][data-ready="true"]:not(.tm-visiting)'
    page.wait_for_selector(full)
    page.go_back()
    page.wait_for_selector(f"{VISITING} {end}")
    page.go_back()
    page.wait_for_selector(end, state="detached")
    page.wait_for_selector(f'{VISITING}[data-scenario="first-prediction"] .tm-side')
    page.go_back()
    page.wait_for_selector(f'{VISITING}[data-scenario="first-idle"][data-step="30"]')
    page.go_forward()
    page.wait_for_selector(f'{VISITING}[data-scenario="first-prediction"]')
    page.go_forward()
    page.wait_for_selector(end)
    page.go_forward()
    page.wait_for_selector(full)


def test_the_tour_of_the_scenario_that_is_open_and_back_to_it(open_page: OpenPage) -> None:
    page = open_page(SCENE, newcomer=True)  # where the tour goes on
    page = open_page("/?scenario=first-two-phones&step=10")
    page.evaluate("localStorage.setItem('tidemark.visit', JSON.stringify({ scene: 'first-two-phones' }))")
    reload(page)
    page.wait_for_function("document.querySelector('[data-testid=stMain] .tidemark-player')")
    page.locator(".tm-tour").click()
    page.wait_for_selector(VISITING)
    page.go_back()
    page.wait_for_selector(f'{PLAYER}[data-step="10"]:not(.tm-visiting)')
    page.go_forward()
    page.wait_for_selector(VISITING)


def test_outside_of_the_visit_back_and_forward_show_step_opening_and_change_of_their_address(
    open_page: OpenPage,
) -> None:
    page = open_page("/?scenario=late-and-dropped")
    page.evaluate("history.pushState(history.state, '', '/?scenario=late-and-dropped&step=30')")
    page.evaluate("dispatchEvent(new PopStateEvent('popstate', { state: history.state }))")
    page.wait_for_selector(f'{PLAYER}[data-step="30"]')
    page.go_back()
    page.wait_for_selector(f'{PLAYER}[data-step="0"] .tm-opening:visible')
    page.go_forward()
    page.wait_for_selector(f'{PLAYER}[data-step="30"]')
    page.get_by_role("button", name="2 s – Change bound").click()
    page.keyboard.type("2.501s")
    page.keyboard.press("Enter")
    page.wait_for_selector(SAID)
    page.go_back()
    page.wait_for_selector(SAID, state="detached")
    page.wait_for_selector(f'{PLAYER}[data-step="30"]:not(.tm-tried)')
    frames(page, 30)
    page.wait_for_selector(RESTS)  # of two addresses within one run the server follows the last
    page.go_forward()
    page.get_by_role("button", name="2.501 s – Change bound").wait_for()
