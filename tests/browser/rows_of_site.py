"""Compares the rows that a site computes in the browser with those of the command line, byte by byte.

``make site-check`` runs it over the whole library and all of ``tests/golden``; the tests look at some of them.
"""

import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright
from tidemark.simulator import run_rows
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.scenario import load
from tidemark.ui.site.build import ENGINE, build
from tidemark.ui.site.chromium import CHROMIUM, served

from tests.browser.conftest import ROOT
from tests.browser.opening import visit

SCENARIOS: Final = ROOT / "scenarios"
GOLDEN: Final = ROOT / "tests" / "golden"

_RUN: Final = "(text) => tidemark.run(text).catch((refused) => refused.message)"


def in_browser(page: Any, text: str) -> str:
    """The rows of a scenario file as a page of a site computes them, or what is wrong with it."""
    return str(page.evaluate(_RUN, text))


def different(page: Any, files: Iterable[Path]) -> Iterator[tuple[Path, bool]]:
    """Each file, and whether its rows are others in the browser than on the command line."""
    for path in files:
        rows = "".join(f"{json_text(row)}\n" for row in run_rows(load(path)))
        yield path, in_browser(page, path.read_text(encoding="utf-8")) != rows


def main() -> int:
    """Print what is different; 1 if anything is, or if it cannot be found out."""
    if not ENGINE.is_dir() or CHROMIUM is None:
        print("This needs Chromium, and Python for the browser, which `make site` fetches.", file=sys.stderr)
        return 1
    number, wrong = 0, 0
    with tempfile.TemporaryDirectory() as made, served(Path(made)) as address, sync_playwright() as driver:
        list(build(Path(made) / "site"))
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = visit(browser.new_page(), f"{address}/site/?scenario=late-but-allowed")
        for path, differs in different(page, (*sorted(SCENARIOS.glob("*.yaml")), *sorted(GOLDEN.glob("*.yaml")))):
            number, wrong = number + 1, wrong + differs
            if differs:
                print(f"{path.relative_to(ROOT)}: other rows in the browser", flush=True)
        browser.close()
    print(f"{number} scenarios, {number - wrong} with equal rows")
    return 1 if wrong or not number else 0


if __name__ == "__main__":
    sys.exit(main())
