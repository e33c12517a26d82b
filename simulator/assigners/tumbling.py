"""Windows side by side: each record is in exactly one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tidemark.simulator.assigners.base import WindowAssigner
from tidemark.simulator.assigners.timestamps import require_timestamp
from tidemark.simulator.values.window import Grid, TimeWindow


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
