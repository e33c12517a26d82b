"""Time zones in data: offsets, names of the IANA's database, and abbreviations that stand for one offset."""

import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo

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
