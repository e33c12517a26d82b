"""Sessions: each record opens a window of its own, and windows of a key that touch become one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tidemark.simulator.assigners.base import WindowAssigner
from tidemark.simulator.values.errors import EngineFailure
from tidemark.simulator.values.time import MAX, wrap
from tidemark.simulator.values.window import TimeWindow, new_window


@dataclass(frozen=True, slots=True)
class EventTimeSessionWindows(WindowAssigner):
    """``[timestamp, timestamp + gap)``; ``gap`` > 0 in ms. Source: ``EventTimeSessionWindows.assignWindows``."""

    is_merging: ClassVar[bool] = True
    gap: int

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The record's own window, before any merge."""
        end = timestamp + self.gap
        return (new_window((timestamp, end if end <= MAX else wrap(end))),)

    @property
    def reach(self) -> int:
        """The gap."""
        return self.gap


@dataclass(frozen=True, slots=True)
class DynamicEventTimeSessionWindows(WindowAssigner):
    """A session whose gap (ms) comes with each record, in ``gap_field`` of its value.

    Source: ``DynamicEventTimeSessionWindows.assignWindows``.
    """

    is_merging: ClassVar[bool] = True
    gap_field: str

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The record's own window; a gap that is not positive fails."""
        return (TimeWindow(timestamp, wrap(timestamp + gap_of(value, self.gap_field))),)


@dataclass(frozen=True, slots=True)
class ProcessingTimeSessionWindows(WindowAssigner):
    """A session by the clock. Source: ``ProcessingTimeSessionWindows.assignWindows``."""

    is_event_time: ClassVar[bool] = False
    is_merging: ClassVar[bool] = True
    gap: int

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The record's own window, before any merge."""
        return (TimeWindow(processing_time, wrap(processing_time + self.gap)),)


@dataclass(frozen=True, slots=True)
class DynamicProcessingTimeSessionWindows(WindowAssigner):
    """A session by the clock whose gap comes with each record. Source: ``DynamicProcessingTimeSessionWindows``."""

    is_event_time: ClassVar[bool] = False
    is_merging: ClassVar[bool] = True
    gap_field: str

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The record's own window; a gap that is not positive fails."""
        return (TimeWindow(processing_time, wrap(processing_time + gap_of(value, self.gap_field))),)


def gap_of(value: Any, gap_field: str) -> int:
    """The gap (ms) that a record's value carries."""
    gap: int = value[gap_field]
    if gap <= 0:
        message = "Dynamic session time gap must satisfy 0 < gap"
        raise EngineFailure("IllegalArgumentException", message)
    return gap
