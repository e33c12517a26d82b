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

playwright = pytest.importorskip("playwright.sync_api")

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("CHROMIUM") or next(
    filter(None, map(shutil.which, ("chromium", "google-chrome", "chromium-browser"))), None
)
READY = '.tidemark-player[data-ready="true"]'

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
    for file in (ROOT / "scenarios").glob("*.yaml"):
        shutil.copy(file, folder)
    (folder / "hostile.yaml").write_text(HOSTILE, encoding="utf-8")
    (folder / "broken.yaml").write_text(BROKEN, encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def server(scenario_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a running app."""
    if CHROMIUM is None:
        pytest.skip("no Chromium here; on Debian and Ubuntu: sudo apt install chromium (or set CHROMIUM to its path)")
    port = _free_port()
    log = tmp_path_factory.mktemp("server") / "log.txt"
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port),
               "--server.address", "127.0.0.1"]  # fmt: skip
    environment = {**os.environ, "TIDEMARK_SCENARIOS": str(scenario_folder)}
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output, stderr=output)
        try:
            address = f"http://127.0.0.1:{port}"
            _wait(f"{address}/_stcore/health", process, log)
            yield address
        finally:
            process.terminate()
            process.wait(10)


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
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any, server: str) -> Iterator[Callable[..., Any]]:
    """``open_page("/?scenario=x")`` gives a page; every error in it fails the test, and so does a foreign address."""
    contexts, errors = [], []

    def allowed(url: str) -> bool:
        return url.startswith((server, "blob:", "data:"))

    def opened(path: str = "/", size: tuple[int, int] = (1440, 900), dark: bool = False, ready: str = READY) -> Any:
        context = chromium.new_context(
            viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
        )
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(f"error in the page: {error}"))
        page.on("request", lambda request: allowed(request.url) or errors.append(f"fetched {request.url}"))
        page.goto(server + path)
        page.wait_for_selector(ready, state="attached", timeout=60_000)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []
