"""Targets are large enough where they are pressed: none is cut off or covered."""

from typing import Any

from tests.browser.opening import frames
from tests.browser.player import OpenPage

SMALL = """() => {
  const found = [];
  for (const each of document.querySelectorAll(".tidemark-player :is(button, a, select, input, summary)")) {
    const box = each.getBoundingClientRect();
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
    const hit = (left, top) => {
      const there = document.elementFromPoint(left, top);
      return there !== null && (each.contains(there) || [...(each.labels ?? [])].some((one) => one.contains(there)));
    };
    // A number within the sentence is as high as its line.
    if (!box.width || each.disabled || !hit(x, y) || each.matches(".tm-number")) continue;
    // What scrolls may show a part of a row at its edge.
    const list = each.closest(".tm-sheet-body, .tm-life-scroll")?.getBoundingClientRect();
    if (list && (box.bottom + 8 > list.bottom || box.top - 8 < list.top)) continue;
    const large = [[0, -15], [0, 15], [-15, 0], [15, 0]].every(([dx, dy]) => hit(x + dx, y + dy));
    if (!large) found.push(each.className + ": " + each.textContent.slice(0, 20));
  }
  return found;
}"""


def small(page: Any) -> list[str]:
    """Names of the targets that cannot be hit up to 15 px from their centre on every side."""
    frames(page, 5)
    return page.evaluate(SMALL)


def test_every_target_of_the_player_and_of_its_drawers_is_32_px(open_player: OpenPage) -> None:
    page = open_player("/?scenario=idle-channel-wakes&step=62", size=(1280, 720))
    assert small(page) == []
    page.keyboard.press("i")
    for view in ("entries", "lifetime", "timers", "watermark"):
        page.click(f"[data-view={view}]")
        assert small(page) == [], view
    page.keyboard.press("d")
    assert small(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("w")
    assert small(page) == []
    page.keyboard.press("Escape")
    page.click(".tm-badge")
    assert small(page) == []
    assert page.locator(".tm-badge-pop").bounding_box()["height"] > 120, "the pop-up must be fully visible"


def test_the_views_of_state_have_room_for_what_they_show(open_player: OpenPage) -> None:
    page = open_player("/?scenario=idle-channel-wakes&step=40", size=(1280, 720))
    page.keyboard.press("i")
    page.click("[data-view=watermark]")
    table, valve = (page.locator(name).first.bounding_box() for name in (".tm-branches", ".tm-valve"))
    assert table["x"] + table["width"] < valve["x"], "the tree does not lie over its channels"
    page.click("[data-view=lifetime]")
    arrival = page.get_by_role("button", name="by arrival").bounding_box()
    drawer = page.locator(".tm-lifetime").bounding_box()
    assert arrival["x"] + arrival["width"] <= drawer["x"] + drawer["width"] + 1, "both axes can be chosen"
