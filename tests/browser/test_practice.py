"""Practice in the browser: a wrong answer, its belief, its box, and the exercise that comes back when it is due."""

from typing import Any

import pytest
from tidemark.simulator.practice.exercises import exercise_of, question_of
from tidemark.simulator.words import words

from tests.browser.opening import COMPARE, reload, visit
from tests.browser.player import OpenPage

READY = '.tm-practice[data-ready="true"]'

SEEN = """[location.href, document.querySelector(".tm-practice[data-ready] .tm-inv-shown")?.innerText,
  ...[...document.querySelectorAll(".tm-pr-verdict > :not(.tm-pr-moved)")].map((each) => each.innerText)]"""
"""The exercise that is open, and what is said of its answer, but for the level: that has changed only once."""

BEGUN = '{"level": 4, "seed": 5}'
CARDS = "(({ level, streak, cards }) => [level, streak, cards])(JSON.parse(localStorage['tidemark.practice']))"

LATER = """() => {
  const kept = JSON.parse(localStorage.getItem("tidemark.practice"));
  for (const card of kept.cards) card.due = 0;
  localStorage.setItem("tidemark.practice", JSON.stringify(kept));
}"""


@pytest.mark.journey
def test_what_was_missed_is_named_and_comes_back(open_page: OpenPage) -> None:
    page = open_page("/practice?seed=3&level=4&kind=fires", ready=READY, size=(390, 844))
    exercise = exercise_of(3, 4, "fires")
    wrong, belief = next((place, each.belief) for place, each in enumerate(exercise.draw.task.choices) if each.belief)
    right = next(place for place, each in enumerate(exercise.draw.task.choices) if each.right)
    claim = words(f"beliefs.{belief}.claim")
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth <= 390")
    page.keyboard.press(str(wrong + 1))
    page.keyboard.press("Enter")
    page.wait_for_selector('.tm-pr-verdict[data-right="false"]')
    assert claim in page.locator(".tm-pr-believed").inner_text()
    assert page.locator(".tm-inv-choices .tm-pr-right span").inner_text() == question_of(exercise)["choices"][right]
    page.locator(".tm-pr-boxes").click()
    assert claim in page.locator('[data-box="1"] li').inner_text()
    assert "A right first answer goes straight to box 3" in page.locator(".tm-inv-boxes").inner_text()
    page.evaluate(LATER)
    reload(page, '[data-box="1"] li')
    assert "due now" in page.locator('[data-box="1"] li').inner_text()
    page.locator(".tm-inv-boxes .tm-inv-primary").click()
    page.get_by_text("You missed this before").wait_for()
    page.wait_for_selector(READY)
    assert f"kind=fires&about={belief}" in page.url
    assert "seed=3&" not in page.url
    page.get_by_label("Kind of exercise").select_option(label="Make them differ")
    page.wait_for_selector(".tm-pr-placed")
    assert "kind=differ" in page.url
    visit(page, page.url.split("?")[0] + "?kind=order&seed=-1", READY)
    assert "kind=order" in page.url, "there is no such exercise, but others of its kind"


def test_records_are_placed_by_keys_and_graded_by_both_runs(open_page: OpenPage) -> None:
    page = open_page("/practice?seed=0&level=1&kind=differ", ready=READY, size=(390, 844))
    page.locator(".tm-pr-placed input").fill("1.5")
    assert page.inner_text(".tm-inv-foot [role=alert]") == "Place 1 to 8 records, each at a whole second from 0 to 999."
    assert page.get_attribute(".tm-pr-placed input", "aria-invalid") == "true"
    page.locator(".tm-pr-placed input").fill("0")
    assert page.get_attribute(".tm-pr-placed input", "aria-invalid") == "false"
    page.keyboard.press("Enter")
    page.keyboard.type("10")
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth <= 390")
    page.get_by_role("button", name="Check").click()
    page.wait_for_selector('.tm-pr-verdict[data-right="true"]')
    assert "The search has found no fewer." in page.inner_text(".tm-pr-verdict")
    before = page.evaluate(SEEN)
    reload(page, ".tm-pr-verdict")
    assert page.evaluate(SEEN) == before
    page.get_by_role("link", name="Compare A and B on these records").click()
    page.wait_for_selector(COMPARE)
    page.locator(".tm-compare-lead", has_text="1 of 2 results differ").wait_for()


