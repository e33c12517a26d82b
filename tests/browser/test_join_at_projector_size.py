"""The two sides of an interval join on a projector: nothing covers the text, and the future is not revealed."""

import pytest

from tests.browser.player import OpenPage, go
from tests.browser.test_present import AHEAD

HIDDEN = """() => {  // words of the picture that a line, bar or mark lies over, that have no halo, or that touch one another
  const svg = document.querySelector(".tm-join svg");
  const all = [...svg.querySelectorAll("path, circle, rect, text")];
  const texts = all.filter((node) => node.tagName === "text" && !node.matches(".tm-join-tick, .tm-join-side"));
  const free = (node) => !node.matches(".tm-join-letter, .tm-join-pill-text, .tm-join-none");
  const line = all.findIndex((node) => node.matches(".tm-join-watermark"));
  const wrong = [];
  for (const text of texts) {
    const style = getComputedStyle(text);
    if (all.indexOf(text) < line) wrong.push(`the line is over ${text.textContent}`);
    if (free(text) && (style.paintOrder.indexOf("stroke") !== 0 || parseFloat(style.strokeWidth) < 6)) wrong.push(`no halo: ${text.textContent}`);
  }
  const boxes = texts.filter(free).map((text) => [text.textContent, text.getBBox()]);
  boxes.forEach(([one, a], index) => boxes.slice(index + 1).forEach(([other, b]) => {
    const wide = Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x);
    const high = Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y) - 5;  // a line of text has room above its letters
    if (wide > 1 && high > 1) wrong.push(`${one} lies over ${other}`);
  }));
  return wrong;
}"""  # noqa: E501
SMALLEST = """() => Math.min(...[...document.querySelectorAll(".tm-join text:not(.tm-join-letter)")].map(
  (text) => parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.clientWidth / text.ownerSVGElement.viewBox.baseVal.width))"""  # noqa: E501


@pytest.mark.parametrize(("name", "first"), [("interval-join-keeps", 0), ("price-at-order-time", 2)])
def test_no_label_touches_the_watermark_or_another_label(open_player: OpenPage, name: str, first: int) -> None:
    """At every third step: most labels stay for several."""
    page = open_player(f"/?scenario={name}&present=1&words=source", size=(1280, 720), dark=True)
    page.wait_for_selector('.tidemark-player[data-mode="present"] .tm-join svg')
    found = {}
    for step in range(first, int(page.locator(".tidemark-player").get_attribute("data-steps")), 3):
        go(page, step)
        page.wait_for_selector(f'.tidemark-player[data-step="{step}"]')
        if wrong := page.evaluate(HIDDEN):
            found[step] = wrong
        assert page.evaluate(SMALLEST) >= 16
    assert found == {}


def test_the_sides_of_future_records_are_not_drawn(open_player: OpenPage) -> None:
    """The small pointers at the marks of a join's two inputs are hidden together with the marks."""
    page = open_player("/?scenario=slow-side-of-a-join&present=1", size=(1280, 720))
    page.wait_for_selector('.tidemark-player[data-mode="present"]')
    assert page.locator(AHEAD).count() == 0
    page.keyboard.press("Escape")
    page.wait_for_selector('.tidemark-player[data-mode="desk"]')
    assert page.locator(AHEAD).count() > 0


def test_a_question_about_a_record_shows_it_but_not_yet_what_it_matches(open_player: OpenPage) -> None:
    page = open_player("/?scenario=interval-join-keeps&step=18&present=1", size=(1280, 720))
    page.wait_for_selector(".tm-question")
    asked, matching = page.locator('.tm-join-record[data-id="record:2"]'), page.locator(".tm-join-range")
    assert (asked.get_attribute("data-fate"), matching.count()) == ("arrived", 0)
    page.keyboard.press("Enter")
    page.wait_for_selector(".tm-revealed")
    assert (asked.get_attribute("data-fate"), matching.count()) == ("arrived", 1)
