"""The Spark page with the real engine: a check is started, left, found again, broken on purpose, and stopped."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tidemark.spark_bridge.java import NoJava, find_java
from tidemark.ui.share.links import token_of

from tests.browser.opening import reload

pytestmark = [pytest.mark.browser, pytest.mark.spark]

CARDS = ".tm-spark"
ENDED = '.tm-spark:not([data-state="running"]):not([data-state="waiting"]):not(.tm-start)'
PATIENCE = 240_000
"""Milliseconds; the check takes a few seconds on an idle machine."""

OpenPage = Callable[..., Any]


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

    choose(page, "Plant a fault", "a key")
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
