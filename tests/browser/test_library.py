"""The library in a browser: its filters, the lecture, finished scenarios, keys, and names for a screen reader."""

import json
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from tests.browser.opening import frames, reload, visit
from tests.browser.player import OpenPage
from tests.library import shipped

FOLDER = Path(__file__).resolve().parents[2] / "scenarios"
LIBRARY = shipped()
LESSONS = tomllib.loads((FOLDER / "lessons.toml").read_text(encoding="utf-8"))
SHOWN = "[...document.querySelectorAll('.tm-scenario')].map((node) => node.dataset.scenario)"
MARKED = "[...document.querySelectorAll('.tm-topic[aria-current]')].map((link) => link.dataset.topic)"
SEEN = "(seen) => localStorage.setItem('tidemark.seen', JSON.stringify(seen))"


def opened(open_page: OpenPage, **options: Any) -> Any:
    page = open_page("/library", ready=".tidemark-library .tm-scenario", **options)
    page.wait_for_function("document.querySelectorAll('svg.tm-picture').length > 40")
    return page


def test_the_library_is_in_the_order_of_its_lessons_and_says_what_is_wrong_with_files(open_page: OpenPage) -> None:
    page = opened(open_page)
    listed = [name for each in LESSONS["lessons"] for topic in each["topics"] for name in topic["scenarios"]]
    assert page.evaluate(SHOWN)[: len(listed)] == listed
    titles = page.locator(".tm-lesson-name").all_inner_texts()
    # A lesson of one topic, called as it is, has no title of its own.
    named = [each for each in LESSONS["lessons"] if [topic["title"] for topic in each["topics"]] != [each["title"]]]
    assert titles[: len(named)] == [each["title"]["en"] for each in named]
    assert page.locator('[data-scenario="minus-one-ms"] .tm-scenario-tags').inner_text() == "10 · novice"
    # What is for reference has its question as the title; what is learned in order has its name.
    asked = page.locator('[data-scenario="minus-one-ms"] h4').inner_text()
    assert asked == "Two watermarks, a millisecond apart. Which of them fires the window?"
    assert page.locator('[data-scenario="first-watermark"] h4').inner_text() == "How long should the server wait?"
    page.locator('.tm-topic[data-topic="joins-and-state-0"]').click()
    assert page.evaluate("document.activeElement.textContent") == "Joins"
    assert page.locator('.tm-topic[aria-current="true"]').inner_text().startswith("Joins")
    # A lesson of one topic does not look like a topic of the lesson above it.
    weight = "(node) => getComputedStyle(node).fontWeight"
    alone = page.locator(".tm-lesson-name ~ .tm-topic-alone").first
    inside = page.locator('.tm-topic[data-topic="joins-and-state-0"]')
    assert (alone.evaluate(weight), inside.evaluate(weight)) == ("600", "400")
    # What is wrong is said at the top, and stands at the end.
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    note = page.locator(".tm-broken-note")
    assert note.inner_text() == "Problems in files: 1"
    assert note.bounding_box()["y"] < 300
    note.click()
    page.wait_for_function("document.activeElement.textContent === 'Files that cannot run'")
    frames(page)
    assert 0 < page.locator(".tm-broken").bounding_box()["y"] < 900


def test_the_chosen_topic_is_marked_even_if_it_cannot_scroll_to_the_top(open_page: OpenPage) -> None:
    page = opened(open_page)
    topics = page.evaluate("[...document.querySelectorAll('.tm-topic')].map((link) => link.dataset.topic)")
    for topic in [*topics, *reversed(topics)]:
        page.locator(f'.tm-topic[data-topic="{topic}"]').click()
        assert page.evaluate(MARKED) == [topic]
        frames(page)
        assert page.evaluate(MARKED) == [topic], "the list must mark the topic that the page shows"
    page.evaluate("document.querySelector('[data-testid=stMain]').scrollTo(0, 0)")
    page.wait_for_function(f"JSON.stringify({MARKED}) === '[\"{topics[0]}\"]'")


def test_filters_leave_the_matching_scenarios(open_page: OpenPage) -> None:
    page = opened(open_page)
    page.get_by_role("button", name="Novice").click()
    assert set(page.evaluate(SHOWN)) == {name for name, each in LIBRARY.items() if each.level == "novice"}
    assert page.locator(".tm-found").inner_text().startswith(f"{len(page.evaluate(SHOWN))} of ")
    page.get_by_role("button", name="Show all").click()
    page.get_by_label("Operator", exact=True).select_option("interval-join")
    assert set(page.evaluate(SHOWN)) == {"interval-join-keeps", "price-at-order-time"}
    page.get_by_label("Operator", exact=True).select_option("")
    page.get_by_label("Teaches").select_option("idleness")
    assert set(page.evaluate(SHOWN)) == {name for name, each in LIBRARY.items() if "idleness" in each.teaches}
    page.get_by_label("Length").select_option("5")
    assert "idle-channel-wakes" not in page.evaluate(SHOWN)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Show all").click()
    assert page.evaluate("document.activeElement.className") == "tm-search"
    page.keyboard.type("nothing like it")
    assert page.evaluate(SHOWN) == []
    assert page.locator(".tm-empty").is_visible()
    page.keyboard.press("Escape")
    assert len(page.evaluate(SHOWN)) >= len(LIBRARY)


