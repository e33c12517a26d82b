"""Present mode: large, without scrolling, by keys and clicker alone; it reveals neither future nor answer unasked."""

from typing import Any

import pytest
from tidemark.simulator.scenario import load
from tidemark.ui.payload.contents import payload

from tests.browser.opening import frames
from tests.browser.player import ROOT, OpenPage, step_of

SCROLLED = """() => [document.scrollingElement, document.querySelector('[data-testid="stMain"]')]
  .map(box => [box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth]).flat()"""
FONTS = """names => names.map(name => parseFloat(getComputedStyle(document.querySelector(name)).fontSize))"""

WATCHED = """() => {
  window.tidemarkSeen = [];
  document.querySelector('.tidemark-player').addEventListener('tidemark:painted', ({ detail }) => {
    if (tidemarkSeen.at(-1) !== detail.step) tidemarkSeen.push(detail.step);
  });
}"""

AHEAD = ".tm-plane .tm-is-ahead"


def shown(page: Any, *names: str) -> list[bool]:
    return [page.locator(name).first.is_visible() for name in names]


def test_p_presents_without_the_future_and_esc_comes_back(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-but-allowed&step=60", size=(1280, 720), dark=True)
    header = "#tidemark-header"
    ink = "getComputedStyle(document.documentElement).getPropertyValue('--tm-ink').trim()"
    assert page.locator(AHEAD).count() > 0
    page.keyboard.press("p")
    page.wait_for_url("**&present=1")
    assert page.evaluate(SCROLLED) == [0, 0, 0, 0]
    assert shown(page, ".tm-present-head", header, ".tm-tabs", ".tm-side", ".tm-sentence") == [True, *[False] * 4]
    box, words = (page.locator(name).bounding_box() for name in (".tm-plane-card", ".tm-present-words"))
    assert (box["x"], round(words["x"] + words["width"])) == (16, 1264)
    assert (box["y"], box["height"]) == (words["y"], words["height"])
    assert min(page.evaluate(FONTS, [".tm-present-what", ".tm-present-why"])) >= 24
    assert page.evaluate(FONTS, [".tm-brief"]) == [20]
    assert page.locator(".tm-count").inner_text() == "60 / 160"
    assert "tumbling 5 s" in page.locator(".tm-brief").inner_text()
    # It starts light, whatever the system setting, and a key makes it dark.
    assert page.evaluate(ink) == "#161b26"
    frames(page, 5)
    assert page.locator(AHEAD).count() == 0
    page.keyboard.press("d")
    assert page.evaluate(ink) == "#edf0f5"
    page.keyboard.press("Escape")
    page.wait_for_url("**/?scenario=late-but-allowed&step=60")
    assert shown(page, ".tm-present-head", header, ".tm-tabs", ".tm-side") == [False, True, True, True]
    assert page.evaluate("document.documentElement.className").find("tm-") < 0
    assert page.evaluate("document.activeElement.className").find("tm-present-button") > 0
    assert page.locator('.tm-scrub-mark[data-ahead="true"]').first.is_visible()


def test_a_question_hides_its_answer_until_it_is_asked_for(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-but-allowed&step=104&present=1", size=(1280, 720))
    dropped = page.locator('table[data-table="records"] tr', has_text="lost")
    axes = page.locator(".tm-plane .tm-pic-axis").get_attribute("d")
    page.keyboard.press("PageDown")
    assert step_of(page) == 115
    assert page.locator(".tm-plane .tm-pic-axis").get_attribute("d") == axes
    assert page.locator(".tm-question h2").inner_text().startswith("This record has timestamp 2.8")
    assert page.locator(".tm-count").inner_text() == "115 / 160"
    assert dropped.count() == 0
    assert shown(page, ".tm-question-because", ".tm-present-what") == [False, False]
    page.wait_for_function("document.querySelector('.tm-live').textContent.startsWith('This record has timestamp')")
    assert "cleaned up." not in page.locator(".tm-live").text_content()
    assert min(page.evaluate(FONTS, [".tm-question h2", ".tm-big-choice"])) >= 24
    page.keyboard.press("1")
    assert page.locator(".tm-big-choice.tm-chosen").inner_text().endswith("It is out of order")
    page.keyboard.press("Enter")
    assert page.locator(".tm-is-right").inner_text().startswith("Its window has been cleaned up")
    assert page.locator(".tm-question-because").inner_text().startswith("Being out of order")
    assert page.locator(".tm-question-reply").inner_text().startswith("Not quite. ")
    assert dropped.count() == 1
    for width, height in ((1280, 720), (1440, 900), (1920, 1080)):
        page.set_viewport_size({"width": width, "height": height})
        box, panel = (page.locator(name).bounding_box() for name in (".tm-question-foot", ".tm-question"))
        assert box["y"] + box["height"] <= panel["y"] + panel["height"]
        assert page.evaluate(SCROLLED) == [0, 0, 0, 0]
    page.keyboard.press("PageDown")
    assert step_of(page) == 116
    page.keyboard.press("PageUp")
    assert (step_of(page), dropped.count()) == (115, 0)
    # With the steps in between it ends at the same beat, before the answer; a key does not wait for that.
    page.keyboard.press("PageUp")
    page.keyboard.press("g")
    assert page.locator(".tm-notes-notice").inner_text().startswith("The steps between two beats are shown")
    page.evaluate(f"({WATCHED})()")
    page.keyboard.press("PageDown")
    page.wait_for_function("document.querySelector('.tidemark-player').dataset.step === '115'")
    seen = page.evaluate("tidemarkSeen")
    assert len(seen) > 1, "how many steps in between are drawn depends on the machine"
    assert seen == sorted(seen)
    assert seen[-1] == 115
    assert max(seen[:-1]) <= 113
    page.keyboard.press("PageUp")
    page.keyboard.press("ArrowRight")
    assert step_of(page) == 104


REPORT = """new BroadcastChannel(`tidemark-notes-${sessionStorage["tidemark.notes"]}`).postMessage({ kind: "state" })"""
"""What a copy of the tab says when its step changes; nothing is asked by it."""


@pytest.mark.journey
def test_a_clicker_is_enough(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=0&present=1", size=(1280, 720))
    seen = []
    for _ in range(9):
        page.keyboard.press("PageDown")
        seen.append(step_of(page))
    # The step does not change at a question until its answer has been shown.
    beats = payload(load(ROOT / "scenarios" / "late-but-allowed.yaml"))["beats"]
    stops = [step for beat in beats for step in [beat["step"]] * (2 if beat["choices"] else 1)]
    assert seen == [*stops, 160][:9]
    assert 2 < len(stops) < 9
    for key in (".", "b"):
        page.keyboard.press(key)
        assert page.locator(".tm-black").bounding_box() == {"x": 0, "y": 0, "width": 1280, "height": 720}
        page.keyboard.press("PageDown" if key == "b" else ".")
        assert not page.locator(".tm-black").is_visible()
    page.keyboard.press("t")
    page.evaluate(REPORT)
    frames(page)
    assert not page.locator(".tm-sheet").is_visible()
    for before in (116, 115, 104):
        page.keyboard.press("PageUp")
        assert step_of(page) == before
    # So fast that one drawing covers several steps, as on a slow machine.
    page.evaluate("const box = document.querySelector('.tm-speed'); box.add(new Option('', 600)); box.value = 600")
    page.keyboard.press(" ")
    page.wait_for_function("document.querySelector('.tidemark-player').dataset.step === '115'")
    frames(page, 10)
    assert step_of(page) == 115, "playing halts at a question"
    page.keyboard.press(" ")
    assert page.locator(".tm-is-right").is_visible()


@pytest.mark.parametrize(("language", "named"), [("en", "late at every record"), ("zh", "迟到：每条记录一次")])
def test_the_head_names_an_unusual_trigger_and_shows_all_of_it(
    open_player: OpenPage, language: str, named: str
) -> None:
    """The longest trigger of the library takes two lines of 20 px; none of it is cut off or covered by a button."""
    page = open_player(f"/?scenario=early-on-time-late&step=27&present=1&lang={language}", size=(1280, 720))
    page.wait_for_selector(".tm-present-head")
    brief = page.locator(".tm-brief")
    assert named in brief.inner_text()
    assert page.evaluate(FONTS, [".tm-brief"]) == [20]
    assert brief.evaluate("node => [node.scrollHeight - node.clientHeight, node.scrollWidth - node.clientWidth]") == [
        0,
        0,
    ]
    head, box, beat = (
        page.locator(name).bounding_box() for name in (".tm-present-head", ".tm-brief", ".tm-present-beat")
    )
    assert box["y"] >= head["y"]
    assert box["y"] + box["height"] <= head["y"] + head["height"]
    assert box["x"] + box["width"] <= beat["x"]


def test_no_line_of_the_state_is_cut_off(open_player: OpenPage) -> None:
    page = open_player("/?scenario=two-clocks&step=44&present=1", size=(1280, 720))
    page.keyboard.press("i")
    assert "hash code 97419, murmur 797486742" in page.locator(".tm-group-row").first.inner_text()
    assert page.locator(".tm-sheet-body").evaluate("node => node.scrollWidth <= node.clientWidth")


def test_channels_reasons_state_and_a_pointer_are_for_the_room_too(open_player: OpenPage) -> None:
    page = open_player("/?scenario=idle-channel&step=40&present=1", size=(1280, 720))
    strip = page.locator(".tm-channel-strip")
    assert strip.inner_text().split("\n") == ["channel 0", "2.999", "channel 1", "0.699"]
    assert strip.locator(".tm-holds").inner_text().startswith("channel 1")
    axes = page.locator(".tm-plane .tm-pic-axis").get_attribute("d")
    page.keyboard.press("w")
    assert page.locator(".tm-reason-headline").is_visible()
    assert page.locator(".tm-plane .tm-pic-axis").get_attribute("d") == axes
    page.keyboard.press("i")
    assert shown(page, ".tm-state", ".tm-reasons") == [True, False]
    page.keyboard.press("h")
    # The list has only what works here: Find and the glossary do not.
    caps = page.locator(".tm-help kbd").all_inner_texts()
    assert ({"W", "I", "S"} <= set(caps), {"/", "Z", "O"} & set(caps)) == (True, set())
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.mouse.move(300, 200)
    spot = page.locator(".tm-spotlight").bounding_box()
    assert (spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2) == (300, 200)
    page.keyboard.press("Escape")
    assert not page.locator(".tm-spotlight").is_visible()
    # A question keeps its answer: it takes no Why card.
    page.keyboard.press("Escape")
    page.keyboard.press("PageDown")
    assert (step_of(page), page.locator(".tm-question").is_visible()) == (42, True)
    page.keyboard.press("w")
    assert not page.locator(".tm-reasons").is_visible()
