"""Windows side by side: each record is in exactly one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from simulator.assigners.base import WindowAssigner
from simulator.assigners.timestamps import require_timestamp
from simulator.values.time import MIN, window_start, wrap
from simulator.values.window import TimeWindow


@dataclass(frozen=True, slots=True)
class TumblingEventTimeWindows(WindowAssigner):
    """``[k · size + offset, (k + 1) · size + offset)``; ``size`` > 0 and ``offset`` in ms.

    Source: ``TumblingEventTimeWindows.assignWindows``.
    """

    size: int
    offset: int = 0

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The one window that holds ``timestamp``."""
        if timestamp == MIN:
            require_timestamp(timestamp)
        start = window_start(timestamp, self.offset, self.size)
        return (TimeWindow(start, wrap(start + self.size)),)


@dataclass(frozen=True, slots=True)
class TumblingProcessingTimeWindows(WindowAssigner):
    """The same by the clock; the record's timestamp does not matter. Source: ``TumblingProcessingTimeWindows``."""

    is_event_time: ClassVar[bool] = False
    size: int
    offset: int = 0

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The one window that holds ``processing_time``."""
        start = window_start(processing_time, self.offset, self.size)
        return (TimeWindow(start, wrap(start + self.size)),)
