"""Times as programs and people write them, read exactly: no number passes through a float.

A time is an instant (ms since 1970 in UTC) or a span from the scenario's origin, as durations are in a scenario file.
What is finer than a millisecond is cut off, as Flink does when it casts to TIMESTAMP(3).
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from decimal import ROUND_FLOOR, Context, Decimal, InvalidOperation
from functools import lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from tidemark.simulator.engine.values.duration import format_duration, format_instant, parse_duration

# Time zones in data: offsets, names of the IANA's database, and abbreviations that stand for one offset.

ABBREVIATIONS: Final = {
    name: minutes
    for minutes, names in {
        0: "UT UTC GMT Z WET", 60: "CET MEZ WEST", 120: "CEST MESZ EET SAST", 180: "EEST MSK", 300: "PKT", 420: "WIB",
        480: "AWST HKT SGT", 540: "JST KST", 570: "ACST", 600: "AEST", 630: "ACDT", 660: "AEDT", 720: "NZST",
        780: "NZDT", -150: "NDT", -240: "EDT", -300: "EST CDT", -360: "MDT", -420: "MST PDT", -480: "PST AKDT",
        -540: "AKST", -600: "HST",
    }.items()
    for name in names.split()
}  # fmt: skip
"""The minutes ahead of UTC. Those that several parts of the world use for different times (CST, IST, BST) are missing:
``--zone`` says which of these is meant, where its clocks go by that name."""

NAME: Final = r"[A-Z]{2,5}"
OFFSET: Final = r"(?:UTC|GMT|UT)?[+-]\d\d(?::?\d\d)?|(?:UTC|GMT|UT)[+-]\d(?::\d\d)?"
REGION: Final = r"[A-Z][A-Za-z]{1,30}(?:/[A-Za-z][A-Za-z0-9_+-]{1,30}){1,2}"
"""How a zone is written behind a time of day: PDT; +02:00 or GMT+2; Europe/Berlin."""

_OFFSET: Final = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d\d?)(?::?(\d\d))?(?::?(\d\d))?", re.ASCII)
_MOST: Final = 18 * 3600
_JANUARY: Final = datetime(2024, 1, 1, tzinfo=UTC)


@lru_cache(maxsize=256)
def zone_of(name: str) -> tzinfo | None:
    """The zone called ``name``, as ``java.time.ZoneId`` knows it: ``Europe/Berlin``, ``UTC``, ``+08:00``, ``GMT+2``.

    None if there is none of that name.
    """
    if name in ("Z", "z", "UTC", "GMT", "UT", ""):
        return UTC
    if found := _OFFSET.fullmatch(name):
        hours, minutes, seconds = (int(each or 0) for each in found.groups()[1:])
        ahead = (hours * 60 + minutes) * 60 + seconds
        if ahead > _MOST or minutes > 59 or seconds > 59:
            return None
        return timezone(timedelta(seconds=-ahead if found[1] == "-" else ahead))
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        return None


@lru_cache(maxsize=256)
def offset_of(abbreviation: str, zone: str) -> int | None:
    """The minutes ahead of UTC of an abbreviation, in a table of ``zone``; None if nobody knows."""
    if (known := ABBREVIATIONS.get(abbreviation)) is not None:
        return known
    return names_in(zone).get(abbreviation)


@lru_cache(maxsize=64)
def names_in(zone: str) -> dict[str, int]:
    """What the clocks of ``zone`` are called in winter and summer, and the minutes ahead of UTC."""
    where = zone_of(zone)
    if not isinstance(where, ZoneInfo):
        return {}
    days = (_JANUARY.astimezone(where), (_JANUARY + timedelta(days=182)).astimezone(where))
    return {day.tzname() or "": int((day.utcoffset() or timedelta()) / timedelta(minutes=1)) for day in days}


def format_offset(minutes: int) -> str:
    """Minutes ahead of UTC as ``+02:00``."""
    return f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"


UNITS: Final = {
    "epoch_s": Decimal(1000), "epoch_ms": Decimal(1), "epoch_us": Decimal("0.001"), "epoch_ns": Decimal("0.000001"),
    "seconds": Decimal(1000), "milliseconds": Decimal(1),
}  # fmt: skip
"""The ms in one of each unit."""

SPANS: Final = frozenset({"seconds", "milliseconds", "duration", "clock"})
"""The formats that count from the scenario's origin."""

FORMATS: Final = (
    "iso", "dmy", "mdy", "named", "epoch_s", "epoch_ms", "epoch_us", "epoch_ns", "seconds", "milliseconds",
    "duration", "clock",
)  # fmt: skip
"""``iso``: the year first. ``dmy``, ``mdy``: the day or the month first. ``named``: the month by its English name, with
or without the day of the week: ``Tue, 02 Jun 2009 03:16:10 GMT``, ``Tue Jun 02 03:16:10 PDT 2009``."""

