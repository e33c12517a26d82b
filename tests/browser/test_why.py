"""Why cards in a real browser: opened by mouse and keyboard, in the right column, with the gap in the picture."""

import random
import re
from typing import Any

import pytest
from tidemark.simulator import scenario as scenarios
from tidemark.simulator.timeline import build

from tests.browser.opening import visit
from tests.browser.player import ROOT, OpenPage, go
from tests.browser.test_player import NAMES
from tidemark import simulator

WINDOW = '.tm-lane-box[data-id="window:\\"a\\"|5000|10000"]'


def headline(page: Any) -> str:
    return str(page.locator(".tm-reason-headline").text_content())


def question(page: Any) -> str:
    return str(page.locator(".tm-reason-question").text_content())


def is_open(page: Any) -> bool:
    return bool(page.locator(".tm-reasons").is_visible())


def step_before_it_fires() -> int:
    """A step at which [5, 10) of key a waits for the watermark, and there is a watermark."""
    scenario = scenarios.load(ROOT / "scenarios" / "late-but-allowed.yaml")
    _, trace = simulator.run_traced(scenario)
    facts = build(scenario, trace)
    window = next(row for row in facts.tables["windows"] if row["start"] == 5000 and row["key"] == "a")
    first = next(row for row in facts.tables["watermark"] if row["value"] is not None)
    return max(int(window["from_step"]), int(first["from_step"])) + 8


def test_a_click_on_a_window_says_why_it_has_not_fired(open_player: OpenPage) -> None:
    page = open_player(f"/?scenario=late-but-allowed&step={step_before_it_fires()}")
    plane = page.locator(".tm-plane-card").bounding_box()
    page.locator(WINDOW).click(position={"x": 90, "y": 4})
    assert question(page) == "Why has [5, 10) of key a not fired?"
    assert re.fullmatch(r"Because the watermark is \d+\.\d{3} s short\.", headline(page))
    needs, now = (float(text) for text in page.locator(".tm-gauge-box b").all_text_contents())
    short = float(re.findall(r"\d+\.\d+", headline(page))[0])
    assert (needs, round(needs - now, 3)) == (9.999, short)
    assert page.locator(".tm-gap-span").text_content() == f"{short:.3f} s missing"
    assert "is not enough" in page.locator(".tm-reason-body").text_content()
    assert page.locator(".tm-checks li.tm-hl").text_content().startswith("watermark ≥ 9.999")
    # It is in the right column, in place of the other cards, and nothing scrolls.
    card = page.locator(".tm-reasons").bounding_box()
    assert card["x"] >= plane["x"] + plane["width"]
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    # The dashed line is at the window's end, to the pixel, through the plane and the lanes.
    above, below = (page.locator(f"{place} .tm-gap-needed").bounding_box() for place in (".tm-plane", ".tm-gap"))
    box = page.locator(f"{WINDOW} > .tm-lane-ground").bounding_box()
    assert abs(below["x"] - (box["x"] + box["width"])) < 3
    assert abs(above["x"] - below["x"]) < 0.1
    assert 0 < below["y"] - above["y"] - above["height"] < 30
    assert below["y"] < box["y"] < below["y"] + below["height"]
    page.locator(".tm-reason-close").click()
    assert not is_open(page)
    assert page.locator(".tm-gap > *, .tm-gap-notes > *").count() == 0


def test_the_keyboard_goes_from_card_to_card(open_player: OpenPage) -> None:
    page = open_player(f"/?scenario=late-but-allowed&step={step_before_it_fires()}", size=(1280, 720), dark=True)
    seen = []
    for _ in range(4):
        page.keyboard.press("w")
        seen.append(question(page))
    assert len(set(seen)) == 4
    page.keyboard.press("ArrowRight")
    assert is_open(page)
    page.locator(".tm-reason-close").focus()
    page.keyboard.press("Enter")
    assert not is_open(page)
    assert page.evaluate("document.activeElement.className").endswith("tm-why-button")
    page.keyboard.press("Enter")
    assert is_open(page)
    page.keyboard.press("Escape")
    assert not is_open(page)
    page.keyboard.press("End")
    page.locator(".tm-why-button").click()
    assert not is_open(page)
    assert page.inner_text(".tm-now-notice") == (
        "Nothing to explain at this step. Click a record or a window to ask why."
    )


