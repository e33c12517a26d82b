"""The window assigners of the table runtime: TUMBLE, HOP, CUMULATE, sessions; in local time, and by slices."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import ClassVar

from tidemark.simulator.engine.assigners.base import PanedWindowAssigner, SliceAssigner, TableWindowAssigner
from tidemark.simulator.engine.values.time import WindowStart, window_start, wrap
from tidemark.simulator.engine.values.window import Grid, TimeWindow, new_window, sliding_windows, tumbling_windows
from tidemark.simulator.engine.values.zone import SessionZone, local_windows


@dataclass(frozen=True, slots=True)
class TumblingWindowAssigner(TableWindowAssigner):
    """On a ``grid`` whose slide is the size. Source: ``TumblingWindowAssigner``."""

    grid: Grid

    def assign_windows(self, time: int) -> Sequence[TimeWindow]:
        """The one window that holds ``time``."""
        grid = self.grid
        windows = grid.known.get((time - grid.offset) // grid.slide)
        return grid.windows_of(time) if windows is None else windows


@dataclass(frozen=True, slots=True)
class CumulativeWindowAssigner(PanedWindowAssigner):
    """Every ``max_size`` ms a set of windows begins; they end ``step``, 2 · ``step``, … ``max_size`` ms later.

    Source: ``CumulativeWindowAssigner``.
    """

    max_size: int
    step: int
    offset: int = 0
    start_of: WindowStart = window_start

    @property
    def pane_size(self) -> int:
        """A step."""
        return self.step

    def assign_windows(self, time: int) -> Sequence[TimeWindow]:
        """The windows that hold ``time``, the shortest first."""
        start = self.start_of(time, self.offset, self.max_size)
        first_end = self.start_of(time, self.offset, self.step) + self.step
        # There are none if the longest would end past Long.MAX_VALUE: the bound of Flink's loop is negative then.
        ends = range(first_end, wrap(start + self.max_size) + 1, self.step)
        return [TimeWindow(start, wrap(end)) for end in ends]

    def assign_pane(self, time: int) -> TimeWindow:
        """The step that holds ``time``."""
        return tumbling_windows(time, self.step, self.offset, self.start_of)[0]

    def split_into_panes(self, window: TimeWindow) -> Sequence[TimeWindow]:
        """The steps from the window's start to its end."""
        starts = range(window.start, window.end, self.step)
        return [TimeWindow(start, wrap(start + self.step)) for start in starts]

    def last_window(self, pane: TimeWindow) -> TimeWindow:
        """The longest window of the set."""
        return tumbling_windows(pane.start, self.max_size, self.offset, self.start_of)[0]


# Windows of the table runtime in local time: the session time zone of a TIMESTAMP_LTZ column.
#
# An instant is turned into local time; the rest is the arithmetic of the assigner without a zone.


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
    def start_of(self) -> WindowStart:  # type: ignore[override]
        """In local time."""
        return self.inner.start_of

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


@dataclass(frozen=True, slots=True)
class SessionWindowAssigner(TableWindowAssigner):
    """``[time, time + gap)``; ``gap`` > 0 in ms. Source: ``SessionWindowAssigner``."""

    gap: int

    def assign_windows(self, time: int) -> Sequence[TimeWindow]:
        """The row's own window, before any merge."""
        return (TimeWindow(time, wrap(time + self.gap)),)


# Slices: what window table functions cut time into, so that windows that overlap share what they have in common.
#
# Theory of operation
# -------------------
# A row is accumulated once, in the slice that holds it, and a window is put together from slices when it ends:
#
# - tumbling windows are one slice each;
# - a sliding (HOP) window of ``size`` has ``size / slide`` slices, each of which serves as many windows;
# - the cumulative windows that begin together share their first slice: at each step what came since joins it there.
#
# A slice serves windows that end one ``interval`` after another, from its own end to that of the last one. All times
# are in ms and wrap as Java's ``long``.
#
# Source: ``SliceAssigners`` (Flink 2.3.0), where a slice is named by its end.


