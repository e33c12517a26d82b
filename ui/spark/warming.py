"""Starts Spark when somebody opens its page, so that the first check does not wait for Java."""

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Any


class WarmUp:
    """One small check, invisible to readers. A check requested meanwhile waits for it; starting Spark itself would take
    about as long."""

    def __init__(self) -> None:
        self._stop = Event()
        self._lock = Lock()
        self._needed = True
        self._thread: Thread | None = None
        self.done = False

    def begin(self, check: Callable[..., Any]) -> None:
        """Call ``check(cancelled=…)`` in the background, unless a check has been started or requested before."""
        with self._lock:
            if not self._needed:
                return
            self._needed = False
            self._thread = Thread(target=self._run, args=(check,), name="spark-warm-up", daemon=True)
            self._thread.start()

    def is_needless(self) -> None:
        """A real check starts, and starts Spark itself."""
        with self._lock:
            self._needed = False

    def end(self, seconds: float) -> None:
        """Stop it with everything that it started; waits at most this many seconds."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, check: Callable[..., Any]) -> None:
        with suppress(Exception):  # the check that somebody requests reports the error
            check(cancelled=self._stop)
            self.done = True