IN_A_ZONE: Final = frozenset({"iso", "dmy", "mdy", "named"})
"""The formats whose times may lack a zone."""

MOST_MS: Final = 253_402_300_800_000
"""The end of the year 9999 (ms since 1970)."""

FURTHEST: Final = 2**62 - 1
"""The largest distance from 1970 (ms) of a number in a long stream: the difference of two times fits 64 bits.

A stream has numbers beyond the year 9999 where some are in another unit than the rest. They must be seen, not thrown
away; an import of a few records refuses them.
"""

_CLOCK: Final = r"(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:\s*([AaPp])\.?[Mm]\.?)?"
_ZONE: Final = rf"\s*([Zz]|{OFFSET}|{REGION}|{NAME})?(?:\[([A-Za-z0-9_:/+-]{{1,40}})\])?(?: \([A-Za-z ]{{1,60}}\))?"
_REST: Final = rf"(?:(?:[Tt,:]|\s)\s*{_CLOCK}{_ZONE})?"
_ISO: Final = re.compile(rf"(\d{{4}})(?:([-/.])(\d\d?)\2(\d\d?)|(\d\d)(\d\d)){_REST}", re.ASCII)
_TWO: Final = re.compile(rf"(\d\d?)([-/.])(\d\d?)\2(\d{{4}}|\d\d){_REST}", re.ASCII)
_NAMED: Final = re.compile(rf"(\d\d?)[ /-]([A-Za-z]{{3,9}})\.?,?[ /-](\d{{4}}){_REST}", re.ASCII)
_NAMED_FIRST: Final = re.compile(rf"([A-Za-z]{{3,9}})\.? (\d\d?),? (\d{{4}}){_REST}", re.ASCII)
_NAMED_LAST: Final = re.compile(rf"([A-Za-z]{{3,9}})\.? (\d\d?) {_CLOCK}{_ZONE} (\d{{4}})", re.ASCII)
_WEEKDAY: Final = re.compile(r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}[,.]?\s+", re.ASCII | re.IGNORECASE)
_ABBREVIATION: Final = re.compile(NAME, re.ASCII)
_TIME_OF_DAY: Final = re.compile(_CLOCK, re.ASCII)
_COMPACT: Final = re.compile(r"(\d{8})T?(\d\d)(\d\d)(\d\d)(?=$|[Zz.+-])", re.ASCII)
_NUMBER: Final = re.compile(r"[-+]?\d{1,40}(?:[.,]\d{1,40})?(?:[Ee][-+]?\d{1,2})?", re.ASCII)
_EXACT: Final = Context(prec=200)
_CHINESE: Final = str.maketrans({"年": "-", "月": "-", "日": " ", "时": ":", "時": ":", "分": ":", "秒": ""})
_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)


class Time(NamedTuple):
    """``note``: "" or what was done to read it: ``finer`` (cut off), ``gap`` or ``overlap`` (of a change of clocks)."""

    ms: int
    note: str = ""


class Parts(NamedTuple):
    """A date and a time of day as they are written; ``zone`` is "" if there is none.

    A region in brackets behind an offset, as Java's ``ZonedDateTime`` writes it, adds nothing to the offset.
    """

    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    fraction: str
    zone: str


def read_time(text: str, format: str, zone: str, most: int = MOST_MS) -> Time | None:
    """The time that ``text`` says; None if it is none of this format. ``zone`` is that of times without one.

    ``most``: the largest distance from 1970 (ms) of a time that is written as a number.

    A local time that the clocks skip is read as if they had not been put forward yet, so it comes out later by the
    gap; one that they show twice is the first of the two. ``java.time`` and Spark SQL do the same.
    """
    if format in UNITS:
        return _number(text, UNITS[format], most)
    if format == "duration":
        ms = parse_duration(text)
        return None if ms is None or abs(ms) > MOST_MS else Time(ms)
    if format == "clock":
        found = _TIME_OF_DAY.fullmatch(text)
        return _clock(found) if found else None
    parts = parts_of(text, format)
    return None if parts is None else _instant(parts, zone)


def written_time(ms: int, format: str) -> str:
    """A time that was read with ``format``, as a scenario file writes it: an instant in UTC or a duration."""
    return format_duration(ms) if format in SPANS else format_instant(ms)


def _number(text: str, unit: Decimal, most: int) -> Time | None:
    if not _NUMBER.fullmatch(text):
        return None
    try:
        exact = _EXACT.multiply(Decimal(text.replace(",", ".")), unit)
        if exact.copy_abs() > most + 1:
            return None
        ms = int(exact.to_integral_value(ROUND_FLOOR, _EXACT))
    except (InvalidOperation, ValueError):
        return None
    if abs(ms) > most:
        return None
    return Time(ms, "" if exact == ms else "finer")


