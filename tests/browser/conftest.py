"""One server and one browser for all browser tests. The server shows the library and a few files of its own."""

import shutil
import urllib.request
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tidemark.ui import catalogue
from tidemark.ui.server.screen import COOKIE, NOWHERE
from tidemark.ui.site.build import ENGINE, build
from tidemark.ui.site.chromium import CHROMIUM, MISSING, served

from benchmarks.app import serving_folder
from tests.browser.opening import PLAYER, TAKEN_OVER, visit
from tests.browser.slow_page import launch

playwright = pytest.importorskip("playwright.sync_api")

ROOT = Path(__file__).resolve().parents[2]

PATIENCE_MS = 90_000
"""A slow machine needs longer than Playwright's 30 s now and then; only a test that fails waits so long."""

HOSTILE = """
scenario: 1
name: hostile
title: '<img src=x onerror="window.hacked=1">'
summary: '<script>window.hacked=1</script>'
teaches: ['<b>bold</b>']
inputs:
  events: {watermark: {generator: monotonous}}
operator:
  type: window
  assigner: {type: tumbling, size: 2s}
  function: {call: process, compute: collect}
stream:
  - {ts: 1s, key: '<img src=x onerror="window.hacked=1">', value: '<i>x</i>'}
  - {ts: 3s, key: '</script>', value: '"&amp;'}
  - {end: true}
"""
NAMES = ("first-two-phones", "late-but-allowed", "late-and-dropped", "three-hundred")
"""The scenarios of a site."""

LESSON = """[[lessons]]
id = "mine"
title = "My lesson"
about = "What it is about"
[[lessons.topics]]
title = "A topic"
about = "What it is about"
scenarios = ["late-but-allowed", "late-and-dropped"]
"""

BROKEN = "scenario: 1\nname: broken\noperator: {type: windo}\nstream: []\n"


