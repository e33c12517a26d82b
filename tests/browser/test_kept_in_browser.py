"""Whatever a browser's storage holds, and if it holds nothing more: every page opens, and what was lost is said."""

import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from tidemark.simulator.words import speaking, words
from tidemark.ui.server.tags import COOKIE

from tests.browser.opening import PATIENCE, reload, visit
from tests.browser.pages import LISTED, READY, UNLISTED, follow_link

KEYS: Final = {
    "localStorage": (
        "seen", "visit", "answers", "bookmarks", "own", "level", "laws", "way", "view", "drawer", "library", "lessons",
        "inventory", "practice", "vote", "room", "author", "author.earlier", "author.draft.x", "sql",
    ),
    "sessionStorage": ("place", "tryout", "handed", "left_out", "clock", "class", "notes", "lessons", "author.of_tab"),
}  # fmt: skip
"""What Tidemark keeps."""

STREAMLITS: Final = ("sidebarWidth", "sidebarNavState", *(f"stActiveTheme-/{path}-v2" for path in READY))

VALUES: Final = (
    "null", "[]", "{}", '"x"', "{", "7", "", '{"x": null}', "[[], null]",
    '{"texts": [[1, 2]], "plan": {"lessons": [1]}, "open": [1], "cards": [{}], "answers": [], "pages": {"": 1}}',
    "9" * 200_000,
)  # fmt: skip

DAMAGE: Final = """([keys, streamlits, values]) => {
  let place = 0;
  for (const [storage, names] of Object.entries(keys)) {
    for (const name of names) window[storage].setItem(`tidemark.${name}`, values[(place += 1) % values.length]);
  }
  for (const key of streamlits) localStorage.setItem(key, values[(place += 1) % values.length]);
}"""
"""Gives each key one of the values. ``tests/js/kept.test.js`` gives each reader each damage, full and forbidden
storage, and only ``kept.ts`` reads it; here each page opens with what the readers return."""

FULL: Final = """
  localStorage.clear();
  for (let text = "x".repeat(1 << 20), number = 0; text.length; ) {
    try { localStorage.setItem(`filler${number}`, text); number += 1; }
    catch { text = text.slice(text.length / 2 + 1); }
  }
"""
FORBIDDEN: Final = """
  for (const name of ["localStorage", "sessionStorage"]) {
    Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });
  }
"""
NOTE: Final = ".tm-loss p"


SITE: Final = READY | dict.fromkeys(("spark", "your-stream", "vote"), ".tm-site-notice")
"""The pages of a site, some of which say that they need the app."""


@pytest.fixture
def page(fresh: Callable[..., Any], server: str) -> Any:
    page = fresh(viewport={"width": 1440, "height": 900}, base_url=server).new_page()
    page.wrong = []
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    return page


@pytest.fixture(scope="module")
def context_of_site(chromium: Any) -> Any:
    """What its pages have loaded stays in the cache."""
    return chromium.new_context(viewport={"width": 1440, "height": 900})


@pytest.fixture
def of_site(context_of_site: Any, site: str) -> Iterator[Any]:
    """A page of a site of static files, with nothing stored."""
    page = context_of_site.new_page()
    page.wrong = []
    page.on("pageerror", lambda error: page.wrong.append(str(error)))
    visit(page, f"{site}/vote", SITE["vote"])
    page.evaluate("localStorage.clear()")
    page.context.clear_cookies()
    yield page
    page.close()


def go(page: Any, path: str) -> None:
    """Follow a link within a site, so that Python goes on running."""
    page.evaluate("(to) => tidemarkPlaces.open(to)", f"./{path}")
    page.wait_for_selector(SITE[path], state="attached", timeout=PATIENCE)


def test_every_page_opens_with_damaged_storage(page: Any) -> None:
    given = [KEYS, STREAMLITS, VALUES]
    page.add_init_script(f"if (window === top) ({DAMAGE})({json.dumps(given)});")
    visit(page, "/?scenario=two-clocks", READY[""])
    for path, ready in LISTED.items():
        if path == "":
            continue
        page.evaluate(DAMAGE, given)
        follow_link(page, path)
        page.wait_for_selector(ready, state="attached", timeout=PATIENCE)
    for path, ready in UNLISTED.items():
        visit(page, f"/{path}", ready)
    visit(page, "/?visit=1", READY[""])
    assert page.wrong == []


def test_a_site_opens_with_damaged_storage(of_site: Any, site: str) -> None:
    loaded = visit(of_site.context.new_page(), f"{site}/vote", SITE["vote"])
    loaded.on("pageerror", lambda error: of_site.wrong.append(str(error)))
    given = [KEYS, [], VALUES]
    for path in ("author", "", "library"):  # the pages are those of the app
        of_site.evaluate(DAMAGE, given)
        go(of_site, path)
    loaded.evaluate(DAMAGE, given)
    visit(loaded, f"{site}/?visit=1", SITE[""])
    assert of_site.wrong == []


def lost_once(page: Any, root: str, language: str) -> None:
    page.context.add_cookies([{"name": COOKIE, "value": language, "url": root}])
    visit(page, f"{root}/vote", "h1")
    page.evaluate("localStorage.setItem('tidemark.seen', 'null')")
    visit(page, f"{root}/library", READY["library"])
    with speaking(language):
        page.wait_for_selector(NOTE)
        assert page.inner_text(NOTE) == words("app.storage.damaged", what=words("app.storage.things.seen"))
        page.get_by_role("button", name=words("app.storage.close")).click()
    assert page.locator(NOTE).count() == 0
    reload(page, READY["library"])
    assert page.locator(NOTE).count() == 0


def test_what_was_lost_is_named_once(page: Any, server: str) -> None:
    lost_once(page, server, "en")


def test_what_was_lost_is_named_once_on_a_site_in_chinese(of_site: Any, site: str) -> None:
    lost_once(of_site, site, "zh")


def says(page: Any, said: str) -> None:
    page.wait_for_selector(NOTE)
    assert page.inner_text(NOTE) == words(f"app.storage.{said}")


def test_every_page_opens_without_storage(page: Any) -> None:
    page.add_init_script(FORBIDDEN)
    for path in ("practice", "library"):  # which keep something at once
        visit(page, f"/{path}", READY[path])
        says(page, "forbidden")
    page.click(".tm-loss button")
    for path, ready in LISTED.items():
        if path not in ("", "library"):
            follow_link(page, path)
            page.wait_for_selector(ready, state="attached", timeout=PATIENCE)
    for path in ("", *UNLISTED):
        visit(page, f"/{path}", READY[path])
    assert page.wrong == []


def test_a_full_storage_is_said_by_the_pages_that_keep_something(page: Any) -> None:
    page.add_init_script(FULL)
    for path in ("library", "practice"):
        visit(page, f"/{path}", READY[path])
        says(page, "full")
    assert page.wrong == []


def test_every_page_of_a_site_opens_without_storage(of_site: Any, site: str) -> None:
    of_site.add_init_script(FORBIDDEN)
    visit(of_site, f"{site}/library", SITE["library"])
    says(of_site, "forbidden")
    of_site.click(".tm-loss button")
    for path in SITE:
        go(of_site, path)
    assert of_site.wrong == []
