"""Windows that overlap: each record is in size / slide of them, in none where the slide leaves gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simulator.assigners.base import WindowAssigner
from simulator.assigners.timestamps import require_timestamp
from simulator.values.time import window_start, wrap
from simulator.values.window import TimeWindow


@dataclass(frozen=True, slots=True)
class SlidingEventTimeWindows(WindowAssigner):
    """A window of ``size`` ms begins every ``slide`` ms, shifted by ``offset`` ms.

    Source: ``SlidingEventTimeWindows.assignWindows``.
    """

    size: int
    slide: int
    offset: int = 0

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The windows that hold ``timestamp``, the one that began last first."""
        require_timestamp(timestamp)
        start = window_start(timestamp, self.offset, self.slide)
        before_first = wrap(timestamp - self.size)
        windows = []
        while start > before_first:
            windows.append(TimeWindow(start, wrap(start + self.size)))
            start -= self.slide
        return windows
