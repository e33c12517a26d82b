"""Takes pictures of the app's main states: starts the app, drives it in Chromium, and closes both again.

``python -m ui.site.screenshots`` takes all, ``python -m ui.site.screenshots why present`` those whose names begin so.
They lie in ``build/screenshots``; the few that the documentation shows are made small and put into ``docs/images`` as
well.
"""

import argparse
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
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright
from tidemark.simulator.places import ROOT
from tidemark.simulator.words import words
from tidemark.ui.site.chromium import CHROMIUM, MISSING, served

TAKEN = ROOT / "build" / "screenshots"
IMAGES = ROOT / "docs" / "images"
LARGE, SMALL, FRAME, PHONE = (1440, 900), (1280, 720), (700, 480), (390, 844)
PLAYER = '.tidemark-player[data-ready="true"]'


class Shot(NamedTuple):
    """A state: its address, size and colours, what is pressed and typed there, and what is waited for before."""

    path: str
    size: tuple[int, int] = LARGE
    dark: bool = False
    keys: tuple[str, ...] = ()
    text: str = ""
    ready: str = PLAYER


STEP = "/?scenario=late-but-allowed&step=114"
OPEN = "/?scenario=late-but-allowed&step=90"
ASKED = "/?scenario=late-but-allowed&step=115&present=1"
JOIN = "/?scenario=interval-join-keeps&step=40"
RETRACTIONS = "/?scenario=early-on-time-late&step=27"

SHOTS = {
    "visit": Shot("/", SMALL),
    "visit-question": Shot("/?scenario=first-late&visit=1", SMALL, keys=("ArrowRight",) * 12),
    "question": Shot("/?scenario=two-clocks&step=44", SMALL, keys=("1",)),
    "phone": Shot("/?scenario=late-but-allowed&step=80", PHONE),
    "player": Shot(STEP),
    "player-dark": Shot(STEP, dark=True),
    "player-small": Shot(STEP, SMALL),
    "player-small-dark": Shot(STEP, SMALL, dark=True),
    "player-many": Shot("/?scenario=three-hundred&step=1500"),
    "player-upward": Shot(f"{STEP}&view=up"),
    "player-keys": Shot(OPEN, SMALL, keys=("h",)),
    "player-jumps": Shot(OPEN, SMALL, keys=("j",)),
    "player-search": Shot(OPEN, SMALL, keys=("/",), text="key = a and event = PaneFired"),
    "player-watches": Shot(f"{OPEN}&watch=timers;watermark&break=watermark+%3E%3D+5s", SMALL),
    "player-export": Shot(OPEN, keys=("e",)),
    "why-window": Shot(OPEN, keys=("w", "w", "w")),
    "why-dropped": Shot("/?scenario=late-and-dropped", keys=("l", "w")),
    "why-record": Shot(f"{OPEN}&why=record:6"),
    "why-dark": Shot(OPEN, SMALL, dark=True, keys=("w", "w", "w")),
    "state": Shot(f"{OPEN}&open=state"),
    "state-dark": Shot(f"{OPEN}&open=state", SMALL, dark=True),
    "code": Shot(f"{OPEN}&open=code"),
    "differences": Shot(f"{STEP}&open=differences"),
    "joins": Shot(JOIN),
    "joins-dark": Shot(JOIN, SMALL, dark=True),
    "retractions": Shot(RETRACTIONS),
    "sessions": Shot("/?scenario=session-bridge&step=60"),
    "sliding": Shot("/?scenario=sliding-copies&step=60"),
    "slices": Shot("/?scenario=one-slice-two-windows&step=35", SMALL),
    "sort": Shot("/?scenario=car-trace&step=40"),
    "present": Shot(OPEN + "&present=1", SMALL),
    "present-question": Shot(ASKED, SMALL),
    "present-answer": Shot(ASKED, SMALL, keys=("1", "Enter")),
    "present-dark": Shot(ASKED, SMALL, keys=("d",)),
    "embed": Shot(f"{STEP}&embed=true", FRAME),
    "embed-narrow": Shot(f"{STEP}&embed=true", (400, 480)),
    "library": Shot("/library", ready=".tidemark-library .tm-picture"),
    "library-dark": Shot("/library", dark=True, ready=".tidemark-library .tm-picture"),
}
"""By name; ``film`` and ``site`` are taken as well, and ``spark`` where there is Java."""

SITE = Shot("/author/?scenario=late-but-allowed", SMALL, ready='.tidemark-author[data-ready="true"]')
"""What is taken of a site of static files: Python has run in the browser for it."""

SHOWN = ("why-window", "present-question", "slices", "question", "phone", "site", "visit-question")
"""Those that the documentation shows."""

FILM = Shot("/?scenario=late-and-dropped", (1100, 688))
"""What the animated picture of the README steps through, stop after stop."""

FRAME_MS, LAST_MS = 1100, 4000

ALL = (*SHOTS, "film", "site", "spark")

COLOURS = 128
"""A picture for the documentation has no more: it is a third as large then, and looks the same."""


@contextmanager
def app() -> Iterator[str]:
    """The address of an app started for this."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ROOT / "app.py"), "--server.port", str(port)]
    process = subprocess.Popen(
        [*command, "--server.address", "127.0.0.1"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
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


@contextmanager
def site() -> Iterator[str]:
    """The address of a site made and served for this."""
    subprocess.run([sys.executable, "-m", "ui.site", str(TAKEN / "site")], cwd=ROOT, check=True)
    with served(TAKEN / "site") as address:
        yield address


def page_of(browser: Browser, size: tuple[int, int], dark: bool) -> Page:
    """A fresh page of that size."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme="dark" if dark else "light"
    )
    return context.new_page()


def check_with_spark(page: Page, address: str) -> None:
    """Runs a check, then one with a planted fault, and waits for both."""
    page.goto(f"{address}/spark?scenario=late-but-allowed")
    for fault, word in ((None, "equal"), (words("pages.spark.faults.value"), "found")):
        page.get_by_role("button", name="Run").wait_for()
        if fault is not None:
            page.get_by_label("Plant a fault").click()
            page.get_by_role("option", name=fault, exact=True).click()
            page.wait_for_timeout(1000)
        page.get_by_role("button", name="Run").click()
        said = f"document.querySelector('.tm-verdict h1')?.textContent.includes('{word}')"
        page.wait_for_function(said, timeout=300_000)
        page.wait_for_timeout(1500)


def take(browser: Browser, address: str, shot: Shot, file: Path) -> None:
    """Takes one picture."""
    page = page_of(browser, shot.size, shot.dark)
    page.goto(address + shot.path)
    page.wait_for_selector(shot.ready, timeout=60_000)
    for key in shot.keys:
        page.keyboard.press(key)
    page.keyboard.type(shot.text)
    page.wait_for_timeout(800)
    page.screenshot(path=file)
    page.context.close()


def film(browser: Browser, address: str, file: Path) -> None:
    """Steps through ``FILM`` to its end and makes one animated picture of it."""
    page = page_of(browser, FILM.size, FILM.dark)
    page.goto(address + FILM.path)
    page.wait_for_selector(FILM.ready, timeout=60_000)
    frames, steps = [], "document.querySelector('.tidemark-player').dataset"
    page.wait_for_timeout(1500)
    while True:
        frames.append(Image.open(BytesIO(page.screenshot())).convert("RGB"))
        if page.evaluate(f"+{steps}.step >= {steps}.steps - 1"):
            break
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(600)  # until what moves stands still
    page.context.close()
    palette = frames[-1].quantize(COLOURS, Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE)
    first, *others = (frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames)
    times = [*[FRAME_MS] * len(others), LAST_MS]
    first.save(file, save_all=True, append_images=others, duration=times, loop=0, optimize=True)
    print(file.relative_to(ROOT), flush=True)


def finish(file: Path) -> None:
    """Says that a picture is there, and puts it into the documentation if that shows it."""
    print(file.relative_to(ROOT), flush=True)
    if file.stem in SHOWN:
        IMAGES.mkdir(parents=True, exist_ok=True)
        small = Image.open(file).convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
        small.save(IMAGES / file.name, optimize=True)


def main() -> None:
    """Takes the pictures that the command line names; without Java the Spark page's is left as it is."""
    parser = argparse.ArgumentParser(prog="python -m ui.site.screenshots", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"beginnings of names; all: {', '.join(ALL)}")
    names = tuple(parser.parse_args().names)
    if CHROMIUM is None:
        sys.exit(MISSING)
    TAKEN.mkdir(parents=True, exist_ok=True)
    with app() as address, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for name, shot in SHOTS.items():
            if not names or name.startswith(names):
                take(browser, address, shot, TAKEN / f"{name}.png")
                finish(TAKEN / f"{name}.png")
        if not names or "film".startswith(names):
            film(browser, address, IMAGES / "player.gif")
        if not names or "site".startswith(names):
            with site() as made:
                take(browser, made, SITE, TAKEN / "site.png")
            finish(TAKEN / "site.png")
        if (not names or "spark".startswith(names)) and (shutil.which("java") or os.environ.get("JAVA_HOME")):
            page = page_of(browser, LARGE, False)
            check_with_spark(page, address)
            page.screenshot(path=TAKEN / "spark.png")
            finish(TAKEN / "spark.png")
        browser.close()


if __name__ == "__main__":
    main()
