"""The QR code on the projector, read as by a phone in the room, and the way that it opens."""

import io
from collections.abc import Iterator
from typing import Any

import pytest
from PIL import Image

from simulator.scenario import load
from tests.browser.conftest import CHROMIUM, ROOT
from tests.browser.opening import VOTE, visit
from tests.browser.slow_page import launch
from tests.qr import read
from ui.payload.contents import payload

pytestmark = pytest.mark.browser

LECTURE_HALL = "hall.example"
"""A name by which other machines could mean the server; these browsers find it there without a network."""


@pytest.fixture(scope="module")
def hall(chromium: Any, server: str) -> Iterator[Any]:
    """A browser that knows the server by ``LECTURE_HALL``."""
    names = f"--host-resolver-rules=MAP {LECTURE_HALL} 127.0.0.1"
    browser = launch(chromium.browser_type, CHROMIUM, names)
    yield browser
    browser.close()


def code_on(page: Any) -> Image.Image:
    picture = Image.open(io.BytesIO(page.locator(".tm-poll-qr").screenshot()))
    # Where it begins between two pixels, the picture of it has one more in that direction.
    size = min(picture.size)
    return picture.crop((0, 0, size, size))


def test_a_phone_reads_the_code_and_is_in_the_room(hall: Any, server: str) -> None:
    beats = payload(load(ROOT / "scenarios" / "two-clocks.yaml"))["beats"]
    beat = next(each for each in beats if each["choices"])
    place = server.replace("127.0.0.1", LECTURE_HALL)
    page = hall.new_page(viewport={"width": 1280, "height": 720})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    visit(page, f"{place}/?scenario=two-clocks&step={beat['step']}&present=1")
    page.keyboard.press("v")
    page.wait_for_selector(".tm-poll-qr")
    code = page.locator(".tm-poll-code").inner_text()
    box = page.locator(".tm-poll-qr").bounding_box()
    assert box["width"] == box["height"] >= 260
    assert f"http://{page.locator('.tm-poll-address').inner_text()}" == f"{place}/vote"
    assert not page.locator(".tm-poll-strip").is_visible(), "it is said once"
    text = read(code_on(page))
    assert text == f"{place}/vote?room={code}"
    # In the dark it is as it was, and so in a larger window; nothing of the screen scrolls.
    page.keyboard.press("d")
    assert read(code_on(page)) == text
    page.set_viewport_size({"width": 1440, "height": 900})
    assert read(code_on(page)) == text
    for part in (".tm-poll-door", ".tm-question"):
        assert page.locator(part).evaluate("node => node.scrollHeight <= node.clientHeight"), part
    assert [url for url in asked if not url.startswith((place, "data:", "blob:"))] == []
    phone = hall.new_page(viewport={"width": 390, "height": 844})
    visit(phone, text, VOTE)
    phone.locator(".tm-vote-choice").first.click()
    page.wait_for_function("document.querySelector('.tm-poll-answers').textContent.startsWith('1 answer')")
    assert read(code_on(page)) == text
    page.keyboard.press("v")
    page.wait_for_selector(".tm-poll-sheet", state="visible")
    assert not page.locator(".tm-poll-door").is_visible()
    phone.close()
    page.close()
