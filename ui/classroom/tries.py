"""How often somebody may try codes of rooms: enough for a class that mistypes, too seldom to find one by trying.

Each machine has tries in store and gets a new one every second. Only a new code costs one: a phone in its room asks
for the same code again and again.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Final

from tidemark.simulator.limits import CODE_TRIES, CODE_TRIES_PER_S

MOST_MACHINES: Final = 10_000
"""The most machines that are remembered; the one that tried longest ago goes first."""


class Tries:
    """The tries of all machines. Every method may be called from any thread. ``clock`` returns seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # machine -> (tries left, when that was so)

    def take(self, machine: str) -> bool:
        """Use one try of ``machine``; False: it has none left for the moment."""
        with self._lock:
            now = self._clock()
            left, then = self._left.pop(machine, (float(CODE_TRIES), now))
            left = min(CODE_TRIES, left + (now - then) * CODE_TRIES_PER_S)
            self._left[machine] = (max(0.0, left - 1), now) if left >= 1 else (left, now)
            while len(self._left) > MOST_MACHINES:
                self._left.popitem(last=False)
            return left >= 1
