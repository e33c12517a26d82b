"""A session time zone: how Flink SQL finds windows in local time, and when they fire.

Theory of operation
-------------------
A rowtime of type TIMESTAMP_LTZ is an instant, and a window of a day is one of the calendar on the wall. So Flink turns
instants into *local milliseconds*, the ms that a clock in UTC would show when the zone's clock shows the same, and
finds windows there. Where the zone's clock is put forward, local times are skipped; where it is put back, they come
twice, and both hours are the same local hour. A timer is an instant again: for a local time that comes twice the later
one, so that a window holds both hours; for one that is skipped, the instant of the change.

Flink finds that out by looking one hour ahead and thereby takes each change for one of an hour, which is not so
everywhere: its arithmetic is copied here step by step. What the zone's clock shows is given to it, since the engine
knows no calendar (``simulator.scenario.zones``).

Source: ``org.apache.flink.table.runtime.util.TimeWindowUtil`` (Flink 2.3.0).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final

from tidemark.simulator.engine.values.time import MAX, WindowStart, remainder, window_start, wrap
from tidemark.simulator.engine.values.window import TimeWindow

HOUR: Final = 3_600_000


@dataclass(frozen=True, eq=False)
class SessionZone:
    """The arithmetic of one zone.

    ``offset_at``: by how much (ms) its clock is ahead of UTC at an instant (epoch ms). ``offset_of``: the same where
    the clock shows a local time (local ms): of one that comes twice the first time, of a skipped one before the change.
    ``changes_clock``: whether there will be summer time in all years to come, as ``TimeZone.useDaylightTime`` says.
    """

    name: str
    offset_at: Callable[[int], int]
    offset_of: Callable[[int], int]
    changes_clock: bool

    def to_local(self, instant: int) -> int:
        """The local ms at ``instant`` (epoch ms). Source: ``toUtcTimestampMills``."""
        return instant if instant == MAX else wrap(instant + self.offset_at(instant))

    def to_instant(self, local: int) -> int:
        """The epoch ms at which the zone's clock shows ``local`` (local ms).

        The earlier one of two; of a skipped time the one that is later by what was skipped. Source: ``toEpochMills``.
        """
        return local if local == MAX else wrap(local - self.offset_of(local))

    def timer_time(self, local: int) -> int:
        """The epoch ms at which everything up to ``local`` (local ms) is over. Source: ``toEpochMillsForTimer``."""
        if local == MAX:
            return local
        instant = self.to_instant(local)
        if not self.changes_clock:
            return instant
        an_hour_on = self.to_instant(local + HOUR)
        if an_hour_on == instant:
            return instant - remainder(instant, HOUR)
        return instant + HOUR if an_hour_on - instant > HOUR else instant

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The instants (epoch ms) between which a window of local time lies: of an end that comes twice the later."""
        return self.to_instant(start), self.timer_time(wrap(end - 1)) + 1

    def next_flush(self, watermark: int, interval: int, offset: int, start_of: WindowStart = window_start) -> int:
        """The watermark (epoch ms) from which on buffered rows are added to state again, after one at ``watermark``.

        It lies on the grid of slices of ``interval`` ms, in local time only if the zone changes its clock: else the
        grid is that of UTC, whatever the zone (FLINK-38075). Source: ``getNextTriggerWatermarkWithOffset``.
        """
        if watermark == MAX:
            return watermark
        if self.changes_clock:
            start = start_of(self.to_local(watermark), offset, interval)
            following = self.timer_time(wrap(start + interval - 1))
        else:
            following = wrap(start_of(watermark, offset, interval) + interval - 1)
        return following if following > watermark else wrap(following + interval)


class LocalWindow(TimeWindow):
    """A window whose bounds are local ms. Equal to any window with these bounds; each zone has a class of its own."""

    __slots__ = ()

    zone: ClassVar[SessionZone]

    @property
    def max_timestamp(self) -> int:
        """The instant (epoch ms) at which the window is over: watermark and timers know nothing of local time."""
        return self.zone.timer_time(wrap(self.end - 1))

    def cover(self, other: TimeWindow) -> TimeWindow:
        """The smallest window that contains both, of the same zone."""
        covering: TimeWindow = tuple.__new__(type(self), super().cover(other))
        return covering


@cache
def local_windows(zone: SessionZone | None) -> type[TimeWindow]:
    """The class of windows in ``zone``, which call themselves ``TimeWindow``; plain windows without a zone."""
    return TimeWindow if zone is None else type("TimeWindow", (LocalWindow,), {"__slots__": (), "zone": zone})
