"""Names of time zones: those of the IANA database, and the one that a name of another kind was probably meant to be.

What people write instead is an abbreviation, an offset or a city. An abbreviation says nothing of its letters, so it is
looked up and never compared; one that several parts of the world use (IST, CST) has no answer.
"""

import re
from difflib import get_close_matches
from functools import cache
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from tidemark.simulator.engine.values.errors import SHOWN
from tidemark.simulator.scenario.format.kinds import JsonSchema, Leaf, Reader, found, mistyped
from tidemark.simulator.scenario.reading.nodes import Node, ScalarNode

ZONE_NAME: Final = re.compile(r"[A-Za-z0-9_+-]{1,32}(?:/[A-Za-z0-9_+-]{1,32}){0,2}")
NO_ZONES: Final = frozenset(("localtime", "posixrules"))
"""Files among the zones whose meaning depends on the machine."""

ABBREVIATIONS: Final = {
    each: zone
    for zone, names in {
        "America/Los_Angeles": "pst pdt pt", "America/Denver": "mdt", "America/Chicago": "cdt",
        "America/New_York": "edt et", "America/Anchorage": "akst akdt", "America/St_Johns": "nst ndt",
        "America/Sao_Paulo": "brt", "Europe/London": "bst", "CET": "cest mez mesz", "EET": "eest", "WET": "west",
        "Europe/Moscow": "msk", "Africa/Johannesburg": "sast", "Asia/Karachi": "pkt", "Asia/Jakarta": "wib",
        "Asia/Shanghai": "beijing", "Asia/Singapore": "sgt", "Asia/Hong_Kong": "hkt", "Asia/Tokyo": "jst",
        "Asia/Seoul": "kst", "Australia/Sydney": "aest aedt", "Australia/Adelaide": "acst acdt",
        "Australia/Perth": "awst", "Pacific/Auckland": "nzst nzdt", "UTC": "utc gmt zulu z",
    }.items()
    for each in names.split()
}  # fmt: skip
"""Names that are no zones of the database, each with the zone that alone it is used for."""

OFFSET: Final = re.compile(r"(?:UTC|GMT)?\s*([+-])0?(\d{1,2})(?::?00)?", re.IGNORECASE)
MOST_HOURS: Final = {"+": 14, "-": 12}
"""How far zones of a whole number of hours are ahead of UTC, and behind it."""

LEAST_LETTERS: Final = 5
"""A shorter name is taken for an abbreviation: it is like too many others."""


class Zone(Leaf):
    """The name of an IANA time zone."""

    wanted = "zone"

    def convert(self, reader: Reader, node: Node, value: Any) -> Any:
        if not isinstance(value, str):
            return self.refused(reader, node)
        if is_zone(value):
            return value
        near = near_zone(value)
        if near is not None:
            assert isinstance(node, ScalarNode)
            return mistyped(reader, node, near)
        return reader.wrong(node.at, "unknown_zone", found=found(node))

    def schema(self) -> JsonSchema:
        return {"type": "string"}


@cache
def is_zone(name: str) -> bool:
    """Whether the IANA database has a zone of this name."""
    if name in NO_ZONES or name.startswith(("posix/", "right/")) or not ZONE_NAME.fullmatch(name):
        return False
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def near_zone(name: str) -> str | None:
    """The zone of the database that ``name``, which is none, was probably meant to be; None rather than a guess."""
    if len(name) > SHOWN:
        return None
    typed = _folded(name)
    region, _, city = typed.rpartition("/")
    known = ABBREVIATIONS.get(city)
    if known is not None:
        return known
    if (offset := OFFSET.fullmatch(name.strip())) is not None:
        return _of_hours(offset[1], int(offset[2]))
    if (whole := _zones().get(typed)) is not None:
        return whole
    if len(city) < LEAST_LETTERS:
        return None
    cities: dict[str, list[str]] = {}
    for folded in _zones():
        if "/" in folded and not folded.startswith("etc/"):
            cities.setdefault(folded.rpartition("/")[2], []).append(folded)
    close = get_close_matches(city, cities, n=1, cutoff=0.8)
    if not close:
        return None
    # Of two zones with such a city, which are one under its older name as well, the one in the region that was typed.
    return _zones()[max(cities[close[0]], key=lambda folded: (folded.startswith(f"{region}/"), folded.count("/") == 1))]


@cache
def _zones() -> dict[str, str]:
    """The zones of the database by their names as they are compared."""
    return {_folded(each): each for each in sorted(available_timezones() - NO_ZONES)}


def _folded(name: str) -> str:
    return re.sub(r"[\s_-]+", "_", name.strip().casefold())


def _of_hours(sign: str, hours: int) -> str | None:
    """The zone that is so many hours ahead of UTC (``+``) or behind it: its name has the other sign."""
    if hours == 0:
        return "UTC"
    return f"Etc/GMT{'-' if sign == '+' else '+'}{hours}" if hours <= MOST_HOURS[sign] else None
