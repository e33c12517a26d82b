"""Every way from page to page by clicks shows what a fresh load of the same address shows: nothing is left behind."""

import json
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import urlsplit

import pytest

from tests.browser.conftest import playwright
from tests.browser.opening import PLAYER, TAKEN_OVER, reload, visit
from tests.browser.pages import LISTED, UNLISTED, follow_link

PATIENCE_MS: Final = 20_000

OPEN: Final = "scenario=two-clocks&step=88"
"""At its end, so that the library, which shows how far the reader came, is always the same."""

LOOKS: Final = """() => {
  const scroller = document.querySelector('[data-testid="stMain"]');
  const root = document.documentElement;
  const looks = [...document.querySelectorAll("[class*='tm-'], [class*='tidemark-'], h1, h2, h3, button, a, input")]
    .filter((node) => !node.closest("svg svg") && node.checkVisibility()).slice(0, 300)
    .map((node) => {
      const { x, y, width, height } = node.getBoundingClientRect();
      const { color, fill, backgroundColor, font, position } = getComputedStyle(node);
      const name = `${node.tagName.toLowerCase()}.${node.getAttribute("class") ?? ""}`.replace(/ ?st-emotion\\S*/g, "");
      return [name, ...[x, y, width, height].map(Math.round), color, fill, backgroundColor, font, position].join(" ");
    });
  const { className, lang, scrollTop } = root;
  const sheets = document.querySelectorAll("link[rel=stylesheet], body style").length;
  return [`page: ${[document.title, className, lang, scrollTop, scroller?.scrollTop, document.body.className, sheets]}`,
    ...looks];
}"""
"""Where the first 300 things on the page are and how they look, and what a page may leave behind outside of itself."""

RESTS: Final = """() => document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState === "notRunning" &&
  document.fonts.status === "loaded" && document.fonts.check('15px "Source Sans"') &&
  !document.querySelector('#tidemark-opening, .tm-early-languages, [data-testid="stSkeleton"]')"""

SETTLED: Final = f"""async () => {{
  const [looks, rests] = [{LOOKS}, {RESTS}];
  for (let last = "", since = performance.now(); ;) {{
    const now = JSON.stringify(looks());
    if (now !== last || !rests()) since = performance.now();
    if (performance.now() - since > 800) return now;
    last = now;
    for (let left = 6; left; left -= 1) await new Promise(requestAnimationFrame);  // to look at each takes a processor
  }}
}}"""

SAME: Final = f"(wanted) => JSON.stringify(({LOOKS})()) === wanted"


SEEN: Final = """JSON.stringify([location.href.replace(/draft=[^&]*/, ""),
  Object.keys(JSON.parse(localStorage["tidemark.seen"] ?? "{}")),
  document.querySelector(".tm-spark .tm-lead")?.textContent])"""
"""What the looks of a page depend on. The page Spark check says whether Spark runs on the server, which it may do from
one moment to another; the library shows how far the reader came."""


class Walk:
    """A reader who goes from page to page in one tab. ``fresh``: how each page looks when it is loaded anew, by what
    that depends on; all readers with such a screen share it."""

    def __init__(self, page: Any, *, phone: bool, fresh: dict[str, str]) -> None:
        self.page, self.phone, self.fresh = page, phone, fresh
        self.ways = 0

    def go(self, to: str) -> None:
        """Follow the link of the navigation, and compare."""
        came = urlsplit(self.page.url).path
        self.page.evaluate("document.querySelector('[data-testid=\"stMain\"]').scrollTo(0, 400)")
        follow_link(self.page, to)
        self.page.mouse.move(0, 0)  # over nothing that looks otherwise then
        self.arrives(to, LISTED[to], f"from {came} to /{to}")

    def arrives(self, to: str, ready: str, way: str) -> None:
        """Wait for a page, and compare it with a fresh load of its address."""
        self.page.wait_for_function("(path) => location.pathname === path", arg=f"/{to}")
        self.page.wait_for_selector(ready, state="attached")
        self.ways += 1
        address = self.page.url
        kind = self.page.evaluate(SEEN)
        if kind not in self.fresh:
            came = self.page.evaluate(SETTLED)
            reload(self.page, ready)
            self.looks(came, f"{way}: {address}")
            self.fresh[kind] = came
        else:
            self.looks(self.fresh[kind], f"{way}: {address}")

    def looks(self, wanted: str, way: str) -> None:
        """Wait until the page looks so."""
        try:
            self.page.wait_for_function(SAME, arg=wanted, timeout=PATIENCE_MS, polling=200)
        except playwright.TimeoutError:
            pairs = zip(self.page.evaluate(LOOKS), json.loads(wanted), strict=False)
            different = [f"{one}\n{other}" for one, other in pairs if one != other]
            raise AssertionError("\n".join([way, *different[:6]])) from None


AT_A_DESK: Final = pytest.mark.parametrize("screen", ["desktop"], indirect=True)


@pytest.fixture(params=["desktop", "phone"], scope="module")
def screen(request: pytest.FixtureRequest) -> tuple[str, dict[str, str]]:
    """A kind of screen, and how pages look on it when they are loaded."""
    return request.param, {}


@pytest.fixture
def walk(screen: tuple[str, dict[str, str]], fresh: Callable[..., Any], server: str) -> Walk:
    phone = screen[0] == "phone"
    options = (
        {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
        if phone
        else {"viewport": {"width": 1440, "height": 900}}
    )
    return Walk(fresh(**options, base_url=server).new_page(), phone=phone, fresh=screen[1])


def open_link(walk: Walk) -> None:
    visit(walk.page, f"/?{OPEN}", PLAYER)
    walk.page.wait_for_function(TAKEN_OVER)


def test_after_every_page_of_the_navigation_and_from_a_link_each_page_looks_as_it_does_fresh(walk: Walk) -> None:
    """Round, and once more by every other page: what all of them leave behind is there then, and none may show it.

    On a phone every fourth page: what a page leaves behind does not depend on the screen, but the menu does. The page
    of a link has the player, and its styles, before Streamlit has started.
    """
    pages = ["", *(each for each in LISTED if each)]
    open_link(walk)
    for to in [*pages[1::4], ""] if walk.phone else [*pages[1:], *pages[::2]]:
        if urlsplit(walk.page.url).path != f"/{to}":
            walk.go(to)
    assert walk.ways >= (4 if walk.phone else len(pages))
    for to in () if walk.phone else ("library", "compare"):
        open_link(walk)
        walk.go(to)


@AT_A_DESK
def test_from_the_first_visit_to_the_library(walk: Walk) -> None:
    visit(walk.page, "/", PLAYER)
    walk.page.wait_for_function(TAKEN_OVER)
    walk.page.click(".tm-overture-tour")
    walk.page.click(".tm-visit-skip")
    walk.arrives("library", LISTED["library"], "from the first visit")


@AT_A_DESK
def test_from_a_page_beside_the_navigation_and_back(walk: Walk) -> None:
    for page in UNLISTED:
        visit(walk.page, f"/{page}", UNLISTED[page])
        address = walk.page.url
        walk.go("author")
        walk.page.go_back()
        walk.arrives(page, UNLISTED[page], f"back from /author to {address}")
