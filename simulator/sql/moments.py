"""Functions of Flink SQL over times. Of an instant, calendar and clock are those of the session time zone.

Before 1970 Flink cuts some parts of a time towards zero, and so it is done here.
"""

from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from math import floor as floor_of
from typing import Any, Final

from tidemark.simulator.sql.casts import or_failure
from tidemark.simulator.sql.numbers import quotient
from tidemark.simulator.sql.syntax import Call, Literal, SqlProblem
from tidemark.simulator.sql.times import (
    FORMAT_LETTERS,
    SIMPLE_LETTERS,
    TimeOfText,
    UnknownLetter,
    by_pattern,
    default_date,
    default_time,
    format_by,
    in_zone,
    is_zone,
    lenient_time,
    local_in,
)
from tidemark.simulator.sql.types import CLOCK, TIMES, Computed, Failure, joined, null, strict, wrapped

Function = Callable[[Call, Sequence[Computed], str], "Computed | None"]

DAY: Final = 86_400_000
_EARLIEST, _LATEST = -62_167_219_200_000, 253_402_300_799_999
"""The years 0 to 9999, beyond which TO_TIMESTAMP_LTZ has NULL."""

UNITS: Final = {"MILLISECOND": 1, "SECOND": 1000, "MINUTE": 60_000, "HOUR": 3_600_000, "DAY": DAY, "WEEK": 7 * DAY}
MONTHS: Final = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}
_EPOCH: Final = date(1970, 1, 1)
_DEFAULT: Final = "yyyy-MM-dd HH:mm:ss"
_NO_TIME: Final = -(2**63)
"""What UNIX_TIMESTAMP makes of a text that is no time."""


def day(days: int) -> date:
    """The day so many after 1970-01-01. Raises ``Failure`` outside the years 1 to 9999."""
    try:
        return _EPOCH + timedelta(days=days)
    except OverflowError:
        raise Failure(f"DATE {days}") from None


def plus_months(days: int, months: int) -> int:
    """The same day of another month, or its last. Raises ``Failure`` outside the years 1 to 9999."""
    of = day(days)
    year, month = divmod(of.year * 12 + of.month - 1 + months, 12)
    if not 1 <= year <= 9999:
        raise Failure(f"{of} + {months} MONTH")
    return (date(year, month + 1, min(of.day, monthrange(year, month + 1)[1])) - _EPOCH).days


