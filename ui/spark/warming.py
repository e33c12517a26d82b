"""Spark is started when somebody opens its page: whoever then asks for a check does not wait for Java."""

from collections.abc import Callable
from contextlib import suppress
from threading import Event, Lock, Thread
from typing import Any


class WarmUp:
    """One small check of this server that nobody is told of. A check that is asked for meanwhile waits for it, which
    takes about as long as starting Spark itself."""

    def __init__(self) -> None:
        self._stop = Event()
        self._lock = Lock()
        self._needed = True
        self._thread: Thread | None = None
        self.done = False

    def begin(self, check: Callable[..., Any]) -> None:
        """Call ``check(cancelled=…)`` in the background, unless something has begun or been asked for before."""
        with self._lock:
            if not self._needed:
                return
            self._needed = False
            self._thread = Thread(target=self._run, args=(check,), name="spark-warm-up", daemon=True)
            self._thread.start()

    def is_needless(self) -> None:
        """A real check begins, which starts Spark too."""
        with self._lock:
            self._needed = False

    def end(self, seconds: float) -> None:
        """Have it end, with all that it started; waits so long at most."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, check: Callable[..., Any]) -> None:
        with suppress(Exception):  # what is wrong is told by the check that somebody asks for
            check(cancelled=self._stop)
            self.done = True
