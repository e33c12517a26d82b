"""What is known of a file of records: which columns are meant, what was found in it, and what is wrong with it."""

import math
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from tidemark.simulator.engine.values.errors import Problem, ScenarioError, shown_in_message
from tidemark.simulator.words import words

NO_KEY: Final = "all"
"""The key of every record of a table that has no column for it."""


class DataError(Exception):
    """The file gives no stream; ``word`` is a name below ``problems``, ``line`` that of the file, if it is known."""

    def __init__(self, word: str, line: int | None = None, **fields: object) -> None:
        super().__init__(word)
        self.word = word
        self.line = line
        self.fields = fields

    @property
    def text(self) -> str:
        """What is wrong, in a sentence; the line of the file is named by whoever shows it."""
        return words(f"problems.{self.word}", language=None, **self.fields)


@dataclass(frozen=True, slots=True)
class Columns:
    """The names of the columns; None for one that the table does not have, or that nobody asked for.

    ``ts_unit``: ``s``, ``ms``, ``us``, ``ns``, ``iso``, None for a guess from the first rows. ``zone``: of times that
    are written without one; UTC if it is None.
    """

    ts: str
    ts_unit: str | None = None
    zone: str | None = None
    at: str | None = None
    key: str | None = None
    value: str | None = None
    channel: str | None = None


_UNITS: Final = {"epoch_s": "s", "epoch_ms": "ms", "epoch_us": "us", "epoch_ns": "ns"}


class Unread(NamedTuple):
    """Why a row is no record: ``word`` is a name below ``problems``, ``cell`` is what stands in ``column``.

    ``format``: how the other times of that column are written, one of ``tables.times.FORMATS``.
    """

    word: str
    column: str = ""
    cell: str = ""
    format: str = ""

    @property
    def text(self) -> str:
        """The reason, in a sentence."""
        fields = {"column": shown_in_message(self.column), "found": shown_in_message(self.cell)}
        if self.format:
            fields["format"] = words(f"own_files.units.{_UNITS.get(self.format, self.format)}")
        return words(f"problems.{self.word}", language=None, **fields)


def why_unread(columns: Columns, ts: str | None, at: str | None, at_is_read: bool, formats: tuple[str, ...]) -> Unread:
    """Why a row is none whose cells of times are ``ts`` and ``at``; ``formats`` are those of the columns."""
    name, cell, format = (columns.ts, ts, formats[0]) if at_is_read else (columns.at or "", at, formats[-1])
    if not (cell or "").strip():
        return Unread("data_time_missing", name)
    return Unread("data_not_a_time", name, cell or "", format)


@dataclass(frozen=True, slots=True)
class Found:
    """What one passage through the file has found.

    ``ts`` and ``at``: the lowest and the highest (ms); None without a record, and ``at`` without its column.
    ``unreadable``: the rows whose time (or arrival) is missing or cannot be read; they are no records.
    ``first_unreadable``: the line of the first of them, and why. ``channels``: what the file calls each, sorted.
    ``values``: ``whole``, ``number`` or ``text``, the narrowest kind that all are of.
    ``no_number``: the line and the text of the first record without a number as its value. ``in_order``: by arrival.
    ``sums``: of the absolute values of the whole numbers, and of the others.
    ``digest``: SHA-256 of the file; ``version`` tells whether the file is still the same. Where the input has columns:
    ``decimal``, the separator of their numbers, and ``cells``, how the times of each are written.
    """

    records: int = 0
    unreadable: int = 0
    first_unreadable: tuple[int, Unread] | None = None
    ts: tuple[int, int] | None = None
    at: tuple[int, int] | None = None
    channels: tuple[int | str, ...] = (0,)
    values: str = "whole"
    no_number: tuple[int, str] | None = None
    in_order: bool = True
    digest: str = ""
    formats: tuple[str, ...] = ()
    sums: tuple[int, float] = (0, 0.0)
    version: tuple[int, int] = field(default=(0, 0), compare=False)
    decimal: str = field(default=".", compare=False)
    cells: tuple[str, ...] = field(default=(), compare=False)

    def number_of(self, channel: int | str) -> int:
        """The number of a channel of the file: its own if all are whole numbers from 0 on, else its place."""
        if all(isinstance(each, int) and each >= 0 for each in self.channels):
            return int(channel)
        return self.channels.index(channel)


UNREADABLE: Final = 3
"""The exit code of a command that would have left out rows without having been asked to."""


class UnreadableRecords(ScenarioError):
    """Rows of a file are no records."""


def unreadable_records(
    path: str, unreadable: int, rows: int, why: Unread, line: int | None, row: int = 0
) -> UnreadableRecords:
    """So many of the ``rows`` of ``path`` are no records. ``why``, and the ``line``, are those of the first of them.

    ``line`` is None for a file without lines; ``row`` is then the number of that row, from 1.
    """
    place = words("problems.data_in_row", row=f"{row:,}") if line is None else ""
    place = place or words("problems.data_in_line", line=f"{line:,}")
    number = {"unreadable": f"{unreadable:,}", "rows": f"{rows:,}"}
    text = words("problems.data_unreadable", place=place, why=why.text, **number)
    return UnreadableRecords([Problem(path, line, line and 1, text)])


def rows_left_out(number: int) -> str:
    """That so many rows are no records, in words; "" for none."""
    return words("own_run.unreadable", number=f"{number:,}") if number else ""


# Cells as times, numbers and names of channels: the rules of the import of tables, made fast for long files.

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
