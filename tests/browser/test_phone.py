"""On a phone, the event and its reason come first, then the picture; the controls are in reach of the thumb."""

from contextlib import suppress
from functools import partial
from typing import Any

import pytest

from tests.browser.conftest import playwright
from tests.browser.opening import AUTHOR, COMPARE, frames
from tests.browser.pages import follow_link
from tests.browser.player import OpenPage, step_of

READ = [".tm-title-row", ".tm-sentence", ".tm-now", ".tm-plane-card", ".tm-legend-row", ".tm-timers", ".tm-watermark",
        ".tm-output", ".tm-transport"]  # fmt: skip

IN_DOCUMENT = """names => [...document.querySelectorAll(names.join(","))]
  .map(node => names.find(name => node.matches(name)))"""

STICKS_OUT = """() => [...document.querySelectorAll(".tidemark-player *, .tidemark-vote *")]
  .filter(node => node.checkVisibility() && !node.closest("svg, .tm-visually-hidden, .tm-join-tables"))
  .filter(node => getComputedStyle(node).clipPath === "none")
  .filter(node => { const box = node.getBoundingClientRect(); return box.left < -0.5 || box.right > innerWidth + 0.5; })
  .map(node => node.className)"""

IN_VIEW = """() => {
  const [now, picture, bar] = [".tm-now", ".tm-plane-card", ".tm-transport"]
    .map(name => document.querySelector(name).getBoundingClientRect());
  return now.top >= 44 && picture.bottom <= bar.top;
}"""
"""What happened, why and the whole picture are seen between the header and the controls."""

BESIDE = """() => {
  const [now, picture] = [".tm-now", ".tm-plane-card"]
    .map(name => document.querySelector(name).getBoundingClientRect());
  return now.right <= picture.left && Math.abs(now.top - picture.top) < 1;
}"""

SMALL = """() => [...document.querySelectorAll(".tidemark-player :is(button, select, input, summary)")]
  .filter(node => node.checkVisibility({ visibilityProperty: true }) && !node.disabled && !node.closest(".tm-pop"))
  .map(node => [node, (node.closest("label") ?? node).getBoundingClientRect()])
  .filter(([, box]) => box.width > 1 && (box.width < 39.5 || box.height < 39.5))
  .map(([node]) => node.className).filter(name => !["tm-step-link", "tm-number"].includes(name))"""
"""What is pressed and smaller than a thumb; links within a line of text have a larger area around them."""

SCENE_IN_VIEW = """() => {
  const [words, picture, bar] = [".tm-first", ".tm-plane-card", ".tm-visit-controls"]
    .map(name => document.querySelector(name).getBoundingClientRect());
  return words.top >= 43 && picture.bottom <= bar.top;
}"""
"""What is said in a scene of the first visit, and the whole picture, are seen above its button."""

MISSED = """() => [...document.querySelectorAll(":is(.tm-visit-head, .tm-visit-controls, .tm-choices) button")]
  .filter(node => node.checkVisibility({ visibilityProperty: true }) && !node.disabled)
  .filter(node => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    const [x, y] = [(left + right) / 2, (top + bottom) / 2];
    if (y > innerHeight || y - 20 < 44) return false;
    return ![[0, -19.5], [0, 19.5], [-19.5, 0], [19.5, 0]]
      .every(([dx, dy]) => node.contains(document.elementFromPoint(x + dx, y + dy)));
  }).map(node => node.textContent)"""
"""What a thumb misses within 40 px."""

LOW = """root => [...document.querySelectorAll(`${root} :is(button, select, summary, input)`)]
  .filter(node => node.checkVisibility({ visibilityProperty: true }) && !node.disabled)
  .filter(node => !node.matches("td *, .tm-au-grip, .tm-file-input"))
  .map(node => [node, (node.closest("label") ?? node).getBoundingClientRect()])
  .filter(([, { width, height }]) => width > 1 && height < 39.5)
  .map(([node]) => node.className)"""
"""What is pressed and lower than a thumb."""


