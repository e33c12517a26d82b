"""While Python starts or computes in the browser, each page of a site says what is awaited."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from tidemark.simulator.words import words
from tidemark.ui.site.build import PAGES

from tests.browser.opening import PLAYER, visit
from tests.browser.pages import READY

STARTS = ".tm-site-waiting .tm-site-says"
NOTICE = ".tm-site-notice"
LIBRARY = '.tidemark-library[data-ready="true"]'

COMPUTED = {"author", "compare", "sql", "practice", "inventory", "lessons"}
"""The pages that need Python. The others are files, or say that they need the app."""

UNANSWERED = """globalThis.Worker = class extends Worker {
  postMessage(said) {
    if (!said.text?.includes('"asked":')) super.postMessage(said);
  }
}"""
"""Python answers what draws a page, and nothing that the page asks then."""


@pytest.fixture
def page(chromium: Any) -> Iterator[Any]:
    context = chromium.new_context(service_workers="block")
    yield context.new_page()
    context.close()


def test_every_page_that_needs_python_says_that_it_starts(page: Any, site: str) -> None:
    page.route(re.compile("/files/pyodide-"), lambda _: None)  # what never arrives
    waits = set()
    for path in ("", *PAGES):
        visit(page, f"{site}/{path}", f"{STARTS}, {NOTICE}, {LIBRARY}, {READY[path]}")
        if page.locator(STARTS).count():
            waits.add(path)
            assert page.locator(STARTS).is_visible()
            assert page.locator(STARTS).inner_text() == words("site.loading")
    assert waits == COMPUTED
    visit(page, f"{site}/?s=x", STARTS)
    for path in sorted(COMPUTED):
        visit(page, f"{site}/?scenario=late-but-allowed", PLAYER)
        page.evaluate("(to) => tidemarkPlaces.open(to)", f"./{path}")
        page.locator(STARTS).wait_for()
        assert not page.locator(PLAYER).count(), "the page before does not stay under another address"


@pytest.mark.parametrize(
    ("address", "said"),
    [("practice?seed=3&level=4", "practice.page.waits"), ("inventory?form=A", "inventory.page.waits")],
)
def test_a_page_that_waits_for_its_first_question_says_so(page: Any, site: str, address: str, said: str) -> None:
    page.add_init_script(UNANSWERED)
    visit(page, f"{site}/{address}", ".tm-inv-waits")
    waits = page.locator(".tm-inv-waits")
    waits.wait_for()
    assert waits.inner_text() == words(said)
