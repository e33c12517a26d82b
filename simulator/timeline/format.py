"""How times are written for people: as seconds, or by the clock of the scenario's zone.

A scenario that plays in the first day of 1970 UTC is written in seconds; one with real dates, or a zone of its own, by
the clock. Watermarks and timers have three decimals, since the last millisecond counts there; others as few as will do.

With a session time zone windows are in local time already, and everything else is an instant. If the zone changes its
clock during the run, an instant has the name of the time that holds then: ``01:30:00 PDT``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

from tidemark.simulator.engine.values.items import Record, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.window import Window
from tidemark.simulator.engine.values.zone import SessionZone
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.scenario.zones import ZoneTime, zone_of, zone_times

SECONDS: Final = "seconds"
CLOCK: Final = "clock"

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MOST_SECONDS: Final = 100_000
"""Beyond so many seconds a number says less than a time of day."""

_A_DAY: Final = 86_400_000

_UNITS: Final = ((86_400_000, "d"), (3_600_000, "h"), (60_000, "min"))


@dataclass(frozen=True, slots=True)
class TimeFormat:
    """``style``: ``seconds`` or ``clock``. ``day``: the date that needs no mention, None where there are several.

    ``session``: the zone in whose local time windows are. ``clocks``: what its clock shows during the run, one after
    another; () without a session zone.
    """

    style: str
    zone: tzinfo
    day: date | None
    session: SessionZone | None = None
    clocks: tuple[ZoneTime, ...] = ()

    def record(self, ts: int) -> str:
        """A record's time or the clock's (ms): ``2.8 s``, ``09:00:02.8``."""
        return f"{_decimals(ts, 1)} s" if self.style == SECONDS else self._clock(ts, 0)

    def exact(self, ts: int) -> str:
        """A watermark or timer (ms), to the millisecond: ``8.999``, ``09:00:08.999``, ``+∞`` for the end of input."""
        if ts == MAX:
            return "+∞"
        if ts == MIN:
            return "−∞"
        return _decimals(ts, 3) if self.style == SECONDS else self._clock(ts, 3)

    def window(self, window: Window) -> str:
        """``[0, 5)``; "" for the global window, which has no bounds."""
        if window.start is None or window.end is None:
            return ""
        return f"[{self._bound(window.start)}, {self._bound(window.end)})"

    def instant(self, ts: int) -> str:
        """An instant (ms) as short as the bound of a window: ``5``, ``09:00``, ``01:30 PDT``."""
        if self.style == SECONDS:
            return _decimals(ts, 0)
        short, name = _short(self._on_clock(ts, 0, self.zone), ts), self.name_at(ts)
        return f"{short} {name}" if name else short

    def span(self, ms: int) -> str:
        """The exact length (ms) within a formula, to the millisecond: ``2.000``."""
        return _decimals(ms, 3)

    def tick(self, ts: int) -> str:
        """An instant (ms) on an axis: ``5``, ``09:00``, without the name of the zone's time."""
        if self.style == SECONDS:
            return _decimals(ts, 0)
        return _short(self._on_clock(ts, 0, self.zone), ts)

    def instants(self, start: int, end: int) -> tuple[int, int]:
        """The instants (ms) between which a window lies on an axis of event time."""
        return (start, end) if self.session is None else self.session.span(start, end)

    def name_at(self, ts: int) -> str:
        """What the time of the zone is called at an instant (ms), ``PDT``; "" where the clock is not changed."""
        if len(self.clocks) < 2:
            return ""
        return next((each.name for each in reversed(self.clocks) if ts >= each.since), self.clocks[0].name)

    def _bound(self, ts: int) -> str:
        if self.style == SECONDS:
            return _decimals(ts, 0)
        return _short(self._on_clock(ts, 0, self.zone if self.session is None else UTC), ts)

    def _clock(self, ts: int, decimals: int) -> str:
        name = self.name_at(ts)
        return f"{self._on_clock(ts, decimals, self.zone)} {name}" if name else self._on_clock(ts, decimals, self.zone)

    def _on_clock(self, ts: int, decimals: int, zone: tzinfo) -> str:
        local = _local(ts, zone)
        if local is None:
            return f"{_decimals(ts, decimals)} s"
        fraction = _decimals(ts % 1000, decimals).removeprefix("0")
        time = f"{local:%H:%M:%S}{fraction}"
        return time if local.date() == self.day else f"{local:%m-%d} {time}"