@dataclass(frozen=True, slots=True)
class TumblingSlices(SliceAssigner):
    """Windows of ``size`` ms side by side, each a slice of its own. Source: ``TumblingSliceAssigner``."""

    shares: ClassVar[bool] = False
    size: int
    offset: int = 0
    start_of: WindowStart = window_start

    @property
    def interval(self) -> int:
        """The size."""
        return self.size

    def window_of(self, end: int) -> TimeWindow:
        """The window that is the slice."""
        return new_window((wrap(end - self.size), end))

    def last_end(self, piece: TimeWindow) -> int:
        """The slice serves one window: itself."""
        return piece.end


@dataclass(frozen=True, slots=True)
class HoppingSlices(SliceAssigner):
    """Windows of ``size`` ms, one beginning every ``slide`` ms; the size is a multiple of the slide.

    Source: ``HoppingSliceAssigner``.
    """

    size: int
    slide: int
    offset: int = 0
    start_of: WindowStart = window_start

    @property
    def interval(self) -> int:
        """A slide: the greatest common divisor of a size and a slide that divides it."""
        return self.slide

    def window_of(self, end: int) -> TimeWindow:
        """The window of the size that ends there."""
        return new_window((wrap(end - self.size), end))

    def last_end(self, piece: TimeWindow) -> int:
        """The end of the window that begins with the slice."""
        return wrap(piece.start + self.size)


@dataclass(frozen=True, slots=True)
class CumulativeSlices(SliceAssigner):
    """Windows with one start that end ``step``, 2 · ``step``, … ``max_size`` ms later.

    Source: ``CumulativeSliceAssigner``.
    """

    max_size: int
    step: int
    offset: int = 0
    start_of: WindowStart = window_start

    @property
    def interval(self) -> int:
        """A step."""
        return self.step

    def window_of(self, end: int) -> TimeWindow:
        """From the start of the set to ``end``."""
        return new_window((self.start_of(wrap(end - 1), self.offset, self.max_size), end))

    def last_end(self, piece: TimeWindow) -> int:
        """The end of the longest window of the set."""
        return wrap(self.window_of(piece.end).start + self.max_size)

    def first_slice(self, window: TimeWindow) -> TimeWindow:
        """The first step of the set, under which all that its windows hold comes together."""
        return new_window((window.start, wrap(window.start + self.step)))

    def kept_in(self, late: TimeWindow) -> TimeWindow:
        """The first slice: the late one has joined it already."""
        window = self.window_of(late.end)
        return new_window((window.start, wrap(window.start + self.step)))

    def next_end(self, window: TimeWindow) -> int | None:
        """A step on, up to the longest window."""
        end = wrap(window.end + self.step)
        return end if end <= wrap(window.start + self.max_size) else None


@dataclass(frozen=True, slots=True)
class SlidingWindowAssigner(PanedWindowAssigner):
    """A window of ``size`` ms begins every ``slide`` ms; a pane is their greatest common divisor.

    Source: ``SlidingWindowAssigner``.
    """

    size: int
    slide: int
    offset: int = 0
    start_of: WindowStart = window_start

    @property
    def pane_size(self) -> int:
        """The length of a pane (ms)."""
        return gcd(self.size, self.slide)

    def assign_windows(self, time: int) -> Sequence[TimeWindow]:
        """The windows that hold ``time``, the one that began last first."""
        return sliding_windows(time, self.size, self.slide, self.offset, self.start_of)

    def assign_pane(self, time: int) -> TimeWindow:
        """The pane on the grid of ``offset`` that holds ``time``."""
        return tumbling_windows(time, self.pane_size, self.offset, self.start_of)[0]

    def split_into_panes(self, window: TimeWindow) -> Sequence[TimeWindow]:
        """size / pane_size panes, from the window's start."""
        pane = self.pane_size
        starts = (window.start + number * pane for number in range(self.size // pane))
        return [TimeWindow(wrap(start), wrap(start + pane)) for start in starts]

    def last_window(self, pane: TimeWindow) -> TimeWindow:
        """The window that began last at or before the pane."""
        start = self.start_of(pane.start, self.offset, self.slide)
        return TimeWindow(start, wrap(start + self.size))