def ms_plus_months(ms: int, months: int) -> int:
    """``plus_months`` of a time."""
    return plus_months(ms // DAY, months) * DAY + ms % DAY


def months_between(late: int, early: int) -> int:
    """Whole months between two times, as Calcite counts them."""
    last, first = late // DAY, early // DAY
    found = -_days_between(first, last) if last < first else _days_between(last, first)
    return found - (plus_months(first, found) == last and late % DAY < early % DAY)


def _days_between(last: int, first: int) -> int:
    months = (last - first) // 31
    while plus_months(first, months) < last and plus_months(first, months + 1) <= last:
        months += 1
    return months


def _local(of: Computed, zone: str) -> Callable[[Any], int]:
    """The ms that clocks show at a value of a time or date."""
    if of.type == "date":
        return lambda days: int(days) * DAY
    return (lambda ms: int(ms)) if of.type == "timestamp" else lambda ms: local_in(ms, zone)


def _unit(call: Call, place: int) -> str:
    of = call.arguments[place] if len(call.arguments) > place else None
    return of.text.upper() if isinstance(of, Literal) and of.kind == "other" else ""


# Parts of a time


def _of_day(part: Callable[[date], int]) -> Callable[[int], int]:
    return lambda ms: part(day(quotient(ms, DAY)))


def _of_clock(unit: int, within: int) -> Callable[[int], int]:
    return lambda ms: quotient(ms - quotient(ms, within) * within, unit)


_PARTS: Final[dict[str, Callable[[int], int]]] = {
    "YEAR": _of_day(lambda of: of.year), "QUARTER": _of_day(lambda of: (of.month + 2) // 3),
    "MONTH": _of_day(lambda of: of.month), "WEEK": _of_day(lambda of: of.isocalendar().week),
    "DAY": _of_day(lambda of: of.day), "DOW": _of_day(lambda of: of.isoweekday() % 7 + 1),
    "ISODOW": _of_day(date.isoweekday), "ISOYEAR": _of_day(lambda of: of.isocalendar().year),
    "DOY": _of_day(lambda of: of.timetuple().tm_yday), "HOUR": _of_clock(3_600_000, DAY),
    "MINUTE": _of_clock(60_000, 3_600_000), "SECOND": _of_clock(1000, 60_000), "MILLISECOND": _of_clock(1, 1000),
    "EPOCH": lambda ms: quotient(ms, 1000),
}  # fmt: skip


def _part(name: str, of: Computed, zone: str) -> Computed | None:
    part = _PARTS.get(name)
    if part is None or of.type not in (*TIMES, "date") or (of.type == "date" and name in ("SECOND", "MILLISECOND")):
        return None
    local = _local(of, zone)
    return strict("bigint", lambda value: part(local(value)), of)


def _extract(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    return _part(_unit(call, 0), arguments[1], zone) if len(arguments) == 2 else None


def _named(part: str) -> Function:
    return lambda call, arguments, zone: _part(part, arguments[0], zone) if len(arguments) == 1 else None


def _cut_day(days: int, unit: str, up: int) -> int:
    """The first day of a week (on Sunday), month, quarter or year; with ``up`` of the next, if it is not that day."""
    of = day(days)
    if unit == "WEEK":
        found = days - of.isoweekday() % 7
        return found + 7 if up and found != days else found
    month = 1 if unit == "YEAR" else of.month - (of.month - 1) % MONTHS[unit]
    found = (date(of.year, month, 1) - _EPOCH).days
    return plus_months(found, MONTHS[unit]) if up and found != days else found


def floor(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    """``FLOOR(t TO HOUR)``."""
    return _cut(arguments[0], _unit(call, 1), zone, 0)


def ceil(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    """``CEIL(t TO HOUR)``."""
    return _cut(arguments[0], _unit(call, 1), zone, 1)


def _cut(of: Computed, unit: str, zone: str, up: int) -> Computed | None:
    if (unit not in UNITS and unit not in MONTHS) or of.type not in (*TIMES, "date"):
        return None
    if of.type == "date" and unit in UNITS and unit != "WEEK":
        return None if up and unit == "DAY" else of
    local = _local(of, zone)

    def work(value: Any) -> Any:
        ms = local(value)
        if unit in MONTHS or unit == "WEEK":
            found = _cut_day(quotient(ms, DAY), unit, up) * DAY  # Flink looks at the day alone
        else:
            found = ms - ms % UNITS[unit]
            found += UNITS[unit] if up and found != ms else 0
        if of.type == "date":
            return found // DAY
        return found - ms + value  # back with the offset of the time itself, as Flink has it

    return strict(of, work, of)


# Calculations


def _difference(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    unit = _unit(call, 0)
    if len(arguments) != 3 or (unit not in UNITS and unit not in MONTHS):
        return None
    _, one, two = arguments
    types = {one.type, two.type}
    if not (types <= {"timestamp", "date"} or types == {"timestamp_ltz"}):
        return None
    first, second = _local(one, "UTC"), _local(two, "UTC")

    def work(from_value: Any, to_value: Any) -> int:
        early, late = first(from_value), second(to_value)
        if unit in MONTHS:
            return wrapped(quotient(months_between(late, early), MONTHS[unit]), 32)
        if unit == "MILLISECOND":
            return wrapped(quotient(late - early, 1000) * 1000, 32)  # whole seconds, as Flink has it
        return wrapped(quotient(late - early, UNITS[unit]), 32)

    return strict("int", work, one, two)


def _addition(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    unit = _unit(call, 0)
    if len(arguments) != 3 or not arguments[1].whole or (unit not in UNITS and unit not in MONTHS):
        return None
    _, count, of = arguments
    if of.type == "date" and unit in UNITS and unit not in ("DAY", "WEEK"):
        if unit == "MILLISECOND":
            return None
        of = strict("timestamp", lambda days: days * DAY, of, digits=6)
    factor = MONTHS.get(unit) or UNITS[unit]
    interval = strict("months" if unit in MONTHS else "interval", lambda number: number * factor, count)
    return shifted(of, interval, 1)


def shifted(of: Computed, interval: Computed, sign: int) -> Computed | None:
    """``of + interval``, or with the ``sign`` -1 ``of - interval``; None for what is no time and an interval."""
    if of.type not in (*TIMES, "date") or interval.type not in ("interval", "months"):
        return None
    work: Callable[[int, int], int]
    if interval.type == "months":
        work = plus_months if of.type == "date" else ms_plus_months
    elif of.type == "date":
        work = lambda days, ms: days + quotient(ms, DAY)  # noqa: E731
    else:
        work = lambda ms, by: ms + by  # noqa: E731
    return strict(of, lambda value, by: work(value, sign * by), of, interval)


# Texts


def _constant_pattern(call: Call, place: int) -> Literal | None:
    pattern = call.arguments[place]
    return pattern if isinstance(pattern, Literal) and pattern.kind == "text" else None


def _by_letters(pattern: Literal, make: Callable[[str], Any]) -> Any:
    """Raises ``SqlProblem`` for a letter that is not read."""
    try:
        return make(pattern.text)
    except UnknownLetter as letter:
        raise SqlProblem("pattern_letter", pattern.place, letter=str(letter)) from None


def _reader(call: Call, place: int) -> TimeOfText | None:
    """What reads a text by the pattern that is the argument at ``place``; Flink's own form where there is none."""
    if len(call.arguments) <= place:
        return default_time
    pattern = _constant_pattern(call, place)
    reader: TimeOfText | None = None if pattern is None else _by_letters(pattern, by_pattern)
    return reader


def _date_format(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    pattern = _constant_pattern(call, 1) if len(arguments) == 2 else None
    if pattern is None or arguments[0].type not in (*TIMES, "text"):
        return None
    of = arguments[0]
    letters = SIMPLE_LETTERS if of.type == "text" else FORMAT_LETTERS
    write = _by_letters(pattern, lambda text: format_by(text, letters))
    if of.type == "text":
        read = lenient_time(_DEFAULT)
        return strict("text", lambda text: None if (ms := read(text)) is None else write(ms), of)
    local = _local(of, zone)
    return strict("text", lambda value: write(local(value)), of)


def _from_unixtime(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    if not 1 <= len(arguments) <= 2 or not arguments[0].whole:
        return None
    pattern = Literal("text", _DEFAULT, call.place) if len(arguments) == 1 else _constant_pattern(call, 1)
    if pattern is None:
        return None
    write = _by_letters(pattern, lambda text: format_by(text, SIMPLE_LETTERS))
    return strict("text", lambda seconds: write(local_in(_instant_of(wrapped(seconds * 1000, 64)), zone)), arguments[0])


def _instant_of(ms: int) -> int:
    if not _EARLIEST + 366 * DAY < ms < _LATEST - DAY:
        raise Failure(f"FROM_UNIXTIME: {ms} ms")
    return ms


def _unix_timestamp(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    if not arguments:
        return Computed("bigint", lambda row: row[CLOCK] // 1000, clock=True)
    pattern = Literal("text", _DEFAULT, call.place) if len(arguments) == 1 else _constant_pattern(call, 1)
    if pattern is None or len(arguments) > 2 or arguments[0].type != "text":
        return None
    read = _by_letters(pattern, lenient_time)

    def seconds(text: str) -> int:
        ms = in_zone(read(text), zone)
        return _NO_TIME if ms is None else quotient(ms, 1000)

    return strict("bigint", seconds, arguments[0])


def _to_date(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    if len(arguments) not in (1, 2) or arguments[0].type != "text":
        return None
    if len(arguments) == 1:
        return strict("date", default_date, arguments[0])
    read = _reader(call, 1)
    return read and strict("date", lambda text: None if (ms := read(text)) is None else ms // DAY, arguments[0])


def _to_timestamp(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    read = _reader(call, 1)
    if read is None or not arguments or len(arguments) > 2 or arguments[0].type != "text":
        return None
    return strict("timestamp", read, arguments[0], digits=3)


def _to_timestamp_ltz(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    if not arguments:
        return None
    if arguments[0].type == "text":
        read = _reader(call, 1)
        if read is None or len(arguments) > 3 or any(each.type != "text" for each in arguments):
            return None
        of_zone = arguments[2] if len(arguments) > 2 else Computed("text", lambda row: "UTC")
        found = strict("timestamp_ltz", lambda text, zone: _instant(read(text), zone), arguments[0], of_zone, digits=3)
        if len(arguments) == 1:  # only this form throws where it reads nothing
            return joined("timestamp_ltz", or_failure(found, arguments[0], call.name), found, digits=3)
        return found
    precision = call.arguments[1] if len(arguments) == 2 else None
    written = precision.text if isinstance(precision, Literal) else "3" if len(arguments) == 1 else ""
    if not (arguments[0].whole or arguments[0].type in ("decimal", "float", "double")) or written not in ("0", "3"):
        return None
    factor = 1000 if written == "0" else 1

    def instant(number: Any) -> int | None:
        # Of a DECIMAL Flink takes the whole number first, of a DOUBLE the whole ms.
        try:
            ms = floor_of(number * factor) if isinstance(number, float) else int(number) * factor
        except (OverflowError, ValueError):
            raise Failure(str(number)) from None
        return ms if _EARLIEST <= ms <= _LATEST else None

    return strict("timestamp_ltz", instant, arguments[0], digits=3)


def _instant(ms: int | None, zone: str) -> int | None:
    if not is_zone(zone):
        raise Failure(f"TO_TIMESTAMP_LTZ(…, '{zone}')")
    return in_zone(ms, zone)


def _convert_zone(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    if len(arguments) != 3 or any(each.type != "text" for each in arguments):
        return None
    read, write = lenient_time(_DEFAULT), format_by(_DEFAULT, SIMPLE_LETTERS)

    def work(text: str, one: str, two: str) -> str | None:
        ms = in_zone(read(text), one if is_zone(one) else "UTC")
        return None if ms is None else write(local_in(ms, two if is_zone(two) else "UTC"))

    return strict("text", work, *arguments)


# The clock


def _clock(like: Computed, of: Callable[[int, str], int]) -> Function:
    return lambda call, arguments, zone: (
        None if arguments else replace(like, of=lambda row: of(row[CLOCK], zone), clock=True)
    )


_NOW: Final = _clock(null("timestamp_ltz", 3), lambda ms, zone: ms)

FUNCTIONS: Final[dict[str, Function]] = {
    "TO_TIMESTAMP": _to_timestamp, "TO_TIMESTAMP_LTZ": _to_timestamp_ltz, "TIMESTAMPDIFF": _difference,
    "TIMESTAMPADD": _addition, "EXTRACT": _extract, "DATE_FORMAT": _date_format, "FROM_UNIXTIME": _from_unixtime,
    "UNIX_TIMESTAMP": _unix_timestamp, "TO_DATE": _to_date, "CONVERT_TZ": _convert_zone,
    "CURRENT_TIMESTAMP": _NOW, "NOW": _NOW, "CURRENT_ROW_TIMESTAMP": _NOW, "PROCTIME": _NOW,
    "LOCALTIMESTAMP": _clock(null("timestamp", 3), local_in),
    "CURRENT_DATE": _clock(null("date"), lambda ms, zone: local_in(ms, zone) // DAY),
    **{name: _named(part) for name, part in (
        *((name, name) for name in ("YEAR", "QUARTER", "MONTH", "WEEK", "HOUR", "MINUTE", "SECOND")),
        ("DAYOFMONTH", "DAY"), ("DAYOFWEEK", "DOW"), ("DAYOFYEAR", "DOY"),
    )},
}  # fmt: skip
