"""A page in which everything asynchronous is late: timers, frames, observers, fonts, and the server's messages.

A test that looks before the page has answered passes on a fast machine and sometimes fails on a busy one. With
``SLOW_PAGE=1`` it fails most of the time. Conversely, a test that looks after a passing state is gone fails with
``SLOW_HAND=100``, which waits that many milliseconds before each action of a test.
"""

import json
import os
from collections.abc import Callable
from typing import Any

LATER = {"timer": 100, "frame": 100, "observer": 250, "server": 300}
"""Milliseconds by which each kind of event is late."""

_SCRIPT = """(late) => {
  const [after, cancel] = [window.setTimeout.bind(window), window.clearTimeout.bind(window)];
  const [frame, noFrame] = [window.requestAnimationFrame.bind(window), window.cancelAnimationFrame.bind(window)];
  window.setTimeout = (run, wait, ...given) => after(run, (wait || 0) + late.timer, ...given);

  const waiting = new Map();  // how to cancel a frame, by the number that was returned for it
  let last = 0;
  window.requestAnimationFrame = (run) => {
    const number = ++last;
    const timer = after(() => {
      const asked = frame((now) => { waiting.delete(number); run(now); });
      waiting.set(number, () => noFrame(asked));
    }, late.frame);
    waiting.set(number, () => cancel(timer));
    return number;
  };
  window.cancelAnimationFrame = (number) => { waiting.get(number)?.(); waiting.delete(number); };

  for (const name of ["IntersectionObserver", "ResizeObserver", "MutationObserver"]) {
    window[name] = class extends window[name] {
      constructor(seen, options) { super((all, self) => after(() => seen(all, self), late.observer), options); }
    };
  }

  const fetched = window.fetch.bind(window);
  window.fetch = (...given) => new Promise((done) => after(done, late.server)).then(() => fetched(...given));
  const font = document.fonts.load.bind(document.fonts);
  document.fonts.load = (...given) => new Promise((done) => after(done, late.server)).then(() => font(...given));
  const listen = WebSocket.prototype.addEventListener;
  WebSocket.prototype.addEventListener = function (kind, hear, options) {
    const later = (event) => after(() => hear.call(this, event), late.server);
    listen.call(this, kind, kind === "message" ? later : hear, options);
  };
}"""


_CHOSEN = """try {
  localStorage.setItem('tidemark.way', '0');
  if (!sessionStorage.getItem('few')) localStorage.setItem('tidemark.controls', 'all');
} catch { /* a page without storage */ }"""
"""Beats follow at once, as after the key G: a test need not wait until the steps between them have passed. All controls
are in view, but on a page whose storage has ``few``."""


def launch(chromium: Any, path: str | None, *arguments: str) -> Any:
    """A browser for tests, as slow as the environment asks for. ``chromium`` is Playwright's browser type."""
    hand = float(os.environ.get("SLOW_HAND", 0))
    browser = chromium.launch(executable_path=path, args=["--no-sandbox", "--in-process-gpu", *arguments], slow_mo=hand)
    scripts = [_CHOSEN, *([f"({_SCRIPT})({json.dumps(LATER)})"] if os.environ.get("SLOW_PAGE") else [])]
    for name in ("new_context", "new_page"):
        setattr(browser, name, _with_scripts(getattr(browser, name), scripts))
    return browser


def _with_scripts(make: Callable[..., Any], scripts: list[str]) -> Callable[..., Any]:
    def made(**options: Any) -> Any:
        new = make(**options)
        for script in scripts:
            new.add_init_script(script)
        return new

    return made
