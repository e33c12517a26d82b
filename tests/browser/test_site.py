"""A site of static files, below a sub-path of a web server: read, computed in the browser, offline, replaced."""

import gzip
import re
import time
import zipfile
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.inventory.choices import answers_by
from tidemark.simulator.inventory.items import edition
from tidemark.simulator.practice.exercises import exercise_of
from tidemark.simulator.words import words

from tests.browser.conftest import NAMES, publish
from tests.browser.opening import AUTHOR, COMPARE, PATIENCE, PLAYER, frames, reload, visit
from tests.browser.pages import follow_link
from tests.browser.rows_of_site import GOLDEN, SCENARIOS, different, in_browser
from tests.browser.scripts_of_site import ANSWERED, COUNTED, INSIDE, KEPT, PICKS, SAVED, VERSIONS, WAITS
from tests.browser.test_practice import back_and_forward

LIBRARY = '.tidemark-library[data-ready="true"]'
SYMPTOMS = ".tidemark-symptoms"
NOTICE = ".tm-site-notice"
DOT = ".tm-compare-dot:not([hidden])[aria-valuenow]"
AREA = ".tm-au-area"

SQL = """
SET 'table.local-time-zone' = 'Europe/Berlin';
CREATE TABLE orders (shop STRING, price INT, ts BIGINT, rt AS TO_TIMESTAMP_LTZ(ts, 3), WATERMARK FOR rt AS rt);
CREATE TABLE paid (shop STRING, price INT, ts BIGINT, rt AS TO_TIMESTAMP_LTZ(ts, 3), WATERMARK FOR rt AS rt);
SELECT o.shop, o.price, p.price FROM orders o, paid p
WHERE o.shop = p.shop AND p.rt BETWEEN o.rt AND o.rt + INTERVAL '5' SECOND
"""
"""A query over two tables; its time zone is looked up in the data that the site brings along."""


def wait_until(page: Any, wanted: str) -> None:
    """Wait until the function ``wanted`` gives a promise of something true; Playwright would not look into it."""
    until = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(wanted):
        assert time.monotonic() < until, wanted
        frames(page, 6)


