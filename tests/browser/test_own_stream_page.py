"""Your stream with the real engine: a file is uploaded, profiled, and the cut of what is found opens in the player."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tidemark.spark_bridge.java import NoJava, find_java

from tests.browser.opening import PLAYER, visit

pytestmark = [pytest.mark.browser, pytest.mark.spark]

UPLOAD = "[data-testid=stFileUploader] input"
PATIENCE = 240_000
"""Milliseconds; a profile takes a few seconds on an idle machine."""

OpenPage = Callable[..., Any]


@pytest.fixture(autouse=True)
def java() -> None:
    try:
        find_java(os.environ)
    except NoJava as error:
        pytest.skip(str(error))


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
    line.filter(has_text="Bound 0s: results come 0s later").wait_for()
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
