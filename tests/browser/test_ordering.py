"""The page Lessons in a browser: a lecture of three is put in order, saved, and its title cards follow."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tidemark.ui.catalogue.lessons_file import FILE, lessons_of

ORDERING = '.tidemark-ordering[data-ready="true"]'
LECTURE = 'section[aria-label="Lecture"] .tm-or-scenario'


@pytest.fixture
def folder(scenario_folder: Path) -> Iterator[Path]:
    """The folder that the app was started with; its lessons are put back afterwards."""
    before = (scenario_folder / FILE).read_text("utf-8")
    yield scenario_folder
    (scenario_folder / FILE).write_text(before, "utf-8")


@pytest.mark.journey
def test_a_lecture_of_three_is_ordered_saved_and_presented(open_page: Callable[..., Any], folder: Path) -> None:
    (folder / FILE).write_text("# Mine.\nlessons = []\n", "utf-8")
    page = open_page("/lessons", ready=ORDERING)
    page.get_by_role("button", name="Add a lecture").click()
    page.locator('[data-act="save"]').click()
    page.wait_for_selector('.tm-or-wrong:has-text("The lecture needs an English title.")')
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == "Title (en)"
    page.get_by_label("Title (en)").fill("Monday")
    for name in ("two-clocks", "late-and-dropped", "idle-channel"):
        page.get_by_label("Add a scenario …").first.fill(name)
        page.get_by_label("Add a scenario …").first.press("Enter")
    page.locator(LECTURE).nth(2).press("Alt+ArrowUp")
    page.locator(LECTURE).nth(0).drag_to(page.locator(LECTURE).nth(2), target_position={"x": 100, "y": 34})
    page.locator('[data-act="save"]').click()
    page.wait_for_function("document.querySelector('.tm-or-status').textContent === 'lessons.toml is saved.'")
    lecture = lessons_of(folder).lecture
    assert lecture is not None
    assert lecture.scenarios == ("idle-channel", "late-and-dropped", "two-clocks")
    assert (folder / FILE).read_text("utf-8").startswith("# Mine.\n")
    assert page.locator(".tm-or-when").all_text_contents() == ["min 0–5", "min 5–9", "min 9–13"]
    assert page.locator(".tm-or-minutes .tm-or-quiet").text_content() == "13 of 50 min planned · 6 questions"

    page = open_page("/" + page.get_by_role("link", name="Dry run").get_attribute("href")[2:], size=(1280, 720))
    page.wait_for_function("document.querySelector('.tm-title-place')?.textContent.startsWith('1 of 3')")
    assert page.locator(".tm-title-foot").get_by_role("button", name="Leave").is_visible()
