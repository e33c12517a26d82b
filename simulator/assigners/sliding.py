"""Windows that overlap: each record is in size / slide of them, or in none if the slide leaves gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from simulator.assigners.base import WindowAssigner
from simulator.assigners.timestamps import require_timestamp
from simulator.values.window import TimeWindow, sliding_windows


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
        return sliding_windows(timestamp, self.size, self.slide, self.offset)


@dataclass(frozen=True, slots=True)
class SlidingProcessingTimeWindows(WindowAssigner):
    """The same by the clock. Source: ``SlidingProcessingTimeWindows.assignWindows``."""

    is_event_time: ClassVar[bool] = False
    size: int
    slide: int
    offset: int = 0

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The windows that hold ``processing_time``, the one that began last first."""
        return sliding_windows(processing_time, self.size, self.slide, self.offset)
