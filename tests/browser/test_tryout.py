"""A number changed in the sentence, a record dragged in the picture: run at once, and taken back."""

import re
from typing import Any

import pytest

from tests.browser.opening import PLAYER, frames
from tests.browser.player import OpenPage

SAID = ".tm-tryout-said"

DRAFT_AT_ONCE = """new MutationObserver((_, seen) => {
  const button = document.querySelector(".tm-tryout-links button:last-child");
  if (!button) return;
  seen.disconnect();
  button.click();
}).observe(document.body, { childList: true, subtree: true })"""
"""Presses "Edit as a draft" while the server still opens the changed scenario."""


ACCOUNT = ".tm-account"


def pull_to_zero(page: Any) -> None:
    """Take the watermark's line where it stands at 3 s, on an axis of 30 s, and hold it at 0 s."""
    box = page.locator(".tm-plane").bounding_box()
    for seconds in (3, 1.5, 0):
        page.mouse.move(
            box["x"] + 74 + (box["width"] - 94) * seconds / 30, box["y"] + 30 + (box["height"] - 72) * 0.285
        )
        if seconds == 3:
            page.mouse.down()


@pytest.mark.journey
def test_the_watermark_is_pulled_from_the_records_and_the_numbers_follow(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped&step=82")
    assert page.locator(ACCOUNT).text_content() == "7 arrived = 6 counted + 1 lost + 0 still waiting"
    address = page.url
    pull_to_zero(page)
    page.locator(ACCOUNT, has_text="7 counted + 0 lost").wait_for()
    assert page.locator(".tm-drag-read").text_content() == "bound 5 s"
    assert page.url == address, "nothing is another place while the line is held"
    page.mouse.up()
    page.locator(SAID, has_text="Bound: 2 s → 5 s.").wait_for()
    assert "?s=" in page.url
    page.go_back()
    page.locator(ACCOUNT, has_text="6 counted + 1 lost").wait_for()
    page.wait_for_url(address)


def test_escape_puts_a_line_that_is_held_back(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped&step=82")
    address = page.url
    pull_to_zero(page)
    page.locator(ACCOUNT, has_text="0 lost").wait_for()
    page.keyboard.press("Escape")
    page.locator(ACCOUNT, has_text="1 lost").wait_for()
    page.mouse.up()
    frames(page)
    assert page.locator(SAID).count() == 0
    assert page.url == address


@pytest.mark.journey
def test_a_number_is_changed_in_the_sentence_and_taken_back(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped&step=60")
    page.get_by_role("button", name="2 s – Change bound").click()
    page.keyboard.type("2.501s")
    page.keyboard.press("Enter")
    page.wait_for_selector(SAID)
    assert page.locator(SAID).text_content() == (
        "Bound: 2 s → 2.501 s. [0, 10) of a is now 13 instead of 6; one record less is lost."
    )
    page.wait_for_selector('.tidemark-player[data-ready="true"]')
    assert "?s=" in page.url
    assert page.locator(".tm-ghost-watermark").count() == 1
    both = page.get_by_role("link", name="Compare with the original").get_attribute("href")
    assert both.startswith("./compare?s=")
    assert both.endswith("with=late-and-dropped")
    page.keyboard.press("Escape")
    page.wait_for_selector(SAID, state="detached")
    page.wait_for_function("location.search.startsWith('?scenario=late-and-dropped')")


def test_what_is_taken_back_leads_to_the_step_of_the_change_and_after_going_on_to_that_item(
    open_page: OpenPage,
) -> None:
    page = open_page("/?scenario=late-and-dropped&step=60")
    for keys, step in (([], "60"), (["Shift+ArrowRight"], None)):
        page.get_by_role("button", name="2 s – Change bound").click()
        page.keyboard.type("2.501s")
        page.keyboard.press("Enter")
        page.wait_for_selector(SAID)
        page.wait_for_selector(PLAYER)
        for key in keys:
            page.keyboard.press(key)
        page.keyboard.press("Escape")
        page.wait_for_selector(SAID, state="detached")
        page.wait_for_selector(PLAYER)
        shown = page.locator(PLAYER).get_attribute("data-step")
        assert shown == step if step else int(shown) > 60
        page.wait_for_url(f"**/?scenario=late-and-dropped&step={shown}*")


def test_a_dragged_record_is_run_at_its_new_place(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped")
    page.keyboard.press("l")
    page.keyboard.press("w")
    ring = page.locator(".tm-gap-ring").bounding_box()
    page.keyboard.press("Escape")
    x, y = ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 90, steps=4)
    page.mouse.up()
    page.wait_for_selector(SAID)
    assert page.locator(SAID).text_content() == (
        "One record moved. [0, 10) of a is now 13 instead of 6; one record less is lost."
    )
    page.wait_for_selector('.tidemark-player[data-ready="true"]')
    assert page.locator(".tm-ghost-record").count() == 1


def test_in_the_picture_of_a_join_a_record_is_dragged_along_event_time_and_to_the_other_side(
    open_page: OpenPage,
) -> None:
    page = open_page("/?scenario=interval-join-keeps&step=100")
    dot = page.locator(".tm-join-dot").first.bounding_box()
    other_side = page.locator(".tm-join-dot").nth(1).bounding_box()["y"]  # a dragged record redraws the dots
    x, y = dot["x"] + dot["width"] / 2, dot["y"] + dot["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 70, y + 30, steps=4)
    assert re.fullmatch(r"event time \d+\.\d+ s", page.inner_text(".tm-drag-read"))
    page.mouse.move(x + 70, other_side, steps=2)
    assert re.fullmatch(r"event time \d+\.\d+ s · input right", page.inner_text(".tm-drag-read"))
    page.mouse.up()
    page.wait_for_selector(SAID)
    assert page.inner_text(SAID).startswith("One record moved.")
    page.wait_for_selector('.tidemark-player[data-ready="true"]')
    assert page.locator(".tm-join .tm-ghost-record").count() == 1


def test_a_refusal_is_read_although_the_reader_has_clicked_elsewhere_meanwhile(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped&step=60")
    page.get_by_role("button", name="2 s – Change bound").click()
    page.keyboard.type("banana")
    page.keyboard.press("Enter")
    page.evaluate("document.activeElement.blur()")
    page.wait_for_function("document.querySelector('.tm-number-problem')?.textContent")
    assert page.get_by_label("Bound").input_value() == "banana"


def test_the_record_that_would_fire_a_window_is_tried_out_from_its_card(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped&step=20&words=practitioner")
    page.keyboard.press("w")
    page.locator(".tm-reason-beside").click()
    assert page.locator(".tm-reason-question").text_content() == "Why has [0, 10) of key a not fired?"
    advised = page.locator(".tm-remedy", has_text="One record at 12.000 s or later on channel 0")
    both = advised.get_by_role("link", name="Compare both runs").get_attribute("href")
    assert both.startswith("./compare?s=")
    assert both.endswith("with=late-and-dropped")
    advised.get_by_role("button", name="Try it").click()
    page.wait_for_selector(SAID)
    assert page.locator(SAID).text_content().startswith("One item added to the stream. [0, 10) of a is now 4")
    page.wait_for_selector('.tidemark-player[data-ready="true"]')
    assert page.locator(".tm-reason-headline").text_content().startswith("Yes, at step")


@pytest.mark.parametrize("times_slower", [1, 3])
def test_a_change_becomes_a_draft_at_once_and_back_shows_it_again(open_page: OpenPage, times_slower: int) -> None:
    page = open_page("/?scenario=late-but-allowed")
    client = page.context.new_cdp_session(page)
    client.send("Emulation.setCPUThrottlingRate", {"rate": times_slower})
    page.get_by_role("button", name="2 s – Change bound").click()
    page.keyboard.type("1")
    places = page.evaluate("history.length")
    page.evaluate(DRAFT_AT_ONCE)
    page.keyboard.press("Enter")
    page.wait_for_function("location.pathname === '/author' && location.search.startsWith('?s=')")
    page.wait_for_selector(".tidemark-author")
    frames(page, 30)
    assert "/author?draft=" in page.url
    # The changed run and the draft; a browser keeps 50 entries.
    if times_slower == 1:
        assert page.evaluate("history.length") == min(places + 2, 50)
    assert "bound: 1" in page.locator(".tidemark-author").text_content()
    page.go_back()
    page.get_by_role("button", name="1 s – Change bound").wait_for()
    assert "/?s=" in page.url
    client.detach()
