"""Sharing and downloading in a real browser: links, own files, the offline file, pictures, data, the small view."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from tidemark.ui.share.links import token_of

from tests.browser.opening import reload, visit
from tests.browser.player import OpenPage

OWN = """scenario: 1
name: late-but-allowed
title: One of my own
inputs: {events: {watermark: {generator: monotonous}}}
operator: {type: window, assigner: {type: tumbling, size: 2s}, function: {call: reduce, compute: sum}}
stream:
  - {ts: 1s, key: a, value: 4}
  - {ts: 3s, key: a, value: 5}
  - {end: true}
"""


def player(page: Any) -> Any:
    return page.locator(".tidemark-player")


def downloaded(page: Any, row: str, button: str) -> tuple[str, bytes]:
    """Name and contents of the file that a button of the dialog downloads."""
    place = page.locator(".tm-share-row", has=page.get_by_role("heading", name=row, exact=True))
    with page.expect_download() as download:
        place.get_by_role("button", name=button, exact=True).first.click()
    return download.value.suggested_filename, Path(download.value.path()).read_bytes()


@pytest.mark.journey
def test_the_offline_file_contains_the_whole_walkthrough(open_page: OpenPage, chromium: Any, tmp_path: Path) -> None:
    page = open_page("/?scenario=late-but-allowed&step=90")
    page.keyboard.press("e")
    name, data = downloaded(page, "Whole walkthrough", "HTML file")
    assert (name, len(data) < 1_500_000) == ("late-but-allowed.html", True)
    (tmp_path / name).write_bytes(data)
    context = chromium.new_context(viewport={"width": 1280, "height": 720}, offline=True, color_scheme="dark")
    alone = context.new_page()
    errors: list[str] = []
    requested: list[str] = []
    alone.on("pageerror", lambda error: errors.append(str(error)))
    alone.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    alone.on("request", lambda request: requested.append(request.url))
    visit(alone, f"file://{tmp_path / name}")
    assert player(alone).get_attribute("data-step") == "90"
    before = alone.locator(".tm-now .tm-what").inner_text()
    alone.keyboard.press("ArrowRight")
    assert player(alone).get_attribute("data-step") == "92"
    assert alone.locator(".tm-now .tm-what").inner_text() != before
    alone.keyboard.press("t")
    assert alone.locator('table[data-table="panes"] tbody tr').count() > 0
    alone.keyboard.press("Escape")
    assert alone.locator(".tm-chooser-select").count() == 0
    assert alone.get_by_role("button", name="Copy link").count() == 0
    fonts = " ".join(alone.evaluate("[...document.fonts].map(font => font.family)"))
    assert all(family in fonts for family in ("Source Sans", "Source Code Pro"))
    colour = "getComputedStyle(document.body).getPropertyValue('--tm-ink').trim()"
    assert alone.evaluate(colour) == "#edf0f5"
    alone.keyboard.press("e")
    assert downloaded(alone, "This step as a picture", "PNG")[0] == "late-but-allowed-step-92.png"
    assert [url for url in requested if not url.startswith(("file:", "blob:", "data:"))] == []
    assert errors == []
    context.close()


def test_pictures_have_their_size_the_title_and_the_lanes(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=115", dark=True)
    page.keyboard.press("e")
    name, data = downloaded(page, "This step as a picture", "PNG")
    picture = Image.open(io.BytesIO(data))
    assert (name, picture.size) == ("late-but-allowed-step-115.png", (2560, 1440))
    assert picture.convert("RGB").getpixel((3, 3)) == (255, 255, 255)
    assert (140, 28, 19) in {colour for _, colour in picture.convert("RGB").getcolors(1 << 24)}, "the dropped record"
    drawn = downloaded(page, "This step as a picture", "SVG")[1].decode()
    for text in ("Late, but allowed", "Why is it not counted anywhere?", "Its window has been cleaned up", ">key<",
                 ">event time (s)<", ">watermark 8.999<"):  # fmt: skip
        assert text in drawn
    assert "The watermark has passed the end of its window" not in drawn, "a question does not tell its answer"
    name, data = downloaded(page, "Four steps on a page", "PNG")
    assert name.startswith("late-but-allowed-steps-")
    assert min(Image.open(io.BytesIO(data)).size) > 2000
    assert page.locator(".tm-figure").count() == 0


def test_data_files_equal_what_the_command_line_prints(open_page: OpenPage) -> None:
    page = open_page("/?scenario=minus-one-ms&step=0")
    page.get_by_role("button", name="Share").click()
    name, data = downloaded(page, "Data", "JSON Lines")
    rows = [json.loads(line) for line in data.decode().splitlines()]
    assert name == "minus-one-ms-rows.jsonl"
    assert {"watermark", "pane"} <= {row["row"] for row in rows}
    name, data = downloaded(page, "Data", "Scenario file")
    assert (name, b"name: minus-one-ms" in data) == ("minus-one-ms.yaml", True)
    page.keyboard.press("Escape")
    assert not page.locator(".tm-share").is_visible()


def test_the_tab_code_has_a_program_for_each_engine_or_the_reason(open_page: OpenPage) -> None:
    text = OWN.replace("key: a, value: 4", "key: '<img src=x>', value: 4")
    page = open_page(f"/?s={token_of(text, json=False)}")
    page.keyboard.press("e")
    page.get_by_role("tab", name="Share", exact=True).press("ArrowRight")
    listing = page.get_by_role("region", name="The program Main.java")
    assert '"<img src=x>"' in listing.inner_text()
    assert page.locator(".tm-code-out img").count() == 0, "what a scenario says is text"
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    assert Path(download.value.path()).read_text() == listing.inner_text()
    page.get_by_role("tab", name="Flink Java").press("ArrowLeft")
    assert page.get_by_role("tab", name="PySpark").get_attribute("aria-selected") == "true"
    assert "from pyspark" in page.locator(".tm-code-out-text").inner_text()
    assert page.get_by_role("row", name="End of the input").inner_text().count("of them") == 2
    page.get_by_role("link", name="Compare with Spark").click()
    page.wait_for_url("**/compare?s=*&spark=3&step=*")


def test_an_animation_has_a_frame_for_each_beat(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-but-allowed&step=0")
    page.keyboard.press("e")
    page.get_by_label("Frames").select_option("beat")
    name, data = downloaded(page, "Animation (GIF)", "Make GIF")
    picture = Image.open(io.BytesIO(data))
    assert name.endswith(".gif")
    assert (picture.format, picture.size, picture.n_frames > 4) == ("GIF", (1120, 700), True)


def test_a_link_of_an_own_scenario_opens_at_its_step(open_page: OpenPage) -> None:
    page = open_page(f"/?s={token_of(OWN, json=False)}&step=3")
    assert player(page).get_attribute("data-step") == "3"
    assert page.locator(".tm-chooser h1").inner_text() == "One of my own"
    assert page.locator(".tm-origin").inner_text() == "from a link"
    assert page.locator(".tm-badges").count() == 0
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/?s=*&step=8")
    reload(page, '.tidemark-player[data-ready="true"][data-step="8"]')
    assert page.locator(".tm-chooser h1").inner_text() == "One of my own"
    page.locator(".tm-chooser-select").select_option("late-but-allowed")
    page.wait_for_url("**/?scenario=late-but-allowed")
    page.go_back()
    page.wait_for_function("document.querySelector('.tm-chooser h1')?.textContent === 'One of my own'")


def test_an_own_file_opens_or_says_what_is_wrong(open_page: OpenPage) -> None:
    page = open_page("/library", ready=".tidemark-library")
    door = page.locator(".tm-file-input")
    wrong = OWN.replace("reduce,", "redcue,").encode()
    door.set_input_files({"name": "mine.yaml", "mimeType": "text/yaml", "buffer": wrong})
    page.wait_for_function("document.querySelector('.tm-file-said pre')?.textContent.includes('mine.yaml:5:')")
    door.set_input_files({"name": "big.yaml", "mimeType": "text/yaml", "buffer": b"#" * 600_000})
    page.wait_for_function("document.querySelector('.tm-file-said').textContent.includes('512 KiB')")
    door.set_input_files({"name": "mine.yaml", "mimeType": "text/yaml", "buffer": OWN.encode()})
    page.wait_for_selector('.tidemark-player[data-ready="true"]')
    page.wait_for_url("**/?s=*")
    assert page.locator(".tm-chooser h1").inner_text() == "One of my own"


def test_the_small_view_fits_a_course_page(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-but-allowed&step=90&embed=true", size=(800, 500))
    assert not page.locator("#tidemark-header").is_visible()
    overflow = page.evaluate("""() => [document.scrollingElement, document.querySelector('[data-testid="stMain"]')]
      .map(box => [box.scrollHeight - box.clientHeight, box.scrollWidth - box.clientWidth]).flat()""")
    assert overflow == [0, 0, 0, 0]
    assert page.locator(".tm-plane").bounding_box()["height"] > 150
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/?scenario=late-but-allowed&step=92&embed=true")
    link = page.get_by_role("link", name="Open the full view").get_attribute("href")
    assert link.endswith("/?scenario=late-but-allowed&step=92")


def test_a_frame_says_what_the_author_says_and_its_question_is_answered_there(open_player: OpenPage) -> None:
    page = open_player("/?scenario=late-but-allowed&step=104&embed=true", size=(800, 500))
    assert (
        page.locator(".tm-embed-says")
        .inner_text()
        .startswith("Now the allowed lateness has passed too: the watermark is 8.999")
    )
    page.keyboard.press("PageDown")
    page.wait_for_selector('.tidemark-player[data-step="115"]')
    card = page.locator(".tm-now .tm-beat")
    assert "Why is it not counted anywhere?" in card.inner_text()
    card.get_by_role("button", name="It is out of order").click()
    assert "one of them was even late" in card.inner_text()
    page.keyboard.press("2")
    assert "Being out of order is no reason." in card.inner_text()
    box = "const {scrollHeight: all, clientHeight: seen} = document.querySelector('.tm-now'); return all - seen"
    assert page.evaluate(f"() => {{ {box} }}") == 0, "nothing of it is cut"


def test_a_student_edition_asks_and_keeps_the_answer_to_itself(open_page: OpenPage) -> None:
    page = open_page("/?scenario=late-but-allowed&step=115")
    page.keyboard.press("e")
    page.get_by_role("button", name="Make link and frame").click()
    link = page.get_by_label("Link for students").input_value()
    assert "copy=off" in link
    page = open_page(link[link.index("/?") :])
    assert page.get_by_role("link", name="Edit a copy").count() == 0
    card = page.locator(".tm-now .tm-beat")
    card.get_by_role("button", name="Its key has no other records").click()
    assert "Your answer is kept." in card.inner_text()
    assert "Being out of order" not in page.evaluate("document.documentElement.innerHTML")
