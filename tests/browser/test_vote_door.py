"""The QR code on the projector, read as a phone in the room reads it, and the page that it opens."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tidemark.simulator.scenario import load
from tidemark.ui.payload.contents import payload
from tidemark.ui.site.chromium import CHROMIUM

from tests.browser.conftest import ROOT, serving
from tests.browser.opening import VOTE, visit
from tests.browser.slow_page import launch
from tests.qr import read

LECTURE_HALL = "hall.example"
"""A host name that other machines could use; these browsers resolve it to the server without a network."""


SECRET = "secret-of-the-lecture"


@pytest.fixture(scope="module")
def classroom(scenario_folder: Path, found: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an app that others can reach, so that only the teacher may ask the class."""
    with serving(
        scenario_folder, found, tmp_path_factory.mktemp("hall") / "log.txt", TIDEMARK_SECRET=SECRET
    ) as address:
        yield address


@pytest.fixture(scope="module")
def hall(chromium: Any, classroom: str) -> Iterator[Any]:
    """A browser that resolves ``LECTURE_HALL`` to the server."""
    names = f"--host-resolver-rules=MAP {LECTURE_HALL} 127.0.0.1"
    browser = launch(chromium.browser_type, CHROMIUM, names)
    yield browser
    browser.close()


def code_on(page: Any) -> Image.Image:
    picture = Image.open(io.BytesIO(page.locator(".tm-poll-qr").screenshot()))
    # If it starts between two pixels, its screenshot has one more pixel in that direction.
    size = min(picture.size)
    return picture.crop((0, 0, size, size))


def test_a_phone_reads_the_code_and_is_in_the_room(hall: Any, classroom: str) -> None:
    beats = payload(load(ROOT / "scenarios" / "two-clocks.yaml"))["beats"]
    beat = next(each for each in beats if each["choices"])
    place = classroom.replace("127.0.0.1", LECTURE_HALL)
    address = f"scenario=two-clocks&step={beat['step']}&present=1"
    student = hall.new_page(viewport={"width": 1280, "height": 720})
    visit(student, f"{place}/?{address}")
    student.keyboard.press("v")
    student.get_by_text("Only the teacher can ask the class here.").wait_for()
    student.close()
    page = hall.new_page(viewport={"width": 1280, "height": 720})
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    visit(page, f"{place}/?{address}&teacher={SECRET}")
    assert SECRET not in page.url
    page.keyboard.press("v")
    page.wait_for_selector(".tm-poll-qr")
    code = page.locator(".tm-poll-code").inner_text()
    box = page.locator(".tm-poll-qr").bounding_box()
    assert box["width"] == box["height"] >= 260
    assert f"http://{page.locator('.tm-poll-address').inner_text()}" == f"{place}/vote"
    assert not page.locator(".tm-poll-strip").is_visible(), "the strip must not repeat the address"
    text = read(code_on(page))
    assert text == f"{place}/vote?room={code}"
    # It stays the same in the dark theme and in a larger window; no part of the screen scrolls.
    page.keyboard.press("d")
    assert read(code_on(page)) == text
    page.set_viewport_size({"width": 1440, "height": 900})
    assert read(code_on(page)) == text
    for part in (".tm-poll-door", ".tm-question"):
        assert page.locator(part).evaluate("node => node.scrollHeight <= node.clientHeight"), part
    assert [url for url in requested if not url.startswith((place, "data:", "blob:"))] == []
    phone = hall.new_page(viewport={"width": 390, "height": 844})
    visit(phone, text, VOTE)
    phone.locator(".tm-vote-choice").first.click()
    page.wait_for_function("document.querySelector('.tm-poll-answers').textContent.startsWith('1 answer')")
    assert read(code_on(page)) == text
    page.keyboard.press("v")
    page.wait_for_selector(".tm-poll-sheet", state="visible")
    # The votes cover what is behind them to its last line.
    edges = [page.locator(part).bounding_box() for part in (".tm-poll-sheet", ".tm-question")]
    assert len({round(edge["y"] + edge["height"], 1) for edge in edges}) == 1
    assert not page.locator(".tm-poll-door").is_visible()
    # In the second vote the widest buttons have room beside the code.
    page.set_viewport_size({"width": 1280, "height": 720})
    page.keyboard.press("v")
    page.locator(".tm-question-foot").get_by_text("Show the answer").wait_for()
    assert page.locator(".tm-question-foot").evaluate("(foot) => foot.scrollWidth <= foot.clientWidth")
    phone.close()
    page.close()
