"""Windows that overlap: each record is in size / slide of them, or in none if the slide leaves gaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tidemark.simulator.assigners.base import WindowAssigner
from tidemark.simulator.assigners.timestamps import require_timestamp
from tidemark.simulator.values.window import Grid, TimeWindow


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
