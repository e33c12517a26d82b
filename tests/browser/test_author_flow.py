"""From the library to a shared link of an own scenario, and two authors who save under the same name."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.scenario import load

from tests.browser.opening import AUTHOR
from tests.browser.pages import follow_link
from tests.browser.player import OpenPage

PLAYER = '.tidemark-player[data-ready="true"]:not(.tidemark-author)'
HOSTILE = "<img src=x onerror='window.hacked=1'>"
SAVE = '[data-act="save"]'


@pytest.fixture
def folder(scenario_folder: Path) -> Iterator[Path]:
    """The folder that the app was started with; a test's files in it are removed afterwards."""
    before = set(scenario_folder.iterdir())
    yield scenario_folder
    for file in set(scenario_folder.iterdir()) - before:
        shutil.rmtree(file) if file.is_dir() else file.unlink()


def retitle(page: Any, title: str) -> None:
    page.locator(".tm-au-title").fill(title)
    page.keyboard.press("Enter")
    page.wait_for_function("(title) => document.querySelector('.tm-au-area').value.includes(title)", arg=title)
    page.wait_for_function("document.querySelector('.tidemark-author').dataset.sound === 'true'")


def english(file: Path) -> str:
    title = load(file).title
    assert title is not None
    return title["en"]


def saved(page: Any, name: str = "") -> None:
    page.locator(SAVE).click()
    if name:
        page.get_by_label("File name").fill(name)
        page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.tm-au-file').textContent.endsWith('· saved')")


STOPS = """() => {
  const author = document.querySelector(".tidemark-author");
  globalThis.stops = new MutationObserver(() => {
    if (author.dataset.busy === "true") window.dispatchEvent(new CustomEvent("tidemark:unanswered"));
  });
  stops.observe(author, { attributeFilter: ["data-busy"] });
}"""
"""Does what *Stop* does in a site, as soon as an edit is under way, until ``stops`` is told to leave off."""

LEAVES_OFF = "stops.disconnect()"


def test_what_the_reader_stops_is_said_and_a_text_can_be_run_afterwards(open_page: OpenPage) -> None:
    page = open_page("/author?scenario=late-and-dropped", ready=AUTHOR)
    page.wait_for_selector(".tidemark-author[data-busy=false]")
    page.evaluate(STOPS)
    page.locator(".tm-au-title").fill("Soon and dropped")
    page.keyboard.press("Enter")
    page.wait_for_selector(".tm-au-told >> text=so the edit was not made")
    page.evaluate(LEAVES_OFF)
    assert page.locator(".tm-au-title").input_value() == "Late and dropped"
    page.wait_for_selector(".tidemark-author[data-busy=false]")
    page.evaluate(STOPS)
    text = page.locator(".tm-au-area").input_value()
    page.locator(".tm-au-area").fill(text.replace("Late and dropped", "Soon and dropped"))
    page.wait_for_selector(".tm-au-stale >> text=has not been run")
    page.evaluate(LEAVES_OFF)
    assert page.locator(".tm-au-title").is_disabled()
    page.get_by_role("button", name="Run it").click()
    page.wait_for_function("document.querySelector('.tm-au-title').value === 'Soon and dropped'")
    assert not page.locator(".tm-au-stale").is_visible()


def test_from_an_empty_page_to_a_link_to_the_scenario(open_page: OpenPage, folder: Path) -> None:
    page = open_page("/author?new=1", ready=AUTHOR)
    page.get_by_role("button", name="Tumbling windows").click()
    page.wait_for_selector(".tm-au-dialog:not([open])", state="attached")
    page.wait_for_function("document.querySelector('.tm-au-title').value === 'Tumbling windows'")
    retitle(page, "Mine")
    text = page.locator(".tm-au-area").input_value().replace("key: b", f'key: "{HOSTILE}"')
    page.locator(".tm-au-area").fill(f"{text.rstrip()}\n  - {{at: {{event: LateDropped}}, say: Nothing is lost}}\n")
    page.wait_for_function("document.querySelector('.tidemark-author table').textContent.includes('<img')")
    # In two languages: what was translated before the original changed says so, and what that said.
    page.get_by_role("tab", name="Story").click()
    page.get_by_role("button", name="Side by side in languages").click()
    page.get_by_label("Language tag").fill("zh")
    page.keyboard.press("Enter")
    for language, typed in (("zh", "我的"), ("en", "Ours")):
        page.get_by_label(f"Title ({language})").fill(typed)
        page.keyboard.press("Tab")
        page.wait_for_function("(typed) => document.querySelector('.tm-au-area').value.includes(typed)", arg=typed)
    page.wait_for_selector('.tm-au-outdated:has-text("The original said: Mine")')
    page.get_by_role("button", name="Still right").click()
    page.wait_for_selector(".tm-au-outdated", state="detached")
    page.keyboard.press("Escape")

    page.locator('[data-act="share"]').click()
    assert "Nothing is lost\nthe first time a record is dropped" in page.locator(".tm-au-lost").inner_text()
    page.get_by_role("button", name="Share without it").click()
    link = page.locator(".tm-au-link").input_value()
    assert "/?s=" in link
    other = open_page(link[link.index("/?s=") :], ready=PLAYER)
    assert other.locator(".tm-chooser h1").inner_text() == "Ours"
    other.keyboard.press("End")
    other.wait_for_function("document.querySelector('.tm-stage').textContent.includes('<img src=x')")
    other.locator(".tm-edit-copy").click()
    other.wait_for_selector(AUTHOR)
    assert HOSTILE in other.locator(".tm-au-area").input_value()
    for each in (page, other):
        assert each.evaluate("window.hacked") is None


