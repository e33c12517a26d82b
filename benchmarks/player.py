"""The player in Chromium: the time from key press to paint and from opening to first paint, and the DOM's size."""

import os
import shutil
import time
from collections.abc import Iterator, Sequence
from statistics import median, quantiles
from typing import Any

from benchmarks.app import serving

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


def measure(records: Sequence[int] = RECORDS) -> Iterator[dict[str, Any]]:
    """A result for each length: key press to paint, forward and back, at the start, in the middle and at the end."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    names = {f"records-{count}": count for count in records}
    with serving(names) as (address, _), sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
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
