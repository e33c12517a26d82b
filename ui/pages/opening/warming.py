"""Makes the library ready: a link is answered at once even if nobody has opened it before.

After the start of the server, when somebody comes in another language, and again whenever a file of the library has
changed: each page names the scenarios that can be chosen, so one new file makes all of them out of date.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from threading import Event, Thread
from typing import Any, Final

from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.words import LANGUAGES, speak
from tidemark.ui import catalogue
from tidemark.ui.catalogue import library
from tidemark.ui.catalogue.tours import scenes, visit_of
from tidemark.ui.pages.opening.address import LANGUAGES_ASKED, OPENS_WITH, keep, shown
from tidemark.ui.pages.opening.admission import admit
from tidemark.ui.payload.packing import choices_of, packed
from tidemark.ui.server import leaving
from tidemark.ui.server.bridge import end_bridge
from tidemark.ui.server.memory import allocate_sparingly, give_back
from tidemark.ui.server.pool import serve
from tidemark.ui.spark.your_stream.visits import remove_uploads

AFTER_S: Final = 2.0
"""How long after the start it begins: whoever has opened the app is served first."""

LOOKS_AGAIN_S: Final = 30.0
"""How often the files are looked at. What has changed must have rested since the last look, or whoever saves every
minute would be slowed down."""

LONGEST: Final = 1_000
"""Stream items; longer runs are made when somebody opens them."""


@asynccontextmanager
async def warming(_app: Any) -> AsyncIterator[None]:
    """While the server runs."""
    allocate_sparingly()
    admit()
    leaving.serve(asyncio.get_running_loop())
    pool = serve({} if catalogue.CHOSEN is None else {catalogue.VARIABLE: str(catalogue.CHOSEN)})
    stop = Event()
    Thread(target=_warm, args=(stop,), name="warming", daemon=True).start()
    try:
        yield
    finally:
        stop.set()
        pool.close()
        # Here, because a server that is told to end does not come to Python's own end.
        remove_uploads()
        end_bridge()


def _warm(stop: Event) -> None:
    stop.wait(AFTER_S)
    seen = made = _files()
    _make_ready(stop)
    while not stop.wait(LOOKS_AGAIN_S):
        give_back()
        before, seen = seen, _files()
        if made != seen == before:
            made = seen
            _make_ready(stop)


def _files() -> tuple[object, ...]:
    return [entry.stamp for entry in library()], catalogue.lessons(), _languages()


def _languages() -> list[str]:
    return [each for each in LANGUAGES if each in LANGUAGES_ASKED]


def _make_ready(stop: Event) -> None:
    """One scenario after another; it rests as long as it works, because readers share the processor."""
    for language in _languages():
        speak(language)
        entries = library()
        choices, lessons = choices_of(entries), catalogue.lessons()
        likely = (*scenes(entries, lessons), OPENS_WITH)  # what somebody sees who opens the app without a link
        for entry in sorted(entries, key=lambda each: each.name not in likely):
            if stop.is_set():
                return
            if entry.scenario is None or _items(entry.scenario) > LONGEST or shown("library", entry.name):
                continue
            begin = time.monotonic()
            visit = visit_of(entry.name, entries, lessons)
            keep("library", entry, *packed(entry, entry.name, entry.stamp, choices, visit))
            stop.wait(time.monotonic() - begin)


def _items(scenario: Scenario) -> int:
    return scenario.stream.events if isinstance(scenario.stream, Generated) else len(scenario.stream)