def test_two_authors_save_the_same_name(open_page: OpenPage, folder: Path) -> None:
    file = folder / "two-clocks-2.yaml"
    one = open_page("/author?scenario=two-clocks", ready=AUTHOR)
    retitle(one, "Hers")
    saved(one, "two-clocks-2")
    assert english(file) == "Hers"

    two = open_page("/author?file=two-clocks-2", ready=AUTHOR)
    retitle(two, "His")
    saved(two)
    assert english(file) == "His"

    retitle(one, f"Hers {HOSTILE}")
    one.locator(SAVE).click()
    one.wait_for_selector(".tm-au-merge")
    assert "en: His" in one.locator('.tm-au-merge-side:has([data-side="theirs"])').inner_text()
    assert english(file) == "His"
    one.get_by_role("button", name="Overwrite theirs").click()
    saved(one)
    assert english(file) == f"Hers {HOSTILE}"

    retitle(two, "His again")
    two.locator(SAVE).click()
    two.get_by_role("button", name="Open theirs").click()
    two.wait_for_function("(title) => document.querySelector('.tm-au-title').value === title", arg=f"Hers {HOSTILE}")
    assert english(file) == f"Hers {HOSTILE}"

    assert one.evaluate("window.hacked") is None
    assert two.evaluate("window.hacked") is None


def test_a_draft_that_meets_another_scenario_or_none_any_more_says_so(open_page: OpenPage, folder: Path) -> None:
    page = open_page("/author?scenario=two-clocks", ready=AUTHOR)
    retitle(page, "Hers")
    page.locator(SAVE).click()
    page.get_by_label("File name").fill("late-but-allowed")
    page.keyboard.press("Enter")
    page.wait_for_selector(".tm-au-merge")
    heading = page.locator(".tm-au-dialog h2").first
    assert heading.inner_text() == "Your folder already has another late-but-allowed.yaml"
    page.get_by_role("button", name="Save mine under another name").click()
    page.get_by_label("File name").fill("hers")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.tm-au-file').textContent === 'hers.yaml · saved'")
    (folder / "hers.yaml").unlink()
    retitle(page, "Hers again")
    page.locator(SAVE).click()
    page.wait_for_selector(".tm-au-merge")
    assert heading.inner_text() == "Somebody has deleted or renamed hers.yaml"


def test_a_file_is_saved_merged_renamed_deleted_and_restored(open_page: OpenPage, folder: Path) -> None:
    page = open_page("/author?scenario=two-clocks", ready=AUTHOR)
    retitle(page, "Week one")
    page.locator(SAVE).click()
    assert page.get_by_label("File name").input_value() == "week-one"
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.tm-au-file').textContent === 'week-one.yaml · saved'")
    file = folder / "week-one.yaml"
    file.write_text(file.read_text("utf-8").replace("minutes: ", "minutes: 1", 1) + "# hers\n", "utf-8")

    retitle(page, "Week 1")
    page.locator(SAVE).click()
    page.wait_for_selector(".tm-au-merge")
    taken = [each.get_attribute("data-side") for each in page.locator(".tm-au-merge input:checked").all()]
    assert taken == ["mine", "theirs", "theirs"], "what only one of the two has changed"
    page.locator('input[data-side="base"]').nth(1).check()
    page.get_by_role("button", name="Save this choice").click()
    page.wait_for_function("document.querySelector('.tm-au-file').textContent === 'week-one.yaml · saved'")
    assert file.read_text("utf-8").endswith("# hers\n")
    assert load(file).minutes == load(folder / "two-clocks.yaml").minutes
    assert english(file) == "Week 1"

    page.locator(".tm-au-file").click()
    page.get_by_label("File name").fill("monday")
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.tm-au-file').textContent === 'monday.yaml · saved'")
    assert (file.exists(), english(folder / "monday.yaml")) == (False, "Week 1")
    page.locator(".tm-au-file").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.get_by_role("button", name="Restore").click()
    page.wait_for_function("document.querySelector('.tm-au-file').textContent === 'monday.yaml · saved'")
    assert english(folder / "monday.yaml") == "Week 1"


def test_ways_from_the_library(open_page: OpenPage, folder: Path) -> None:
    page = open_page("/teach", ready=".tm-new-scenario")
    assert page.locator(".tm-new-scenario").get_attribute("href") == "./author?new=1"
    follow_link(page, "library")
    name = "Edit “Two clocks”"
    page.get_by_role("link", name=name, exact=True).click()
    page.wait_for_selector(AUTHOR)
    assert page.evaluate("location.pathname + location.search").startswith("/author?draft=")
    assert page.locator(".tm-au-title").input_value() == "Two clocks"
    page.go_back()
    page.get_by_role("link", name="two-clocks.yaml: rename, duplicate, delete").click()
    page.wait_for_selector(".tm-au-dialog[open]")
    assert page.locator(".tm-au-dialog").get_by_role("button", name="Delete", exact=True).is_visible()
