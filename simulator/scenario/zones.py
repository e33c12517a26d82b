"""Time zones of the IANA database, for windows in local time (``engine.values.zone``), which know no calendar."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import cache, lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.engine.values.zone import HOUR, SessionZone, local_windows
from tidemark.simulator.scenario import model

_CYCLE: Final = 146_097 * 86_400_000
"""400 years (ms), after which the calendar, and with it the rules of summer time, repeat."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST: Final = -62_104_060_800_000
_LAST: Final = 253_370_764_800_000
"""From the year 2 to 9998 (ms): what Python's calendar holds of every zone."""

_MOST_LOOKS: Final = 2_000
"""How often a stretch of time is looked at for changes of the clock."""


class ZoneTime(NamedTuple):
    """What the clock of a zone shows from ``since`` (epoch ms) on: UTC plus ``offset`` (ms), called ``name``."""

    since: int
    offset: int
    name: str


@cache
def session_zone(name: str) -> SessionZone:
    """The zone called ``name`` in the IANA database; raises ``ZoneInfoNotFoundError`` if there is none.

    A zone has summer time for good if its clock is not the same in all months of a year far off.
    """
    info = ZoneInfo(name)

    @lru_cache(maxsize=4096)
    def offset_at(instant: int) -> int:
        return _milliseconds(_moment(instant).astimezone(info).utcoffset())

    @lru_cache(maxsize=4096)
    def offset_of(local: int) -> int:
        return _milliseconds(_moment(local).replace(tzinfo=info).utcoffset())

    months = (datetime(2500, month, 15, tzinfo=UTC) for month in range(1, 13))
    changes_clock = len({each.astimezone(info).utcoffset() for each in months}) > 1
    return SessionZone(name, offset_at, offset_of, changes_clock)


def zone_of(operator: model.Operator) -> SessionZone | None:
    """The session time zone of the operator's windows; None where windows know no zone."""
    name = operator.session_zone
    return None if name is None else session_zone(name)


def window_class(operator: model.Operator) -> type[TimeWindow]:
    """The class of the operator's windows, which know when they are over."""
    return local_windows(zone_of(operator))


def zone_times(zone: SessionZone, first: int, last: int) -> Iterator[ZoneTime]:
    """What the zone's clock shows between two instants (epoch ms), each from a change on."""
    step = max(HOUR * 12, (last - first) // _MOST_LOOKS)
    yield _time_at(zone, first)
    for before in range(first, last, step):
        low, high = before, min(before + step, last)
        if zone.offset_at(low) == zone.offset_at(high):
            continue
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if zone.offset_at(middle) == zone.offset_at(before) else (low, middle)
        yield _time_at(zone, high)


def _time_at(zone: SessionZone, instant: int) -> ZoneTime:
    return ZoneTime(instant, zone.offset_at(instant), f"{_moment(instant).astimezone(ZoneInfo(zone.name)):%Z}")


def _moment(ms: int) -> datetime:
    """The moment, or the same one of a year that Python's calendar has."""
    if ms > _LAST:
        ms -= -(-(ms - _LAST) // _CYCLE) * _CYCLE
    return _EPOCH + timedelta(milliseconds=max(ms, _FIRST))


def _milliseconds(offset: timedelta | None) -> int:
    assert offset is not None
    return int(offset / timedelta(milliseconds=1))
