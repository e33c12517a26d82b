"""A lecture in a browser: from scenario to scenario by keys, notes in a second window, a question to the class."""

from collections.abc import Callable
from typing import Any

import pytest
from tidemark.simulator.scenario import load
from tidemark.ui.payload.contents import payload

from tests.browser.opening import VOTE, reload, visit
from tests.browser.player import ROOT, OpenPage


def place(page: Any) -> tuple[str, int]:
    player = page.locator(".tidemark-player")
    return player.get_attribute("data-scenario"), int(player.get_attribute("data-step"))


def order_is_there(page: Any) -> None:
    """Wait for the order of the scenarios, which the server sends before or after the player is ready."""
    page.wait_for_function("globalThis.tidemarkLecture?.scenarios")


def beats_of(name: str) -> list[dict[str, Any]]:
    return list(payload(load(ROOT / "scenarios" / f"{name}.yaml"))["beats"])


def press_until(page: Any, key: str, seen: Callable[[], bool]) -> list[tuple[str, int]]:
    """The places at which ``key`` was pressed until ``seen`` was true."""
    places = []
    for _ in range(30):
        if seen():
            return places
        places.append(place(page))
        page.keyboard.press(key)
    pytest.fail(f"{key} never got there; it was at {places}")


def test_a_lesson_is_presented_with_keys_alone(open_page: OpenPage) -> None:
    page = open_page("/teach", size=(1280, 720), ready=".tm-starter")
    page.locator(".tm-starter").nth(2).focus()  # after the lecture and the first visit
    page.keyboard.press("Enter")
    page.wait_for_selector('.tidemark-player[data-ready="true"]')
    order_is_there(page)
    card = page.locator(".tm-title-card")
    assert card.locator("h1").inner_text() == "Two clocks"
    assert card.locator(".tm-title-place").inner_text().startswith("1 of 9")
    # Each beat takes one press, and each question two: the first shows its answer.
    page.keyboard.press("PageDown")
    first = beats_of("two-clocks")
    turns = {"PageDown": card.is_visible}
    pressed = press_until(page, "PageDown", turns["PageDown"])
    assert pressed == [("two-clocks", beat["step"]) for beat in first for _ in range(2 if beat["choices"] else 1)]
    page.wait_for_selector('.tidemark-player[data-scenario="replayed-by-the-clock"][data-ready="true"]')
    assert card.locator("h1").inner_text() == "A replay in processing time"
    assert card.locator(".tm-title-place").inner_text().startswith("2 of 9")
    # Arrows and the space bar do the same, and so does Enter at the start.
    page.keyboard.press("Enter")
    assert not card.is_visible()
    assert page.locator(".tm-present-beat").inner_text().startswith("2 of 9")
    page.keyboard.press("ArrowLeft")
    assert card.is_visible()
    page.keyboard.press(" ")
    assert place(page) == ("replayed-by-the-clock", beats_of("replayed-by-the-clock")[0]["step"])
    # Going back over the title card leads to the last beat of the previous scenario.
    page.keyboard.press("PageUp")
    page.keyboard.press("PageUp")
    page.wait_for_selector('.tidemark-player[data-scenario="two-clocks"][data-ready="true"]')
    page.wait_for_url(f"**/?scenario=two-clocks&step={first[-1]['step']}&lecture=event-time&present=1")
    assert not card.is_visible()
    page.keyboard.press("ArrowDown")
    assert first[-1]["step"] < place(page)[1] < first[-1]["step"] + 6
    page.keyboard.press("Escape")
    assert page.evaluate("document.documentElement.className").find("tm-") < 0


def test_the_end_shows_the_scenarios_and_four_pictures(open_page: OpenPage) -> None:
    last = beats_of("the-price-of-waiting")[-1]["step"]
    page = open_page(f"/?scenario=the-price-of-waiting&step={last}&present=1&lecture=lecture", size=(1280, 720))
    order_is_there(page)
    card = page.locator(".tm-title-card")
    press_until(page, "PageDown", card.is_visible)
    assert card.locator("li").count() == 11
    assert card.evaluate("node => node.scrollHeight <= node.clientHeight")
    page.keyboard.press("e")
    page.wait_for_selector(".tm-montage img")
    page.keyboard.press("PageDown")
    assert not page.locator(".tm-montage").is_visible()
    page.keyboard.press("PageUp")
    assert place(page) == ("the-price-of-waiting", last)
    assert not card.is_visible()


