"""Takes the pictures of the app in ``docs/images``: starts the app, drives it in Chromium, and closes both again."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
IMAGES = ROOT / "docs" / "images"
LARGE, SMALL = (1440, 900), (1280, 720)
PLAYER = '.tidemark-player[data-ready="true"]'
STEP = "/?scenario=late-but-allowed&step=114"

SHOTS = {
    "player-light.png": (STEP, PLAYER, LARGE, False),
    "player-dark.png": (STEP, PLAYER, LARGE, True),
    "player-small-light.png": (STEP, PLAYER, SMALL, False),
    "player-small-dark.png": (STEP, PLAYER, SMALL, True),
    "player-many.png": ("/?scenario=three-hundred&step=1500", PLAYER, LARGE, False),
    "library.png": ("/library", ".tidemark-library .tm-picture", LARGE, False),
}
"""File name to address, what to wait for, size of the window, and whether it is dark."""


@contextmanager
def app() -> Iterator[str]:
    """The address of an app started for this."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(port)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([*command, "--server.address", "127.0.0.1"], cwd=ROOT, **quiet)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                    break
            except (urllib.error.URLError, OSError):
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(10)


def page_of(browser: Browser, size: tuple[int, int], dark: bool) -> Page:
    """A fresh page of that size."""
    scheme = "dark" if dark else "light"
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, color_scheme=scheme)
    return context.new_page()


def check_with_spark(page: Page, address: str) -> None:
    """Runs a check, then one with a planted fault, and waits for both."""
    page.goto(f"{address}/spark?scenario=late-but-allowed")
    for fault, word in ((None, "equal"), ("a value", "differ")):
        page.get_by_role("button", name="Run").wait_for()
        if fault is not None:
            page.get_by_label("Plant a fault").click()
            page.get_by_role("option", name=fault, exact=True).click()
            page.wait_for_timeout(1000)
        page.get_by_role("button", name="Run").click()
        said = f"document.querySelector('.tm-verdict h1')?.textContent.includes('{word}')"
        page.wait_for_function(said, timeout=300_000)
        page.wait_for_timeout(1500)


def main() -> None:
    """Takes all pictures; without Java the Spark page's is left as it is."""
    found = (os.environ.get("CHROMIUM"), *map(shutil.which, ("chromium", "google-chrome", "chromium-browser")))
    chromium = next(filter(None, found), None)
    if chromium is None:
        sys.exit("No Chromium here; on Debian and Ubuntu: sudo apt install chromium (or set CHROMIUM to its path)")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with app() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (path, wait_for, size, dark) in SHOTS.items():
            page = page_of(browser, size, dark)
            page.goto(address + path)
            page.wait_for_selector(wait_for, timeout=60_000)
            page.wait_for_timeout(800)
            page.screenshot(path=IMAGES / name)
            page.context.close()
            print(IMAGES / name)
        if shutil.which("java") or os.environ.get("JAVA_HOME"):
            page = page_of(browser, LARGE, False)
            check_with_spark(page, address)
            page.screenshot(path=IMAGES / "spark.png")
            print(IMAGES / "spark.png")
        browser.close()


if __name__ == "__main__":
    main()