def test_an_order_is_made_by_keys_and_graded_by_its_run(open_page: OpenPage) -> None:
    page = open_page("/practice?seed=3&level=4&kind=order", ready=READY)
    solution = exercise_of(3, 4, "order").draw.task.solution
    late = next(record for place, record in enumerate(solution, 1) if record < place)
    page.locator(f'.tm-pr-order [data-record="{late}"]').focus()
    for _ in range(solution.index(late) + 1 - late):
        page.keyboard.press("ArrowDown")
    page.locator(".tm-inv-foot .tm-inv-primary").click()
    page.wait_for_selector('.tm-pr-verdict[data-right="true"]')
    assert "fires twice" in page.locator(".tm-pr-verdict").inner_text()


@pytest.mark.parametrize(
    ("address", "ready", "button"),
    [
        ("/practice?seed=3&level=4&kind=fires", READY, "Copy the link to this exercise"),
        ("/compare?scenario=late-but-allowed", COMPARE, "Copy link"),
    ],
)
def test_without_a_clipboard_a_link_is_shown_to_copy_by_hand(
    open_page: OpenPage, address: str, ready: str, button: str
) -> None:
    """A phone in the room opens the app by http, and such a page has no clipboard."""
    page = open_page(address, ready=ready)
    if ready == READY:
        page.keyboard.press("1")
        page.keyboard.press("Enter")
    page.evaluate("""() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      window.prompt = (label, text) => { window.prompted = text; };
    }""")
    page.get_by_role("button", name=button).click()
    page.wait_for_function("() => window.prompted === window.location.href")
    assert page.get_by_role("button", name=button).is_visible(), "nothing says that it was copied"


def test_what_is_answered_in_two_tabs_is_kept_of_both(open_page: OpenPage) -> None:
    def missed(tab: Any, seed: int) -> None:
        choices = exercise_of(seed, 4, "fires").draw.task.choices
        tab.keyboard.press(str(next(place for place, each in enumerate(choices, 1) if each.belief)))
        tab.keyboard.press("Enter")
        tab.wait_for_selector('.tm-pr-verdict[data-right="false"]')

    def beliefs() -> set[str]:
        return {card["about"] for card in first.evaluate("JSON.parse(localStorage['tidemark.practice']).cards")}

    first = open_page("/practice?seed=3&level=4&kind=fires", ready=READY)
    second = visit(first.context.new_page(), first.url.replace("seed=3", "seed=5"), READY)
    missed(second, 5)
    kept = beliefs()
    missed(first, 3)
    assert len(beliefs() - kept) == 1
    assert beliefs() > kept, "what was answered in the other tab is still there"


def choose(page: Any) -> None:
    """Answer the exercise that is open, whatever its kind is."""
    if page.locator(".tm-inv-choices").count():
        page.keyboard.press("1")
    elif page.locator(".tm-pr-number").count():
        page.fill(".tm-pr-number input", "1")
    page.click(".tm-inv-foot .tm-inv-primary")
    page.wait_for_selector(".tm-pr-verdict")


def back_and_forward(page: Any, root: str) -> None:
    """Each exercise is an entry of the browser's history: Back, Forward and reload show it with what was answered."""
    visit(page, f"{root}/library", ".tidemark-library")
    page.evaluate(f"localStorage['tidemark.practice'] = '{BEGUN}'")
    visit(page, f"{root}/practice?seed=3&level=4&kind=fires", READY)
    places = []
    for _ in range(3):
        choose(page)
        places.append(page.evaluate(SEEN))
        page.click(".tm-inv-foot .tm-inv-primary")
        page.wait_for_selector(f"{READY}:not([data-told])")
    places.append(page.evaluate(SEEN))
    assert len({address for address, *_ in places}) == 4
    boxes = page.evaluate(CARDS)
    page.click(".tm-pr-boxes")
    page.wait_for_selector(".tm-inv-boxes")

    def shows(place: list[object]) -> None:
        page.wait_for_function(f"(place) => JSON.stringify({SEEN}) === JSON.stringify(place)", arg=place)

    for place in reversed(places):
        page.go_back()
        shows(place)
    reload(page, READY)
    shows(places[0])
    for place in places[1:]:
        page.go_forward()
        shows(place)
    assert page.evaluate(CARDS) == boxes, "no answer counts twice"
    page.go_forward()
    page.wait_for_selector(".tm-inv-boxes")
    page.evaluate("history.go(-5)")
    page.wait_for_selector(".tidemark-library")


def test_back_shows_the_exercise_before_and_its_answer(open_page: OpenPage, server: str) -> None:
    back_and_forward(open_page("/library", ready=".tidemark-library"), server)
