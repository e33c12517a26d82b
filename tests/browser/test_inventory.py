"""The inventory in the browser: a form by keys, a reload in between, the result, and the report on a class."""

from pathlib import Path

import pytest
from tidemark.simulator.inventory.choices import answers_by
from tidemark.simulator.inventory.gain import RUNNABLE, read_answers, simulated_class
from tidemark.simulator.inventory.items import edition

from tests.browser.opening import reload
from tests.browser.player import OpenPage

ITEM = '.tm-inv-test[data-ready="true"]'
RESULT = '.tm-inv-result[data-ready="true"]'


KEEP = """(kept) => localStorage.setItem("tidemark.inventory", JSON.stringify(kept))"""


@pytest.mark.journey
def test_a_form_survives_a_reload_and_ends_with_beliefs_and_a_file(open_page: OpenPage) -> None:
    page = open_page("/inventory?form=B", ready=ITEM, size=(390, 844))
    assert page.evaluate("document.querySelector('[data-testid=stMain]').scrollWidth <= 390")
    assert page.locator(".tm-inv-plane .tm-pic-record").count() == 6
    answers = answers_by("B", "wall-clock")
    form = {"answers": [*answers[:13], None, None], "at": 13, "done": False}
    page.evaluate(KEEP, {"id": "k7qm-3wxt", "edition": edition(), "forms": {"B": form}})
    reload(page, ITEM)
    assert "Question 14 of 15" in page.locator("h1:not(.tm-page-name)").inner_text()
    page.keyboard.press("Backspace")
    page.wait_for_selector(f'li:nth-child({answers[12] + 1}) button[aria-pressed="true"]')
    page.keyboard.press("Enter")
    page.wait_for_selector('.tm-inv-choices [aria-pressed="true"]', state="detached")
    page.keyboard.press("Enter")  # the fourteenth is skipped
    page.get_by_text("Question 15 of 15").wait_for()
    page.keyboard.press(str(answers[14] + 1))
    page.keyboard.press("Enter")
    page.get_by_text("Not answered: 1 of the questions.").wait_for()
    page.get_by_text("Back to the first of them").click()
    page.get_by_text("Question 14 of 15").wait_for()
    page.keyboard.press(str(answers[13] + 1))
    page.keyboard.press("Enter")
    page.get_by_text("Question 15 of 15").wait_for()
    page.keyboard.press("Enter")
    page.wait_for_selector(RESULT)
    assert page.locator(".tm-inv-score").inner_text() == "12 of 15 right"
    assert page.locator(".tm-inv-beliefs li").evaluate_all("nodes => nodes.map((node) => node.dataset.belief)") == [
        "wall-clock"
    ]
    with page.expect_download() as given:
        page.locator(".tm-inv-download").click()
    assert read_answers(Path(given.value.path()).read_text(encoding="utf-8")).forms == {"B": answers}
    page.locator(".tm-inv-beliefs .tm-inv-link").click()
    page.wait_for_selector('.tidemark-compare[data-ready="true"]')


def test_a_teacher_sees_the_gain_and_what_was_left_out(open_page: OpenPage) -> None:
    page = open_page("/inventory?view=class", ready=".tm-inv-class")
    files = [
        {"name": name, "mimeType": "application/json", "buffer": text.encode()}
        for name, text in simulated_class(RUNNABLE, keeping=["wall-clock"])
    ]
    files.append({"name": "<img src=x onerror=document.title=1>.json", "mimeType": "text/html", "buffer": b"<b>no</b>"})
    page.locator(".tm-inv-door input").set_input_files(files)
    page.wait_for_selector(".tm-inv-gain")
    assert page.locator(".tm-inv-gain").inner_text() == "0.92"
    shown = page.locator(".tm-inv-report").inner_text()
    assert "13 learners · 13 with both forms" in shown
    assert "<img src=x onerror=document.title=1>.json: not a JSON file" in shown
    assert page.locator(".tm-inv-report img, .tm-inv-report b").count() == 0
    row = page.locator(".tm-inv-table tr", has_text="A window closes when the clock passes its end.").first
    assert row.inner_text().split("\t")[1:] == ["1 → 1", "3 → 3", "0.00"]
