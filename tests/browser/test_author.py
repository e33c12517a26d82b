"""The Author page in a browser: table, text and picture stay in step, and every edit can be undone."""

from typing import Any

import pytest

from tests.browser.opening import AUTHOR, PATIENCE, frames, reload, visit
from tests.browser.player import OpenPage

KEPT = ".tm-au-kept:not(.tm-au-elsewhere)"


@pytest.fixture
def author(open_page: OpenPage) -> Any:
    """The page with a copy of a scenario of twelve records."""
    return open_page("/author?scenario=late-but-allowed", ready=AUTHOR)


def settled(page: Any) -> None:
    """Wait until the server has answered and the picture is drawn."""
    frames(page)  # an edit starts only after its key or click
    page.wait_for_selector('.tidemark-author[data-busy="false"]')
    frames(page)


def text(page: Any) -> str:
    return str(page.locator(".tm-au-area").input_value())


def line_with(page: Any, value: str) -> str:
    return next(line.strip() for line in text(page).split("\n") if value in line)


def cell(page: Any, item: int, column: str) -> Any:
    return page.locator(f'tr[data-item="{item}"] td[data-column="{column}"]')


def counts(page: Any) -> list[int]:
    """Results, on time, late, lost: the numbers in the strip under the picture."""
    page.wait_for_selector(".tm-au-count-of")
    return [int(each) for each in page.locator(".tm-au-count-of b").all_inner_texts()]


@pytest.mark.journey
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
        .endswith("in time. Arrow keys move it.")
    )
    author.keyboard.press("Control+z")
    settled(author)
    assert text(author) == before
    author.keyboard.press("Control+Shift+z")
    settled(author)
    assert "ts: 9s500ms" in text(author)
    reload(author, AUTHOR)
    assert "ts: 9s500ms" in text(author)


def test_a_change_is_tried_on_other_streams(author: Any) -> None:
    author.locator(".tm-au-area").fill(text(author).replace("bound: 2s", "bound: 3s"))
    author.click("#tm-au-tab-matters")
    author.get_by_role("button", name="Find a stream").click()
    author.get_by_role("button", name="Stop", exact=True).click()
    assert "Stopped." in author.inner_text("#tm-au-part-matters")
    author.get_by_role("button", name="Find a stream").click()
    author.get_by_role("link", name="Compare on this stream").wait_for(timeout=PATIENCE)
    assert "They differ on" in author.inner_text("#tm-au-part-matters")


def test_a_dragged_record_shows_its_fate_before_it_is_released(author: Any) -> None:
    box = author.locator('.tm-au-grip[data-item="7"]').bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    author.mouse.move(x, y)
    author.mouse.down()
    author.mouse.move(x, y + 30)
    author.mouse.move(x, y + 60, steps=3)
    author.wait_for_function("document.querySelector('#tm-au-part-changes').innerText.includes('1 record is now lost')")
    assert author.inner_text(".tm-au-chip:last-child") == "0 of 2 goals met"
    author.mouse.up()
    settled(author)
    moved = line_with(author, "value: 6, at: 1")
    assert "at: 10s300ms" not in moved
    assert "ts: 3s900ms" in moved
    author.keyboard.press("ArrowUp")
    author.wait_for_function("before => !document.querySelector('.tm-au-area').value.includes(before)", arg=moved)
    settled(author)
    assert line_with(author, "value: 6, at: 1") != moved
    assert author.evaluate("document.activeElement.className").startswith("tm-au-grip")


def test_an_error_is_shown_at_its_line_while_the_last_sound_state_stays(author: Any) -> None:
    author.evaluate(
        "() => { const field = document.querySelector('.tm-au-area'); field.focus();"
        " const at = field.value.indexOf('type: tumbling') + 6; field.setSelectionRange(at, at + 1); }"
    )
    author.keyboard.type("T")
    author.wait_for_selector('.tidemark-author[data-sound="false"]')
    assert "Tumbling is not known here" in author.inner_text(".tm-au-problem")
    assert author.inner_text(".tm-au-wrong .tm-au-squiggle") == "Tumbling"
    assert author.is_visible(".tm-au-stale")
    assert author.locator(".tm-au-grip").count() == 12
    author.click("text=Replace with tumbling")
    author.wait_for_selector('.tidemark-author[data-sound="true"]')
    assert not author.is_visible(".tm-au-stale")
    author.select_option('[data-control="assigner"]', "session")
    settled(author)
    assert "assigner: {type: session, gap: 5s}" in text(author)


