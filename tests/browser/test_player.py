"""The player in a real browser: it shows what the facts say, at once, and without asking the server."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.opening import TAKEN_OVER, frames, reload, visit
from tests.browser.player import ROOT, OpenPage, run_of, step_of
from tests.library import shipped
from tests.timeline.in_words import in_words

NAMES = sorted(path.stem for path in (ROOT / "scenarios").glob("*.yaml"))


def player(page: Any) -> Any:
    return page.locator(".tidemark-player")


def rows_of(page: Any, table: str) -> list[list[str]]:
    """The text of a table's cells."""
    script = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent.trim()))"
    found: list[list[str]] = page.locator(f'table[data-table="{table}"] tbody tr').evaluate_all(script)
    return found


# --- opening -------------------------------------------------------------------------------------------------------


@pytest.mark.journey
def test_it_opens_on_a_scenario(open_page: OpenPage) -> None:
    page = open_page("/")
    name = player(page).get_attribute("data-scenario")
    assert name in NAMES
    assert int(player(page).get_attribute("data-steps")) == run_of(name)[0].number_of_steps
    page.wait_for_url(f"**/?scenario={name}")


IN_VIEW = """() => [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex]")]
  .filter((each) => each.tabIndex >= 0 && !each.disabled && each.checkVisibility({ visibilityProperty: true }))
  .filter((each) => { const { top, bottom, width } = each.getBoundingClientRect();
                      return width && bottom > 0 && top < innerHeight; }).length"""
"""How many things can be focused in view."""


