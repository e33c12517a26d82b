"""The pages of Spark with the real engine: a check is started, left, found again, broken on purpose, and stopped; a
file is uploaded, profiled, and the cut of what is found opens in the player."""

import os
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tidemark.spark_bridge.spark.java import NoJava, find_java
from tidemark.ui.share.links import token_of

from tests.browser.opening import PLAYER, reload, visit
from tests.browser.player import OpenPage

pytestmark = pytest.mark.spark

CARDS = ".tm-spark"
ENDED = '.tm-spark:not([data-state="running"]):not([data-state="waiting"]):not(.tm-start)'
PATIENCE = 240_000
"""Milliseconds; a check and a profile take a few seconds on an idle machine."""
UPLOAD = "[data-testid=stFileUploader] input"


@pytest.fixture(autouse=True)
def java() -> None:
    try:
        find_java(os.environ)
    except NoJava as error:
        pytest.skip(str(error))


def run(page: Any) -> None:
    page.get_by_role("button", name="Run").click()
    page.wait_for_selector('[data-state="running"], [data-state="waiting"]', timeout=PATIENCE)


def choose(page: Any, label: str, option: str | re.Pattern[str]) -> None:
    page.get_by_role("combobox", name=label).click()
    page.get_by_role("option", name=option).click()


def test_from_the_start_to_the_badge_and_a_planted_fault(
    open_page: OpenPage, scenario_folder: Path, found: Path
) -> None:
    """The scenario's texts contain HTML, which must stay text. The page is left while the check runs, and the results
    are in the folder that the environment names."""
    page = open_page("/spark?scenario=hostile", ready=CARDS)
    run(page)
    assert "job=" in page.url
    reload(page, CARDS)
    page.wait_for_selector(ENDED, timeout=PATIENCE)
    assert page.locator("h1:not(.tm-page-name)").inner_text() == "2 of 2 rows match"
    assert page.locator("[data-table='stages'] .tm-ok").count() == 4
    assert page.locator("[data-table='runs'] tbody tr").count() >= 1
    rows = page.locator("[data-table='differences'] tbody tr")
    assert rows.count() == rows.locator(".tm-ok").count() == 2
    assert "<img src=x onerror=" in rows.first.inner_text()

    job = parse_qs(urlsplit(page.url).query)["job"][0]
    assert [file.name for file in found.glob("spark-runs/*")] == [f"{job}.json"]
    assert len(list(found.glob("spark-checks/*"))) == 1

    walkthrough = open_page("/?scenario=hostile")
    badge = walkthrough.locator('[data-badge="spark"]')
    assert badge.get_attribute("data-good") == "true"
    assert "2 of 2" in badge.inner_text()
    edited = (scenario_folder / "hostile.yaml").read_text(encoding="utf-8").replace("<i>x</i>", "<i>y</i>")
    other = open_page(f"/?s={token_of(edited, json=False)}")
    assert other.locator('[data-badge="spark"]').count() == 0

    choose(page, "Try an error", "a key")
    run(page)
    page.wait_for_selector(ENDED, timeout=PATIENCE)
    assert page.locator("h1:not(.tm-page-name)").inner_text() == "The planted fault (a key) was found: 1 of 2 rows"
    assert rows.locator(".tm-planted").count() == 1
    assert page.locator(".tm-spark .tm-no").count() == 0
    assert rows.locator(".tm-ok").count() == 1
    rows.first.get_by_role("link").click()
    page.wait_for_selector('.tidemark-player[data-ready="true"]', timeout=60_000)
    assert "step=" in page.url
    assert page.evaluate("window.hacked") is None


def test_stop(open_page: OpenPage) -> None:
    """A check of a hundred million records ends when the reader asks for it."""
    page = open_page("/spark?scenario=three-hundred", ready=CARDS)
    choose(page, "Records", re.compile(r"^100.000.000"))
    run(page)
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector(ENDED, timeout=30_000)
    assert page.locator("h1:not(.tm-page-name)").inner_text() == "Stopped"
    assert page.get_by_role("button", name="Run again").is_enabled()


def stream() -> str:
    """Two gateways, one record a second each; after a while the second one is silent."""
    rows = [
        f"{1_772_438_400_000 + 1000 * second},{gateway},{gateway}-{second % 5},{second % 7}"
        for second in range(200)
        for gateway in ("north", "<b>south</b>")
        if gateway == "north" or second < 100
    ]
    return "\n".join(["time,gateway,device,celsius", *rows]) + "\n"


def test_from_an_upload_to_the_cut_in_the_player(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page("/your-stream", ready=UPLOAD)
    file = {"name": "gateways.csv", "mimeType": "text/csv", "buffer": stream().encode()}
    page.locator(UPLOAD).set_input_files([file])
    page.get_by_label("Bound", exact=True).fill("5s")
    page.get_by_label("Bound", exact=True).press("Enter")
    page.get_by_role("combobox", name="Channel").click()
    page.get_by_role("option", name="gateway").click()
    page.get_by_role("button", name="Profile it").click()
    page.wait_for_selector(".tm-finding", timeout=PATIENCE)
    assert "channel <b>south</b> sends nothing more" in page.locator(".tm-finding").first.inner_text()
    assert page.evaluate("navigator.locks.query().then((all) => all.held.map((each) => each.name))") == [
        "tidemark-upload"
    ], "the browser does not keep the page of a visitor who goes elsewhere"

    line = page.locator(".tm-own-line")
    handles = [page.get_by_test_id("stSlider").filter(has_text=f"Try {what}") for what in ("a bound", "an allowed")]
    bound, lateness = (each.get_by_role("slider") for each in handles)
    bound.press("Home")
    line.filter(has_text="Bound 0s: results are 0s later").wait_for()
    lateness.press("End")
    line.filter(has_text="Allowed lateness 5s: windows are kept for 5s").wait_for()
    bound.press("End")
    line.filter(has_text="Allowed lateness 0s: windows are kept for 5s").wait_for()

    page.set_viewport_size({"width": 390, "height": 844})
    page.get_by_text("What to change", exact=True).click()
    cure = page.get_by_test_id("stCode").filter(visible=True).locator("pre")
    cure.wait_for()
    assert cure.evaluate("(box) => box.scrollWidth <= box.clientWidth"), "long lines are wrapped"

    with page.expect_download(timeout=PATIENCE) as download:
        page.get_by_role("button", name="Report").click()
    download.value.save_as(tmp_path / "report.html")
    report = page.context.new_page()
    report.set_viewport_size({"width": 390, "height": 844})
    visit(report, (tmp_path / "report.html").as_uri(), "pre")
    assert report.evaluate("document.documentElement.scrollWidth") == 390
    assert report.locator("pre").first.evaluate("(box) => box.scrollWidth <= box.clientWidth")
    report.close()

    page.get_by_role("button", name="Show me").click()
    link = page.get_by_role("link", name="Open the walkthrough")
    link.wait_for(timeout=PATIENCE)
    walkthrough = open_page(link.get_attribute("href").removeprefix("."))
    assert walkthrough.locator(PLAYER).count() == 1
