"""No work is lost on the Author page: two tabs, Back, reload, something half typed, and a drag among equal arrivals."""

from pathlib import Path
from typing import Any

from tests.browser.opening import AUTHOR, frames, reload, visit
from tests.browser.pages import follow_link
from tests.browser.player import OpenPage

SCENARIOS = Path(__file__).parents[2] / "scenarios"
ELSEWHERE = ".tm-au-elsewhere"
TITLE = ".tm-au-title"


def settled(page: Any) -> None:
    frames(page)
    page.wait_for_selector('.tidemark-author[data-busy="false"]')
    frames(page)


def retitle(page: Any, title: str) -> None:
    page.bring_to_front()  # a tab behind another one draws one frame a second
    page.locator(TITLE).fill(title)
    page.keyboard.press("Enter")
    page.wait_for_function("(title) => document.querySelector('.tm-au-area').value.includes(title)", arg=title)
    settled(page)


def shows(page: Any, title: str) -> None:
    page.bring_to_front()
    page.wait_for_function("(title) => document.querySelector('.tm-au-title').value === title", arg=title)
    settled(page)


def test_two_tabs_back_and_reload_lose_nothing(open_page: OpenPage) -> None:
    one = open_page("/author?scenario=late-but-allowed", ready=AUTHOR)
    home = one.evaluate("location.origin")
    two = visit(one.context.new_page(), f"{home}/author?scenario=two-clocks", AUTHOR)
    for page, title in ((one, "One"), (two, "Two"), (one, "One again"), (two, "Two again")):
        retitle(page, title)

    one.get_by_role("button", name="Add a beat here").click()
    one.locator(".tm-au-form textarea").first.fill("Half a beat")
    reload(one, AUTHOR)
    shows(one, "One again")
    one.wait_for_selector(".tm-au-form")
    assert one.locator(".tm-au-form textarea").first.input_value() == "Half a beat"
    one.keyboard.press("Escape")
    one.keyboard.press("Control+z")
    shows(one, "One")
    one.keyboard.press("Control+Shift+z")
    shows(one, "One again")

    address = one.evaluate("location.pathname + location.search")
    follow_link(one, "symptoms")
    one.wait_for_selector(".tidemark-symptoms")
    one.go_back()
    one.wait_for_selector(AUTHOR)
    shows(one, "One again")
    assert one.evaluate("location.pathname + location.search") == address

    # The same draft in both tabs: one of them edits it, the other says so.
    visit(two, f"{home}{address}", AUTHOR)
    two.wait_for_selector(f"{ELSEWHERE}:not(:empty)")
    two.get_by_role("button", name="Continue here").click()
    one.wait_for_selector(f"{ELSEWHERE}:not(:empty)")
    settled(two)
    retitle(two, "Two took it")
    one.get_by_role("button", name="Make a copy").click()
    shows(one, "Two took it")
    retitle(one, "One has a copy")
    assert two.locator(TITLE).input_value() == "Two took it"


def test_a_link_to_a_draft_of_another_browser_promises_none(open_page: OpenPage) -> None:
    page = open_page("/author?draft=of-somebody-else", ready=AUTHOR)
    page.wait_for_selector(".tm-au-dialog[open]")
    assert page.locator(".tm-au-told").inner_text() == "This browser has no such draft."


def test_a_title_typed_halfway_is_there_after_a_reload_and_is_not_lost_with_the_next_edit(open_page: OpenPage) -> None:
    page = open_page("/author?scenario=late-and-dropped", ready=AUTHOR)
    settled(page)
    page.locator(TITLE).fill("Half a title")
    for _ in range(2):
        reload(page, AUTHOR)
        shows(page, "Half a title")
    bound = page.get_by_label("Bound", exact=True).first
    bound.fill("4 s")
    bound.press("Enter")
    page.wait_for_function("() => document.querySelector('.tm-au-area').value.includes('en: Half a title')")
    settled(page)
    assert "4s" in page.locator(".tm-au-area").input_value()
    shows(page, "Half a title")


