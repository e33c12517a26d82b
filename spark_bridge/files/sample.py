"""The first rows of a table as text: what its columns are, as asked for or guessed, and how they are written.

Code for Flink and Spark must know the latter to read them: dates as a pattern of ``java.time``.
"""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.limits import TABLE_COLUMNS
from tidemark.simulator.scenario.data.columns import joined, pair_of
from tidemark.simulator.scenario.tables.columns import OF_ONE_INPUT
from tidemark.simulator.scenario.tables.guess import format_of, guess_columns
from tidemark.simulator.scenario.tables.times import are_days, read_time, zone_in_doubt
from tidemark.simulator.words import words
from tidemark.spark_bridge.files.request import DATES, DEFAULT_ZONE, ROLES, SECONDS_TODAY, Columns, FilesError

ROWS: Final = 200
"""How many rows are looked at."""

_UNITS: Final = {"epoch_s": "s", "epoch_ms": "ms", "epoch_us": "us", "epoch_ns": "ns"}
_FROM_ZERO: Final = "ms"
"""The unit of whole numbers that count from 0, and of a column in which nothing reads as a time: the project's own."""

_NUMBERS: Final = ("s", "ms", "us", "ns")
_SHOWN: Final = 12
_FEW: Final = 20
_MOST_SOURCES: Final = 8


@dataclass(frozen=True)
class Sample:
    """``path``: the file of the first rows, for messages. ``cells``: row by row, "" where there is nothing.

    ``types``: Spark's names of the types of typed columns (a text format has none), ``timestamp_ns`` for 64-bit numbers
    that are declared as times in ns. ``delimiter`` and ``decimal`` are those of a CSV file; so many ``comments`` are
    before its header, and ``header_in_comment`` if its columns seem to be named in one.
    """

    path: str
    names: tuple[str, ...]
    cells: tuple[Sequence[str], ...]
    types: Mapping[str, str] = field(default_factory=dict)
    delimiter: str = ","
    decimal: str = "."
    comments: int = 0
    header_in_comment: bool = False

    def of(self, name: str) -> list[str]:
        """The cells of a column, or the times of a pair of them."""
        if pair := pair_of(name, self.names):
            dates, clocks = map(self.of, pair)
            return [joined(date, clock) for date, clock in zip(dates, clocks, strict=False)]
        number = self.names.index(name)
        return [row[number] for row in self.cells if number < len(row)]


def chosen(requested: Columns, sample: Sample) -> tuple[Columns, bool]:
    """The columns to read, and whether anything of that was guessed. Raises ``FilesError``.

    Only if no column at all is named, all of them are guessed; if some are, a record has these and a time.
    """
    columns = requested
    if not requested.named:
        columns = replace(requested, **guessed(sample, OF_ONE_INPUT))
    elif requested.ts is None:
        columns = replace(requested, ts=guessed(sample, ("ts", "time_of_day"), set(requested.named.values())).get("ts"))
    if columns.ts is None:
        _require_header(sample)
        raise FilesError("no_time_column", path=sample.path, names=listed(sample.names))
    for each in columns.named.values():
        _require(each, sample)
    ts_unit = _unit(columns.ts, sample, bool(requested.ts), columns.zone)
    if requested.ts_unit == "date":
        typed = _is_time(sample.types.get(columns.ts, ""))
        if not typed and ts_unit not in ("iso", *DATES):
            raise FilesError("no_dates", path=sample.path, name=shown_in_message(columns.ts))
        requested = replace(requested, ts_unit=None if typed else ts_unit)
    else:
        _require_times_of_day(columns.ts, ts_unit, sample)
    typed = _is_time(sample.types.get(columns.ts, ""))
    if typed and requested.ts_unit not in (None, "iso"):
        raise FilesError("unit_of_typed", path=sample.path, column=columns.ts)
    if not typed:
        ts_unit = requested.ts_unit or ts_unit or _FROM_ZERO
    if columns.at is not None:
        at_unit = _unit(columns.at, sample, bool(requested.at), columns.zone)
        typed_at = _is_time(sample.types.get(columns.at, ""))
        if not typed_at and at_unit is None:
            at_unit = ts_unit if ts_unit in _NUMBERS else _FROM_ZERO
        if requested.ts_unit is None and at_unit in _NUMBERS and ts_unit in _NUMBERS:
            # Two columns of numbers in one table have one unit, that of the arrivals, which a machine has recorded. If
            # the timestamps are in another one, this is a finding, not a way to read them.
            ts_unit = at_unit
        columns = replace(columns, at_unit=at_unit)
    columns = replace(columns, ts_unit=ts_unit)
    return columns, columns.named != requested.named or (requested.ts_unit is None and not typed)


