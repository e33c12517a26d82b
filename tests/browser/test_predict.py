"""Predict mode: the run halts, the picture hides the answer, and the answer is graded and remembered."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.opening import reload
from tests.browser.player import step_of

PLAYER = ".tidemark-player"


@pytest.mark.journey
def test_an_answer_is_asked_for_graded_and_remembered(open_player: Callable[..., Any]) -> None:
    page = open_player("/?scenario=late-but-allowed&step=20")
    page.keyboard.press("q")
    page.keyboard.press("End")
    assert step_of(page) == 30  # the run halts before the first record with a question
    question = page.locator(".tm-predict")
    assert "What is the watermark afterwards?" in question.inner_text()
    assert "1.399" in page.inner_text(".tm-watermark")
    page.keyboard.press("ArrowRight")
    assert step_of(page) == 30  # and does not continue without an answer
    choices = page.locator(".tm-predict-choice")
    wrong = [choice.strip() for choice in choices.all_inner_texts()].index("4\n2.700") + 1
    page.keyboard.press(str(wrong))
    reply = question.inner_text()
    assert "Not quite." in reply
    assert "The watermark is the largest timestamp minus the bound." in reply
    assert "0 of 1 correct" in reply
    page.keyboard.press("Enter")
    assert step_of(page) == 41
    assert "2.699" in page.inner_text(".tm-watermark")
    kept = json.loads(page.evaluate("localStorage.getItem('tidemark.answers')"))
    assert kept["late-but-allowed"]["new-watermark 30"] == {"chosen": wrong - 1, "right": False}
    reload(page, f'{PLAYER}[data-ready="true"]')
    page.keyboard.press("Home")
    page.keyboard.press("q")
    page.keyboard.press("End")
    assert step_of(page) == 47  # a question that was answered is not asked again


def marks_ahead(page: Any) -> int:
    return page.locator('.tm-scrub-mark[data-ahead="true"]').locator("visible=true").count()


def test_an_open_question_hides_the_future_and_page_down_shows_its_answer(open_player: Callable[..., Any]) -> None:
    page = open_player("/?scenario=late-but-allowed&step=20")
    assert marks_ahead(page) > 0
    page.keyboard.press("q")
    page.keyboard.press("End")
    assert step_of(page) == 30
    assert marks_ahead(page) == 0
    page.keyboard.press("PageDown")
    assert step_of(page) == 30
    assert page.locator(".tm-predict-choice.tm-right").is_visible()
    assert marks_ahead(page) == 0, "the next question waits"


def test_nothing_that_is_still_to_be_predicted_can_be_seen(open_player: Callable[..., Any]) -> None:
    page = open_player("/?scenario=late-but-allowed&step=80&open=table")
    ahead = page.locator('table[data-table="records"] tbody tr', has_text="not yet arrived")
    assert ahead.count() == 4
    page.keyboard.press("q")
    notice = page.locator(".tm-now-notice")
    assert notice.inner_text().startswith("Predict is on: what lies ahead is hidden. The next question is at step 115.")
    assert (marks_ahead(page), ahead.count(), page.locator(".tm-picture .tm-is-ahead").count()) == (0, 0, 0)
    page.keyboard.press("s")
    assert page.locator('.tm-log li[data-step="80"]').is_visible()
    assert not page.locator('.tm-log li[data-step="81"]').is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("event = LateDropped")
    page.wait_for_function("document.querySelector('.tm-find').dataset.found === '0'")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert set(page.locator(".tm-jump-count").all_inner_texts()) == {""}
    page.keyboard.press("Escape")
    notice.get_by_role("button").click()
    assert page.locator(".tm-predict").is_visible()
    assert step_of(page) == 115


def test_no_line_of_a_hidden_mark_remains(open_player: Callable[..., Any]) -> None:
    page = open_player("/?scenario=late-but-allowed&step=114")
    lines = page.get_attribute(".tm-bars", "d")
    page.keyboard.press("ArrowRight")
    assert step_of(page) == 115  # the author's question
    left = page.get_attribute(".tm-bars", "d")
    assert left != lines
    place = page.evaluate(
        "() => Number(getComputedStyle(document.querySelector('.tm-range')).getPropertyValue('--tm-done'))"
    )
    width = page.locator(".tm-track").bounding_box()["width"]
    assert all(float(each.split()[0]) <= place * width for each in left.split("M")[1:])
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute(".tm-bars", "d") == lines


def test_without_predict_mode_nothing_halts(open_player: Callable[..., Any]) -> None:
    page = open_player("/?scenario=late-but-allowed&step=20")
    page.keyboard.press("End")
    assert step_of(page) == int(page.get_attribute(PLAYER, "data-steps")) - 1
    assert page.locator(".tm-predict").is_hidden()
