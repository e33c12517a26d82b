"""The Author page in a browser: table, text and picture are one thing, and every edit can be taken back."""

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.browser

OpenPage = Callable[..., Any]
READY = '.tidemark-author[data-ready="true"]'


@pytest.fixture
def author(open_page: OpenPage) -> Any:
    """The page with a copy of a scenario of twelve records."""
    return open_page("/author?scenario=late-but-allowed", ready=READY)


def settled(page: Any) -> None:
    """Until the server has answered and the picture is drawn."""
    page.wait_for_timeout(50)
    page.wait_for_selector('.tidemark-author[data-busy="false"]')
    page.wait_for_timeout(50)


def text(page: Any) -> str:
    return str(page.locator(".tm-au-area").input_value())


def line_with(page: Any, value: str) -> str:
    return next(line.strip() for line in text(page).split("\n") if value in line)


def cell(page: Any, item: int, column: str) -> Any:
    return page.locator(f'tr[data-item="{item}"] td[data-column="{column}"]')


def counts(page: Any) -> list[int]:
    """Results, on time, late, lost, as the strip under the picture says."""
    page.wait_for_selector(".tm-au-count-of")
    return [int(each) for each in page.locator(".tm-au-count-of b").all_inner_texts()]


def test_a_cell_changes_text_and_picture_and_undo_brings_both_back(author: Any) -> None:
    before = text(author)
    assert counts(author) == [7, 10, 1, 1]
    cell(author, 7, "ts").click()
    author.keyboard.type("9.5")
    author.keyboard.press("Tab")
    settled(author)
    assert line_with(author, "value: 6, at: 10s300ms").startswith("- {ts: 9s500ms,")
    assert author.evaluate("document.activeElement.className") == "tm-au-cell"
    author.keyboard.press("Escape")
    assert "1 result disappears" in author.inner_text("#tm-au-part-changes")
    assert (
        author.locator('[data-item="7"].tm-au-grip')
        .get_attribute("aria-label")
        .endswith("on time. Arrow keys move it.")
    )
    author.keyboard.press("Control+z")
    settled(author)
    assert text(author) == before
    author.keyboard.press("Control+Shift+z")
    settled(author)
    assert "ts: 9s500ms" in text(author)
    author.reload()
    author.wait_for_selector(READY)
    assert "ts: 9s500ms" in text(author)


def test_a_dragged_record_says_what_becomes_of_it_before_it_is_dropped(author: Any) -> None:
    box = author.locator('.tm-au-grip[data-item="7"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    author.mouse.move(x, y)
    author.mouse.down()
    author.mouse.move(x, y + 30)
    author.mouse.move(x, y + 60, steps=3)
    author.wait_for_function(
        "document.querySelector('#tm-au-part-changes').innerText.includes('1 record is dropped now')"
    )
    assert author.inner_text(".tm-au-chip:last-child") == "0 of 2 goals met"
    author.mouse.up()
    settled(author)
    moved = line_with(author, "value: 6, at: 1")
    assert "at: 10s300ms" not in moved
    assert "ts: 3s900ms" in moved
    author.keyboard.press("ArrowUp")
    author.wait_for_timeout(400)
    settled(author)
    assert line_with(author, "value: 6, at: 1") != moved
    assert author.evaluate("document.activeElement.className").startswith("tm-au-grip")


def test_an_error_is_told_at_its_line_while_the_last_sound_state_stays(author: Any) -> None:
    author.evaluate(
        "() => { const field = document.querySelector('.tm-au-area'); field.focus();"
        " const at = field.value.indexOf('type: tumbling') + 6; field.setSelectionRange(at, at + 1); }"
    )
    author.keyboard.type("T")
    author.wait_for_selector('.tidemark-author[data-sound="false"]')
    assert "`Tumbling` is not known here" in author.inner_text(".tm-au-problem")
    assert author.inner_text(".tm-au-wrong .tm-au-squiggle") == "Tumbling"
    assert author.is_visible(".tm-au-stale")
    assert author.locator(".tm-au-grip").count() == 12
    author.click("text=Replace with tumbling")
    author.wait_for_selector('.tidemark-author[data-sound="true"]')
    assert not author.is_visible(".tm-au-stale")
    author.select_option('[data-control="assigner"]', "session")
    settled(author)
    assert "assigner: {type: session, gap: 5s}" in text(author)


def test_nothing_scrolls_in_either_size(author: Any) -> None:
    for size in ({"width": 1280, "height": 720}, {"width": 1440, "height": 900}):
        author.set_viewport_size(size)
        assert author.evaluate("document.documentElement.scrollHeight <= innerHeight")
