"""One server and one browser for all browser tests. The server shows the library and a few files of its own."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.opening import PLAYER, visit
from tests.browser.slow_page import launch
from ui.visitor import COOKIE, NOWHERE

playwright = pytest.importorskip("playwright.sync_api")

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))), None
)

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
BROKEN = "scenario: 1\nname: broken\noperator: {type: windo}\nstream: []\n"


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


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
    if CHROMIUM is None:
        pytest.skip("no Chromium here; on Debian and Ubuntu: sudo apt install chromium (or set CHROMIUM to its path)")
    port = _free_port()
    log = tmp_path_factory.mktemp("server") / "log.txt"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port),
               "--server.address", "127.0.0.1"]  # fmt: skip
    environment = {**os.environ, "TIDEMARK_SCENARIOS": str(scenario_folder), "TIDEMARK_CHECKS": str(found)}
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(f"{address}/_stcore/health", process, log)
            yield address
        finally:
            process.terminate()
            process.wait(30)


def _wait(address: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    for _ in range(300):
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(address, timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    pytest.fail(f"the app did not start:\n{log.read_text(errors='replace')}")


@pytest.fixture(scope="session")
def chromium(server: str) -> Iterator[Any]:
    with playwright.sync_playwright() as driver:
        browser = launch(driver.chromium, CHROMIUM)
        yield browser
        browser.close()


class Tabs:
    """Pages for the tests. A page that a test has finished with is emptied and reused; the app's files stay cached.

    ``errors`` belongs to the running test: every error in its pages, and every address outside the server.
    """

    def __init__(self, browser: Any, server: str) -> None:
        self.browser, self.server = browser, server
        self.free: dict[bool, list[Any]] = {False: [], True: []}
        self.taken: list[tuple[bool, Any]] = []
        self.errors: list[str] = []

    def take(self, size: tuple[int, int], dark: bool, newcomer: bool) -> Any:
        """An empty page of that size. Without a link, a ``newcomer`` gets the first visit."""
        page = self.free[dark].pop() if self.free[dark] else self._new(dark)
        if not newcomer:
            page.context.add_cookies([{"name": COOKIE, "value": NOWHERE, "url": self.server}])
        self.taken.append((dark, page))
        page.set_viewport_size({"width": size[0], "height": size[1]})
        return page

    def _new(self, dark: bool) -> Any:
        page = self.browser.new_context(color_scheme="dark" if dark else "light").new_page()
        page.on("pageerror", lambda error: self.errors.append(f"error in the page: {error}"))
        page.on("request", lambda request: self._allowed(request.url) or self.errors.append(f"fetched {request.url}"))
        return page

    def _allowed(self, url: str) -> bool:
        return url.startswith((self.server, "blob:", "data:", "about:"))

    def give_back(self) -> None:
        """Empty the pages of the test that ends, so that nothing they stored remains."""
        taken, self.taken = self.taken, []
        for dark, page in taken:
            page.goto("about:blank")
            page.context.clear_cookies()
            client = page.context.new_cdp_session(page)
            client.send("Storage.clearDataForOrigin", {"origin": self.server, "storageTypes": "all"})
            client.detach()
            self.free[dark].append(page)


@pytest.fixture(scope="session")
def tabs(chromium: Any, server: str) -> Tabs:
    return Tabs(chromium, server)


@pytest.fixture
def open_page(tabs: Tabs) -> Iterator[Callable[..., Any]]:
    """``open_page("/?scenario=x")`` returns a page. Any error in it, or any foreign address, fails the test."""
    tabs.errors = []

    def opened(
        path: str = "/",
        size: tuple[int, int] = (1440, 900),
        dark: bool = False,
        ready: str = PLAYER,
        newcomer: bool = False,
    ) -> Any:
        page = tabs.take(size, dark, newcomer)
        return visit(page, tabs.server + path, ready)

    yield opened
    tabs.give_back()
    assert tabs.errors == []
