"""The rules by which records of one's own are judged: tumbling windows, a bound, a lateness, a watermark after each
record.

They are written for the bridge; that the simulator does the same is proved by every cut, which the simulator runs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.values.time import MAX, Milliseconds, window_start
from tidemark.simulator.engine.values.window import TimeWindow

MINUTE: Final = 60_000

Place = tuple[int, ...]
"""Where a record stands in the order of the stream; places compare as the records follow each other."""


class StreamRecord(NamedTuple):
    """A readable record. ``channel`` counts from 0; ``ts`` and ``at`` in ms, ``at`` None where no arrival is known."""

    place: Place
    channel: int
    ts: int
    at: int | None
    key: str
    value: Any


Maxima = Mapping[int, StreamRecord]
"""For each channel that has brought a record the first one with its largest timestamp."""


Levels = Mapping[int, int]
"""For each channel that has brought a record its largest timestamp (ms)."""


class Fate(Enum):
    """What the window operator does with a record that arrives."""

    IN_TIME = "in_time"
    LATE = "late"
    """Its window has fired, but accepts it by its lateness and fires again."""
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Rules:
    """``size`` of the tumbling windows (>= 1), ``bound`` and ``lateness`` (>= 0), all in ms.

    ``channels`` is the number of channels that must each have brought a record before there is a watermark.
    """

    channels: int = 1
    size: Milliseconds = MINUTE
    bound: Milliseconds = 0
    lateness: Milliseconds = 0

    def window_of(self, ts: int) -> TimeWindow:
        """The window that holds ``ts``; windows align to the epoch."""
        start = window_start(ts, 0, self.size)
        return TimeWindow(start, start + self.size)

    def fires_from(self, window: TimeWindow) -> int:
        """The least timestamp that every channel must have brought for ``window`` to fire."""
        return window.end + self.bound

    def over_from(self, window: TimeWindow) -> int:
        """The least timestamp that every channel must have brought for ``window`` to accept nothing any more."""
        return min(window.end + self.lateness + self.bound, MAX)

    def watermark(self, levels: Levels) -> int | None:
        """The operator's watermark at these ``levels``, None while a channel has brought no record."""
        return None if len(levels) < self.channels else min(levels.values()) - self.bound - 1

    def fate(self, ts: int, watermark: int | None) -> Fate:
        """What becomes of a record with timestamp ``ts`` that arrives at ``watermark``."""
        last = self.window_of(ts).max_timestamp
        if watermark is None or last > watermark:
            return Fate.IN_TIME
        return Fate.LATE if last + self.lateness > watermark else Fate.DROPPED


def levels_of(maxima: Maxima) -> Levels:
    """The largest timestamps alone."""
    return {channel: record.ts for channel, record in maxima.items()}


def holder(maxima: Maxima, channels: int) -> int:
    """The channel that holds the watermark: the first that has brought nothing, else that with the least maximum."""
    silent = next((channel for channel in range(channels) if channel not in maxima), None)
    return min(maxima, key=lambda channel: (maxima[channel].ts, channel)) if silent is None else silent