@pytest.mark.journey
def test_a_novice_sees_a_picture_a_card_of_text_and_the_deciding_clause(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-and-dropped&step=40")
    page.evaluate("sessionStorage.setItem('few', 1); localStorage.removeItem('tidemark.controls')")
    reload(page)
    page.wait_for_function(TAKEN_OVER)
    assert page.evaluate(IN_VIEW) <= 20
    assert page.locator(".tm-count").text_content() == "13 of 23"
    assert page.locator(".tm-pic-value").first.text_content() == "watermark 8"
    assert page.locator(".tm-lit").all_text_contents() == ["Sum per key in tumbling 10 s windows"]
    page.get_by_role("tab", name="SQL").click()
    assert page.locator(".tm-lit").all_text_contents() == ["SELECT k, window_start, window_end, SUM(v)"]
    page.locator(".tm-plane").click(position={"x": 5, "y": 5})
    page.keyboard.press("End")
    page.keyboard.press("Shift+U")
    page.keyboard.press("Shift+U")
    what = page.locator(".tm-what")
    assert what.text_content() == "The watermark moves from 10.5 to 21."
    assert what.get_attribute("title") == "The watermark moves from 10.499 to 20.999."
    page.get_by_role("button", name="Change it").click()
    assert page.locator(".tm-number:focus").text_content() == "10 s"

    page.get_by_role("button", name="Practitioner").click()
    assert page.locator(".tm-pic-value").first.text_content() != "watermark 8"
    assert page.locator(".tm-timers").is_visible()
    assert page.locator('[data-panel="state"]').is_hidden()
    assert page.evaluate(IN_VIEW) <= 45
    page.get_by_role("button", name="Flink code").click()
    assert page.locator('[data-panel="state"]').is_visible()
    page.get_by_role("button", name="Novice").click()
    page.get_by_role("button", name="All controls").click()
    assert page.locator(".tm-timers").is_visible()


def test_a_bad_link_offers_the_library(open_page: OpenPage) -> None:
    page = open_page("/?scenario=../../etc/passwd", ready='[data-testid="stPageLink"]')
    page.get_by_role("link", name="Open the library").click()
    page.wait_for_selector(".tidemark-library")


# --- stepping ------------------------------------------------------------------------------------------------------


def test_eight_fast_presses_are_eight_steps(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=10&words=source")
    page.evaluate("""() => {
      for (let i = 0; i < 8; i += 1) document.body.dispatchEvent(
        new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true, composed: true}));
    }""")
    assert step_of(page) == 18
    for _ in range(8):
        page.keyboard.press("ArrowRight")
    assert step_of(page) == 26
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Home")
    assert step_of(page) == 0
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    assert step_of(page) == run_of("late-but-allowed")[0].number_of_steps - 1


EARLY_KEYS = "Shift+ArrowRight f y x b w t h Escape q q p Escape End ArrowLeft"
SLOW_FONT = """const load = document.fonts.load.bind(document.fonts);
document.fonts.load = (...given) => {
  const before = window.fontComes;  // Streamlit asks for fonts as well
  return new Promise((come) => { window.fontComes = () => { before?.(); come(); }; }).then(() => load(...given));
};"""


def test_keys_pressed_while_the_picture_is_loading_count(fresh: Callable[..., Any], server: str) -> None:
    page = fresh(viewport={"width": 1280, "height": 720}).new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.add_init_script(SLOW_FONT)
    visit(page, f"{server}/?scenario=late-but-allowed&step=10", '.tidemark-player[data-ready="false"]')
    page.wait_for_function("!!window.fontComes")
    for key in EARLY_KEYS.split():
        page.keyboard.press(key)
    step = step_of(page)
    page.evaluate("window.fontComes()")
    page.wait_for_selector(f'.tidemark-player[data-ready="true"][data-step="{step}"]')
    assert page.locator(".tm-lane-rows > *").count() > 0
    assert errors == []
    assert step != 10


@pytest.mark.journey
def test_stepping_sends_nothing(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-but-allowed&step=0")
    page.wait_for_load_state("networkidle")  # the page may still be loading
    requests: list[str] = []
    # Messages of the open connection are counted inside the page, where each of them passes.
    page.evaluate("""() => {
      window.messages_sent = 0;
      const send = WebSocket.prototype.send;
      WebSocket.prototype.send = function (...data) { window.messages_sent += 1; return send.apply(this, data); };
    }""")
    page.on("request", lambda request: requests.append(request.url))
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    page.keyboard.press("f")
    page.wait_for_url(f"**/?scenario=late-but-allowed&step={step_of(page)}")  # the last effect of a step
    frames(page, 10)
    assert page.evaluate("window.messages_sent") == 0
    # Streamlit mounts its other components from blobs that the page has already, some of them late.
    assert [each for each in requests if not each.startswith("blob:")] == []


def test_next_firing_goes_from_firing_to_firing(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=0")
    facts, _ = run_of("late-but-allowed")
    firings = [fact["from_step"] for fact in facts.tables["outputs"] if fact["row"]["row"] == "pane"]
    seen = []
    for _ in firings:
        page.keyboard.press("f")
        seen.append(step_of(page))
    assert seen == firings
    assert page.locator(".tm-trail .tm-here").inner_text() == in_words(facts)[firings[-1]]["trail"][-1]


def test_play_advances_and_announces_nothing(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=0")
    page.locator(".tm-speed").select_option("16")
    page.locator(".tm-what").click()
    page.keyboard.press(" ")
    assert page.locator(".tm-live").get_attribute("aria-live") == "off"
    page.wait_for_function("Number(document.querySelector('.tidemark-player').dataset.step) > 12")
    page.keyboard.press(" ")
    assert page.locator(".tm-live").get_attribute("aria-live") == "polite"
    rested = step_of(page)
    frames(page, 20)
    assert step_of(page) == rested


@pytest.mark.journey
def test_beats_are_visited_and_a_question_keeps_its_reason(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=0")
    seen = []
    for _ in range(5):
        page.keyboard.press("PageDown")
        seen.append(step_of(page))
        assert page.locator(".tm-beat p").first.inner_text()
    facts, _ = run_of("late-but-allowed")
    assert [facts.at(step)["steps"][0]["event"] for step in (seen[0], seen[1], seen[3], seen[4])] == [
        "WatermarkCombined", "PaneFired", "WindowCleaned", "LateDropped"]  # fmt: skip
    assert not page.locator(".tm-why").is_visible()
    page.get_by_role("button", name="It is out of order").click()
    reply = page.locator(".tm-because").inner_text()
    assert reply.startswith("Not quite.")
    assert reply.endswith("Try again.")
    assert not page.locator(".tm-why").is_visible()
    page.keyboard.press("2")
    assert page.locator(".tm-why").is_visible()
    assert page.locator(".tm-because").inner_text().startswith("Correct. Being out of order is no reason.")
    assert page.locator(".tm-choice:visible").count() == 3, "what was not tried stays, so that the reply does not move"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("PageUp")
    assert step_of(page) == seen[3]


def test_page_down_asks_before_it_skips_a_question_and_says_which_beat_is_the_last(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=115")
    page.keyboard.press("PageDown")
    assert step_of(page) == 115
    assert "Press Page Down again to skip it." in page.locator(".tm-now-notice").inner_text()
    page.keyboard.press(" ")
    assert "Answer the question first" in page.locator(".tm-now-notice").inner_text()
    page.keyboard.press("PageDown")
    assert step_of(page) == 116
    assert not page.locator(".tm-now-notice").is_visible()
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")  # this beat asks too
    assert step_of(page) == 160
    page.wait_for_function("document.querySelector('.tm-live').textContent.startsWith('That was the last beat.')")


def test_play_goes_from_what_matters_to_what_matters_and_rests_at_a_question(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-and-dropped&step=40")
    page.evaluate("""() => {
      const root = document.querySelector('.tidemark-player');
      window.played = [];
      root.addEventListener('tidemark:painted', (event) => window.played.push(event.detail.step));
    }""")
    page.locator(".tm-speed").select_option("16")
    page.keyboard.press(" ")
    page.wait_for_selector('.tm-play[aria-label="Play"]')
    played = page.evaluate("[...new Set(window.played)]")
    assert played == [45, 48, 53], "what the author only says, at 48, is played through"
    assert "Play waits for your answer" in page.locator(".tm-beat-number").inner_text()


MOVING = """() => document.getAnimations().filter((each) => each.effect.target.closest(".tm-picture, .tm-lane-picture"))
  .map((each) => each.effect.target.getAttribute("class"))"""
"""The classes of what moves in the picture."""


def moved_by(page: Any, key: str) -> list[str]:
    """What moves in the picture right after ``key``, before the next frame."""
    press = "(key) => { window.dispatchEvent(new KeyboardEvent('keydown', {key, bubbles: true})); return MOVING(); }"
    return page.evaluate(press.replace("MOVING", f"({MOVING})"), key)


def test_a_step_is_seen_moving_and_a_step_back_the_same_backwards(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-and-dropped")
    moved = {step_of(page): moved_by(page, "ArrowRight") for _ in range(16)}
    assert moved[0] == ["tm-pic-record tm-is-arrived"], "it falls"
    assert moved[1] == ["tm-copy tm-moving"], "its copy slides into the window"
    assert {"tm-pic-arrow", "tm-pic-value", "tm-lane-watermark"} <= set(moved[14])
    assert moved[45] == ["tm-pic-result"]
    page.keyboard.press("ArrowRight")
    assert step_of(page) == 56
    assert moved_by(page, "ArrowLeft") == ["tm-copy tm-moving"], "the lost record turns back"
    assert moved_by(page, "ArrowLeft") == ["tm-pic-record tm-is-arrived tm-moving"]
    assert moved_by(page, "End") == [], "a jump"
    page.emulate_media(reduced_motion="reduce")
    assert moved_by(page, "ArrowLeft") == []


def test_what_is_pressed_during_a_movement_ends_it(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-and-dropped&step=3")
    assert moved_by(page, "ArrowLeft") == ["tm-copy tm-moving"]
    assert moved_by(page, "ArrowLeft") == ["tm-pic-record tm-is-arrived tm-moving"]
    assert page.locator(".tm-copy").count() == 0
    page.wait_for_selector(".tm-moving", state="detached")


def test_the_steps_as_text_follow_and_lead_back(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=40")
    facts, _ = run_of("late-but-allowed")
    page.keyboard.press("s")
    assert page.locator(".tm-log .tm-hl .tm-log-what").inner_text() == in_words(facts)[40]["what"]
    page.locator('.tm-log li[data-step="43"]').click()
    assert step_of(page) == 43
    assert page.locator(".tm-log .tm-hl").get_attribute("data-step") == "43"
    page.keyboard.press("Escape")
    assert not page.locator(".tm-sheet").is_visible()


# --- what it shows -------------------------------------------------------------------------------------------------


OVERFLOW = """() => [document.scrollingElement, document.querySelector('[data-testid="stMain"]')]
  .map(box => [box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth]).flat()"""


def one_of_each_kind() -> list[str]:
    """Names of library scenarios: the last for each combination of engine, operator and kind of windows."""
    kinds = {
        (each.engine, type(each.operator), type(getattr(each.operator, "assigner", None))): name
        for name, each in shipped().items()
    }
    return list(kinds.values())


def test_every_kind_of_scenario_opens_and_fits_without_scrolling(open_page: OpenPage) -> None:
    names = one_of_each_kind()
    page = open_page(f"/?scenario={names[-1]}&step=3")
    for name in names:
        page.locator(".tm-chooser-select").select_option(name)
        page.wait_for_selector(f'.tidemark-player[data-scenario="{name}"][data-ready="true"]')
        page.keyboard.press("End")
        for width, height in ((1440, 900), (1280, 720)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate(OVERFLOW) == [0, 0, 0, 0], (name, width)
            box = page.locator(".tm-foot").bounding_box()
            assert box["y"] + box["height"] <= height, name
            assert page.locator(".tm-plane").bounding_box()["height"] > 220, (name, width)


@pytest.mark.parametrize(("dark", "ground", "ink"), [(False, "rgb(245, 246, 248)", "#161b26"),
                                                     (True, "rgb(10, 13, 19)", "#edf0f5")])  # fmt: skip
def test_light_and_dark_follow_the_system(open_page: OpenPage, dark: bool, ground: str, ink: str) -> None:
    page = open_page("/?scenario=late-but-allowed&step=60", dark=dark)
    assert page.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor") == ground
    colour = "getComputedStyle(document.querySelector('.tidemark-player')).getPropertyValue('--tm-ink').trim()"
    assert page.evaluate(colour) == ink


@pytest.mark.journey
def test_text_of_a_scenario_is_never_markup(open_page: OpenPage) -> None:
    page = open_page("/?scenario=hostile&step=0")
    page.keyboard.press("End")
    page.keyboard.press("t")
    assert page.locator(".tm-chooser h1").inner_text() == '<img src=x onerror="window.hacked=1">'
    assert page.locator(".tidemark-player img").count() == 0
    assert "</script>" in page.locator('table[data-table="panes"]').inner_text()
    visit(page, page.url.split("/?")[0] + "/library", ".tidemark-library")
    assert page.locator(".tidemark-library img").count() == 0
    assert page.evaluate("window.hacked") is None


# --- library -------------------------------------------------------------------------------------------------------


@pytest.mark.journey
def test_the_library_finds_opens_and_remembers(open_page: OpenPage) -> None:
    page = open_page("/library", ready=".tidemark-library")
    assert page.locator(".tm-scenario").count() == len(NAMES) + 1
    assert "broken.yaml" in page.locator(".tm-broken").inner_text()
    page.locator(".tm-search").fill("late-but-allowed")
    page.wait_for_function("document.querySelectorAll('.tm-scenario').length === 1")
    page.locator(".tm-scenario").click()
    page.wait_for_selector('.tidemark-player[data-scenario="late-but-allowed"][data-ready="true"]')
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    page.wait_for_url("**/?scenario=late-but-allowed&step=3")
    page.get_by_role("link", name="Library").click()
    page.locator(".tm-onward-button").click()
    page.wait_for_selector('.tidemark-player[data-step="3"][data-ready="true"]')