def described(columns: Columns, requested: Columns) -> str:
    """What was guessed of the ``columns``, in words: those that were not ``requested`` for, and units."""
    parts = []
    for role, name in columns.named.items():
        unit = {"ts": columns.ts_unit, "at": columns.at_unit}.get(role)
        is_guessed = unit is not None and not (role == "ts" and requested.ts_unit is not None)
        if getattr(requested, role) is None or is_guessed:
            part = words(f"own_files.roles.{role}", name=shown_in_message(name))
            parts.append(f"{part} ({words(f'own_files.units.{unit}')})" if unit else part)
    return words("own_files.guessed", columns=words("own_files.comma").join(parts))


def source_of(columns: Columns, sample: Sample) -> str | None:
    """A column that looks like the channel of a stream that is read without one."""
    if columns.channel is not None or len(sample.names) > TABLE_COLUMNS:
        return None
    return guessed(sample, ("channel",), set(columns.named.values())).get("channel")


def few_values(columns: Columns, sample: Sample) -> tuple[str, ...]:
    """Columns that may tell sources apart, where arrivals and no channel are read: they have a few values each."""
    if columns.channel is not None or columns.at is None or len(sample.names) > TABLE_COLUMNS:
        return ()
    used = {each for name in columns.named.values() for each in pair_of(name, sample.names) or (name,)}
    free = [name for name in sample.names if name and name not in used and sample.names.count(name) == 1]
    return tuple(name for name in free if 2 <= len(set(sample.of(name))) <= _FEW)[:_MOST_SOURCES]


def other_times(columns: Columns, sample: Sample) -> str | None:
    """Another column of times than the event time, where no arrivals are read: it may be either of the two."""
    if columns.at is not None or len(sample.names) > TABLE_COLUMNS:
        return None
    others = (name for name in sample.names if name not in columns.named.values())
    return next((name for name in others if _holds_times(name, sample)), None)


def _holds_times(name: str, sample: Sample) -> bool:
    """Whether the cells of a column can hardly be anything but times of today."""
    if _is_time(sample.types.get(name, "")):
        return True
    cells = sample.of(name)
    format, _ = format_of(cells, name)
    if format not in _UNITS:
        return format == "iso" or format in DATES
    first, last = SECONDS_TODAY
    times = (read_time(cell, format, DEFAULT_ZONE) for cell in cells if cell)
    return all(time is not None and first * 1000 <= time.ms <= last * 1000 for time in times)


def listed(names: Sequence[str]) -> str:
    """Names for a message, the first few of them."""
    shown = words("own_files.comma").join(f"`{shown_in_message(name)}`" for name in names[:_SHOWN])
    return shown if len(names) <= _SHOWN else words("own_files.and_more", names=shown, number=len(names) - _SHOWN)


def guessed(sample: Sample, roles: Sequence[str], taken: Collection[str] = ()) -> dict[str, str]:
    """The columns for ``roles``, by role, none of which is ``taken``. Raises ``FilesError``."""
    if len(sample.names) > TABLE_COLUMNS:
        raise FilesError("many_columns", path=sample.path, number=f"{len(sample.names):,}", limit=TABLE_COLUMNS)
    numbers = [number for number, name in enumerate(sample.names) if name not in taken]
    names = [sample.names[number] for number in numbers]
    rows = [[row[number] if number < len(row) else "" for number in numbers] for row in sample.cells]
    found = (guess.column for guess in guess_columns(names, rows, sample.decimal, roles))
    by_role = {column.role: column.name for column in found}
    if clock := by_role.get("time_of_day"):
        by_role["ts"] = f"{by_role['ts']},{clock}"
    return {role: name for role, name in by_role.items() if role in ROLES}


