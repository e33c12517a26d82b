"""The columns of a table that a stream is made of."""

from dataclasses import dataclass
from typing import Final

UNITS: Final = ("s", "ms", "us", "ns", "iso", "date")
"""How a time may be written: a number since 1970 in one of four units, ISO 8601, or a date without a time of day."""

DATES: Final = ("dmy", "mdy", "named")
"""Other ways to write a date, which are guessed and cannot be asked for; see ``tables.times.FORMATS``."""

DEFAULT_ZONE: Final = "UTC"

SECONDS_TODAY: Final = (1_200_000_000, 2_300_000_000)
"""Seconds since 1970, from 2008 to 2042: what records of today have. As ms they would all be in January 1970."""

ROLES: Final = ("ts", "at", "key", "value", "channel")


@dataclass(frozen=True)
class Columns:
    """The name of the column for each role; None: there is none, or it is to be guessed.

    ``ts_unit``, ``at_unit``: of ``UNITS`` (or ``DATES``); None: to be guessed, or the column's own type says it.
    ``zone``: of times that are written without one, None for UTC. ``at_unit`` has no option: it is always guessed.
    """

    ts: str | None = None
    ts_unit: str | None = None
    zone: str | None = None
    at: str | None = None
    key: str | None = None
    value: str | None = None
    channel: str | None = None
    at_unit: str | None = None

    @property
    def named(self) -> dict[str, str]:
        """The columns that there are, by role."""
        return {role: name for role in ROLES if (name := getattr(self, role)) is not None}
