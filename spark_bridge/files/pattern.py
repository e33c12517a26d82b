"""What dates of a column look like, as a pattern of ``java.time``, which Java, Flink SQL and Spark all read.

How the columns of a stream are written: what code for Flink or Spark must know to read them.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tidemark.simulator.scenario.data.cells import pair_of
from tidemark.spark_bridge.files.request import DATES, DEFAULT_ZONE, Columns
from tidemark.spark_bridge.files.sample import Sample

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