def test_both_windows_stay_in_step(open_page: OpenPage) -> None:
    page = open_page("/?scenario=two-clocks&present=1&lecture=lecture&card=1", size=(1280, 720))
    order_is_there(page)
    beats = beats_of("two-clocks")
    with page.context.expect_page() as opening:
        page.keyboard.press("n")
    notes = opening.value
    # First the title card, then the first beat with its note; each window moves the other.
    notes.wait_for_selector('.tm-notes h1:text-is("Two clocks")', timeout=60_000)
    notes.keyboard.press("PageDown")
    notes.wait_for_selector(f'.tm-notes-note:has-text("{beats[0]["note"]}")')
    assert place(page) == ("two-clocks", beats[0]["step"])
    assert notes.locator(".tm-notes-preview").inner_text() == beats[1]["text"]
    assert "minute 0–4 of 50" in notes.locator(".tm-notes-time").inner_text()
    page.keyboard.press("PageDown")
    notes.wait_for_selector(".tm-notes-choices")
    # The presenter knows the answer before the room does.
    assert notes.locator(".tm-is-answer p").first.inner_text() == beats[1]["choices"][beats[1]["answer"]]
    assert not page.locator(".tm-question-because").is_visible()
    notes.locator(".tm-notes-button", has_text="Reveal").click()
    page.wait_for_selector(".tm-is-right")
    for key, shown in (("w", ".tm-reasons"), ("s", ".tm-spotlight"), ("i", ".tm-state")):
        notes.keyboard.press(key)
        page.wait_for_selector(shown, state="visible")
    notes.keyboard.press("i")
    notes.keyboard.press("b")
    page.wait_for_selector(".tm-black", state="visible")
    notes.wait_for_selector(".tm-notes-black")
    notes.keyboard.press("PageDown")
    page.wait_for_selector(".tm-black", state="hidden")
    # It follows to the next scenario. Each window says when the other one has been closed.
    page.evaluate("document.querySelector('.tm-range').focus()")
    press_until(page, "PageDown", page.locator(".tm-title-card").is_visible)
    notes.wait_for_selector('.tm-notes h1:text-is("The window waits")')
    page.wait_for_selector('.tidemark-player[data-scenario="the-window-waits"][data-ready="true"]')
    notes.close()
    page.wait_for_selector('.tm-notes-notice:has-text("was closed")')
    page.evaluate("window.open = () => null")
    page.keyboard.press("n")
    assert page.locator(".tm-notes-notice a").get_attribute("href").split("?")[1].startswith("notes=")


