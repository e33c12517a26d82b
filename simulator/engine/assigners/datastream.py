"""The window assigners of the DataStream API: tumbling, sliding, sessions, global windows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

from tidemark.simulator.engine.assigners.base import WindowAssigner
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.time import MAX, MIN, wrap
from tidemark.simulator.engine.values.window import GLOBAL_WINDOW, GlobalWindow, Grid, TimeWindow, new_window


def require_timestamp(timestamp: int) -> None:
    """Fail as Flink does when a record has no timestamp (``Long.MIN_VALUE``)."""
    if timestamp == MIN:
        raise EngineFailure("RuntimeException", "Record has Long.MIN_VALUE timestamp (= no timestamp marker).")


@dataclass(frozen=True, slots=True)
class TumblingEventTimeWindows(WindowAssigner):
    """``[k · size + offset, (k + 1) · size + offset)``, on a ``grid`` whose slide is the size.

    Source: ``TumblingEventTimeWindows.assignWindows``.
    """

    grid: Grid

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The one window that holds ``timestamp``."""
        grid = self.grid
        windows = grid.known.get((timestamp - grid.offset) // grid.slide)
        if windows is None:
            require_timestamp(timestamp)
            windows = grid.windows_of(timestamp)
        return windows

    @property
    def reach(self) -> int:
        """The size."""
        return self.grid.size


@dataclass(frozen=True, slots=True)
class TumblingProcessingTimeWindows(WindowAssigner):
    """The same by the clock; the record's timestamp does not matter. Source: ``TumblingProcessingTimeWindows``."""

    is_event_time: ClassVar[bool] = False
    grid: Grid

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The one window that holds ``processing_time``."""
        return self.grid.windows_of(processing_time)


@dataclass(frozen=True, slots=True)
class SlidingEventTimeWindows(WindowAssigner):
    """A window begins at every start of the ``grid``.

    Source: ``SlidingEventTimeWindows.assignWindows``.
    """

    grid: Grid

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The windows that hold ``timestamp``, the one that began last first."""
        grid = self.grid
        windows = grid.known.get((timestamp - grid.offset) // grid.slide)
        if windows is None:
            require_timestamp(timestamp)
            windows = grid.windows_of(timestamp)
        return windows

    @property
    def reach(self) -> int:
        """The size."""
        return self.grid.size


@dataclass(frozen=True, slots=True)
class SlidingProcessingTimeWindows(WindowAssigner):
    """The same by the clock. Source: ``SlidingProcessingTimeWindows.assignWindows``."""

    is_event_time: ClassVar[bool] = False
    grid: Grid

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[TimeWindow]:
        """The windows that hold ``processing_time``, the one that began last first."""
        return self.grid.windows_of(processing_time)


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


ONLY: Final = (GLOBAL_WINDOW,)


@dataclass(frozen=True, slots=True)
class GlobalWindows(WindowAssigner):
    """The global window, in which nothing is late and nothing is ever cleaned up. Source: ``GlobalWindows``."""

    is_event_time: ClassVar[bool] = False

    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[GlobalWindow]:
        """The one global window."""
        return ONLY
