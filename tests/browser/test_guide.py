"""The guide on a phone: the player takes the place of a picture, and in it the staircase can be pulled."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.opening import visit
from tests.browser.pages import READY, follow_link

ACCOUNT = ".tm-account"


@pytest.mark.journey
def test_a_picture_becomes_the_player_and_its_bound_can_be_pulled(fresh: Callable[..., Any], server: str) -> None:
    page = fresh(viewport={"width": 390, "height": 844}, base_url=server).new_page()
    visit(page, "/library", READY["library"])
    follow_link(page, "guide")
    page.wait_for_selector(".g-live .g-plane")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator("iframe").count() < 3, "only what is near"
    stage = page.locator("#bound .g-stage")
    stage.scroll_into_view_if_needed()
    page.wait_for_selector("#bound .g-ready")
    frame = page.frame_locator("#bound iframe")
    assert frame.locator(ACCOUNT).text_content() == "6 arrived = 2 counted + 1 lost + 3 still waiting"
    # In the frame the watermark's line is taken at 4 s, on an axis of 20 s, and held at 3 s.
    box = frame.locator(".tm-plane").bounding_box()
    wide = box["width"] - 94
    for seconds in (4, 3.5, 3):
        page.mouse.move(box["x"] + 74 + wide * seconds / 20, box["y"] + 60)
        if seconds == 4:
            page.mouse.down()
    page.mouse.up()
    frame.locator(ACCOUNT, has_text="3 counted + 0 lost + 3 still waiting").wait_for()
    assert frame.locator(".tm-tryout-links a").count() == 0, "a frame leads nowhere else"
    frame.get_by_role("button", name="Undo").click()
    frame.locator(ACCOUNT, has_text="1 lost").wait_for()
    assert page.url.endswith("/guide")