@pytest.fixture(scope="session")
def scenario_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("scenarios")
    shipped = ROOT / "scenarios"
    for file in (*shipped.glob("*.yaml"), *shipped.glob("*.flink.jsonl"), shipped / "lessons.toml"):
        shutil.copy(file, folder)
    (folder / "hostile.yaml").write_text(HOSTILE, encoding="utf-8")
    (folder / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the app keeps the results of checks: not in the folder of whoever runs the tests."""
    return tmp_path_factory.mktemp("found")


@pytest.fixture(scope="session")
def server(scenario_folder: Path, found: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running app."""
    with serving(scenario_folder, found, tmp_path_factory.mktemp("server") / "log.txt") as address:
        yield address


def publish(course: Path, web: Path) -> None:
    """Make the site of the scenarios in ``course``, or make it anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "FOLDER", course)
        list(build(web / "courses" / "streams"))


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of four scenarios."""
    folder = tmp_path_factory.mktemp("course")
    for name in NAMES:
        shutil.copy(ROOT / "scenarios" / f"{name}.yaml", folder)
    lessons = (ROOT / "scenarios" / "lessons.toml").read_text(encoding="utf-8")
    (folder / "lessons.toml").write_text(f"{LESSON}\n{lessons}", encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def web(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the web server shows."""
    return tmp_path_factory.mktemp("web")


@pytest.fixture(scope="session")
def site(course: Path, web: Path) -> Iterator[str]:
    """The address of the site of ``course``."""
    if not ENGINE.is_dir():
        pytest.skip("Python for the browser is not here; `make site` fetches it")
    publish(course, web)
    with served(web) as address:
        yield f"{address}/courses/streams"


@contextmanager
def serving(scenarios: Path, found: Path, log: Path, **more: str) -> Iterator[str]:
    """The address of an app with the folder ``scenarios``; ``more``: environment variables."""
    # On a master that is named, a page that shows Spark does not start it beforehand: half a minute of a processor.
    spark = {"SPARK_MASTER": "local[2]"}
    with serving_folder(str(scenarios), log, TIDEMARK_CHECKS=str(found), **spark, **more) as (address, _process):
        yield address


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip(MISSING)
    with playwright.sync_playwright() as driver:
        browser = launch(driver.chromium, CHROMIUM)
        yield browser
        browser.close()


class Contexts:
    """Contexts for tests that need more than a page of ``Tabs``: of their own size, with a touch screen, with routes.

    One that a test has finished with is emptied and reused, for a new one loads all files of the app again, which
    takes three times as long as what most tests do with them.
    """

    def __init__(self, browser: Any, server: str) -> None:
        self.browser, self.server = browser, server
        self.free: defaultdict[str, list[tuple[Any, Any]]] = defaultdict(list)
        self.taken: list[tuple[str, Any, Any]] = []

    def take(self, **options: Any) -> Any:
        """A context with these options of Playwright's, without pages that a test could see."""
        kind = repr(sorted(options.items()))
        context, keeper = self.free[kind].pop() if self.free[kind] else self._new(options)
        self.taken.append((kind, context, keeper))
        return context

    def _new(self, options: dict[str, Any]) -> tuple[Any, Any]:
        context = self.browser.new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        return context, context.new_page()

    def give_back(self) -> None:
        taken, self.taken = self.taken, []
        for kind, context, keeper in taken:
            for page in context.pages:
                if page is not keeper:
                    page.close()
            context.clear_cookies()
            _clear_storage(keeper, self.server)
            self.free[kind].append((context, keeper))


def _clear_storage(page: Any, server: str) -> None:
    client = page.context.new_cdp_session(page)
    client.send("Storage.clearDataForOrigin", {"origin": server, "storageTypes": "all"})
    client.detach()


class Kind(NamedTuple):
    """What a page keeps as long as it lives."""

    dark: bool
    streamlit: bool
    phone: bool = False


class Tabs:
    """Pages for the tests. A page that a test has finished with is emptied and reused; the app's files stay cached.

    ``errors`` belongs to the running test: every error in its pages, and every address outside the server.
    """

    def __init__(self, browser: Any, server: str) -> None:
        self.browser, self.server = browser, server
        self.free: defaultdict[Kind, list[Any]] = defaultdict(list)
        self.taken: list[tuple[Kind, Any]] = []
        self.errors: list[str] = []

    def take(self, kind: Kind, size: tuple[int, int], newcomer: bool) -> Any:
        """An empty page of that size. Without a link, a ``newcomer`` gets the first visit."""
        page = self.free[kind].pop() if self.free[kind] else self._new(kind)
        if not newcomer:
            page.context.add_cookies([{"name": COOKIE, "value": NOWHERE, "url": self.server}])
        self.taken.append((kind, page))
        page.set_viewport_size({"width": size[0], "height": size[1]})
        return page

    def _new(self, kind: Kind) -> Any:
        options = {"device_scale_factor": 3, "has_touch": True, "is_mobile": True} if kind.phone else {}
        page = self.browser.new_context(color_scheme="dark" if kind.dark else "light", **options).new_page()
        page.context.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.errors.append(f"error in the page: {error}"))
        page.on("request", lambda request: self._allowed(request.url) or self.errors.append(f"fetched {request.url}"))
        if not kind.streamlit:
            client = page.context.new_cdp_session(page)  # a route of Playwright's would switch the cache off
            client.send("Network.enable")
            client.send("Network.setBlockedURLs", {"urls": [f"{self.server}/static/js/*"]})
        return page

    def _allowed(self, url: str) -> bool:
        return url.startswith((self.server, "blob:", "data:", "about:"))

    def give_back(self) -> None:
        """Empty the pages of the test that ends, so that nothing they stored remains."""
        taken, self.taken = self.taken, []
        for kind, page in taken:
            page.evaluate("try { sessionStorage.clear(); } catch { /* a page without storage */ }")
            page.goto("about:blank")
            page.emulate_media(reduced_motion="null")
            page.context.clear_cookies()
            _clear_storage(page, self.server)
            self.free[kind].append(page)


@pytest.fixture(scope="session")
def tabs(chromium: Any, server: str) -> Tabs:
    return Tabs(chromium, server)


@pytest.fixture(scope="session")
def contexts(chromium: Any, server: str) -> Contexts:
    return Contexts(chromium, server)


@pytest.fixture
def fresh(contexts: Contexts) -> Iterator[Callable[..., Any]]:
    """``fresh(viewport=…)`` is a context like a new one, with nothing stored and the app's files in its cache."""
    yield contexts.take
    contexts.give_back()


def has_first_paint(address: str) -> bool:
    """Not soon after the start of the server, and not after a file of the library has changed."""
    with urllib.request.urlopen(address, timeout=30) as answer:
        return b"tidemark-facts" in answer.read()


def _opener(tabs: Tabs, *, streamlit: bool) -> Iterator[Callable[..., Any]]:
    tabs.errors = []

    def opened(
        path: str = "/",
        size: tuple[int, int] = (1440, 900),
        dark: bool = False,
        ready: str = PLAYER,
        newcomer: bool = False,
        phone: bool = False,
    ) -> Any:
        whole = streamlit or not has_first_paint(tabs.server + path)
        page = visit(tabs.take(Kind(dark, whole, phone), size, newcomer), tabs.server + path, ready)
        if whole and ready == PLAYER:
            page.wait_for_function(TAKEN_OVER)
        return page

    yield opened
    tabs.give_back()
    assert tabs.errors == []


@pytest.fixture
def open_page(tabs: Tabs) -> Iterator[Callable[..., Any]]:
    """``open_page("/?scenario=x")`` returns a page that Streamlit has taken over.

    Any error in it, or any foreign address, fails the test.
    """
    yield from _opener(tabs, streamlit=True)


@pytest.fixture
def open_player(tabs: Tabs) -> Iterator[Callable[..., Any]]:
    """``open_player("/?scenario=x")`` returns the page as it is before Streamlit has started, if the server has it.

    Such a page stays so. The player is the same, and there in half the time. What needs an answer of the server needs
    ``open_page``, and so does a test that goes on to other scenarios.
    """
    yield from _opener(tabs, streamlit=False)