def _require(name: str, sample: Sample) -> None:
    if pair := pair_of(name, sample.names):
        for each in pair:
            _require(each, sample)
        return
    if name not in sample.names:
        _require_header(sample)
        raise FilesError("no_column", path=sample.path, name=shown_in_message(name), names=listed(sample.names))
    if sample.names.count(name) > 1:
        raise FilesError("two_columns", path=sample.path, name=shown_in_message(name))


def _require_header(sample: Sample) -> None:
    """Refuse a table whose columns are named in a comment."""
    if sample.header_in_comment:
        raise FilesError("header_in_comment", path=sample.path, found=shown_in_message(sample.names[0]))


def _require_times_of_day(name: str, unit: str | None, sample: Sample) -> None:
    """Refuse dates alone beside a column of times of day: all records would be at midnight."""
    typed = _is_time(sample.types.get(name, ""))
    if not are_days([cell.strip() for cell in sample.of(name)], "iso" if typed else unit or ""):
        return
    for other in sample.names:
        if format_of([cell.strip() for cell in sample.of(other)])[0] == "clock":
            shown = {"name": shown_in_message(name), "clock": shown_in_message(other)}
            raise FilesError("days_alone", path=sample.path, **shown)


def _is_time(type: str) -> bool:
    return type.startswith(("timestamp", "date"))


def _unit(name: str, sample: Sample, is_named: bool, zone: str | None) -> str | None:
    """How the times of a column are written; None if its type says it, or for small numbers that could be anything."""
    if _is_time(sample.types.get(name, "")):
        return None
    cells = sample.of(name)
    format, ask = format_of(cells, name, zone or DEFAULT_ZONE)
    if not format and (doubt := next((each for each in cells if zone_in_doubt(each, zone or DEFAULT_ZONE)), None)):
        own = zone_in_doubt(doubt, zone or DEFAULT_ZONE)
        raise FilesError("zone_in_doubt", path=sample.path, zone=own, found=shown_in_message(doubt))
    if ask:
        raise FilesError("day_or_month", path=sample.path, name=shown_in_message(name))
    if format == "iso" or format in DATES:
        return format
    if format in _UNITS:
        return _UNITS[format]
    if format == "seconds" and any("." in cell or "," in cell for cell in cells):
        return "s"
    if format in ("duration", "clock"):
        raise FilesError("not_since_1970", path=sample.path, name=shown_in_message(name))
    if format == "" and not is_named:
        raise FilesError("no_time_column", path=sample.path, names=listed(sample.names))
    return None


_ZONE: Final = re.compile(
    r"(?<=\d)(\s*)((?:Z|[+-]\d\d:?\d\d)?\[[A-Za-z0-9_:/+-]+\]|(?:GMT|UTC|UT)?[+-]\d\d?(?::?\d\d)?|z|(?![AP]M$)[A-Z]{1,5})$"
)
_WEEKDAY: Final = re.compile(r"((?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6})([,.]?\s+)", re.IGNORECASE)
_YEAR_LAST: Final = re.compile(r"([^:]*:.*\S)\s+\d{4}")
_FRACTION: Final = re.compile(r"(?:(?::\d\d)|(?:\d{8}T?\d{6}))([.,]\d{1,9})(?=$|[^\d.])")
_TOKEN: Final = re.compile(r"\d+|[A-Za-z]+|[^\dA-Za-z]+")
_PLAIN: Final = frozenset(" -/:.,")
_ORDER: Final = {"iso": "yMd", "dmy": "dMy", "mdy": "Mdy", "named": "dy"}
_STRICT: Final = re.compile(r"\d{4}-\d\d?-\d\d?([T ]\d\d?:\d\d(:\d\d(\.\d{1,9})?(Z|UTC|GMT|[+-]\d\d(:?\d\d)?)?)?)?")


