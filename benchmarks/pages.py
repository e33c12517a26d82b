"""The player and a site of static files in Chromium.

Of the player the time from key press to paint and from opening to first paint, and the DOM's size; of a site, beside
the app, what an edit, a drag, a sweep and its dot take.
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

from benchmarks.app import ROOT, serving, serving_folder
from benchmarks.author import RECORDS as DRAFTS
from benchmarks.author import draft

RECORDS = (25, 250, 2_500, 12_500)
"""About 200, 2,000, 20,000 and 100,000 micro-steps."""

STEPS = 60
"""The number of measured key presses at each of three places."""

PRESS = """async ({from, count, keys}) => {
  const root = document.querySelector('.tidemark-player');
  const range = root.querySelector('input[type=range]');
  const painted = () => new Promise((done) => root.addEventListener('tidemark:painted', done, {once: true}));
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  range.value = from;
  const there = painted();
  range.dispatchEvent(new Event('input', {bubbles: true}));
  if (Number(root.dataset.step) === from) await Promise.race([there, new Promise((done) => setTimeout(done, 500))]);
  const times = [];
  for (let i = 0; i < count + 2; i += 1) {
    await frame();
    const begin = performance.now();
    const done = painted();
    window.dispatchEvent(new KeyboardEvent('keydown', {key: keys[i % keys.length], bubbles: true}));
    await done;
    if (i >= 2) times.push(performance.now() - begin);
  }
  return times;
}"""


def measure_player(records: Sequence[int] = RECORDS) -> Iterator[dict[str, Any]]:
    """A result for each length: key press to paint, forward and back, at the start, in the middle and at the end."""
    from playwright.sync_api import sync_playwright
    from tidemark.ui.site.chromium import CHROMIUM

    names = {f"records-{count}": count for count in records}
    with serving(names) as (address, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        for name in names:
            first, cold = _open(browser, f"{address}/?scenario={name}&words=source")
            first.context.close()
            page, opening = _open(browser, f"{address}/?scenario={name}&words=source")
            steps = int(page.locator(".tidemark-player").get_attribute("data-steps"))
            times: list[float] = []
            for start in (0, steps // 2, max(steps - STEPS - 5, 0)):
                times += page.evaluate(PRESS, {"from": start, "count": min(STEPS, steps // 3), "keys": ["ArrowRight"]})
            times += page.evaluate(PRESS, {"from": steps // 2, "count": min(STEPS, steps // 3), "keys": ["ArrowLeft"]})
            far = page.evaluate(PRESS, {"from": steps // 3, "count": 10, "keys": ["Home", "End"]})
            nodes = page.evaluate("document.querySelector('.tidemark-player').querySelectorAll('*').length")
            yield {
                "steps": steps,
                "key_to_paint_median_ms": round(median(times), 1),
                "key_to_paint_p95_ms": round(quantiles(times, n=20)[-1], 1),
                "far_jump_median_ms": round(median(far), 1),
                "first_paint_ms": round(opening * 1000),
                "first_paint_cold_ms": round(cold * 1000),
                "nodes": nodes,
            }
            page.context.close()
        browser.close()


def _open(browser: Any, address: str) -> tuple[Any, float]:
    """A page in a browser with an empty cache, and the seconds until its first paint."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    begin = time.perf_counter()
    page.goto(address)
    page.wait_for_selector('.tidemark-player[data-ready="true"]', state="attached", timeout=120_000)
    return page, time.perf_counter() - begin


# Site and app show the same drafts (``benchmarks.author.draft``) and the same comparison on one machine, in turns: an
# edit in the app, the same edit in the site, and so on. A ratio is the median of those of the pairs, so that a
# machine that is busy for a while slows both. Times are from the key, the move of the pointer or the link to what
# is drawn: the way to Python and back is included. Python runs already.

PAIRS: Final = 7
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


def measure_site(records: Sequence[int] = DRAFTS) -> Iterator[dict[str, Any]]:
    """A result for each action: the ms in the app and in the site, and their ratio."""
    from playwright.sync_api import sync_playwright
    from tidemark.ui.site.chromium import CHROMIUM

    with tempfile.TemporaryDirectory() as scenarios, tempfile.TemporaryDirectory() as made, sync_playwright() as driver:
        for count in records:
            text = draft(count).replace("name: measured", f"name: of-{count}-records")
            Path(scenarios, f"of-{count}-records.yaml").write_text(text, encoding="utf-8")
        shutil.copy(ROOT / "scenarios" / f"{COMPARED}.yaml", scenarios)
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        with serving_folder(scenarios) as (app, _), _site(scenarios, made) as site:
            pages = [_opened(browser, address, records[0]) for address in (app, site)]
            for count in records:
                for page in pages:
                    _open_draft(page, count)
                rounds = FEW if count > LONG else PAIRS
                yield _result(f"edit {count}", pages, _edit, rounds)
                yield _result(f"drag {count}", pages, _drag, rounds)
            for page in pages:
                _settle(page)
                _sweep(page, -1)  # Vega comes with it
            yield _result("sweep", pages, _sweep, PAIRS)
            yield _result("dot moved", pages, _move_dot, PAIRS)
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


def _open_draft(page: Any, count: int) -> None:
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
    from tidemark.ui.site.chromium import served

    catalogue.FOLDER = Path(scenarios)
    list(build(Path(made) / "site"))
    with served(Path(made) / "site") as address:
        yield address