def test_a_missing_bracket_is_reported_where_it_is_missing(author: Any) -> None:
    before = text(author)
    author.locator(".tm-au-area").fill(before.replace("compute: sum}", "compute: sum", 1))
    author.wait_for_selector('.tidemark-author[data-sound="false"]')
    assert author.locator("text=Replace with").count() == 0
    author.click("text=Put } at the end of line")
    author.wait_for_selector('.tidemark-author[data-sound="true"]')
    assert text(author) == before


def test_an_old_draft_is_announced_and_left_for_the_scenario_of_the_address(author: Any) -> None:
    fresh = text(author)
    assert author.inner_text(KEPT) == ""
    author.locator(".tm-au-area").fill(fresh.replace("assigner:", "asigner:", 1))
    author.wait_for_selector('.tidemark-author[data-sound="false"]')
    visit(author, author.evaluate("location.origin") + "/author?scenario=late-but-allowed", AUTHOR)
    assert "Your draft from " in author.inner_text(KEPT)
    assert author.inner_text(".tm-au-file") == "late-but-allowed-2.yaml · not saved"
    for card in (".tm-au-rows", "#tm-au-part-changes", "#tm-au-part-goals", ".tm-au-picture"):
        assert "Nothing to show yet" in author.inner_text(card)
    author.click("text=Start over from the library")
    author.wait_for_selector('.tidemark-author[data-sound="true"]')
    assert text(author) == fresh
    assert author.inner_text(KEPT) == ""
    author.wait_for_selector("#tm-au-part-goals .tm-au-ok")
    assert author.locator('[data-table="stream"] tbody tr').count() == 13


def test_a_refusal_leaves_what_the_last_edit_changed_and_disappears_with_the_next_edit(author: Any) -> None:
    def value_of_item_8(value: str) -> None:
        cell(author, 8, "value").click()
        author.keyboard.type(value)
        author.keyboard.press("Enter")
        author.wait_for_function(
            f"document.querySelector('.tm-au-area').value.includes('value: {value}, at: 11s400ms')"
        )
        settled(author)

    value_of_item_8("5")
    card = author.locator(".tm-au-low").first
    said = card.inner_text()
    assert "Nothing changed yet" not in said
    cell(author, 3, "ts").click()
    author.keyboard.type("abc")
    author.keyboard.press("Enter")
    author.wait_for_selector(".tm-au-bad")
    settled(author)
    assert card.inner_text() == said
    assert "This is not a time" in author.inner_text(".tm-au-told")
    cell(author, 3, "ts").click()
    author.keyboard.press("Enter")
    assert author.locator(".tm-au-cell").input_value() == "abc"
    author.keyboard.press("Escape")
    value_of_item_8("6")
    assert author.locator(".tm-au-bad").count() == 0
    assert not author.is_visible(".tm-au-told")


def test_the_page_fits_its_window_and_its_head_can_be_used_in_a_narrow_one(author: Any) -> None:
    author.locator(".tm-au-range").fill("0")
    assert author.inner_text(".tm-au-strip-on .tm-au-strip-text").startswith("The clock moves to ")
    for width, height in ((1280, 720), (1440, 900)):
        author.set_viewport_size({"width": width, "height": height})
        assert author.evaluate("document.documentElement.scrollHeight <= innerHeight")
    for width, height in ((720, 450), (780, 900)):
        author.set_viewport_size({"width": width, "height": height})
        for name in ("new", "take", "share", "preview", "save"):
            author.locator(f'[data-act="{name}"]').click(trial=True, timeout=5_000)
        tops = [author.locator(each).bounding_box()["x"] for each in (".tm-au-stream", ".tm-au-text", ".tm-au-picture")]
        assert len(set(tops)) == 1
