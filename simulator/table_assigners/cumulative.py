"""Windows with one start that grow step by step, in the table runtime (CUMULATE)."""

from collections.abc import Sequence
from dataclasses import dataclass

from tidemark.simulator.table_assigners.base import PanedWindowAssigner
from tidemark.simulator.values.time import window_start, wrap
from tidemark.simulator.values.window import TimeWindow, tumbling_windows


@dataclass(frozen=True, slots=True)
class CumulativeWindowAssigner(PanedWindowAssigner):
    """Every ``max_size`` ms a set of windows begins; they end ``step``, 2 · ``step``, … ``max_size`` ms later.

    Source: ``CumulativeWindowAssigner``.
    """

    max_size: int
    step: int
    offset: int = 0

    @property
    def pane_size(self) -> int:
        """A step."""
        return self.step

    def assign_windows(self, time: int) -> Sequence[TimeWindow]:
        """The windows that hold ``time``, the shortest first."""
        start = window_start(time, self.offset, self.max_size)
        first_end = window_start(time, self.offset, self.step) + self.step
        # There are none if the longest would end past Long.MAX_VALUE: the bound of Flink's loop is negative then.
        ends = range(first_end, wrap(start + self.max_size) + 1, self.step)
        return [TimeWindow(start, wrap(end)) for end in ends]

    def assign_pane(self, time: int) -> TimeWindow:
        """The step that holds ``time``."""
        return tumbling_windows(time, self.step, self.offset)[0]

    def split_into_panes(self, window: TimeWindow) -> Sequence[TimeWindow]:
        """The steps from the window's start to its end."""
        starts = range(window.start, window.end, self.step)
        return [TimeWindow(start, wrap(start + self.step)) for start in starts]

    def last_window(self, pane: TimeWindow) -> TimeWindow:
        """The longest window of the set."""
        return tumbling_windows(pane.start, self.max_size, self.offset)[0]
