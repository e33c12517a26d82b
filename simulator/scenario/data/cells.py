"""Cells as times, numbers and names of channels: the rules of the import of tables, made fast for long files."""

import math
import re
from collections.abc import Callable, Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.scenario.data.described import DataError

UNITS: Final = {"s": "epoch_s", "ms": "epoch_ms", "us": "epoch_us", "ns": "epoch_ns", "iso": "iso", "date": ""}
"""``ts_unit``, and the format of times that it stands for; ``date``: any format of dates, and days are meant."""

FROM_ZERO: Final = ("seconds", "milliseconds")
"""Small numbers, which count from 0 here: what a file says does not depend on the scenario's origin."""

_NUMBERS: Final = ("epoch_s", "epoch_ms", "epoch_us", "epoch_ns")
_SMALL: Final = "epoch_ms"

SPANS: Final = ("duration", "clock")
"""What a stream of times cannot be written in."""

WHOLE: Final = re.compile(r"[-+]?\d{1,19}", re.ASCII)
NUMBER: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,4})?", re.ASCII)

_SHORT: Final = re.compile(r"-?\d{1,13}", re.ASCII)
_ISO: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,6})?(?:Z|[+-]\d\d:\d\d)?", re.ASCII)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MS: Final = timedelta(milliseconds=1)

Reads = Callable[[str], int | None]


def format_of(cells: Sequence[str], name: str, zone: str = "UTC") -> str | None:
    """The format of the times in ``cells``, the first of the column called ``name``; None for small whole numbers.

    Raises ``DataError``.
    """
    from tidemark.simulator.scenario.tables.guess import format_of as guess
    from tidemark.simulator.scenario.tables.times import zone_in_doubt

    format, ask = guess(cells, name, zone)
    if ask:
        raise DataError("data_day_or_month", column=shown_in_message(name), found=shown_in_message(cells[0]))
    if doubt := next((each for each in cells if not format and zone_in_doubt(each, zone)), None):
        raise DataError("data_zone_in_doubt", zone=zone_in_doubt(doubt, zone), found=shown_in_message(doubt))
    if cells and (not format or format in SPANS):
        raise DataError("data_no_times", column=shown_in_message(name), found=shown_in_message(cells[0]))
    if format in FROM_ZERO:
        return "epoch_s" if any("." in cell or "," in cell for cell in cells) else None
    return format or None


def formats_of(unit: str | None, columns: Sequence[tuple[str, Sequence[str]]], zone: str = "UTC") -> tuple[str, ...]:
    """The formats of the columns of times: that of the timestamps, and that of the arrivals if there are any.

    ``unit`` speaks of the timestamps alone. Without it, two columns of numbers in one table have one unit, that of the
    arrivals, which a machine has recorded: timestamps in another one are a mistake in the data, not a way to read
    them. Raises ``DataError``.
    """
    (name, cells), *rest = columns
    ts = UNITS[unit or "date"] or format_of(cells, name, zone) or _SMALL
    if unit == "date" and ts in _NUMBERS:
        raise DataError("data_no_dates", column=shown_in_message(name))
    if not rest:
        return (ts,)
    (name, cells) = rest[0]
    at = format_of(cells, name, zone) or (ts if ts in _NUMBERS else _SMALL)
    return (at if unit is None and ts in _NUMBERS and at in _NUMBERS else ts), at


def time_reader(format: str, zone: str | None) -> Reads:
    """A function from a cell to its time (ms); None for what is no time of ``format``."""
    from tidemark.simulator.scenario.tables.times import FURTHEST, read_time

    where = zone or "UTC"
    factor = {"epoch_ms": 1, "epoch_s": 1000}.get(format)

    def slowly(cell: str) -> int | None:
        found = read_time(cell, format, where, FURTHEST)
        return None if found is None else found.ms

    def number(cell: str) -> int | None:
        if factor is None or not _SHORT.fullmatch(cell):
            return slowly(cell)
        return int(cell) * factor  # 13 digits, so it is not too far

    def instant(cell: str) -> int | None:
        if not _ISO.fullmatch(cell):
            return slowly(cell)
        try:
            time = datetime.fromisoformat(cell.replace(",", "."))
        except ValueError:
            return slowly(cell)
        if time.tzinfo is None:
            if where != "UTC":
                return slowly(cell)
            time = time.replace(tzinfo=UTC)
        return (time - _EPOCH) // _MS

    return instant if format == "iso" else number


def number_of(cell: str) -> int | float | None:
    """The number that ``cell`` says; None if it says none that is finite."""
    if WHOLE.fullmatch(cell) and -(2**63) <= (whole := int(cell)) < 2**63:
        return whole
    if NUMBER.fullmatch(cell) and math.isfinite(fraction := float(cell)):
        return fraction
    return None


def channel_names(cells: set[str]) -> dict[str, int | str]:
    """What each cell calls its channel: a whole number if all of them are, else the text."""
    if all(WHOLE.fullmatch(cell) for cell in cells):
        return {cell: int(cell) for cell in cells}
    return {cell: cell for cell in cells}


# A date and its time of day in two columns, which together are a time: ``Date,Time`` names them both.

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
