"""A scenario as a story: what is read before the first step and after the last one; and the first visit."""

import re
from typing import Any

import pytest

from tests.browser.opening import frames, reload, visit
from tests.browser.player import OpenPage


def test_it_says_what_it_is_about_before_the_first_step(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-and-dropped")
    opening = page.locator(".tm-opening")
    assert "One record arrives after its window has fired." in opening.inner_text()
    assert page.locator(".tidemark-player").get_attribute("data-step") == "0"
    reload(page)
    assert opening.is_visible(), "the address names no step yet"
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/?scenario=late-and-dropped&step=*")
    assert opening.is_hidden()
    assert page.locator(".tm-now").is_visible()


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("en", "Late and dropped. Windows of ten seconds and a watermark two seconds behind."),
        ("zh", "迟到并被丢弃。十秒的窗口"),
    ],
)
def test_a_screen_reader_hears_what_it_is_about_as_sentences(open_player: OpenPage, language: str, said: str) -> None:
    page = open_player(f"/?scenario=late-and-dropped&lang={language}")
    page.wait_for_function("(said) => document.querySelector('.tm-live').textContent.startsWith(said)", arg=said)
    assert not re.search(r"[.。] ?[.。]", page.locator(".tm-live").text_content())


def test_a_link_to_a_step_opens_that_step_and_nothing_over_it(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-and-dropped&step=0")
    assert page.locator(".tm-opening").is_hidden()
    assert page.locator(".tm-what").is_visible()


def test_the_end_leads_on_to_the_next_scenario_of_the_lesson(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped&step=3")
    assert page.locator(".tm-ending").is_hidden()
    page.keyboard.press("End")
    page.locator(".tm-next-scenario").click()
    page.wait_for_selector('.tidemark-player[data-scenario="late-but-allowed"][data-ready="true"]')
    assert page.locator(".tm-opening").is_visible()


def test_page_down_after_the_last_beat_comes_to_the_end(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-and-dropped&step=80")
    page.keyboard.press("PageDown")
    page.wait_for_selector(".tm-ending:visible")
    page.keyboard.press("Home")
    page.keyboard.press("PageUp")
    page.wait_for_selector(".tm-opening:visible")


# --- the first visit -----------------------------------------------------------------------------------------------


def begin(page: Any) -> None:
    """From the opening to the first scene."""
    page.get_by_role("button", name="Show me (10 minutes)").click()


def to_the_question(page: Any) -> None:
    """Press the one button until there is something to answer."""
    on = page.locator(".tm-visit-on")
    for _ in range(40):
        if on.is_disabled():
            return
        on.click()
    pytest.fail("no question came")


@pytest.mark.journey
def test_a_newcomer_answers_leaves_and_comes_back_to_the_same_step(open_page: OpenPage) -> None:
    page = open_page("/", newcomer=True)
    opening = page.locator(".tm-overture")
    assert "Your dashboard says 3. The truth is 4." in opening.inner_text()
    assert "Watch Apache Flink decide, step by step" in opening.inner_text()
    begin(page)
    to_the_question(page)
    page.get_by_role("button", name="In none: it is too late").click()
    step = page.locator(".tidemark-player").get_attribute("data-step")
    page.wait_for_url(f"**/?scenario=first-two-phones&step={step}&visit=1")
    page.evaluate("history.replaceState(history.state, '', '/')")  # as if it were opened again without a link
    reload(page)
    assert page.locator(".tidemark-player").get_attribute("data-step") == step
    page.get_by_role("button", name="Skip to the library").click()
    page.get_by_role("link", name="Take the ten-minute tour").wait_for()


MOMENT = "() => Number(document.querySelector('.tm-overture').dataset.ms)"


def test_the_opening_plays_by_itself_once_and_is_still_for_whoever_wants_less_motion(open_player: OpenPage) -> None:
    page = open_player("/", newcomer=True)
    page.wait_for_function(f"({MOMENT})() > 1000")
    page.get_by_role("button", name="Pause").click()
    paused = page.evaluate(MOMENT)
    frames(page, 10)
    assert page.evaluate(MOMENT) == paused
    seen = "[...document.querySelectorAll('.tidemark-player :is(a, button, input, select, [tabindex])')]"
    visible = f"{seen}.filter((each) => each.checkVisibility({{visibilityProperty: true}})).length"
    assert page.evaluate(visible) == 3, "what stands behind it is not reached"
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**visit=1*")
    assert page.locator(".tm-overture").count() == 0
    assert page.locator(".tidemark-player").get_attribute("data-step") == "0"

    page.emulate_media(reduced_motion="reduce")
    visit(page, page.url.replace("visit=1", "visit=opening"))
    page.get_by_role("button", name="Play again").wait_for()
    assert page.evaluate(MOMENT) == 10600
    assert "nobody counts it" in page.locator(".tm-overture-caption").inner_text()


def test_the_visit_ends_with_what_was_answered_and_leads_on(open_page: OpenPage) -> None:
    page = open_page("/?scenario=first-prediction&visit=1", newcomer=True)
    to_the_question(page)
    page.locator(".tm-choice").first.click()
    page.keyboard.press("End")
    page.get_by_role("button", name="See how you did").click()
    end = page.locator(".tm-visit-end")
    assert "of 1 questions" in end.inner_text()
    assert "What to look at again" in end.inner_text()
    assert page.locator(".tm-visit-skip").is_hidden()
    assert page.locator(".tm-visit-done").count() == 1
    assert page.locator(".tm-visit-door").last.bounding_box()["y"] < 600, "the way on is in view at 1280 x 720"
    assert page.locator(".tm-visit-door").count() == 3
    page.locator(".tm-visit-door").first.click()
    page.wait_for_selector('.tidemark-player[data-scenario="late-but-allowed"][data-ready="true"]:not(.tm-visiting)')
    assert "Tour leads back to the story" in page.locator(".tm-opening").inner_text()
    page.keyboard.press("x")
    page.wait_for_selector('.tidemark-player[data-level="practitioner"]')
    page.locator(".tm-tour").click()
    page.wait_for_selector('.tidemark-player[data-scenario="first-two-phones"].tm-visiting[data-ready="true"]')
    assert page.locator(".tm-visit-done").count() == 0, "it starts over"
    words = page.locator(".tidemark-player").get_attribute("data-level")
    assert words == "novice", "in the words for newcomers, whatever words the visitor reads elsewhere"


def test_a_scene_outside_of_the_visit_is_a_scenario_like_any_other(open_player: OpenPage) -> None:
    page = open_player("/?scenario=first-window&step=3", newcomer=True)
    assert page.locator(".tm-visit-head").is_hidden()
    assert page.locator(".tm-transport").is_visible()


def test_the_visit_waits_for_an_answer(open_player: OpenPage) -> None:
    page = open_player("/", newcomer=True)
    begin(page)
    for _ in range(14):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("document.activeElement.classList.contains('tm-beat-question')")
    question = page.locator(".tidemark-player").get_attribute("data-step")
    page.keyboard.press("ArrowRight")
    assert page.locator(".tidemark-player").get_attribute("data-step") == question
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator(".tm-choice:is(.tm-right, .tm-wrong)").first.wait_for()


ANSWERED = ".tm-choice:is(.tm-right, .tm-wrong)"


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_that_is_pressed_again_or_held_answers_nothing(open_player: OpenPage, key: str) -> None:
    page = open_player("/", newcomer=True)
    begin(page)
    page.locator(".tm-visit-on").focus()
    for _ in range(14):
        page.keyboard.press(key)
        page.keyboard.down(key)
        page.keyboard.down(key)  # as a key that is held repeats it
        page.keyboard.up(key)
        frames(page)
    assert page.locator(".tm-visit-on").is_disabled()
    assert page.evaluate("document.activeElement.className") == "tm-beat-question"
    assert page.locator(ANSWERED).count() == 0
    # A wrong answer gives the focus to the question again, and not to the next choice.
    page.locator(".tm-choice").first.focus()
    page.keyboard.press(key)
    page.locator(ANSWERED).first.wait_for()
    page.keyboard.press(key)
    frames(page, 5)
    assert page.locator(ANSWERED).count() == 1


def test_each_stop_of_a_scene_is_told_by_its_author_alone(open_player: OpenPage) -> None:
    page = open_player("/?scenario=first-window&visit=1", newcomer=True)
    numbers = []
    for _ in range(3):
        page.locator(".tm-visit-on").click()
        numbers.append(page.locator(".tm-beat-number").inner_text())
        assert page.locator(".tm-what").is_hidden()
        assert page.locator(".tm-why").is_hidden()
        if page.locator(".tm-choice").count():
            page.locator(".tm-choice").last.click()
    assert numbers == ["Step 1 of 6", "Step 2 of 6", "Step 3 of 6"]
