"""A site of static files beside the app: what an edit, a drag, a sweep and its dot take in Chromium, in one run.

Both show the same drafts (``benchmarks.author.draft``) and the same comparison on the same machine, in turns: an edit
in the app, the same edit in the site, and so on. A ratio is the median of those of the pairs, so that a machine that is
busy for a while slows both. Times are from the key, the move of the pointer or the link to what is drawn: the way to
Python and back is included. Python runs already.
"""

import functools
import http.server
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, Final

from benchmarks.app import ROOT, serving_folder
from benchmarks.author import draft

ROUNDS: Final = 7
"""The number of pairs of edits, of drags and of sweeps. Results are medians."""

LONG: Final = 1_000
FEW: Final = 3
"""Drafts of more than ``LONG`` records take seconds each time, and ``FEW`` pairs do."""

COMPARED: Final = "late-but-allowed"

PATIENCE: Final = 90_000
"""How long (ms) one action may take. One that takes longer ends the benchmark."""

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

SWEEP: Final = """([to, curve]) => {
  for (const old of document.querySelectorAll(".tm-compare-curve")) old.dataset.old = "true";
  const begun = performance.now();
  tidemarkPlaces.open(to);
  globalThis.took = new Promise((done) => {
    const look = () => {
      if (document.querySelector(curve)) done(performance.now() - begun);
      else requestAnimationFrame(look);
    };
    look();
  });
}"""
"""Opens a comparison, and ends once its curves are drawn."""

TOOK: Final = """(patience) => Promise.race([
  globalThis.took,
  new Promise((_, failed) => setTimeout(() => failed(new Error(`nothing was drawn in ${patience} ms`)), patience)),
])"""


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
        with serving_folder(scenarios) as (app, _), _site(scenarios, made) as site:
            pages = [_opened(browser, address, records[0]) for address in (app, site)]
            for count in records:
                for page in pages:
                    _open(page, count)
                rounds = FEW if count > LONG else ROUNDS
                yield _result(f"edit {count}", pages, _edit, rounds)
                yield _result(f"drag {count}", pages, _drag, rounds)
            for page in pages:
                _settle(page)
                _sweep(page, -1)  # Vega comes with it
            yield _result("sweep", pages, _sweep, ROUNDS)
            yield _result("dot moved", pages, _move_dot, ROUNDS)
        browser.close()


def _result(action: str, pages: Sequence[Any], act: Callable[[Any, int], float], rounds: int) -> dict[str, Any]:
    """The medians (ms) of an action in the app and in the site, and that of the ratios of the pairs."""
    pairs = []
    for number in range(rounds):
        took = []
        for page in pages:
            page.bring_to_front()
            took.append(act(page, number))
        pairs.append(took)
    app, site = (round(median(times)) for times in zip(*pairs, strict=True))
    ratio = median(there / here for here, there in pairs)
    return {"action": action, "app_ms": app, "site_ms": site, "ratio": round(ratio, 2)}


def _opened(browser: Any, address: str, count: int) -> Any:
    """The page Author at an address, with the draft of ``count`` records."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(PATIENCE)
    page.goto(f"{address}/author?scenario=of-{count}-records")
    page.wait_for_selector(AUTHOR)
    return page


def _open(page: Any, count: int) -> None:
    """Open the draft of ``count`` records, unless it is open."""
    page.bring_to_front()
    is_open = f'() => document.querySelector(".tm-au-area")?.value.includes("name: of-{count}-records")'
    if not page.evaluate(is_open):
        page.evaluate("(to) => tidemarkPlaces.open(to)", f"./author?scenario=of-{count}-records")
        page.wait_for_function(is_open)


def _took(page: Any) -> float:
    """How long (ms) the action took that is watched; raises Playwright's error if it takes longer than ``PATIENCE``."""
    return float(page.evaluate(TOOK, PATIENCE))


def _edit(page: Any, number: int) -> float:
    """A value is typed."""
    _settle(page)
    page.locator(f'tr[data-item="{number + 1}"] td[data-column="value"]').click()
    page.keyboard.type(f"7{number}")
    page.evaluate(WATCH, "keydown")
    page.keyboard.press("Tab")
    took = _took(page)
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
    took = _took(page)
    page.mouse.up()
    return took


def _sweep(page: Any, number: int) -> float:
    """A comparison whose curves nobody has seen yet is opened."""
    return _compare(page, f"b.bound=2000&b.allowed-lateness={1100 + 100 * number}")


def _move_dot(page: Any, number: int) -> float:
    """The number that is swept changes, and with it the place of the dot on the same curves."""
    return _compare(page, f"b.bound={1100 + 100 * number}&b.allowed-lateness=900")


def _compare(page: Any, settings: str) -> float:
    page.evaluate(SWEEP, [f"./compare?scenario={COMPARED}&{settings}&tab=sweep", CURVE])
    return _took(page)


def _settle(page: Any) -> None:
    """Wait until nothing is asked any more, hints included."""
    for _ in range(2):
        page.wait_for_selector(IDLE)
        page.wait_for_timeout(500)
    page.wait_for_selector(IDLE)


@contextmanager
def _site(scenarios: str, made: str) -> Iterator[str]:
    from tidemark.ui import catalogue
    from tidemark.ui.site.build import build

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