def test_a_drag_lands_where_the_preview_was_among_equal_arrivals(open_page: OpenPage) -> None:
    page = open_page("/author?scenario=idle-channel-wakes", ready=AUTHOR)
    settled(page)
    arrivals = page.locator('td[data-column="at"]')
    before = [each for each in arrivals.all_inner_texts() if each]
    assert len(set(before)) < len(before), "records that arrive at the same time"
    assert "count" not in page.locator(".tm-au-picture .tm-card-note").inner_text(), (
        "the axis is the clock all the same"
    )
    start = page.locator('.tm-au-grip[data-item="1"]').bounding_box()
    height = page.evaluate("document.querySelector('.tm-au-plane').clientHeight")
    x, y = start["x"] + 16, start["y"] + 16
    page.mouse.move(x, y)
    page.mouse.down()
    for down in (30, 60, 90):
        page.mouse.move(x, y + down, steps=2)
        settled(page)
    assert page.evaluate("document.querySelector('.tm-au-plane').clientHeight") == height
    preview = arrivals.all_inner_texts()
    page.mouse.up()
    settled(page)
    landed = arrivals.all_inner_texts()
    assert landed == preview
    assert sorted(landed) != sorted(before)
    times = [float(each) for each in landed if each]
    assert times == sorted(times)


def test_a_file_that_does_not_run_shows_nothing_of_the_draft_before_it(open_page: OpenPage) -> None:
    page = open_page("/author?scenario=late-but-allowed", ready=AUTHOR)
    assert page.is_visible(".tm-au-plane")
    page.click("[data-act=new]")
    broken = {
        "name": "theirs.yaml",
        "mimeType": "text/yaml",
        "buffer": b"scenario: 1\nname: theirs\ntitle: {en: Theirs\n",
    }
    page.set_input_files("input.tm-au-upload[type=file]", broken)
    page.wait_for_selector(".tidemark-author[data-blank][data-busy=false]")
    assert page.locator(".tm-au-file").inner_text().startswith("theirs")
    assert not page.is_visible(".tm-au-plane")
    assert page.locator(".tm-au-grip:visible").count() == 0
    # As soon as it runs, it is there whole.
    page.locator(".tm-au-area").fill(
        "scenario: 1\nname: theirs\noperator: {type: window, assigner: {type: tumbling, size: 5s},"
        " function: {call: aggregate, compute: sum}}\ninputs: {events: {watermark: {generator: monotonous}}}\n"
        "stream:\n  - {ts: 1s, key: a, value: 4}\n"
    )
    page.wait_for_selector('.tidemark-author[data-sound="true"]:not([data-blank])')
    settled(page)
    assert page.is_visible(".tm-au-plane")
    assert page.locator(".tm-au-grip").count() == 1


def test_a_file_is_chosen_by_a_button_in_the_language_of_the_page(open_page: OpenPage, tmp_path: Path) -> None:
    """A browser's own button speaks the language of the browser."""
    page = open_page("/author?new=1&lang=zh", ready=AUTHOR)
    file = tmp_path / "mine.yaml"
    file.write_text((SCENARIOS / "late-but-allowed.yaml").read_text(encoding="utf-8"), encoding="utf-8")
    page.get_by_text("选择文件……", exact=True).wait_for()
    with page.expect_file_chooser() as chosen:
        page.get_by_label("文件", exact=True).click()
    chosen.value.set_files(file)
    page.get_by_text("迟到但被允许").first.wait_for()


def test_the_button_says_that_sql_is_being_read_and_can_be_pressed_again(open_page: OpenPage) -> None:
    page = open_page("/author?new=1", ready=AUTHOR)
    page.get_by_text("Paste SQL …").click()
    page.locator("dialog textarea").fill("SELECT a FROM nowhere")
    button = page.get_by_role("button", name="Read it")
    button.evaluate(
        """button => new MutationObserver(() => (window.said ??= []).push([button.textContent, button.disabled]))
          .observe(button, { childList: true, attributes: true })"""
    )
    button.click()
    page.wait_for_function("document.querySelector('dialog [role=alert]').textContent.includes('nowhere')")
    assert ["Reading …", True] in page.evaluate("window.said")
    assert button.is_enabled()
