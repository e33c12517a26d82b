"""Python's collector of cycles rests while traces grow.

A trace is hundreds of thousands of objects without a single cycle. The collector would walk through all of them again
and again, to find nothing: that takes more time than to run and to trace. What is not needed is freed as ever, by its
count of references; cycles that others make meanwhile wait until the run is over.
"""

import gc
from threading import Lock
from types import TracebackType


class _Collector:
    """Rests while at least one block is entered: a server traces several runs at once, each in its own thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._runs = 0
        self._was_enabled = False

    def __enter__(self) -> None:
        with self._lock:
            if self._runs == 0:
                self._was_enabled = gc.isenabled()
                gc.disable()
            self._runs += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        with self._lock:
            self._runs -= 1
            if self._runs == 0 and self._was_enabled:
                gc.enable()


COLLECTOR_AT_REST = _Collector()