@dataclass(frozen=True)
class Pattern:
    """``text``: the pattern of a time up to its zone. ``zone``: what that is, such as ``Z`` or ``+01:00``; "" for none.

    ``day``: the pattern of a day of the week before everything else, ``tail``: that of a year behind it. ``is_iso``:
    ISO 8601 as Spark reads it by itself. ``has_time``: it is more than a day.
    """

    text: str
    zone: str = ""
    is_iso: bool = False
    has_time: bool = True
    day: str = ""
    tail: str = ""


def pattern_of(cells: Sequence[str], form: str) -> Pattern | None:
    """The pattern of most of ``cells``; None without any. ``form``: ``iso``, ``dmy``, ``mdy`` or ``named``."""
    cells = [cell for cell in cells if any(each.isdigit() for each in cell)]
    day, tail = "", ""
    if form == "named":
        cells, day, tail = _middle(cells)
    shapes = Counter(_shape(cell) for cell in cells)
    if not shapes:
        return None
    (common, _), *_ = shapes.most_common(1)
    alike = [cell for cell in cells if _shape(cell) == common]
    zones = [_split(cell)[1] for cell in alike]
    rows = [_tokens(_split(cell)[0]) for cell in alike]
    fractions = {re.sub(r"\d", "S", _fraction(cell)) for cell in cells}
    text = _pattern(
        [list(column) for column in zip(*rows, strict=True)],
        "dHms" if tail else _ORDER[form] + "Hms",
        _of_fraction(fractions),
    )
    return Pattern(
        text, zones[0], all(_STRICT.fullmatch(cell) for cell in alike), ":" in text or "HHmm" in text, day, tail
    )


def _middle(cells: list[str]) -> tuple[list[str], str, str]:
    """Dates without a day of the week before them and a year behind them, and the patterns of these."""
    days = [_WEEKDAY.match(cell) for cell in cells]
    found = Counter(("EEE" if len(each[1]) == 3 else "EEEE") + each[2] if each else "" for each in days)
    cells = [cell[each.end() :] if each else cell for cell, each in zip(cells, days, strict=True)]
    years = [each for cell in cells if (each := _YEAR_LAST.fullmatch(cell))]
    day = found.most_common(1)[0][0] if found else ""
    return ([each[1] for each in years], day, " yyyy") if 2 * len(years) > len(cells) else (cells, day, "")


def _split(cell: str) -> tuple[str, str]:
    """A cell without its fraction of a second and without its zone, and the zone with the blanks before it."""
    found = _ZONE.search(cell) if ":" in cell or re.search(r"\d{8}T?\d{6}", cell) else None
    zone = found[0] if found else ""
    body = cell[: len(cell) - len(zone)]
    return body[: len(body) - len(_fraction(cell))], zone


def _fraction(cell: str) -> str:
    """The point of the seconds and what comes after it."""
    found = _FRACTION.search(cell)
    return found[1] if found else ""


def _tokens(body: str) -> list[str]:
    return _TOKEN.findall(body)


def _shape(cell: str) -> tuple[str, ...]:
    """What is alike in cells of one pattern."""
    body, zone = _split(cell)
    kinds = ("9" if each.isdigit() else "A" if each.isalpha() and len(each) > 2 else each for each in _tokens(body))
    by_name = zone.strip().isalpha() and zone.strip() not in ("Z", "z", "UTC", "GMT")
    return (*kinds, "zone" if zone[-1:].isdigit() else "name" if by_name else zone)


