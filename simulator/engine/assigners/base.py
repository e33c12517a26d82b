"""What window assigners are: frozen configuration that assigns a record to windows, here and in the table runtime."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from tidemark.simulator.engine.values.time import MAX, WindowStart, wrap
from tidemark.simulator.engine.values.window import TimeWindow, Window, new_window


class WindowAssigner(ABC):
    """Source: ``WindowAssigner``.

    ``is_event_time``: whether windows end by the watermark; otherwise they end by the clock (or never) and no record
    is late. ``is_merging``: whether overlapping windows of a key become one.
    """

    is_event_time: ClassVar[bool] = True
    is_merging: ClassVar[bool] = False

    @property
    def reach(self) -> int:
        """How long after a record's timestamp its windows end at the latest (ms); where that is not known, ``MAX``."""
        return MAX

    @abstractmethod
    def assign_windows(self, timestamp: int, value: Any, processing_time: int) -> Sequence[Window]:
        """The windows of a record, in Flink's order; ``timestamp`` and ``processing_time`` in ms.

        Raises ``EngineFailure`` where the assigner of Flink throws.
        """


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


class SliceAssigner(ABC):
    """Cuts time into slices of one ``interval``, and puts windows together from them (``slices.py``).

    A window is named by its end, since its slices and the ends of windows lie on one grid. Source: ``SliceAssigner``.
    """

    shares: ClassVar[bool] = True
    """Whether a slice serves several windows."""

    offset: int
    """By how much the grid of windows is shifted (ms)."""
    start_of: WindowStart
    """Finds the start of a slice or window."""

    @property
    @abstractmethod
    def interval(self) -> int:
        """The length of a slice (ms)."""

    @abstractmethod
    def window_of(self, end: int) -> TimeWindow:
        """The window that ends at ``end`` (ms)."""

    @abstractmethod
    def last_end(self, piece: TimeWindow) -> int:
        """The end (ms) of the last window that ``piece`` serves. Source: ``getLastWindowEnd``."""

    def slice_of(self, time: int) -> TimeWindow:
        """The slice that holds ``time`` (ms). Source: ``assignSliceEnd``."""
        start = self.start_of(time, self.offset, self.interval)
        return new_window((start, wrap(start + self.interval)))

    def slice_from(self, start: int) -> TimeWindow:
        """The slice that begins at ``start`` (ms), a point of the grid."""
        return new_window((start, wrap(start + self.interval)))

    def slice_up_to(self, end: int) -> TimeWindow:
        """The slice that ends at ``end`` (ms), a point of the grid."""
        return new_window((wrap(end - self.interval), end))

    def windows_of(self, piece: TimeWindow) -> Sequence[TimeWindow]:
        """The windows that ``piece`` serves, the one that ends first first."""
        end, interval = piece.end, self.interval
        count = wrap(self.last_end(piece) - end) // interval + 1
        return [self.window_of(wrap(end + number * interval)) for number in range(count)]

    def first_slice(self, window: TimeWindow) -> TimeWindow | None:
        """The slice under which all that ``window`` holds comes together; None where slices stay apart."""
        return None

    def kept_in(self, late: TimeWindow) -> TimeWindow:
        """Where a row of the slice ``late`` goes, of which the first windows have ended. Source: ``mergeSlices``."""
        return late

    def next_end(self, window: TimeWindow) -> int | None:
        """The end (ms) of the window to wait for when ``window`` had rows; None after the last of a set.

        Source: ``nextTriggerWindow``.
        """
        return wrap(window.end + self.interval)