def duration(ms: int) -> str:
    """A length of time (ms) by its units: ``250 ms``, ``2.5 s``, ``1 min 30 s``, ``8 h``; 0 is ``0 s``.

    The only place in Python that words a length of time; ``duration`` of ``ui/player/base/format.ts`` is the same rule.
    """
    sign, rest, parts = ("−" if ms < 0 else ""), abs(ms), []
    for size, unit in _UNITS:
        if rest >= size:
            parts.append(f"{rest // size} {unit}")
            rest %= size
    if rest >= 1000 or not (rest or parts):
        parts.append(f"{_decimals(rest, 0)} s")
    elif rest:
        parts.append(f"{rest} ms")
    return sign + " ".join(parts)


def time_format(scenario: Scenario) -> TimeFormat:
    """The format for all times of ``scenario``."""
    times, session = list(_times(scenario)), zone_of(scenario.operator)
    if session is not None:
        return _in_session(session, times)
    zone = ZoneInfo(scenario.zone)
    if scenario.zone == "UTC" and all(abs(ts) < _MOST_SECONDS * 1000 for ts in times):
        return TimeFormat(SECONDS, zone, None)
    days = {None if local is None else local.date() for local in (_local(ts, zone) for ts in times)}
    return TimeFormat(CLOCK, zone, days.pop() if len(days) == 1 else None)


def _in_session(session: SessionZone, times: list[int]) -> TimeFormat:
    """By the clock of the session time zone, whatever the zone of the scenario: one clock for windows and instants."""
    zone = ZoneInfo(session.name)
    days = {None if local is None else local.date() for local in (_local(ts, zone) for ts in times)}
    clocks = tuple(zone_times(session, min(times, default=0) - _A_DAY, max(times, default=0) + _A_DAY))
    return TimeFormat(CLOCK, zone, days.pop() if len(days) == 1 else None, session, clocks)


def _short(time: str, ts: int) -> str:
    """Without the seconds of a whole minute."""
    return time.removesuffix(":00") if ts % 60_000 == 0 else time


def _times(scenario: Scenario) -> Iterable[int]:
    stream = scenario.stream
    if isinstance(stream, Generated):
        return (scenario.origin, scenario.origin + stream.events * stream.every)
    return (ts for ts in _written(scenario) if ts not in (MIN, MAX)) if stream else (scenario.origin,)


def _written(scenario: Scenario) -> Iterator[int]:
    assert not isinstance(scenario.stream, Generated)
    for item in scenario.stream:
        at = getattr(item, "at", None)
        if at is not None:
            yield at
        if isinstance(item, Record | Watermark) and item.ts is not None:
            yield item.ts


def _local(ts: int, zone: tzinfo) -> datetime | None:
    """The time on the zone's clock, None outside the years that a calendar has."""
    try:
        return (_EPOCH + timedelta(milliseconds=ts)).astimezone(zone)
    except (OverflowError, ValueError):
        return None


@lru_cache(maxsize=4096)
def _decimals(ms: int, least: int) -> str:
    """``ms`` in seconds with at least so many decimals, and as many more as it needs."""
    sign = "−" if ms < 0 else ""
    seconds, rest = divmod(abs(ms), 1000)
    fraction = f"{rest:03d}".rstrip("0").ljust(least, "0")
    return f"{sign}{seconds}.{fraction}" if fraction else f"{sign}{seconds}"
