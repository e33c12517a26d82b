"""Windows of the table runtime in local time: the session time zone of a TIMESTAMP_LTZ column.

An instant is turned into local time; the rest is the arithmetic of the assigner without a zone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tidemark.simulator.table_assigners.base import PanedWindowAssigner, SliceAssigner, TableWindowAssigner
from tidemark.simulator.values.window import TimeWindow
from tidemark.simulator.values.zone import SessionZone, local_windows


@dataclass(frozen=True, slots=True)
class LocalWindows(TableWindowAssigner):
    """The windows that ``inner`` finds at the local time of ``zone``."""

    inner: TableWindowAssigner
    zone: SessionZone

    def assign_windows(self, time: int) -> Sequence[TimeWindow]:
        """The windows of the instant ``time`` (epoch ms)."""
        local = local_windows(self.zone)
        return [local(*each) for each in self.inner.assign_windows(self.zone.to_local(time))]


@dataclass(frozen=True, slots=True)
class LocalPanes(PanedWindowAssigner):
    """The windows and panes that ``inner`` finds at the local time of ``zone``."""

    inner: PanedWindowAssigner
    zone: SessionZone

    @property
    def pane_size(self) -> int:
        """The length of a pane (local ms)."""
        return self.inner.pane_size

    def assign_windows(self, time: int) -> Sequence[TimeWindow]:
        """The windows of the instant ``time`` (epoch ms)."""
        return self._local(*self.inner.assign_windows(self.zone.to_local(time)))

    def assign_pane(self, time: int) -> TimeWindow:
        """The one pane of the instant ``time`` (epoch ms)."""
        return self._local(self.inner.assign_pane(self.zone.to_local(time)))[0]

    def split_into_panes(self, window: TimeWindow) -> Sequence[TimeWindow]:
        """The panes of ``window``, ascending."""
        return self._local(*self.inner.split_into_panes(window))

    def last_window(self, pane: TimeWindow) -> TimeWindow:
        """The last window that needs ``pane``."""
        return self._local(self.inner.last_window(pane))[0]

    def _local(self, *windows: TimeWindow) -> list[TimeWindow]:
        local = local_windows(self.zone)
        return [local(*each) for each in windows]


@dataclass(frozen=True)
class LocalSlices(SliceAssigner):
    """The slices and windows that ``inner`` finds at the local time of ``zone``."""

    inner: SliceAssigner
    zone: SessionZone

    @property
    def shares(self) -> bool:  # type: ignore[override]
        """Whether a slice serves several windows."""
        return self.inner.shares

    @property
    def offset(self) -> int:  # type: ignore[override]
        """By how much the grid of windows is shifted (ms)."""
        return self.inner.offset

    @property
    def interval(self) -> int:
        """The length of a slice (local ms)."""
        return self.inner.interval

    def window_of(self, end: int) -> TimeWindow:
        """The window that ends at ``end`` (local ms)."""
        return self._local(*self.inner.window_of(end))

    def last_end(self, piece: TimeWindow) -> int:
        """The end (local ms) of the last window that ``piece`` serves."""
        return self.inner.last_end(piece)

    def slice_of(self, time: int) -> TimeWindow:
        """The slice that holds the instant ``time`` (epoch ms)."""
        return self._local(*self.inner.slice_of(self.zone.to_local(time)))

    def slice_from(self, start: int) -> TimeWindow:
        """The slice that begins at ``start`` (local ms)."""
        return self._local(*self.inner.slice_from(start))

    def slice_up_to(self, end: int) -> TimeWindow:
        """The slice that ends at ``end`` (local ms)."""
        return self._local(*self.inner.slice_up_to(end))

    def first_slice(self, window: TimeWindow) -> TimeWindow | None:
        """The slice under which all that ``window`` holds comes together; None where slices stay apart."""
        first = self.inner.first_slice(window)
        return None if first is None else self._local(*first)

    def kept_in(self, late: TimeWindow) -> TimeWindow:
        """Where a row of the slice ``late`` goes, of which the first windows have ended."""
        return self._local(*self.inner.kept_in(late))

    def next_end(self, window: TimeWindow) -> int | None:
        """The end (local ms) of the window to wait for when ``window`` had rows; None after the last of a set."""
        return self.inner.next_end(window)

    def _local(self, start: int, end: int) -> TimeWindow:
        return local_windows(self.zone)(start, end)
