"""Overlapping windows of one size, in the table runtime (HOP)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from tidemark.simulator.table_assigners.base import PanedWindowAssigner
from tidemark.simulator.values.time import window_start, wrap
from tidemark.simulator.values.window import TimeWindow, sliding_windows, tumbling_windows


@dataclass(frozen=True, slots=True)
class SlidingWindowAssigner(PanedWindowAssigner):
    """A window of ``size`` ms begins every ``slide`` ms; a pane is their greatest common divisor.

    Source: ``SlidingWindowAssigner``.
    """

    size: int
    slide: int
    offset: int = 0

    @property
    def pane_size(self) -> int:
        """The length of a pane (ms)."""
        return gcd(self.size, self.slide)

    def assign_windows(self, time: int) -> Sequence[TimeWindow]:
        """The windows that hold ``time``, the one that began last first."""
        return sliding_windows(time, self.size, self.slide, self.offset)

    def assign_pane(self, time: int) -> TimeWindow:
        """The pane on the grid of ``offset`` that holds ``time``."""
        return tumbling_windows(time, self.pane_size, self.offset)[0]

    def split_into_panes(self, window: TimeWindow) -> Sequence[TimeWindow]:
        """size / pane_size panes, from the window's start."""
        pane = self.pane_size
        starts = (window.start + number * pane for number in range(self.size // pane))
        return [TimeWindow(wrap(start), wrap(start + pane)) for start in starts]

    def last_window(self, pane: TimeWindow) -> TimeWindow:
        """The window that began last at or before the pane."""
        start = window_start(pane.start, self.offset, self.slide)
        return TimeWindow(start, wrap(start + self.size))