def _pattern(columns: list[list[str]], fields: str, fraction: str) -> str:
    order = list(fields)
    half = any(column[0].lower() in ("am", "pm") for column in columns)
    parts = []
    for column in columns:
        token = column[0]
        if token.isdigit():
            parts.append(_digits(column, order))
        elif token.lower() in ("am", "pm"):
            parts.append("a")
        elif token.isalpha() and len(token) > 2:
            parts.append("MMM" if all(len(each) == 3 for each in column) else "MMMM")
        else:
            parts.append(token if set(token) <= _PLAIN else f"'{token}'")
        if parts[-1] == "ss" or parts[-1].endswith("mmss"):
            parts.append(fraction)
    text = "".join(parts)
    return text.replace("HH", "hh").replace("H", "h") if half else text


def _digits(column: list[str], order: list[str]) -> str:
    if len(column[0]) == 8:
        del order[:3]
        return "yyyyMMdd"
    if len(column[0]) == 6 and order[0] == "H":
        order.clear()
        return "HHmmss"
    if "d" in order and len(column[0]) == 4 and order[0] != "y":
        order.remove("y")
        return "yyyy"
    field = order.pop(0) if order else "s"
    if field == "y":
        return "y" * len(column[0])
    padded = field in "ms" or any(each.startswith("0") for each in column)
    return field * (2 if padded and all(len(each) == 2 for each in column) else 1)


def _of_fraction(found: set[str]) -> str:
    if len(found) == 1:
        return next(iter(found))
    return "".join(f"[{each}]" for each in sorted(found, key=len, reverse=True) if each)


ROW_TIMES = ("ts", "row_time", "event_ts", "row_time_ts")
"""Names for the column that code makes of the event time: the first that the table does not have."""


@dataclass(frozen=True)
class Written:
    """One column. ``path``: its name, or the names down to a member of a struct.

    ``type`` is Spark's name of it, "" in a text format. Of a time, ``unit`` is one of ``columns.UNITS`` or ``DATES``,
    None where the type says it, and ``pattern`` is what its texts look like, None for numbers. ``fraction``: whether
    numbers have digits after the point. ``clock``: the column of its time of day, where that is another one.
    """

    path: tuple[str, ...]
    type: str = ""
    unit: str | None = None
    pattern: Pattern | None = None
    fraction: bool = False
    clock: "Written | None" = None

    @property
    def is_number(self) -> bool:
        """Whether the table itself says that the column holds numbers."""
        return self.type.startswith(("tinyint", "smallint", "int", "bigint", "float", "double", "decimal"))


@dataclass(frozen=True)
class WrittenStream:
    """The columns by role. ``zone``: that of times without one. ``row_time``: a name that no column has."""

    columns: Mapping[str, Written] = field(default_factory=dict)
    zone: str = DEFAULT_ZONE
    row_time: str = ROW_TIMES[0]


def _path(name: str, flat: Sequence[str]) -> tuple[str, ...]:
    return (name,) if name in flat else tuple(name.removeprefix("kafka.").split("."))


def written_stream(columns: Columns, sample: Sample, *, text: bool, flat: Sequence[str]) -> WrittenStream:
    """How ``columns`` of the table are written whose first rows are ``sample``.

    ``text``: the table is in a text format, whose columns have no types. ``flat``: names with dots that are names of
    columns and not the ways to members.
    """
    found = {}
    for role, name in columns.named.items():
        pair = pair_of(name, sample.names)
        path, *clock = (_path(each, flat) for each in pair or (name,))
        type = "" if text else sample.types.get(name, "")
        unit = {"ts": columns.ts_unit, "at": columns.at_unit}.get(role)
        cells = [cell.strip() for cell in sample.of(name)]
        pattern = pattern_of(cells, unit) if unit == "iso" or unit in DATES else None
        fraction = unit is not None and pattern is None and any("." in cell for cell in cells)
        found[role] = Written(path, type, unit, pattern, fraction, clock=Written(clock[0]) if clock else None)
    taken = {each.lower() for each in sample.names}
    row_time = next((each for each in ROW_TIMES if each not in taken), ROW_TIMES[0])
    return WrittenStream(found, columns.zone or DEFAULT_ZONE, row_time)
