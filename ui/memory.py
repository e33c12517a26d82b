"""What stays in memory is taken out of garbage collection, for Streamlit collects after every run of a page.

A collection goes through every object that is not frozen: with a library and its walkthroughs in the caches that was
30 ms of each answer, three quarters of it. So as soon as many objects have come, all is collected once and frozen.
What was frozen before is looked at again then; nothing is lost for good.
"""

import gc
import time
from threading import Lock
from typing import Final

MOST_LOOSE: Final = 15_000
"""Objects that a collection may go through; it takes about 0.3 ms for a thousand of them."""

PAUSE_S: Final = 10.0
"""Freezing takes some tenths of a second, so there is at least this long between two times."""


class Settling:
    """Freezes now and then; one for the whole server."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._next = 0.0

    def settle(self, now: float | None = None) -> bool:
        """Freeze what there is if that is worth while; true if so. ``now``: seconds of a clock that never goes back."""
        now = time.monotonic() if now is None else now
        if now < self._next or not self._lock.acquire(blocking=False):
            return False
        try:
            if len(gc.get_objects()) <= MOST_LOOSE:
                return False
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._next = now + PAUSE_S
            return True
        finally:
            self._lock.release()