@pytest.mark.journey
def test_a_record_shows_what_was_compared_and_leads_there(open_player: OpenPage) -> None:
    scenario = scenarios.load(ROOT / "scenarios" / "late-and-dropped.yaml")
    _, trace = simulator.run_traced(scenario)
    facts = build(scenario, trace)
    dropped = next(row for row in facts.tables["records"] if row["fate"] == "dropped")
    page = open_player(f"/?scenario=late-and-dropped&step={dropped['from_step']}&words=practitioner")
    page.keyboard.press("w")
    assert question(page) == f"What happened to record #{dropped['item']}?"
    assert headline(page) == "Lost: its window had been deleted."
    rule = page.locator(".tm-judged-rule").first.text_content()
    assert rule.startswith("max_timestamp + allowed_lateness <= watermark")
    left, right = (float(number) for number in re.findall(r"(-?\d+\.\d+) <= (-?\d+\.\d+)", rule)[0])
    assert left <= right
    assert page.locator(".tm-gap-span").text_content() == f"{right - left:.3f} s too late"
    # A click on its mark opens the same card.
    ring = page.locator(".tm-gap-ring").bounding_box()
    page.keyboard.press("Escape")
    page.mouse.click(ring["x"] + ring["width"] / 2, ring["y"] + ring["height"] / 2)
    assert question(page) == f"What happened to record #{dropped['item']}?"
    step = page.locator(".tm-reason-step").first
    step.click()
    assert f"step {page.locator('.tidemark-player').get_attribute('data-step')}" == step.text_content()


def test_the_steps_of_a_card_are_those_of_the_firings(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=80")
    page.keyboard.press("w")
    assert headline(page) == "Yes, twice; most recently at step 80."
    assert page.locator(".tm-reason-step").all_text_contents() == ["step 70", "step 80"]
    # The record that has just come is one click away, and so is the window from there.
    page.locator(".tm-reason-beside").click()
    assert question(page) == "What happened to record #7?"
    words = page.locator(".tm-judged-words").first.text_content()
    assert words == "The watermark, 5.599, had already reached the window’s last instant, 4.999."
    page.locator(".tm-reason-beside").click()
    assert question(page) == "Has [0, 5) of key a fired?"


def test_cards_of_other_scenarios_can_be_shown(open_page: OpenPage) -> None:
    chance = random.Random(4)
    page = open_page(f"/?scenario={NAMES[0]}")
    for name in chance.sample(NAMES, 2):
        ready = f'.tidemark-player[data-ready="true"][data-scenario="{name}"]'
        visit(page, f"{page.url.split('?')[0]}?scenario={name}", ready)
        last = int(page.locator(".tidemark-player").get_attribute("data-steps")) - 1
        for step in chance.sample(range(last), 4):
            go(page, step)
            for _ in range(4):
                page.keyboard.press("w")
                assert not is_open(page) or (question(page) and headline(page))
                assert "undefined" not in page.locator(".tm-reasons").text_content()
                assert "{" not in page.locator(".tm-reasons").text_content().replace("{}", "")


def test_a_join_that_fired_with_one_side_says_that_it_sent_no_row(open_player: OpenPage) -> None:
    page = open_player("/?scenario=window-join-border&step=86&why=window%3A%22a%22%7C10000%7C20000")
    assert page.locator(".tm-what").first.text_content() == (
        "Window [10, 20) of key a fires, but its left side is empty: no pair."
    )
    assert headline(page) == "Its trigger fired at step 86, but the left side was empty: no row."
