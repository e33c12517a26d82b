"""What a window assigner of the table runtime is: frozen configuration that assigns windows and their panes."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from simulator.values.window import TimeWindow


class TableWindowAssigner(ABC):
    """Assigns rows to windows. ``time`` (ms) is the row's rowtime, or in processing time the clock.

    Source: ``org.apache.flink.table.runtime...windowing.assigners.GroupWindowAssigner``.
    """

    @abstractmethod
    def assign_windows(self, time: int) -> Sequence[TimeWindow]:
        """The windows of a row, in Flink's order."""


class PanedWindowAssigner(TableWindowAssigner):
    """Windows that overlap and consist of panes, so that a row is accumulated once. Source: ``PanedWindowAssigner``."""

    @property
    @abstractmethod
    def pane_size(self) -> int:
        """The length of a pane (ms)."""

    @abstractmethod
    def assign_pane(self, time: int) -> TimeWindow:
        """The one pane of a row."""

    @abstractmethod
    def split_into_panes(self, window: TimeWindow) -> Sequence[TimeWindow]:
        """The panes of ``window``, ascending."""

    @abstractmethod
    def last_window(self, pane: TimeWindow) -> TimeWindow:
        """The last window that needs ``pane``."""