def test_the_lecture_is_in_its_order_with_its_minutes(open_page: OpenPage) -> None:
    page = opened(open_page, size=(1280, 720), dark=True)
    page.get_by_role("button", name="Lecture").click()
    lecture = LESSONS["lecture"]
    assert page.evaluate(SHOWN) == lecture["scenarios"] + lecture["lab"]
    first, last = (page.locator(".tm-minutes").nth(index).inner_text() for index in (0, len(lecture["scenarios"]) - 1))
    assert (first, last) == ("min 0–4", "min 45–50")
    assert page.locator(".tm-scenario-summary").first.is_visible() is False
    page.get_by_role("button", name="List").click()
    assert page.locator(".tm-scenario-summary").first.is_visible()
    reload(page, ".tm-scenario")
    assert page.locator('.tm-viewbutton[aria-pressed="true"]').inner_text() == "List"
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth <= 1280")


def test_finished_scenarios_are_marked_and_can_be_hidden(open_page: OpenPage) -> None:
    page = opened(open_page)
    seen = {
        "two-clocks": {"step": 88, "last": 88, "finished": True, "when": 1},
        "late-but-allowed": {"step": 40, "last": 160, "finished": False, "when": 2},
    }
    page.evaluate(SEEN, seen)
    reload(page, ".tm-scenario")
    card = page.locator('[data-scenario="two-clocks"]')
    assert "finished" in card.inner_text()
    assert page.locator(".tm-lessons-head").inner_text().endswith("finished")
    assert page.locator(".tm-lessons-head .tm-quiet").inner_text().startswith("1 of ")
    assert "step 40 of 160" in page.locator('[data-scenario="late-but-allowed"]').inner_text()
    page.get_by_role("button", name="Not finished").click()
    assert "two-clocks" not in page.evaluate(SHOWN)
    page.evaluate(SEEN, json.loads('{"two-clocks": 3, "late-but-allowed": null}'))
    reload(page, ".tm-scenario")
    assert "two-clocks" in page.evaluate(SHOWN), "foreign data in the storage breaks nothing"


def test_the_library_is_walked_by_keys_alone(open_page: OpenPage) -> None:
    page = opened(open_page)
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.className") == "tm-search"
    page.keyboard.type("session")
    page.locator(".tm-scenario").first.focus()
    names = page.evaluate(SHOWN)
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.scenario") == names[1]
    described = page.evaluate(
        "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"
    )
    assert "session" in described.lower()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    page.wait_for_selector(f'.tidemark-player[data-scenario="{names[0]}"][data-ready="true"]')


def test_a_search_that_finds_little_falls_through_to_complaints_and_terms(open_page: OpenPage) -> None:
    page = opened(open_page)
    assert page.locator(":is(.tm-starter, .tm-package)").count() == 0, "what teachers need is elsewhere"
    page.locator(".tm-search").fill("why is my count too low")
    assert page.evaluate(SHOWN) == []
    assert page.locator(".tm-symptom-links a").all_inner_texts() == ["The sum is too low"]
    page.locator(".tm-search").fill("side output")
    assert page.locator(".tm-term-list dt").first.inner_text() == "side output"


def test_words_for_terms_lead_to_the_glossary_and_the_tour_stays_where_it_was(open_page: OpenPage) -> None:
    page = open_page("/?scenario=first-window")  # the scene that was seen last, outside of the tour
    page.evaluate("localStorage.setItem('tidemark.visit', JSON.stringify({ scene: 'first-late', answers: {} }))")
    visit(page, urljoin(page.url, "/library"), ".tm-visit-entry")
    door = page.locator(".tm-visit-entry").inner_text()
    assert "4 of 6" in door
    way = page.get_by_role("link", name="All terms are in the glossary")
    for typed, term in (("lateness", "allowed lateness"), ("watermark", "watermark"), ("术语", ""), ("glossary", "")):
        page.locator(".tm-search").fill(typed)
        assert page.locator(".tm-term-list dt").all_inner_texts() == ([term] if term else []), typed
        assert way.count() == 1, typed
    way.click()
    page.wait_for_selector(".tm-sheet .tm-glossary")
    assert page.locator(".tm-visiting").count() == 0
    page.go_back()
    page.wait_for_selector(".tm-visit-entry")
    assert page.locator(".tm-visit-entry").inner_text() == door


def test_the_path_leads_on_from_what_is_done_and_its_checkpoints_to_their_level(open_page: OpenPage) -> None:
    page = open_page("/path", ready=".tm-checkpoint")
    page.evaluate(SEEN, {"two-clocks": {"step": 88, "last": 88, "finished": True, "when": 1}})
    page.evaluate("localStorage.setItem('tidemark.practice', JSON.stringify({ level: 2, passed: [1] }))")
    reload(page, ".tm-checkpoint")
    checkpoints = page.locator(".tm-checkpoint")
    passed = [each.get_attribute("data-passed") for each in checkpoints.all()]
    assert passed == ["true", *["false"] * 4]
    assert page.locator(".tm-path-begin .tm-new-scenario").inner_text() == "Continue: The window waits"
    checkpoints.nth(1).click()
    page.wait_for_selector('.tm-practice[data-ready="true"]')
    assert "level=4" in page.url
    page.go_back()
    page.locator(".tm-path-begin .tm-new-scenario").click()
    page.wait_for_selector('.tidemark-player[data-scenario="the-window-waits"][data-ready="true"]')
