"""What is known of a file of records: which columns are meant, what was found in it, and what is wrong with it."""

from dataclasses import dataclass, field
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
    ``digest``: SHA-256 of the file; ``version`` tells whether the file is still the same.
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