@pytest.fixture(scope="module")
def reader(chromium: Any, site: str) -> Iterator[Any]:
    """A page of a visitor who has seen the library. An error, or anything from elsewhere, fails the tests."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.add_init_script(COUNTED)
    page = context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
    page.on("console", lambda said: wrong.append(f"console: {said.text}") if said.type == "error" else None)
    page.on("request", lambda each: None if each.url.startswith((site, "blob:", "data:")) else wrong.append(each.url))
    yield visit(page, f"{site}/library/", LIBRARY)
    context.close()
    assert wrong == []


def go(page: Any, address: str, ready: str) -> None:
    """Follow a link within the site: Python goes on running, if it did."""
    page.evaluate("(to) => tidemarkPlaces.open(to)", address)
    page.wait_for_selector(ready)


def test_after_the_first_visit_no_network_is_needed(reader: Any, site: str) -> None:
    wait_until(reader, KEPT)
    reader.context.set_offline(True)
    go(reader, "./?scenario=late-and-dropped&step=3", f'{PLAYER}[data-step="3"]')
    visit(reader, f"{site}/symptoms", SYMPTOMS)
    reader.context.set_offline(False)


def test_a_newcomer_gets_the_first_visit_and_walks_to_the_library_and_on(reader: Any, site: str) -> None:
    reader.context.clear_cookies()
    visit(reader, f"{site}/")
    assert reader.locator(PLAYER).get_attribute("data-scenario") == "first-two-phones"
    visit(reader, f"{site}/?scenario=late-but-allowed&step=90")
    assert reader.locator(PLAYER).get_attribute("data-step") == "90"
    reader.keyboard.press("ArrowRight")
    reader.keyboard.press("e")
    assert reader.locator(".tm-share-data").first.inner_text().split() == ["Rows", "CSV", "JSON", "Lines"]
    reader.keyboard.press("Escape")
    # On a phone a button unfolds the links.
    wide = reader.viewport_size
    reader.set_viewport_size({"width": 390, "height": 844})
    assert not reader.locator("#tidemark-doors").is_visible()
    follow_link(reader, "library")
    reader.set_viewport_size(wide)
    reader.wait_for_selector(LIBRARY)
    assert reader.url == f"{site}/library"
    reader.locator(".tm-languages [data-language=zh]").click()
    reader.wait_for_selector(".tm-languages [data-language=zh][aria-pressed=true]")
    reader.locator("[data-scenario=late-and-dropped]").first.click()
    reader.wait_for_selector('.tidemark-player[data-scenario="late-and-dropped"][data-ready=true]')
    assert reader.url.startswith(f"{site}/?scenario=late-and-dropped")
    reader.go_back()
    reader.wait_for_selector(LIBRARY)
    reader.locator(".tm-languages [data-language=en]").click()


def test_back_and_forward_in_the_first_visit_show_what_their_address_says(reader: Any, site: str) -> None:
    visit(reader, f"{site}/?scenario=first-two-phones&visit=1")
    scene, end = ".tidemark-player.tm-visiting:not(.tm-visit-over) .tm-side:visible", ".tm-visit-end:visible"
    reader.wait_for_selector(scene)
    reader.keyboard.press("End")
    reader.locator(".tm-visit-on").click()
    reader.wait_for_selector(end)
    reader.locator(".tm-visit-door").first.click()
    full = '.tidemark-player[data-scenario="late-but-allowed"][data-ready="true"]:not(.tm-visiting)'
    reader.wait_for_selector(full)
    for turn, shown in ((reader.go_back, end), (reader.go_back, scene), (reader.go_forward, end)):
        turn()
        reader.wait_for_selector(shown)
    reader.go_forward()
    reader.wait_for_selector(full)


def test_a_reader_waits_for_few_bytes(reader: Any, site: str, web: Path) -> None:
    """600 kB compressed for the first walkthrough, 60 for a further one, of 300 records too, and 10 MB for Python."""
    visit(reader, f"{site}/")
    asked = set(reader.evaluate("performance.getEntriesByType('resource').map((e) => e.name.split('/files/')[1])"))
    files = web / "courses" / "streams" / "files"
    size = {each.name: len(gzip.compress(each.read_bytes())) for each in files.rglob("*") if each.is_file()}
    of_python = {each for each in size if each.startswith(("pyodide", "python_", "code-"))}
    assert sum(size[each] for each in asked - of_python) < 600_000
    assert max(size[each] for each in size if each.startswith(NAMES)) < 60 * 1024
    assert 5_000_000 < sum(size[each] for each in of_python) < 10_000_000


def test_an_address_that_names_nothing_is_answered_in_words(reader: Any, site: str) -> None:
    visit(reader, f"{site}/?scenario=%3Cb%3Enowhere", NOTICE)
    assert "no scenario called <b>nowhere" in reader.locator(NOTICE).inner_text()
    visit(reader, f"{site}/spark/?scenario=late-but-allowed", NOTICE)
    assert "python -m spark_bridge check scenarios/late-but-allowed.yaml" in reader.locator(NOTICE).inner_text()
    visit(reader, f"{site}/your-stream/", NOTICE)
    assert "python -m spark_bridge profile FILE" in reader.locator(NOTICE).inner_text()
    visit(reader, f"{site}/vote", NOTICE)
    assert "Votes are not possible here" in reader.locator(NOTICE).inner_text()
    visit(reader, f"{site}/?scenario=late-but-allowed&step=9999", NOTICE)
    reader.get_by_text("From the first step").click()
    reader.wait_for_selector(PLAYER)


def test_python_in_the_browser_changes_a_number_authors_and_compares(reader: Any, site: str) -> None:
    visit(reader, f"{site}/author/?scenario=late-but-allowed", AUTHOR)
    follow_link(reader, "compare")
    reader.wait_for_selector(COMPARE)
    assert reader.url.startswith(f"{site}/compare?")
    reader.click("#tm-compare-sweep")
    reader.wait_for_selector(".tm-compare-curve .mark-line path", state="attached", timeout=PATIENCE)
    before = reader.get_attribute(DOT, "aria-valuenow")
    reader.focus(DOT)
    reader.keyboard.press("ArrowRight")
    reader.wait_for_url(lambda address: "b.bound=" in address and f"b.bound={before}" not in address)
    reader.go_back()
    reader.wait_for_url(lambda address: f"b.bound={before}" in address or "b.bound=" not in address)
    reader.go_back()
    reader.wait_for_selector(AUTHOR)


def test_sql_in_a_time_zone_with_two_files_of_records_is_read_in_the_browser(reader: Any) -> None:
    go(reader, "./author?scenario=late-but-allowed", AUTHOR)
    reader.click("[data-act=new]")
    reader.click("text=Paste SQL")
    reader.fill(".tm-au-sql", SQL)
    rows = {"orders": "shop,price,ts\na,3,1000\nb,4,2000\n", "paid": "shop,price,ts\na,5,2500\na,6,9000\n"}
    files = [{"name": f"{name}.csv", "mimeType": "text/csv", "buffer": text.encode()} for name, text in rows.items()]
    reader.set_input_files(".tm-au-dialog input[type=file]", files)
    reader.click("text=Read it")
    reader.wait_for_selector(".tm-au-dialog", state="hidden", timeout=PATIENCE)
    reader.wait_for_selector(".tidemark-author[data-busy=false][data-sound=true]")
    text = reader.locator(AREA).input_value()
    assert "type: interval-join" in text
    assert text.count("in: left") == text.count("in: right") == 2


def retitled(page: Any, title: str) -> str:
    """The draft, after its title was replaced and Python has answered."""
    text: str = page.locator(AREA).input_value()
    typed = re.sub("title: {en: .*?, zh", f"title: {{en: {title}, zh", text, count=1)
    assert typed != text
    page.locator(AREA).fill(typed)
    wait_until(page, f"() => document.querySelector('.tm-au-title')?.value.startsWith('{title}')")
    page.wait_for_selector(".tidemark-author[data-busy=false][data-sound=true]")
    return typed


def test_another_page_ends_a_long_search_and_python_goes_on(reader: Any) -> None:
    go(reader, "./compare?scenario=three-hundred", COMPARE)
    reader.click("#tm-compare-smallest")
    reader.wait_for_selector("text=This is taking long", timeout=PATIENCE)
    stops, workers = reader.evaluate("[stops, workers]")
    follow_link(reader, "author")
    reader.wait_for_selector(AUTHOR)
    assert reader.evaluate("[stops, workers]") == [stops + 1, workers]


def test_a_search_for_a_stream_is_stopped_and_python_goes_on(reader: Any) -> None:
    go(reader, "./compare?scenario=late-but-allowed&b.idle-timeout=1000d&tab=stream", COMPARE)
    stops, workers = reader.evaluate("[stops, workers]")
    reader.get_by_role("button", name="Search", exact=True).click()
    reader.get_by_role("button", name="Stop", exact=True).click()
    assert reader.inner_text(".tm-compare-stream [role=status]") == "Stopped."
    wait_until(reader, f"async () => stops === {stops + 1}")
    assert reader.evaluate("workers") == workers


def test_python_that_dies_is_started_again_and_another_tab_has_its_own_draft(reader: Any, site: str) -> None:
    other = reader.context.new_page()
    visit(other, f"{site}/author/?scenario=late-and-dropped", AUTHOR)
    theirs = retitled(other, "Theirs")
    go(reader, "./author?scenario=late-but-allowed", AUTHOR)
    retitled(reader, "Python has answered")
    reader.evaluate("[dies, workers] = [true, 0]")
    retitled(reader, "Ours")
    reader.workers[-1].evaluate("self.close()")  # no event says so to the page
    ours = retitled(reader, "Still ours")
    assert reader.evaluate("workers") == 2
    assert (reader.locator(AREA).input_value(), other.locator(AREA).input_value()) == (ours, theirs)
    # What is wrong with what the reader brings is said in the app's words.
    other.locator(AREA).fill("scenario: 2")
    other.wait_for_selector(".tidemark-author[data-sound=false]")
    go(other, "./?s=garbage", NOTICE)
    assert "damaged" in other.locator(NOTICE).inner_text()
    go(other, f"./?s={'a' * 100_000}", f"{NOTICE} >> text=the limit is")
    go(other, "./library/", LIBRARY)
    broken = {"name": "mine.yaml", "mimeType": "text/yaml", "buffer": b"scenario: 1\nname: mine\n"}
    other.locator(".tm-file-input").set_input_files(broken)
    other.wait_for_selector(".tm-file-said pre >> text=mine.yaml:")
    # Author opens what the library cannot, and marks it.
    other.get_by_text("Open it in Author").click()
    other.wait_for_selector(".tidemark-author[data-sound=false] .tm-au-chip >> text=error")
    assert other.locator(AREA).input_value().startswith("scenario: 1\nname: mine")
    other.close()


def test_a_lesson_is_taken_away(reader: Any, site: str) -> None:
    visit(reader, f"{site}/teach/", ".tm-starter")
    with reader.expect_download() as taken:
        reader.locator('[aria-label="My lesson"] .tm-package', has_text="SCORM package").click()
    assert "imsmanifest.xml" in zipfile.ZipFile(taken.value.path()).namelist()


def test_a_lesson_is_presented_to_the_pictures_at_its_end(reader: Any, site: str) -> None:
    visit(reader, f"{site}/?scenario=late-and-dropped&present=1&lecture=mine")
    reader.keyboard.press("End")
    pictures = reader.locator(".tm-title-pictures")
    for _ in takewhile(lambda _: not pictures.count(), range(99)):
        reader.keyboard.press("PageDown")
        frames(reader, 6)
    assert reader.evaluate(INSIDE) == [True, True]


def test_practice_and_the_inventory_are_graded(reader: Any) -> None:
    """By Python in the browser: a wrong answer is met by the belief behind it, fifteen answers by what they hold."""
    exercise = exercise_of(3, 4, "fires")
    wrong, belief = next((place, each.belief) for place, each in enumerate(exercise.draw.task.choices) if each.belief)
    go(reader, "./practice?seed=3&level=4&kind=fires", '.tm-practice[data-ready="true"]')
    reader.keyboard.press(str(wrong + 1))
    reader.keyboard.press("Enter")
    reader.wait_for_selector('.tm-pr-verdict[data-right="false"]')
    assert words(f"beliefs.{belief}.claim") in reader.locator(".tm-pr-believed").inner_text()
    answers = answers_by("B", "wall-clock")
    form = {"answers": [*answers[:14], None], "at": 14, "done": False}
    reader.evaluate(ANSWERED, {"id": "k7qm-3wxt", "edition": edition(), "forms": {"B": form}})
    go(reader, "./inventory?form=B", '.tm-inv-test[data-ready="true"]')
    reader.keyboard.press(str(answers[14] + 1))
    reader.keyboard.press("Enter")
    reader.wait_for_selector('.tm-inv-result[data-ready="true"]')
    assert reader.locator(".tm-inv-score").inner_text() == "12 of 15 right"
    assert reader.locator(".tm-inv-beliefs [data-belief=wall-clock]").count() == 1


def test_back_in_practice_shows_the_exercise_before_and_its_answer(reader: Any, site: str) -> None:
    back_and_forward(reader, site)


def test_a_folder_of_the_readers_own_is_saved_into_and_joins_the_library(reader: Any) -> None:
    go(reader, "./author?scenario=first-two-phones", AUTHOR)
    reader.evaluate(PICKS)
    reader.locator(".tm-au-title").fill("Night trams")
    reader.keyboard.press("Control+s")
    reader.get_by_role("button", name="Choose a folder").click()
    assert reader.locator("[data-control=name]").input_value() == "night-trams"
    reader.locator("[data-control=name]").fill("mine")
    reader.keyboard.press("Enter")
    reader.get_by_text("mine.yaml is saved.").wait_for()
    assert "name: mine" in reader.evaluate(SAVED)
    follow_link(reader, "library")
    reader.locator(".tm-card-own [data-scenario=mine]").click()
    reader.wait_for_selector('.tidemark-player[data-scenario="mine"][data-ready=true]')
    reader.go_back()
    follow_link(reader, "teach")
    reader.locator('.tidemark-library [href="./lessons"]').click()
    reader.wait_for_selector('.tidemark-ordering[data-ready="true"]')


def test_the_rows_are_those_of_the_command_line(reader: Any) -> None:
    files = (*(SCENARIOS / f"{name}.yaml" for name in NAMES), *sorted(GOLDEN.glob("*.yaml"))[::6])
    assert [path.stem for path, differs in different(reader, files) if differs] == []
    assert in_browser(reader, "scenario: 2").startswith("scenario.yaml:1:")


def test_a_new_version_replaces_the_old_one_whole(reader: Any, site: str, course: Path, web: Path) -> None:
    text = (file := course / "late-and-dropped.yaml").read_text(encoding="utf-8")
    file.write_text(text.replace("en: Late and dropped", "en: Newly dropped"), encoding="utf-8")
    (course / "three-hundred.yaml").unlink()
    older = reader.context.new_page()
    visit(older, f"{site}/symptoms/", SYMPTOMS)
    publish(course, web)
    visit(reader, f"{site}/library/", LIBRARY)
    assert "Newly dropped" in reader.locator(LIBRARY).inner_text()
    wait_until(reader, WAITS)
    assert reader.evaluate(VERSIONS) == 2
    reader.context.set_offline(True)  # with a forgotten tab of the older version
    visit(reader, f"{site}/?scenario=late-and-dropped&step=3")
    assert "Newly dropped" in reader.locator(PLAYER).inner_text()
    reload(older, SYMPTOMS)  # a tab has no page for a moment, and the new version must not begin just then
    reader.context.set_offline(False)
    older.close()  # only a page of the new version is left, and it stays open
    wait_until(reader, f"async () => (await ({VERSIONS})()) === 1")
    reader.context.set_offline(True)
    visit(reader, f"{site}/?scenario=late-and-dropped&step=3")
    assert "Newly dropped" in reader.locator(PLAYER).inner_text()
    visit(reader, f"{site}/?scenario=three-hundred", NOTICE)
    reader.context.set_offline(False)
