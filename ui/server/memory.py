"""What the server does about its memory: objects that stay are excluded from garbage collection, and what is freed goes
back to the system.

Streamlit collects garbage after every page run. A collection visits every object that is not frozen: with a library and
its walkthroughs in the caches this took 30 ms of each response, three quarters of it. So once many new objects exist,
everything is collected once and frozen. Objects frozen earlier are checked again at that moment, so nothing leaks for
good.
"""

import ctypes
import gc
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Final

ARENAS: Final = 1
"""Heaps of the system's allocator. A thread that works for a visitor takes one, so by default there are eight for each
processor, and each keeps what its busiest moment took."""

LARGE_BYTES: Final = 128 * 1024
"""From here on a block has pages of its own, which go back to the system at once when it is freed: a page's contents,
an upload, an export. By default this bound moves up with the blocks that were freed."""

_ARENA_MAX, _MMAP_THRESHOLD, _TRIM_THRESHOLD = -8, -3, -1
"""Their numbers in ``malloc.h`` of the GNU C library."""

MOST_LOOSE: Final = 15_000
"""Objects that a collection may visit; a thousand take about 0.3 ms."""

PAUSE_S: Final = 10.0
"""The least time between two freezes, because one takes some tenths of a second."""


def allocate_sparingly() -> bool:
    """Have this process keep less of what it frees from now on; call before there are many threads.

    Returns whether the system's allocator can be told so: that of the GNU C library can.
    """
    library = _allocator()
    settings = ((_ARENA_MAX, ARENAS), (_MMAP_THRESHOLD, LARGE_BYTES), (_TRIM_THRESHOLD, LARGE_BYTES))
    return library is not None and all(library.mallopt(name, value) for name, value in settings)


def give_back() -> None:
    """Give what has been freed so far back to the system. It takes a few milliseconds."""
    library = _allocator()
    if library is not None:
        library.malloc_trim(0)


def _allocator() -> ctypes.CDLL | None:
    """The C library, if it is GNU's."""
    if sys.platform != "linux":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "mallopt") and hasattr(library, "malloc_trim") else None


class Settling:
    """Freezes from time to time; one for the whole server."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._next = 0.0

    def settle(self, now: float | None = None) -> bool:
        """Freeze everything if that is worth while; returns whether it did. ``now``: seconds of a monotonic clock."""
        now = time.monotonic() if now is None else now
        if now < self._next or not self._lock.acquire(blocking=False):
            return False
        try:
            if _loose() <= MOST_LOOSE:
                return False
            gc.unfreeze()
            gc.collect()
            gc.freeze()
            self._next = now + PAUSE_S
            return True
        finally:
            self._lock.release()


def _loose() -> int:
    """How many objects a collection would visit.

    The list of them must be gone before another thread runs. It refers to everything, also to a tuple that another
    thread is just making from a generator, and such a tuple cannot grow then: Python raises ``SystemError`` there. The
    interpreter may switch threads between two calls of ``len(gc.get_objects())``, but not within this ``next``.
    """
    return next(map(len, map(gc.get_objects, (None,))))


SETTLING: Final = Settling()


class Uncollected:
    """Garbage collection waits while an answer is being made; one for the whole server.

    An answer makes some hundred thousand objects, hardly any in cycles. Python would look through all that the server
    holds several times meanwhile, and Streamlit has everything looked through after the answer anyway.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._answers = 0

    @contextmanager
    def answering(self) -> Iterator[None]:
        """Nothing is collected within; of several answers at a time the last to end allows it again."""
        with self._lock:
            self._answers += 1
            gc.disable()
        try:
            yield
        finally:
            with self._lock:
                self._answers -= 1
                if not self._answers:
                    gc.enable()


UNCOLLECTED: Final = Uncollected()
