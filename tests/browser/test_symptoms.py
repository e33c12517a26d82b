"""From a complaint to the run that shows it, and to the same run repaired."""

import pytest

from tests.browser.player import OpenPage

PLAYER = '.tidemark-player[data-ready="true"]'


@pytest.mark.journey
def test_a_search_leads_to_a_checklist_and_from_there_to_both_runs(open_page: OpenPage) -> None:
    page = open_page("/library", ready=".tidemark-library .tm-scenario")
    page.keyboard.press("/")
    page.keyboard.type("where did my record go?")
    assert page.locator(".tm-scenario").first.get_attribute("data-scenario") == "late-and-dropped"
    page.locator(".tm-symptom-links a").first.click()
    page.wait_for_selector('.tm-symptom[open][data-symptom="record-dropped"]')
    assert "symptom=record-dropped" in page.url
    page.locator('.tm-symptom[open] [data-link="other"]').click()
    page.wait_for_selector(PLAYER)
    assert "Where did my record go?: fixed" in page.locator("body").inner_text()


def test_back_returns_to_the_open_symptom_and_its_filter(open_page: OpenPage) -> None:
    page = open_page("/symptoms?scenario=late-and-dropped&b.bound=1", ready=".tm-symptom")
    page.locator(".tm-symptom-search").fill("side output")
    page.locator(".tm-symptom:visible summary").first.click()
    page.wait_for_url("**/symptoms?symptom=record-dropped&find=side+output")
    page.locator('.tm-symptom[open] [data-link="compare"]').click()
    page.wait_for_selector(".tidemark-compare")
    page.go_back()
    page.wait_for_selector('.tm-symptom[open][data-symptom="record-dropped"]')
    assert page.locator(".tm-symptom-search").input_value() == "side output"
    assert page.url.endswith("/symptoms?symptom=record-dropped&find=side+output")


def test_the_list_of_symptoms_fits_a_phone_and_can_be_filtered(open_page: OpenPage) -> None:
    page = open_page("/symptoms?symptom=wrong-day", ready=".tm-symptom[open]", size=(390, 844), dark=True)
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth <= 390")
    page.locator(".tm-symptom-search").fill("never fires")
    shown = page.locator(".tm-symptom:visible").evaluate_all("nodes => nodes.map((node) => node.dataset.symptom)")
    assert shown[0] == "window-never-fires"
    assert len(shown) < 6
    page.locator(".tm-symptom-search").fill("qwertz")
    assert page.locator(".tm-symptom:visible").count() == 0
    assert page.locator(".tm-symptom-none").inner_text() != ""


def test_one_chinese_character_is_enough_to_find_a_symptom(open_page: OpenPage) -> None:
    page = open_page("/symptoms?lang=zh", ready=".tidemark-symptoms")
    page.locator(".tm-symptom-search").fill("丢")
    assert "一条坏记录之后，全都被丢弃" in page.locator(".tm-symptom h2:visible").all_inner_texts()


def test_on_a_phone_what_a_search_found_comes_right_below_it(open_page: OpenPage) -> None:
    page = open_page("/library", ready=".tidemark-library .tm-scenario", size=(390, 844))
    page.locator(".tm-search").fill("TUMBLE")
    first = page.locator(".tm-scenario").first
    assert first.get_attribute("data-scenario") == "the-window-waits"
    assert (first.bounding_box() or {})["y"] < 600
