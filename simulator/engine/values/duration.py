"""Durations and instants as people write them, exact to the ms: ``1m30s``, ``2017-01-20T06:15:13Z``.

Instants follow the proleptic Gregorian calendar without leap seconds, as in Java's ``java.time``.
"""

import re
from typing import Final

UNITS: Final = (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1))
"""Every unit with its ms, largest first, which is their order in a text."""

DURATION: Final = re.compile(r"-?(?=\d)(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?", re.ASCII)

INSTANT: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?", re.ASCII
)

_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_DAY: Final = 86_400_000
_ERA: Final = 146_097
"""Days in 400 years, after which the calendar repeats."""


class InstantError(ValueError):
    """A text looks like an instant but is none. ``reason``: ``no_zone``, ``too_fine`` or ``no_such_instant``."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def parse_duration(text: str) -> int | None:
    """The ms of a text such as ``1m30s`` or ``-8h``; None if it is not a duration. May be beyond 64 bits."""
    match = DURATION.fullmatch(text) if len(text) <= 200 else None
    if match is None:
        return None
    amount = sum(int(count) * unit for count, (_, unit) in zip(match.groups(), UNITS, strict=True) if count)
    return -amount if text.startswith("-") else amount


def format_duration(milliseconds: int) -> str:
    """The shortest text that ``parse_duration`` reads back: ``90000`` is ``1m30s``, 0 is ``0s``."""
    if not milliseconds:
        return "0s"
    rest = abs(milliseconds)
    parts = []
    for name, unit in UNITS:
        count, rest = divmod(rest, unit)
        if count:
            parts.append(f"{count}{name}")
    return ("-" if milliseconds < 0 else "") + "".join(parts)


def parse_instant(text: str) -> int | None:
    """Epoch ms of an ISO-8601 instant with its zone; None if ``text`` does not look like one.

    Raises ``InstantError`` if it looks like one but has no zone, is finer than a ms, or names no existing day or time.
    """
    match = INSTANT.fullmatch(text) if len(text) <= 200 else None
    if match is None:
        return None
    date, time, fraction, zone = match.group(1, 2, 3), match.group(4, 5, 6), match.group(7) or "", match.group(8)
    if zone is None:
        raise InstantError("no_zone")
    if fraction[3:].strip("0"):
        raise InstantError("too_fine")
    year, month, day = map(int, date)
    hour, minute, second = (int(part or 0) for part in time)
    offset = _offset_minutes(zone)
    if not 1 <= month <= 12 or not 1 <= day <= _month_days(year, month) or hour > 23 or minute > 59 or second > 59:
        raise InstantError("no_such_instant")
    minutes = (_days_since_epoch(year, month, day) * 24 + hour) * 60 + minute - offset
    return (minutes * 60 + second) * 1000 + int(fraction[:3].ljust(3, "0"))


def format_instant(milliseconds: int) -> str:
    """``milliseconds`` since the epoch as ISO-8601 in UTC; outside the years 0 to 9999 the plain number."""
    days, rest = divmod(milliseconds, _DAY)
    era, day_of_era = divmod(days + 719_468, _ERA)  # days since 0000-03-01: leap days end a year
    year_of_era = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted_month + 2) // 5 + 1
    month = shifted_month + 3 if shifted_month < 10 else shifted_month - 9
    year = year_of_era + era * 400 + (month <= 2)
    if not 0 <= year <= 9999:
        return str(milliseconds)
    seconds, thousandths = divmod(rest, 1000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{year:04}-{month:02}-{day:02}T{clock}" + (f".{thousandths:03}Z" if thousandths else "Z")


def _offset_minutes(zone: str) -> int:
    if zone in "Zz":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[3:].lstrip(":") or 0)
    if hours > 18 or minutes > 59:
        raise InstantError("no_such_instant")
    return -(hours * 60 + minutes) if zone[0] == "-" else hours * 60 + minutes


def _month_days(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 29 if leap and month == 2 else _DAYS[month - 1]


def _days_since_epoch(year: int, month: int, day: int) -> int:
    shifted = year - (month <= 2)  # the year begins in March: a leap day is its last
    era, year_of_era = divmod(shifted, 400)
    day_of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * _ERA + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468
