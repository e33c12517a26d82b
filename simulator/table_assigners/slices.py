"""Slices: what window table functions cut time into, so that windows that overlap share what they have in common.

Theory of operation
-------------------
A row is accumulated once, in the slice that holds it, and a window is put together from slices when it ends:

- tumbling windows are one slice each;
- a sliding (HOP) window of ``size`` has ``size / slide`` slices, each of which serves as many windows;
- the cumulative windows that begin together share their first slice: at each step what came since joins it there.

A slice serves windows that end one ``interval`` after another, from its own end to that of the last one. All times are
in ms and wrap as Java's ``long``.

Source: ``SliceAssigners`` (Flink 2.3.0), where a slice is named by its end.
"""

from dataclasses import dataclass
from typing import ClassVar

from tidemark.simulator.table_assigners.base import SliceAssigner
from tidemark.simulator.values.time import window_start, wrap
from tidemark.simulator.values.window import TimeWindow, new_window


@dataclass(frozen=True, slots=True)
class TumblingSlices(SliceAssigner):
    """Windows of ``size`` ms side by side, each a slice of its own. Source: ``TumblingSliceAssigner``."""

    shares: ClassVar[bool] = False
    size: int
    offset: int = 0

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

    @property
    def interval(self) -> int:
        """A step."""
        return self.step

    def window_of(self, end: int) -> TimeWindow:
        """From the start of the set to ``end``."""
        return new_window((window_start(wrap(end - 1), self.offset, self.max_size), end))

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
