"""Windows: the half-open span ``[start, end)`` of time, and the one global window."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import Final, NamedTuple

from tidemark.simulator.engine.values.errors import LIMIT_EXCEEDED, EngineFailure
from tidemark.simulator.engine.values.time import MAX, MIN, WindowStart, window_start, wrap


class TimeWindow(NamedTuple):
    """``[start, end)`` in ms. A tuple, so that hashing and comparing run in C.

    Source: ``org.apache.flink.streaming.api.windowing.windows.TimeWindow``.
    """

    start: int
    end: int

    @property
    def max_timestamp(self) -> int:
        """The last instant (ms, inclusive) that belongs to the window: ``end - 1``."""
        end = self.end
        return end - 1 if end > MIN else MAX

    @property
    def row_timestamp(self) -> int:
        """The timestamp (ms) of a result of the window: ``end - 1``, in local time where the window is."""
        end = self.end
        return end - 1 if end > MIN else MAX

    def intersects(self, other: "TimeWindow") -> bool:
        """Whether the two overlap or touch: in Flink ``[0, 5)`` and ``[5, 9)`` do intersect."""
        return self.start <= other.end and self.end >= other.start

    def cover(self, other: "TimeWindow") -> "TimeWindow":
        """The smallest window that contains both."""
        start, end = self
        other_start, other_end = other
        return new_window((start if start <= other_start else other_start, end if end >= other_end else other_end))


new_window: Callable[[tuple[int, int]], TimeWindow] = partial(tuple.__new__, TimeWindow)
"""``TimeWindow(*bounds)`` in a third of the time, for sessions: there each record has a window of its own."""


class GlobalWindow(NamedTuple):
    """The single window of ``GlobalWindows``; it has no bounds, so they are None."""

    start: None = None
    end: None = None

    @property
    def max_timestamp(self) -> int:
        """Always ``Long.MAX_VALUE``."""
        return MAX

    @property
    def row_timestamp(self) -> int:
        """The timestamp of a result, which is the same."""
        return MAX


GLOBAL_WINDOW: Final = GlobalWindow()

Window = TimeWindow | GlobalWindow


class SideNamespace(NamedTuple):
    """The namespace of an interval join's cleanup timers: ``left`` or ``right``."""

    side: str


Namespace = Window | SideNamespace | None
"""What timers and keyed state belong to besides a key; None is Flink's VoidNamespace."""


MOST_CELLS: Final = 4096
"""The most cells that a grid remembers."""


@lru_cache(maxsize=4096)
def _window(start: int, end: int) -> TimeWindow:
    """A window, made once for all the records that lie in it: every record asks for one."""
    return TimeWindow(wrap(start), wrap(end))


def tumbling_windows(instant: int, size: int, offset: int, start_of: WindowStart = window_start) -> tuple[TimeWindow]:
    """The one window of ``size`` ms on the grid of ``offset`` that holds ``instant`` (all ms)."""
    start = start_of(instant, offset, size)
    return (_window(start, start + size),)


def sliding_windows(
    instant: int, size: int, slide: int, offset: int, start_of: WindowStart = window_start
) -> list[TimeWindow]:
    """The windows of ``size`` ms, one beginning every ``slide`` ms, that hold ``instant``; the latest start first.

    Raises ``EngineFailure`` (LimitExceeded) for an instant so close to Long.MIN_VALUE that the starts pass it. They
    would go on from Long.MAX_VALUE, and Flink would make windows until its memory is full.
    """
    start = start_of(instant, offset, slide)
    before_first = wrap(instant - size)
    if instant < MIN + size + slide and start > before_first:
        behind_the_last = start - -(-(start - before_first) // slide) * slide
        if start - before_first > size or behind_the_last < MIN:
            raise EngineFailure(LIMIT_EXCEEDED, f"the sliding windows of {instant} have no end")
    return [_window(each, each + size) for each in range(start, before_first, -slide)]


class Grid:
    """Windows of ``size`` ms, one beginning every ``slide`` ms, shifted by ``offset`` ms.

    ``known`` remembers the windows of each cell between two starts, by its number ``(instant - offset) // slide``: all
    records there have the same. That is no state, since they can be found again. ``slides``: windows as long as their
    slide are those of sliding windows, which by an old rule differ from tumbling ones.
    """

    __slots__ = ("_slides", "_start_of", "known", "offset", "size", "slide")

    def __init__(
        self, size: int, slide: int, offset: int, start_of: WindowStart = window_start, *, slides: bool = False
    ) -> None:
        self.size = size
        self.slide = slide
        self.offset = offset
        self.known: dict[int, Sequence[TimeWindow]] = {}
        self._start_of = start_of
        self._slides = slides or size != slide

    def windows_of(self, instant: int) -> Sequence[TimeWindow]:
        """The windows that hold ``instant`` (ms), the latest start first. Raises as ``sliding_windows`` does."""
        windows = self.known.get((instant - self.offset) // self.slide)
        return self._found(instant) if windows is None else windows

    def _found(self, instant: int) -> Sequence[TimeWindow]:
        windows: Sequence[TimeWindow]
        if not self._slides:
            windows = tumbling_windows(instant, self.size, self.offset, self._start_of)
        else:
            windows = tuple(sliding_windows(instant, self.size, self.slide, self.offset, self._start_of))
        # Not where windows end within a cell, nor where times may wrap: there each instant has windows of its own.
        # By an old rule a cell before 0 ends with the instant at which it begins otherwise.
        if (
            self._start_of is window_start
            and self.size % self.slide == 0
            and abs(instant) + 2 * self.size + abs(self.offset) < MAX
        ):
            if len(self.known) >= MOST_CELLS:
                self.known.clear()
            self.known[(instant - self.offset) // self.slide] = windows
        return windows


def cleanup_time(max_timestamp: int, allowed_lateness: int) -> int:
    """When the state of an event-time window is removed, and from which watermark on a record is too late for it (ms).

    ``Long.MAX_VALUE``, which means never, where the sum would leave 64 bits. Source: ``WindowOperator.cleanupTime``.
    """
    cleanup = max_timestamp + allowed_lateness
    return cleanup if cleanup <= MAX else MAX