def test_a_class_answers_and_the_bars_show_what_it_believes(open_page: OpenPage) -> None:
    beat = next(each for each in beats_of("two-clocks") if each["choices"])
    page = open_page(f"/?scenario=two-clocks&step={beat['step']}&present=1", size=(1280, 720))
    page.keyboard.press("v")
    code = page.locator(".tm-poll-code").inner_text()
    assert page.locator(".tm-poll-address").inner_text().endswith("/vote")
    # No phone reaches 127.0.0.1: the page says so instead of showing a useless code.
    assert "Phones cannot reach this address" in page.locator(".tm-poll-strip").inner_text()
    assert not page.locator(".tm-poll-door").is_visible()
    sizes = "names => names.map(name => parseFloat(getComputedStyle(document.querySelector(name)).fontSize))"
    assert min(page.evaluate(sizes, [".tm-poll-code", ".tm-poll-address"])) >= 24
    first = open_page("/vote", size=(390, 844), ready=VOTE)
    second = open_page(f"/vote?room={code}", size=(390, 844), ready=VOTE)
    first.locator(".tm-vote-code").fill("aaaa")
    first.keyboard.press("Enter")
    first.wait_for_selector(".tm-vote-wrong")
    first.locator(".tm-vote-code").fill(code.lower())
    first.keyboard.press("Enter")
    first.keyboard.press("Enter")  # by accident, which neither leaves the room nor answers
    first.wait_for_selector(".tm-vote-choice")
    assert first.evaluate("document.activeElement.tagName") == "H2"
    assert first.locator('.tm-vote-choice[aria-pressed="true"]').count() == 0
    assert first.locator(".tm-vote-choice").all_inner_texts() == beat["choices"]
    assert first.evaluate("document.documentElement.scrollWidth <= 390")
    # Both answer, and one changes the answer: two answers, which nobody sees until they are shown.
    for student, choice in ((first, 1), (second, 0), (first, 2)):
        student.locator(".tm-vote-choice").nth(choice).click()
        student.wait_for_selector(".tm-vote-said:has-text('Your answer is in')")
    # In another tab of the same browser somebody is the same voter, and both tabs show the last answer.
    twin = visit(first.context.new_page(), first.url, VOTE)
    for tab, choice in ((twin, 1), (first, 2)):
        tab.locator(".tm-vote-choice").nth(choice).click()
        for each in (first, twin):
            each.wait_for_selector(f'.tm-vote-choices li:nth-child({choice + 1}) [aria-pressed="true"]')
    twin.close()
    page.wait_for_function("document.querySelector('.tm-poll-answers').textContent.startsWith('2 answers')")
    assert not page.locator(".tm-poll-sheet").is_visible()
    page.keyboard.press("PageDown")
    bars = page.locator(".tm-poll-bars li")
    bars.first.wait_for()
    assert page.locator(".tm-poll-count").all_inner_texts() == ["1 · 50 %", "0", "1 · 50 %"]
    # Half of the votes fill half of the track behind a bar.
    widths = page.locator(".tm-poll-bar i").evaluate_all("bars => bars.map((bar) => bar.style.width)")
    assert widths == ["50%", "0%", "50%"]
    assert page.locator(".tm-poll-sheet .tm-is-right").count() == 0, "the votes do not give the answer away"
    first.wait_for_selector(".tm-vote-talk")
    # They vote again; a phone that is reloaded still knows its first answer.
    page.keyboard.press("PageDown")
    first.wait_for_selector(".tm-vote-choice:enabled")
    assert first.evaluate("document.activeElement.tagName") == "H2", "no choice of the next vote has the focus"
    reload(first, VOTE)
    first.wait_for_selector(".tm-vote-choice:has-text('your first answer')")
    assert "your first answer" in first.locator(".tm-vote-choice").nth(2).inner_text()
    for student, choice in ((first, 1), (second, 0)):
        student.locator(".tm-vote-choice:enabled").nth(choice).click()
        student.wait_for_selector(".tm-vote-said:has-text('Your answer is in')")
    page.wait_for_function("document.querySelector('.tm-poll-answers').textContent.includes('2 answers')")
    page.keyboard.press("PageDown")
    page.wait_for_selector(".tm-poll-moved")
    assert page.locator(".tm-poll-count").all_inner_texts() == ["1 → 1 · 50 %", "0 → 1 · 50 %", "1 → 0 · 0 %"]
    assert "3 → 2: 1" in page.locator(".tm-poll-moved").inner_text()
    assert [node.get_attribute("class") for node in bars.all()] == ["tm-is-right", None, None]
    sheet = page.locator(".tm-poll-sheet")
    assert sheet.evaluate("node => node.scrollHeight <= node.clientHeight")
    first.wait_for_selector(".tm-vote-choice.tm-is-right:disabled")
    assert "your answer" in first.locator(".tm-vote-choice").nth(1).inner_text()
    assert first.locator(".tm-vote-belief").all_inner_texts() == [beat["because"], beat["replies"][1]]
    kept = page.evaluate("JSON.parse(localStorage.getItem('tidemark.room'))")
    assert kept["code"] == code
    assert kept["token"] not in first.content()
    page.keyboard.press("PageDown")
    assert not page.locator(".tm-poll-sheet").is_visible()


def test_the_notes_say_what_the_next_press_does_with_a_vote(open_page: OpenPage) -> None:
    beat = next(each for each in beats_of("two-clocks") if each["choices"])
    page = open_page(f"/?scenario=two-clocks&step={beat['step']}&present=1", size=(1280, 720))
    with page.context.expect_page() as opening:
        page.keyboard.press("n")
    notes = opening.value
    notes.wait_for_selector('.tm-notes-kind:text-is("the answer")', timeout=60_000)
    page.keyboard.press("v")
    seen = ["the votes", "the second vote", "the answer"]
    for said in seen:
        notes.wait_for_selector(f'.tm-notes-kind:text-is("{said}")')
        page.keyboard.press("PageDown")
    # Nobody answered, so there is no belief to show, and the walkthrough goes on.
    notes.wait_for_selector('.tm-notes-kind:text-is("the next beat")')