@pytest.fixture
def phone(open_player: OpenPage) -> OpenPage:
    """Opens the player on a phone, before Streamlit has started."""
    return partial(open_player, size=(390, 844), phone=True)


@pytest.fixture
def app(open_page: OpenPage) -> OpenPage:
    """Opens any page on a phone, also for what needs an answer of the server."""
    return partial(open_page, size=(390, 844), phone=True)


def top(page: Any, name: str) -> float:
    return float(page.locator(name).first.bounding_box()["y"])


def fits(page: Any, size: tuple[int, int], scrolls: str = "svg") -> None:
    """At that size nothing overflows once the picture is drawn; elements that match ``scrolls`` may."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_function(f"innerWidth === {size[0]}")
    found = STICKS_OUT.replace('"svg, ', f'"{scrolls}, ')
    with suppress(playwright.TimeoutError):
        page.wait_for_function(f"({found})().length === 0", timeout=20_000)
    assert page.evaluate(found) == [], size
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_words_come_before_the_picture_and_the_document_has_the_same_order(phone: OpenPage) -> None:
    page = phone("/?scenario=late-but-allowed&step=90")
    assert page.evaluate(IN_DOCUMENT, READ) == READ
    *parts, controls = READ
    tops = [top(page, name) for name in parts]
    assert tops == sorted(tops)
    # Visible without scrolling, above the controls: what happened, why, and the top of the picture.
    edge = top(page, controls)
    for name in (".tm-what", ".tm-why"):
        box = page.locator(name).bounding_box()
        assert box["y"] + box["height"] < edge, name
    assert top(page, ".tm-picture") + 200 < edge


@pytest.mark.journey
def test_a_thumb_steps_and_the_picture_stays_where_it_is(phone: OpenPage) -> None:
    page = phone("/?scenario=late-but-allowed&step=84")
    on = page.get_by_role("button", name="Step forward").first
    on.tap()
    page.wait_for_function(IN_VIEW)
    frames(page, 20)
    before = page.locator(".tm-plane-card").bounding_box()
    for _ in range(2):  # at a beat the words may take more room
        last = step_of(page)
        on.tap()
        assert step_of(page) > last
        assert page.locator(".tm-plane-card").bounding_box() == before
    for control in page.locator(".tm-transport :is(button, select)").all():
        box = control.bounding_box()
        if box and box["width"] > 1 and control.is_visible():
            assert min(box["width"], box["height"]) >= 40, control.get_attribute("class")
            assert box["y"] > 844 / 2, "controls belong in the lower half, where the thumb is"
            assert box["y"] + box["height"] <= 844


def test_a_question_with_its_reply_and_the_picture_share_the_screen(phone: OpenPage) -> None:
    page = phone("/?scenario=two-clocks&step=44")
    page.locator(".tm-choice").nth(1).tap()
    page.wait_for_selector(".tm-because .tm-said-wrong")
    page.wait_for_function(IN_VIEW)
    assert page.locator(".tm-plane-card").bounding_box()["height"] >= 300
    page = phone("/?scenario=late-but-allowed&step=80")
    assert page.locator(".tm-now-said").evaluate("node => node.scrollHeight - node.clientHeight") <= 1, "a whole beat"


def test_whatever_is_pressed_is_as_large_as_a_thumb(phone: OpenPage) -> None:
    page = phone("/?scenario=late-but-allowed&step=90&why=record%3A8")
    assert page.evaluate(SMALL) == []
    for key in ("Escape", "i", "d"):
        page.keyboard.press(key)
        frames(page)
        assert page.evaluate(SMALL) == [], key
    page.keyboard.press("q")
    assert page.evaluate(SMALL) == []
    page.keyboard.press("/")
    page.wait_for_selector(".tm-find-field")
    assert page.evaluate(SMALL) == []
    page.locator(".tm-number").first.tap()
    page.wait_for_selector(".tm-number-field")
    assert page.evaluate(SMALL) == []
    page.locator(".tm-export").tap()
    page.wait_for_selector(".tm-share-row:visible")
    assert page.evaluate(SMALL) == []


def test_what_is_pressed_on_other_pages_is_as_high_as_a_thumb(app: OpenPage) -> None:
    page = app("/author?scenario=late-but-allowed", ready=AUTHOR)
    for path, root in {"author": "author", "library": "library", "symptoms": "symptoms", "practice": "inventory",
                       "sql": "sql"}.items():  # fmt: skip
        if path != "author":
            follow_link(page, path)
        page.wait_for_selector(f".tidemark-{root} :is(button, input)", state="attached")
        frames(page, 20)
        assert page.evaluate(LOW, f".tidemark-{root}") == [], path
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path


def test_no_line_of_the_code_walk_is_cut(phone: OpenPage) -> None:
    page = phone("/?scenario=late-but-allowed&step=78&open=code")
    lines = page.locator(".tm-walk .tm-code-text")
    assert lines.count() > 10
    assert lines.evaluate_all("nodes => nodes.filter(node => node.scrollWidth > node.clientWidth).length") == 0


def test_a_scene_of_the_first_visit_is_one_screen(app: OpenPage) -> None:
    """Words, the whole picture and the button are seen at each step, also with an answer and with what it showed."""
    page = app("/?scenario=first-two-phones&visit=1")
    page.emulate_media(reduced_motion="reduce")
    on, card = page.locator(".tm-visit-on"), page.locator(".tm-plane-card")
    assert page.evaluate(MISSED) == []
    tops = []
    for _ in range(6):
        on.tap()
        page.wait_for_function(SCENE_IN_VIEW)
        if on.is_disabled():
            assert page.evaluate(MISSED) == []
            page.locator(".tm-choice").first.tap()
            page.wait_for_selector(".tm-said-wrong")
            page.wait_for_function(SCENE_IN_VIEW)
        elif page.locator(".tm-ending").is_hidden():
            tops.append(card.bounding_box()["y"])
    assert len(tops) == 4
    assert max(tops) - min(tops) < 1, "the picture stays where it is"
    words = on.locator("span")
    assert words.evaluate("node => node.scrollWidth <= node.clientWidth"), "the title of the next scene is not cut"
    on.tap()
    page.wait_for_selector('.tidemark-player[data-scenario="first-watermark"][data-ready="true"]')
    page.wait_for_selector(".tm-opening:visible")
    page.wait_for_function("document.querySelector('.tm-visit-head').getBoundingClientRect().top >= 43")


def test_on_its_side_a_phone_has_controls_as_high_as_a_thumb(phone: OpenPage) -> None:
    page = phone("/?scenario=late-but-allowed&step=80", size=(844, 390))
    heights = page.locator(".tm-transport :is(button, select):visible").evaluate_all(
        "nodes => nodes.map(node => node.getBoundingClientRect().height)"
    )
    assert len(heights) > 8
    assert min(heights) >= 39.5
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize(("size", "name"), [((844, 390), "late-but-allowed"), ((736, 414), "price-at-order-time")])
def test_on_its_side_a_phone_shows_words_and_picture_beside_each_other(
    phone: OpenPage, size: tuple[int, int], name: str
) -> None:
    page = phone(f"/?scenario={name}&step=20", size=size)
    page.locator(".tm-buttons > :nth-child(5)").tap()
    page.wait_for_function(IN_VIEW)
    assert page.evaluate(BESIDE)
    assert page.evaluate(STICKS_OUT) == []


def test_another_scenario_begins_at_its_top(app: OpenPage) -> None:
    page = app("/?scenario=first-prediction&step=63&visit=end")
    page.locator(".tm-visit-door").first.tap()
    page.wait_for_selector('.tidemark-player[data-scenario="late-but-allowed"][data-ready="true"]')
    page.wait_for_function("document.querySelector('.tm-title-row').getBoundingClientRect().top >= 43")
    page.locator(".tm-start").tap()
    page.wait_for_function(IN_VIEW)


def test_a_why_card_opens_where_the_words_were(phone: OpenPage) -> None:
    page = phone("/?scenario=late-but-allowed&step=90")
    page.emulate_media(reduced_motion="reduce")
    page.locator(".tm-buttons > :nth-child(5)").tap()
    page.wait_for_function(IN_VIEW)  # else the page goes down until words and picture are seen together
    place = top(page, ".tm-now")
    page.locator(".tm-why-button").tap()
    page.wait_for_selector(".tm-reason-question")
    assert abs(top(page, ".tm-reason") - place) < 2


def test_a_why_card_is_seen_that_a_mark_of_the_picture_opens_from_further_down(phone: OpenPage) -> None:
    page = phone("/?scenario=late-and-dropped&step=82")
    page.emulate_media(reduced_motion="reduce")
    dropped = page.locator(".tm-pic-record.tm-is-dropped")
    dropped.evaluate("node => node.scrollIntoView({ block: 'center' })")
    assert top(page, ".tm-now") < 0, "the words are above the screen"
    place = dropped.bounding_box()
    page.touchscreen.tap(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    page.wait_for_selector(".tm-reason-question")
    page.wait_for_function("document.querySelector('.tm-reasons').getBoundingClientRect().top >= 43")
    assert page.locator(".tm-reason-headline").inner_text() == "Lost: its window had been deleted."


def swiped(page: Any, place: dict[str, float], by: tuple[int, int]) -> None:
    """Put a finger on the middle of ``place``, move it ``by`` so many px, and lift it."""
    finger = page.context.new_cdp_session(page)
    x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
    for kind, share in [("touchStart", 0.0), *(("touchMove", part / 8) for part in range(1, 9))]:
        points = [{"x": x + share * by[0], "y": y + share * by[1]}]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        frames(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_a_finger_moves_a_record_sideways_and_scrolls_up_and_down(app: OpenPage) -> None:
    page = app("/?scenario=late-but-allowed&step=84")
    page.get_by_role("button", name="Step forward").first.tap()
    page.wait_for_function(IN_VIEW)
    record = page.locator(".tm-pic-record").first
    before = top(page, ".tm-plane-card")
    swiped(page, record.bounding_box(), (0, -120))
    page.wait_for_function(f"document.querySelector('.tm-plane-card').getBoundingClientRect().top < {before - 40}")
    frames(page, 20)
    assert page.locator(".tidemark-player.tm-trying").count() == 0
    swiped(page, record.bounding_box(), (60, 10))
    page.wait_for_selector(".tm-tryout-said")
    assert page.locator(".tm-tryout-said").text_content().startswith("One record moved.")


@pytest.mark.parametrize(
    "path",
    ["/?scenario=late-but-allowed&step=90", "/?scenario=late-but-allowed&step=90&lang=zh",
     "/?scenario=interval-join-keeps&step=40&lang=zh", "/?scenario=two-clocks&step=44",
     "/?scenario=spark-one-batch-behind&step=30"],
)  # fmt: skip
def test_nothing_overflows_at_the_side(phone: OpenPage, path: str) -> None:
    page = phone(path)
    for size in ((390, 844), (360, 640), (844, 390)):
        fits(page, size)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_columns_of_a_buffer_are_whole(phone: OpenPage, language: str) -> None:
    page = phone(f"/?scenario=price-at-order-time&step=40&lang={language}")
    cut = "[...document.querySelectorAll('.tm-buffer-rows')].map((node) => node.scrollWidth - node.clientWidth)"
    assert page.evaluate(cut) == [0, 0]


@pytest.mark.parametrize(
    "path", ["/compare?scenario=late-but-allowed&b.bound=5000", "/compare?scenario=two-clocks&lang=zh"]
)
def test_the_sides_of_a_comparison_are_stacked(app: OpenPage, path: str) -> None:
    page = app(path, ready=COMPARE)
    sides = page.locator(".tm-compare-side")
    for size in ((390, 844), (360, 640)):
        fits(page, size, scrolls="svg, thead")  # the head of the results is for screen readers alone
        first, second = sides.nth(0).bounding_box(), sides.nth(1).bounding_box()
        assert first["y"] + first["height"] <= second["y"]
        assert first["width"] == second["width"] > size[0] - 40
    page.set_viewport_size({"width": 844, "height": 390})
    page.wait_for_function("innerWidth === 844")
    assert sides.nth(0).bounding_box()["y"] == sides.nth(1).bounding_box()["y"]


def test_the_cards_and_choices_of_a_check_fit_on_a_phone(app: OpenPage) -> None:
    page = app("/spark?scenario=three-hundred", ready=".tm-spark")
    for name in (".tm-spark .tm-pagecard", ".st-key-tm_choices [data-testid='stColumn']"):
        boxes = [each.bounding_box() for each in page.locator(name).all()]
        assert boxes
        assert all(box["x"] >= 0 and box["x"] + box["width"] <= 390 for box in boxes)
        assert all(box["width"] >= 140 for box in boxes)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_wide_window_restores_the_layout_and_keeps_the_focus(phone: OpenPage) -> None:
    page = phone("/?scenario=late-but-allowed&step=90")
    page.locator(".tm-level").nth(1).focus()
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_selector(".tm-first", state="hidden")
    wide = [".tm-legend-row", ".tm-plane", ".tm-predict", ".tm-now", ".tm-timers", ".tm-reasons"]
    assert page.evaluate(IN_DOCUMENT, wide) == wide
    assert page.evaluate("document.activeElement.textContent") == "Practitioner"
    assert top(page, ".tm-now") == top(page, ".tm-plane-card")
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_selector(".tm-first", state="visible")
    assert page.evaluate(IN_DOCUMENT, READ) == READ


@pytest.mark.parametrize(("name", "language"), [("late-but-allowed", "zh"), ("price-at-order-time", "en")])
def test_an_explanation_and_what_it_explains_share_the_screen(phone: OpenPage, name: str, language: str) -> None:
    page = phone(f"/?scenario={name}&step=40&lang={language}")
    page.emulate_media(reduced_motion="reduce")
    page.locator(".tm-why-button").tap()
    page.wait_for_function(IN_VIEW.replace(".tm-now", ".tm-reasons"))
    assert page.locator(".tm-plane-card .tm-meant").count()
    assert page.locator(".tm-reason-close").is_visible()
    page.locator(".tm-reason-close").tap()
    page.locator(".tm-buttons > :nth-child(5)").tap()
    page.wait_for_function(IN_VIEW)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_can_be_done_is_said_in_words_in_one_row(phone: OpenPage, language: str) -> None:
    page = phone(f"/?scenario=late-but-allowed&step=40&lang={language}")
    labels = page.locator(".tm-title-row > .tm-button .tm-label, .tm-compare-place > .tm-button .tm-label")
    assert labels.count() >= 6
    boxes = labels.evaluate_all(
        "nodes => nodes.map(node => node.closest('button, a').getBoundingClientRect().toJSON())"
    )
    assert len({round(box["top"] + box["height"] / 2) for box in boxes}) == 1
    assert min(labels.evaluate_all("nodes => nodes.map(node => node.getBoundingClientRect().width)")) > 10
    assert page.evaluate(STICKS_OUT) == []


def test_a_finger_that_rests_on_a_button_asks_what_it_does(phone: OpenPage) -> None:
    page = phone("/?scenario=late-but-allowed&step=84")
    before, on = step_of(page), page.locator(".tm-buttons > :nth-child(5)")
    box = on.bounding_box()
    finger = page.context.new_cdp_session(page)
    point = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
    page.wait_for_selector(".tm-held:visible")
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    frames(page)
    assert page.locator(".tm-held").inner_text() == on.get_attribute("title")
    assert step_of(page) == before, "a question is not a step"
    assert page.evaluate(STICKS_OUT) == []
    on.tap()
    assert step_of(page) > before
    assert page.locator(".tm-held").is_hidden()
