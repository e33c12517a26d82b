"""Nothing covers what it explains: drawers and cards stand beside the picture, questions and titles are seen whole."""

from typing import Any

import pytest

from tests.browser.opening import frames, visit
from tests.browser.player import OpenPage

DRAWERS = {"o": "code", "s": "text", "d": "differences", "i": "state", "t": "table", "h": "help"}

COVERED = """([above, below]) => {
  const [one, other] = [above, below].map((name) => document.querySelector(name).getBoundingClientRect());
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}"""

CUT = """(names) => {
  const card = document.querySelector(".tm-now").getBoundingClientRect();
  const code = document.querySelector(".tm-now .tm-code").getBoundingClientRect();
  return names.filter((name) => [...document.querySelectorAll(`.tm-now ${name}`)].some((node) => {
    const box = node.getBoundingClientRect();
    const covered = !name.includes("code") && code.height > 0 && box.bottom > code.top + 1;
    return box.height < 10 || box.top < card.top || box.bottom > card.bottom + 1 || covered;
  }));
}"""
"""Which of these parts of the Now card are not seen whole."""


def covers(page: Any, above: str, below: str = ".tm-plane-card") -> bool:
    return bool(page.evaluate(COVERED, [above, below]))


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (1920, 1080), (800, 900)])
def test_a_drawer_never_covers_the_picture(open_player: OpenPage, size: tuple[int, int]) -> None:
    page = open_player("/?scenario=late-but-allowed&step=80", size=size)
    for key, name in DRAWERS.items():
        page.keyboard.press(key)
        frames(page)
        assert page.locator(".tm-tab[aria-expanded=true]").get_attribute("data-panel") == name
        assert page.locator(".tm-sheet-body").bounding_box()["height"] > 130
        assert not covers(page, ".tm-sheet"), name
        assert page.locator(".tm-plane").bounding_box()["width"] > 400, "the picture keeps room"
        if name != "help":
            assert page.locator(".tm-what").bounding_box()["height"] > 15
            assert not covers(page, ".tm-sheet", ".tm-now"), name
    page.keyboard.press("Escape")
    page.keyboard.press("p")
    page.keyboard.press("i")
    assert not covers(page, ".tm-sheet")
    page.keyboard.press("Escape")
    page.keyboard.press("h")
    assert page.locator(".tm-sheet").is_visible()
    if size[0] > 900:
        assert not page.locator(".tm-plane-card").is_visible(), "the keys take the place of the picture"


@pytest.mark.parametrize("size", [(800, 500), (400, 500)])
def test_in_a_course_page_a_card_stands_beside_the_picture_or_below_it(
    open_player: OpenPage, size: tuple[int, int]
) -> None:
    page = open_player("/?scenario=late-but-allowed&step=80&embed=true", size=size)
    page.keyboard.press("w")
    assert not covers(page, ".tm-reason")
    page.keyboard.press("i")
    assert not covers(page, ".tm-reason")
    assert not covers(page, ".tm-sheet")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    assert page.locator(".tm-plane-card").bounding_box()["width"] > size[0] - 20


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (390, 844)])
@pytest.mark.parametrize("opened", ["", "&open=text"], ids=["", "with a drawer"])
def test_a_question_its_answer_and_the_line_of_code_are_seen_whole(
    open_player: OpenPage, size: tuple[int, int], opened: str
) -> None:
    page = open_player(f"/?scenario=two-clocks&step=44&words=practitioner{opened}", size=size)
    assert page.evaluate(CUT, [".tm-what", ".tm-choice"]) == []
    page.click(".tm-choice")
    frames(page)
    assert page.locator(".tm-now .tm-code-now").is_visible()
    parts = [".tm-what", ".tm-why", ".tm-choice:not(.tm-untried)", ".tm-because", ".tm-code-now"]
    if size != (1280, 720) or not opened:
        assert page.evaluate(CUT, parts) == []


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (390, 844)])
def test_a_beat_keeps_the_reason(open_player: OpenPage, size: tuple[int, int]) -> None:
    page = open_player("/?scenario=late-but-allowed&step=80&words=practitioner", size=size)
    assert page.locator(".tm-why").is_visible()
    # On a phone the card keeps its height, so that the picture stays in place: the beat is scrolled to.
    beat = [] if size[0] < 600 else [".tm-beat-text p:not(:empty)"]
    assert page.evaluate(CUT, [".tm-what", ".tm-why", *beat, ".tm-code-now"]) == []


def test_titles_are_whole_and_the_numbers_beside_them_give_way(open_page: OpenPage) -> None:
    page = open_page("/?scenario=two-clocks", size=(1280, 720))
    assert page.locator(".tm-about").is_visible()
    for scenario, language in (("three-hundred", "zh"), ("every-late-record-fires", "en")):
        visit(page, f"{page.url.partition('/?')[0]}/?scenario={scenario}&lang={language}")
        for width in (1280, 1000, 390):
            page.set_viewport_size({"width": width, "height": 720})
            frames(page)
            title = page.locator(".tm-chooser h1")
            assert title.evaluate("node => node.scrollWidth <= node.clientWidth"), (scenario, language, width)
            assert page.locator(".tm-title-row").evaluate("node => node.scrollWidth <= node.clientWidth")
