"""A site of static files beside the app: what an edit, a drag and a sweep take in Chromium, in one run.

Both show the same drafts (``benchmarks.author.draft``) and the same comparison on the same machine, one after another.
Times are from the key, the move of the pointer or the link to what is drawn: the way to Python and back is included.
Python runs already.
"""

import functools
import http.server
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

from benchmarks.app import ROOT, serving_folder
from benchmarks.author import draft

ROUNDS: Final = 7
"""The number of edits, drags and sweeps. Results are medians."""

COMPARED: Final = "late-but-allowed"
PATIENCE: Final = 120_000

AUTHOR: Final = '.tidemark-author[data-ready="true"]'
IDLE: Final = '.tidemark-author[data-busy="false"]'
CURVE: Final = ".tm-compare-curve:not([data-old]) .mark-line path"

WATCH: Final = """(event) => {
  const root = document.querySelector(".tidemark-author");
  const { turn } = root.dataset;
  let begun = 0;
  window.addEventListener(event, () => { begun = performance.now(); }, { once: true, capture: true });
  globalThis.took = new Promise((done) => {
    const seen = new MutationObserver(() => {
      if (!begun || root.dataset.turn === turn) return;
      seen.disconnect();
      done(performance.now() - begun);
    });
    seen.observe(root, { attributes: true });
  });
}"""
"""Begins at the next ``event``, and ends once the page Author has drawn what Python answered."""

OPEN: Final = """async ([to, name]) => {
  const open = () => document.querySelector(".tm-au-area")?.value.includes(name);
  if (!open()) tidemarkPlaces.open(to);
  while (!open()) await new Promise(requestAnimationFrame);
}"""
"""Opens a draft, unless it is open."""

SWEEP: Final = """async ([to, curve]) => {
  for (const old of document.querySelectorAll(".tm-compare-curve")) old.dataset.old = "true";
  const begun = performance.now();
  tidemarkPlaces.open(to);
  while (!document.querySelector(curve)) await new Promise(requestAnimationFrame);
  return performance.now() - begun;
}"""

Times = dict[str, list[float]]


def measure(records: Sequence[int]) -> Iterator[dict[str, Any]]:
    """A result for each action: the ms in the app and in the site, and their ratio."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as scenarios, tempfile.TemporaryDirectory() as made, sync_playwright() as driver:
        for count in records:
            text = draft(count).replace("name: measured", f"name: of-{count}-records")
            Path(scenarios, f"of-{count}-records.yaml").write_text(text, encoding="utf-8")
        shutil.copy(ROOT / "scenarios" / f"{COMPARED}.yaml", scenarios)
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with serving_folder(scenarios) as (address, _):
            app = _times(browser, address, records)
        with _site(scenarios, made) as address:
            site = _times(browser, address, records)
        browser.close()
    for action, there in app.items():
        before, now = median(there), median(site[action])
        yield {"action": action, "app_ms": round(before), "site_ms": round(now), "ratio": round(now / before, 2)}


def _times(browser: Any, address: str, records: Sequence[int]) -> Times:
    """The ms of each action at an address."""
    times: Times = {}
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}/author?scenario=of-{records[0]}-records")
    for count in records:
        page.wait_for_selector(AUTHOR)
        page.evaluate(OPEN, [f"./author?scenario=of-{count}-records", f"name: of-{count}-records"])
        times[f"edit {count}"] = [_edit(page, number) for number in range(ROUNDS)]
        times[f"drag {count}"] = [_drag(page, number) for number in range(ROUNDS)]
    first = f"./compare?scenario={COMPARED}&b.bound=1000&tab=sweep"
    page.evaluate(SWEEP, [first, CURVE])  # Vega comes with it
    sweeps = [f"./compare?scenario={COMPARED}&b.bound={1100 + 100 * number}&tab=sweep" for number in range(ROUNDS)]
    times["sweep"] = [float(page.evaluate(SWEEP, [each, CURVE])) for each in sweeps]
    page.context.close()
    return times


def _edit(page: Any, number: int) -> float:
    """A value is typed."""
    _settle(page)
    page.locator(f'tr[data-item="{number + 1}"] td[data-column="value"]').click()
    page.keyboard.type(f"7{number}")
    page.evaluate(WATCH, "keydown")
    page.keyboard.press("Tab")
    took = float(page.evaluate("took"))
    page.keyboard.press("Escape")
    return took


def _drag(page: Any, number: int) -> float:
    """A record is moved in the picture; what that leads to is shown before it is released."""
    _settle(page)
    box = page.locator(".tm-au-grip").nth(number + 1).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate(WATCH, "pointermove")
    page.mouse.move(x - 40, y)
    took = float(page.evaluate("took"))
    page.mouse.up()
    return took


def _settle(page: Any) -> None:
    """Wait until nothing is asked any more, hints included."""
    for _ in range(2):
        page.wait_for_selector(IDLE)
        page.wait_for_timeout(500)
    page.wait_for_selector(IDLE)


@contextmanager
def _site(scenarios: str, made: str) -> Iterator[str]:
    from ui import catalogue
    from ui.site.build import build

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            """Say nothing."""

    catalogue.FOLDER = Path(scenarios)
    list(build(Path(made) / "site"))
    handler = functools.partial(Quiet, directory=str(Path(made) / "site"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
