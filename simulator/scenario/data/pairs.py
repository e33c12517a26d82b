"""A date and its time of day in two columns, which together are a time: ``Date,Time`` names them both."""

import re
from collections.abc import Collection
from typing import Final

MIDNIGHT: Final = r"[T ]0?0:00(?::00(?:\.0{1,9})?)?$"
"""What a column of dates may have as its time of day, where the time of day is in another column."""

_MIDNIGHT: Final = re.compile(MIDNIGHT, re.ASCII)


def pair_of(name: str, names: Collection[str]) -> tuple[str, str] | None:
    """The columns of the date and of the time of day that ``name`` stands for; None where it names one column."""
    if name in names:
        return None
    commas = (at for at, sign in enumerate(name) if sign == ",")
    pairs = ((name[:at].strip(), name[at + 1 :].strip()) for at in commas)
    return next(((date, clock) for date, clock in pairs if date in names and clock in names), None)


def joined(date: str | None, clock: str | None) -> str:
    """The time of two cells; "" if one of them is empty."""
    date, clock = (date or "").strip(), (clock or "").strip()
    return f"{_MIDNIGHT.sub('', date)} {clock}" if date and clock else ""
