"""Windows side by side: each record is in exactly one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from simulator.assigners.base import WindowAssigner
from simulator.assigners.timestamps import require_timestamp
from simulator.values.time import MIN
from simulator.values.window import TimeWindow, tumbling_windows


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
        return tumbling_windows(timestamp, self.size, self.offset)


@dataclass(frozen=True, slots=True)
class TumblingProcessingTimeWindows(WindowAssigner):
    """The same by the clock; the record's timestamp does not matter. Source: ``TumblingProcessingTimeWindows``."""

    is_event_time: ClassVar[bool] = False
    size: int
    offset: int = 0

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The one window that holds ``processing_time``."""
        return tumbling_windows(processing_time, self.size, self.offset)