def _clock(found: re.Match[str]) -> Time | None:
    parts = _of_day(found.groups())
    if parts is None:
        return None
    hour, minute, second, fraction = parts
    ms = ((hour * 60 + minute) * 60 + second) * 1000 + int(fraction[:3].ljust(3, "0"))
    return Time(ms, "finer" if fraction[3:].strip("0") else "")


def _of_day(groups: tuple[str | None, ...]) -> tuple[int, int, int, str] | None:
    """Hour, minute, second and digits of the fraction; None if there is no such time of day."""
    hour, minute, second, fraction, half = groups[:5]
    hours = int(hour or 0)
    if half:
        if not 1 <= hours <= 12:
            return None
        hours = hours % 12 + (12 if half in "Pp" else 0)
    if hours > 23 or int(minute or 0) > 59 or int(second or 0) > 59:
        return None
    return hours, int(minute or 0), int(second or 0), fraction or ""


def parts_of(text: str, format: str) -> Parts | None:
    """The parts of a date with or without a time of day, written in one of the formats with a date."""
    match format:
        case "iso":
            if not text.isascii():
                text = re.sub(r"\s+", " ", text.translate(_CHINESE)).strip().rstrip(":")
            elif compact := _COMPACT.match(text):
                text = f"{compact[1]} {compact[2]}:{compact[3]}:{compact[4]}{text[compact.end() :]}"
            if not (found := _ISO.fullmatch(text)):
                return None
            year, _, month, day, month_2, day_2 = found.groups()[:6]
            return _parts(year, month or month_2, day or day_2, found.groups()[6:])
        case "dmy" | "mdy":
            if not (found := _TWO.fullmatch(text)):
                return None
            one, _, two, year = found.groups()[:4]
            day, month = (one, two) if format == "dmy" else (two, one)
            return _parts(year if len(year) == 4 else f"20{year}", month, day, found.groups()[4:])
        case "named":
            text = _WEEKDAY.sub("", re.sub(r"\s+", " ", text), count=1)
            if found := _NAMED.fullmatch(text):
                day, name, year = found.groups()[:3]
            elif found := _NAMED_FIRST.fullmatch(text):
                name, day, year = found.groups()[:3]
            elif found := _NAMED_LAST.fullmatch(text):
                name, day, year = found[1], found[2], found[found.lastindex or 0]
                return _of_month(name, day, year, found.groups()[2:-1])
            else:
                return None
            return _of_month(name, day, year, found.groups()[3:])
        case _:
            return None


def _of_month(name: str, day: str, year: str, rest: tuple[str | None, ...]) -> Parts | None:
    if name[:3].lower() not in _MONTHS:
        return None
    return _parts(year, str(_MONTHS.index(name[:3].lower()) + 1), day, rest)


def _parts(year: str, month: str, day: str, rest: tuple[str | None, ...]) -> Parts | None:
    of_day = _of_day(rest)
    if of_day is None:
        return None
    hour, minute, second, fraction = of_day
    return Parts(int(year), int(month), int(day), hour, minute, second, fraction, rest[5] or rest[6] or "")


def zone_in_doubt(text: str, zone: str) -> str:
    """The zone of ``text``, which is no time for want of nothing else, if nobody knows it, as CST; else ""."""
    found = (parts_of(text, format) for format in FORMATS if format in IN_A_ZONE)
    return next((each.zone for each in found if each is not None and _zone_of(each.zone, zone) is None), "")


def _zone_of(own: str, zone: str) -> tzinfo | None:
    """The zone of a time that has ``own``, in a table whose other times are in ``zone``."""
    if _ABBREVIATION.fullmatch(own):
        minutes = offset_of(own, zone)
        return None if minutes is None else timezone(timedelta(minutes=minutes))
    return zone_of(own or zone)


def _instant(parts: Parts, zone: str) -> Time | None:
    where = _zone_of(parts.zone, zone)
    if where is None:
        return None
    try:
        local = datetime(*parts[:6], tzinfo=where)
        since = local.astimezone(UTC) - _EPOCH
    except (ValueError, OverflowError):
        return None
    ms = since // _MS + int(parts.fraction[:3].ljust(3, "0") if parts.fraction else 0)
    note = "finer" if parts.fraction[3:].strip("0") else ""
    if isinstance(where, ZoneInfo) and local.utcoffset() != local.replace(fold=1).utcoffset():
        back = local.astimezone(UTC).astimezone(where)
        note = "overlap" if back.replace(tzinfo=None) == local.replace(tzinfo=None) else "gap"
    return Time(ms, note)


def are_days(cells: Sequence[str], format: str) -> bool:
    """Whether ``cells`` are dates without a time of day, or with midnight in each of them."""
    if format not in IN_A_ZONE:
        return False
    found = [parts for cell in cells if cell and (parts := parts_of(cell, format)) is not None]
    return bool(found) and all(each[3:7] in ((0, 0, 0, ""), (0, 0, 0, "0" * len(each.fraction))) for each in found)
