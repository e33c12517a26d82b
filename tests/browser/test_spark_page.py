"""The Spark page with the real engine: a check of very many records is started, and stopped."""

import os
import re
from collections.abc import Callable
from typing import Any

import pytest

from spark_bridge.java import NoJava, find_java

pytestmark = [pytest.mark.browser, pytest.mark.spark]

CARDS = ".tm-spark"
ENDED = '.tm-spark:not([data-state="running"]):not([data-state="waiting"]):not(.tm-start)'
PATIENCE = 240_000
"""Milliseconds; a few seconds where nothing else runs."""

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


def test_stop(open_page: OpenPage) -> None:
    """A check of a hundred million records ends when that is asked for."""
    page = open_page("/spark?scenario=three-hundred", ready=CARDS)
    choose(page, "Records", re.compile(r"^100.000.000"))
    run(page)
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector(ENDED, timeout=30_000)
    assert page.locator("h1").inner_text() == "Stopped"
    assert page.get_by_role("button", name="Run again").is_enabled()
