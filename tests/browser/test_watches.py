"""Watches and breakpoints: expressions that stay in view, and steps at which Play and the arrow keys stop."""

from typing import Any

from tests.browser.opening import PLAYER, frames, reload
from tests.browser.player import OpenPage

SCENARIO = "late-but-allowed"


def watches(page: Any) -> dict[str, str]:
    """What the strip shows: the value of each expression."""
    frames(page)
    shown = page.locator(".tm-watch:visible").all()
    return {each.locator("code").inner_text(): each.locator(".tm-watch-value").inner_text() for each in shown}


def at(page: Any) -> int:
    frames(page)
    return int(page.get_attribute(PLAYER, "data-step"))


def dots(page: Any) -> int:
    """How many breakpoints the scrubber shows."""
    return (page.locator(".tm-break").get_attribute("d") or "").count("M")


def keep(page: Any, expression: str, key: str) -> None:
    page.keyboard.press("/")
    page.fill(".tm-find-field", expression)
    page.keyboard.press(key)


def test_a_watch_is_kept_in_view_and_a_breakpoint_stops_every_key(open_player: OpenPage) -> None:
    page = open_player(f"/?scenario={SCENARIO}&step=40", size=(1280, 720))
    keep(page, "timrs", "Alt+Enter")
    assert "“timrs” is not a known word. Did you mean timers" in " ".join(page.inner_text(".tm-find-said").split())
    assert watches(page) == {}
    keep(page, "watermark", "Alt+Enter")
    keep(page, "watermark >= 5s", "Control+Enter")
    page.keyboard.press("Escape")
    assert watches(page) == {"watermark": "2.699", "watermark >= 5s": "false"}
    assert dots(page) == 1
    foot = page.locator(".tm-foot").bounding_box()
    assert foot["y"] + foot["height"] <= 720, "the strip takes its room from the picture"

    page.keyboard.press(".")
    assert at(page) == 67
    assert watches(page) == {"watermark": "5.599", "watermark >= 5s": "true"}
    assert page.locator(".tm-watch[data-hit=true]").count() == 1
    assert page.locator(".tm-watch[data-changed=true]").count() == 2, "both values are marked as changed"

    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowLeft")
    assert at(page) == 67, "a breakpoint lies on the way to the record before"

    reload(page)
    assert watches(page) == {"watermark": "5.599", "watermark >= 5s": "true"}
    page.locator(".tm-watch-text").first.focus()
    page.keyboard.press("Delete")
    page.keyboard.press("Delete")
    assert watches(page) == {}
    assert dots(page) == 0


def test_play_stops_at_a_breakpoint_though_the_step_matters_to_no_novice(open_player: OpenPage) -> None:
    page = open_player(f"/?scenario={SCENARIO}&step=64&break=step+%3D+66%3B%28nonsense")
    assert list(watches(page)) == ["step = 66"], "what is no expression is ignored"
    page.select_option(".tm-speed", "16")
    page.keyboard.press("Space")
    page.wait_for_selector(".tm-watch[data-hit=true]")
    frames(page, 30)
    assert at(page) == 66
    assert page.locator(".tm-play").get_attribute("aria-label") == "Play"


def test_no_breakpoint_is_marked_or_reached_beyond_a_question(open_player: OpenPage) -> None:
    page = open_player(f"/?scenario={SCENARIO}&step=1&break=watermark")
    before = dots(page)
    page.keyboard.press("q")
    frames(page)
    assert 0 < dots(page) < before
    for _ in range(before):
        page.keyboard.press(".")
    assert not page.locator(".tm-predict").is_visible()
    page.keyboard.press("p")
    frames(page)
    assert watches(page) == {}, "a presentation goes without"
