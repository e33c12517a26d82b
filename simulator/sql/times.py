"""Texts that Flink makes a time of; of others it makes NULL.

The rules are those of Flink's ``DateTimeUtils.parseTimestampData``: without a pattern, Flink's own form; with one, the
pattern, or else the form of ``java.sql.Timestamp`` and ``java.sql.Date``, which takes blanks around it and lets the
30th of February be the 1st of March. A time is in ms since 1970 as if its place were UTC; finer digits are cut off.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from typing import Final

from tidemark.simulator.engine.values.duration import format_duration, format_instant
from tidemark.simulator.scenario.tables.times import zone_of
from tidemark.simulator.sql.syntax import Expression, Interval, Operation, SqlProblem

_DATE: Final = r"(\d{4})-(\d{1,2})-(\d{1,2})"
_OF_FLINK: Final = re.compile(rf"{_DATE}(?: (\d{{1,2}}):(\d{{1,2}}):(\d{{1,2}})(?:\.(\d{{0,9}}))?)?", re.ASCII)
_OF_JAVA: Final = re.compile(rf"{_DATE}(?: (\d{{1,4}}):(\d{{1,4}}):(\d{{1,4}})(?:\.(\d{{1,9}}))?)?")
_BLANKS: Final = "".join(map(chr, range(33)))
"""What Java's ``trim`` takes away."""

_PIECES: Final = re.compile(r"'(?:[^']|'')*'|([A-Za-z])\1*|.", re.DOTALL)
_MONTHS: Final = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
                  "November", "December")  # fmt: skip
_DAYS: Final = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_DEEPEST: Final = 8
"""Brackets within one another in a pattern."""

_EPOCH: Final = date(1970, 1, 1).toordinal()
_DAY: Final = 86_400_000

TimeOfText = Callable[[str], int | None]
"""The time of a text, None where Flink has NULL."""


class UnknownLetter(Exception):
    """A pattern has a letter that is not read here; ``str`` is the letter."""


def default_time(text: str) -> int | None:
    """What TO_TIMESTAMP makes of ``text`` without a pattern, and CAST.

    >>> [default_time(text) for text in ("2026-01-01 10:00:00", "2026-1-1 10:0:0", "2026-01-01T10:00:00")]
    [1767261600000, 1767261600000, None]
    """
    found = _OF_FLINK.fullmatch(text)
    return None if found is None else _smart(*_numbers(found))


_DAY_OF_TEXT: Final = re.compile(r"(\d{1,4})(?:-(\d{1,2})(?:-(\d{1,2})(?: .*)?)?)?", re.ASCII)


def default_date(text: str) -> int | None:
    """The days since 1970 that CAST and TO_DATE make of ``text``.

    >>> [default_date(text) for text in ("1970-01-02", "1970-1-2 10:00:00", "1970", "1970-02-30")]
    [1, 1, 0, None]
    """
    found = _DAY_OF_TEXT.fullmatch(text.strip())
    if found is None:
        return None
    try:
        return date(int(found[1]), int(found[2] or 1), int(found[3] or 1)).toordinal() - _EPOCH
    except ValueError:
        return None


def by_pattern(pattern: str) -> TimeOfText:
    """What TO_TIMESTAMP makes of a text by ``pattern``. Raises ``UnknownLetter``.

    >>> read = by_pattern("dd.MM.yyyy H:mm[:ss]")
    >>> [read(text) for text in ("01.01.2026 10:00", "01.01.2026 10:00:01", " 2026-1-1 10:0:0", "1.1.2026 10:00")]
    [1767261600000, 1767261601000, 1767261600000, None]
    """
    parts = _parts(pattern)

    def time_of(text: str) -> int | None:
        found: dict[str, int] = {}
        if _read(parts, text, 0, found) == len(text):
            time = _resolved(found)
            if time is not None:
                return time
        return _of_java(text)

    return time_of


def lenient_time(pattern: str) -> TimeOfText:
    """As Java's ``SimpleDateFormat``, which asks for no zeros in front and reads no further than it must.

    Raises ``UnknownLetter``.
    """
    parts: list[_Part] = []
    for part in reversed(_parts(pattern)):
        alone = not parts or not isinstance(parts[-1], _Number)
        parts.append(replace(part, least=1, most=9) if isinstance(part, _Number) and alone else part)
    parts.reverse()

    def time_of(text: str) -> int | None:
        found: dict[str, int] = {}
        return _rolled(found) if _read(parts, text, 0, found) >= 0 else None

    return time_of


def _rolled(found: dict[str, int]) -> int | None:
    """The time that the fields say; a 13th month is the first of the next year, and so for days and hours."""
    months = found.get("M", 1) - 1
    first = {**found, "M": months % 12 + 1, "d": 1, "H": 0, "m": 0, "s": 0}
    if "y" in found:
        first["y"] += months // 12
    first.pop("E", None)
    time = _resolved(first) if 1 <= first.get("y", 1970) <= 9999 else None
    rest = _of_clock(found.get("H", 0), found.get("m", 0), found.get("s", 0), 0)
    return None if time is None else time + (found.get("d", 1) - 1) * _DAY + rest


def _numbers(found: re.Match[str]) -> tuple[int, ...]:
    """Year, month, day, hour, minute, second, ms."""
    *parts, fraction = found.groups()
    return (*(int(each or 0) for each in parts), int((fraction or "")[:3].ljust(3, "0")))


def _of_java(text: str) -> int | None:
    """``Timestamp.valueOf``, or ``Date.valueOf``: hours, minutes and seconds may be as many as one likes."""
    found = _OF_JAVA.fullmatch(text.strip(_BLANKS))
    if found is None:
        return None
    year, month, day, *clock = _numbers(found)
    if not (year and 1 <= month <= 12 and 1 <= day <= 31):
        return None
    return (date(year, month, 1).toordinal() - _EPOCH + day - 1) * _DAY + _of_clock(*clock)


def _smart(year: int, month: int, day: int, hour: int, minute: int, second: int, ms: int) -> int | None:
    """As ``java.time`` resolves it: a day that the month does not have is its last one, hour 24 the end of the day."""
    at_end = hour == 24 and not (minute or second or ms)
    if not (year and 1 <= month <= 12 and 1 <= day <= 31 and (hour < 24 or at_end) and minute < 60 and second < 60):
        return None
    day = min(day, monthrange(year, month)[1])
    return (date(year, month, day).toordinal() - _EPOCH) * _DAY + _of_clock(hour, minute, second, ms)


def _of_clock(hour: int, minute: int, second: int, ms: int) -> int:
    return ((hour * 60 + minute) * 60 + second) * 1000 + ms


def is_zone(name: str) -> bool:
    """Whether ``name`` is a region or an offset; Flink knows the empty text for none."""
    return bool(name) and zone_of(name) is not None


def in_zone(ms: int | None, zone: str) -> int | None:
    """The instant at which clocks in ``zone`` show ``ms``; None for a zone that is none.

    One that they skip comes out later by the gap, and one that they show twice is the first, as in ``java.time``.
    """
    place = zone_of(zone)
    if ms is None or place is None:
        return None
    local = datetime(1970, 1, 1, tzinfo=place) + timedelta(milliseconds=ms)
    offset = local.utcoffset()
    return None if offset is None else ms - offset // timedelta(milliseconds=1)


def local_in(ms: int, zone: str) -> int:
    """What clocks in ``zone`` show at the instant ``ms``."""
    offset = (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)).astimezone(zone_of(zone)).utcoffset()
    return ms if offset is None else ms + offset // timedelta(milliseconds=1)


def date_text(days: int) -> str:
    """``2026-01-31`` of days since 1970."""
    return format_instant(days * _DAY).partition("T")[0]


def time_text(ms: int, digits: int | None = None) -> str:
    """``2026-01-31 10:00:00.5`` with so many ``digits`` of the second; None: three, or none where they are zeros."""
    text = format_instant(ms - ms % 1000)[:-1].replace("T", " ")
    if digits is None:
        return f"{text}.{ms % 1000:03}" if ms % 1000 else text
    return f"{text}.{f'{ms % 1000:03}'.ljust(digits, '0')[:digits]}" if digits else text


# Patterns of ``java.time.format.DateTimeFormatter``. As there, nothing is tried a second time: of ``[...]`` what does
# not fit is left out, and a number takes all digits that it may. So the work grows with the text alone.


@dataclass(frozen=True)
class _Number:
    """``least`` to ``most`` digits; ``behind``: how many digits the numbers right behind it need."""

    field: str
    least: int
    most: int
    behind: int = 0


@dataclass(frozen=True)
class _Word:
    field: str
    words: tuple[str, ...]


_Part = str | _Number | _Word | tuple["_Part", ...]
"""A text as it stands, a number, a word, or what may be left out."""


def _parts(pattern: str) -> Sequence[_Part]:
    open_parts: list[list[_Part]] = [[]]
    for piece in _PIECES.finditer(pattern):
        text, letter = piece[0], piece[1]
        if text == "[" and len(open_parts) < _DEEPEST:
            open_parts.append([])
        elif text == "]" and len(open_parts) > 1:
            inner = tuple(_with_widths(open_parts.pop()))
            open_parts[-1].append(inner)
        elif letter:
            open_parts[-1].append(_of_letters(letter, len(text)))
        elif text in "#{}[]":
            raise UnknownLetter(text)
        else:
            open_parts[-1].append("'" if text == "''" else text[1:-1].replace("''", "'") if text[0] == "'" else text)
    while len(open_parts) > 1:
        inner = tuple(_with_widths(open_parts.pop()))
        open_parts[-1].append(inner)
    return _with_widths(open_parts[0])


def _of_letters(letter: str, count: int) -> _Part:
    if letter in "yu" and count in (1, 2, 4):
        return _Number("short" if count == 2 else "y", *{1: (1, 4), 2: (2, 2), 4: (4, 4)}[count])
    if letter in "ML" and count in (3, 4):
        return _Word("M", _MONTHS if count == 4 else tuple(name[:3] for name in _MONTHS))
    if letter in "MLdHhms" and count < 3:
        return _Number("M" if letter == "L" else letter, count, 2)
    if letter == "S" and count < 10:
        return _Number("S", count, count)
    if letter == "a" and count == 1:
        return _Word("a", ("AM", "PM"))
    if letter == "E" and count < 5:
        return _Word("E", _DAYS if count == 4 else tuple(name[:3] for name in _DAYS))
    raise UnknownLetter(letter * count)


SIMPLE_LETTERS: Final = "yMLdDHhkKmsaE"
"""What ``SimpleDateFormat`` writes as ``DateTimeFormatter`` does, of a time without a fraction."""

FORMAT_LETTERS: Final = SIMPLE_LETTERS + "uSQqnNAYwe"


def format_by(pattern: str, letters: str) -> Callable[[int], str]:
    """What writes a time as ``pattern`` says, in English as Flink does. Raises ``UnknownLetter``."""
    pieces: list[Callable[[_Fields], str]] = []
    for piece in _PIECES.finditer(pattern):
        text, letter = piece[0], piece[1]
        if text in "#{}" or (letter and letter not in letters) or (text in "[]" and letters == SIMPLE_LETTERS):
            raise UnknownLetter(text)
        if letter:
            pieces.append(_writer(letter, len(text)))
        elif text not in "[]":
            plain = "'" if text == "''" else text[1:-1].replace("''", "'") if text[0] == "'" else text
            pieces.append(lambda fields, plain=plain: plain)  # type: ignore[misc]
    return lambda ms: "".join(piece(_Fields.of(ms)) for piece in pieces)


@dataclass(frozen=True)
class _Fields:
    day: date
    ms: int

    @classmethod
    @lru_cache(maxsize=1)
    def of(cls, ms: int) -> "_Fields":
        """Of a time between the years 1 and 9999; other years are those that come round 400 years later."""
        days, rest = divmod(ms, _DAY)
        return cls(date.fromordinal((days + _EPOCH - 1) % 3_652_059 + 1), rest)


def _writer(letter: str, count: int) -> Callable[[_Fields], str]:
    if letter in "EMLQq" and count > 2:
        if count > 4:
            raise UnknownLetter(letter * count)
        return _WORDS[letter](count)
    number = _WRITTEN.get(letter)
    if letter == "S":
        return lambda fields: f"{fields.ms % 1000:03}".ljust(count, "0")[:count]
    if letter in "yuY" and count == 2:
        year = _WRITTEN[letter]
        return lambda fields: f"{year(fields) % 100:02}"
    if letter in "aE":
        words = _WORDS[letter](count)
        if letter == "a" and count > 1:
            raise UnknownLetter(letter * count)
        return words
    most = {"D": 3, "n": 19, "N": 19, "A": 19, "y": 4, "u": 4, "Y": 4, "e": 1}.get(letter, 2)
    if number is None or count > most:
        raise UnknownLetter(letter * count)
    return lambda fields: f"{number(fields):0{count}}"


def _us_week(day: date) -> tuple[int, int]:
    """Year and number of a week that begins on Sunday; the first of a year has its first day."""
    sunday = day.toordinal() - day.isoweekday() % 7
    year = date.fromordinal(sunday + 6).year
    first = date(year, 1, 1)
    return year, (sunday - (first.toordinal() - first.isoweekday() % 7)) // 7 + 1


_WORDS: Final[dict[str, Callable[[int], Callable[[_Fields], str]]]] = {
    "E": lambda count: lambda fields: _DAYS[fields.day.weekday()][: None if count > 3 else 3],
    "M": lambda count: lambda fields: _MONTHS[fields.day.month - 1][: None if count > 3 else 3],
    "L": lambda count: lambda fields: _MONTHS[fields.day.month - 1][: None if count > 3 else 3],
    "Q": lambda count: lambda fields: f"Q{(fields.day.month + 2) // 3}",
    "q": lambda count: lambda fields: f"Q{(fields.day.month + 2) // 3}",
    "a": lambda count: lambda fields: "AM" if fields.ms < _DAY // 2 else "PM",
}
_WRITTEN: Final[dict[str, Callable[[_Fields], int]]] = {
    "y": lambda of: of.day.year, "u": lambda of: of.day.year, "M": lambda of: of.day.month,
    "L": lambda of: of.day.month, "d": lambda of: of.day.day, "D": lambda of: of.day.timetuple().tm_yday,
    "H": lambda of: of.ms // 3_600_000, "h": lambda of: (of.ms // 3_600_000 - 1) % 12 + 1,
    "k": lambda of: of.ms // 3_600_000 or 24, "K": lambda of: of.ms // 3_600_000 % 12,
    "m": lambda of: of.ms // 60_000 % 60, "s": lambda of: of.ms // 1000 % 60, "n": lambda of: of.ms % 1000 * 1_000_000,
    "N": lambda of: of.ms * 1_000_000, "A": lambda of: of.ms, "Q": lambda of: (of.day.month + 2) // 3,
    "q": lambda of: (of.day.month + 2) // 3, "Y": lambda of: _us_week(of.day)[0], "w": lambda of: _us_week(of.day)[1],
    "e": lambda of: of.day.isoweekday() % 7 + 1,
}  # fmt: skip


def _with_widths(parts: Sequence[_Part]) -> list[_Part]:
    """``parts`` with what each number leaves to the numbers of fixed width behind it (``20260102``)."""
    found: list[_Part] = []
    behind = 0
    for part in reversed(parts):
        if isinstance(part, _Number):
            found.append(_Number(part.field, part.least, part.most, behind))
            behind = behind + part.least if part.least == part.most else 0
        else:
            found.append(part)
            behind = 0
    return found[::-1]


def _read(parts: Sequence[_Part], text: str, at: int, found: dict[str, int]) -> int:
    """Where ``parts`` end in ``text`` from ``at`` on, -1 if they do not fit; their numbers are put into ``found``."""
    for part in parts:
        if isinstance(part, str):
            end = at + len(part) if text.startswith(part, at) else -1
        elif isinstance(part, _Word):
            end = -1
            for number, word in enumerate(part.words):
                if text.startswith(word, at):
                    found[part.field], end = number + (part.field == "M"), at + len(word)
        elif isinstance(part, _Number):
            end = at
            while (
                end < len(text) and text[end].isascii() and text[end].isdigit() and end - at < part.most + part.behind
            ):
                end += 1
            end = min(max(end - part.behind, at), at + part.most)
            if end - at < part.least:
                return -1
            digits = text[at:end]
            found[part.field] = int(digits[:3].ljust(3, "0") if part.field == "S" else digits)
        else:
            inner: dict[str, int] = {}
            end = _read(part, text, at, inner)
            if end < 0:
                end = at
            else:
                found.update(inner)
        if end < 0:
            return -1
        at = end
    return at


def _resolved(found: dict[str, int]) -> int | None:
    """The time that the fields of a text say; what is not said is that of 1970-01-01 00:00."""
    hour = found.get("H", 0)
    if "h" in found and "a" in found:
        if not 1 <= found["h"] <= 12:
            return None
        hour = found["h"] % 12 + 12 * found["a"]
    year = found.get("y", 2000 + found["short"] if "short" in found else 1970)
    time = _smart(
        year, found.get("M", 1), found.get("d", 1), hour, found.get("m", 0), found.get("s", 0), found.get("S", 0)
    )
    day_of_week = found.get("E")
    if time is not None and day_of_week is not None and (time // _DAY + 3) % 7 != day_of_week:
        return None
    return time


# Interval literals of SQL as milliseconds, by the rules of the Flink planner (Calcite's ``SqlIntervalQualifier``).

_UNITS: Final = {"WEEK": 604_800_000, "DAY": 86_400_000, "HOUR": 3_600_000, "MINUTE": 60_000, "SECOND": 1_000}
_ORDER: Final = ("DAY", "HOUR", "MINUTE", "SECOND")
_IN_MONTHS: Final = ("YEAR", "QUARTER", "MONTH")
_MOST_DIGITS: Final = 3
"""``FlinkTypeFactory`` refuses more."""

_DIGITS: Final = 2
"""Digits of the first field unless the unit names another number: ``INTERVAL '100' SECOND`` is one digit too many."""


def milliseconds(expression: Expression) -> int:
    """The length of an interval literal, perhaps with a sign; parts of a millisecond are cut off.

    Raises ``SqlProblem`` for months and years, which have no length, for what is no interval literal, and for a number
    with more digits than its unit has.
    """
    if isinstance(expression, Operation) and expression.operator in ("-", "+") and len(expression.operands) == 1:
        return -milliseconds(expression.operands[0]) if expression.operator == "-" else milliseconds(
            expression.operands[0])  # fmt: skip
    if not isinstance(expression, Interval):
        raise SqlProblem("no_interval", expression.place)
    if not expression.quoted:
        # Calcite multiplies at run time then, and the planner refuses it as the length of a window.
        raise SqlProblem("unquoted", expression.place, text=expression.text, unit=expression.unit)
    unit, last = _singular(expression.unit), _singular(expression.last_unit or expression.unit)
    if unit in _IN_MONTHS:
        raise SqlProblem("months", expression.place)
    if unit not in _UNITS or last not in _UNITS or (last != unit and not (unit in _ORDER and last in _ORDER)):
        raise SqlProblem("unit", expression.place, unit=expression.unit)
    text, negative = expression.text.strip(), expression.negative
    if text[:1] in ("-", "+"):
        negative, text = negative != (text[0] == "-"), text[1:]
    length = _length(expression, text, unit, last)
    return -length if negative else length


def months(expression: Interval) -> int | None:
    """The months of an interval literal in months, quarters or years; None for one that has a length in ms.

    Raises ``SqlProblem`` for a text that is none.
    """
    unit, last = _singular(expression.unit), _singular(expression.last_unit or expression.unit)
    if unit not in _IN_MONTHS or not expression.quoted:
        return None
    found = re.fullmatch(r"([+-]?)(\d{1,9})(?:-(\d{1,2}))?", expression.text.strip(), re.ASCII)
    both = (unit, last) == ("YEAR", "MONTH")
    if found is None or bool(found[3]) != both or (unit != last and not both) or int(found[3] or 0) > 11:
        raise SqlProblem("interval_text", expression.place, text=expression.text, units=f"{unit} TO {last}")
    if len(found[2]) > (expression.digits or _DIGITS):
        raise SqlProblem("digits", expression.place, text=expression.text, unit=unit, digits=len(found[2]))
    length = int(found[2]) * {"YEAR": 12, "QUARTER": 3, "MONTH": 1}[unit] + int(found[3] or 0)
    return -length if expression.negative != (found[1] == "-") else length


def _singular(unit: str) -> str:
    return unit.removesuffix("S")


def _length(interval: Interval, text: str, unit: str, last: str) -> int:
    units = (unit,) if unit == last else _ORDER[_ORDER.index(unit) : _ORDER.index(last) + 1]
    fields = _fields(text, units)
    if not fields or not units:
        raise SqlProblem(
            "interval_text", interval.place, text=interval.text, units=" TO ".join(dict.fromkeys((unit, last)))
        )
    digits = interval.digits or _DIGITS
    if len(str(int(fields[0]))) > digits:
        raise SqlProblem("digits", interval.place, text=interval.text, unit=unit, digits=len(str(int(fields[0]))))
    if digits > _MOST_DIGITS:
        raise SqlProblem("many_digits", interval.place, unit=unit)
    if any(field >= 60 - 36 * (each == "HOUR") for each, field in zip(units[1:], fields[1:], strict=True)):
        raise SqlProblem("interval_text", interval.place, text=interval.text, units=f"{unit} TO {last}")
    return int(sum(field * _UNITS[each] for each, field in zip(units, fields, strict=True)))


def _fields(text: str, units: tuple[str, ...]) -> list[Decimal]:
    """The numbers of ``D HH:MM:SS.fff`` cut to ``units``; empty if the text is not of that form."""
    separators = [" " if each == "DAY" else ":" for each in units[:-1]]
    pattern = "".join(rf"(\d{{1,10}}){re.escape(each)}" for each in separators)
    pattern += r"(\d{1,10}(?:\.\d{0,9})?)" if units[-1] == "SECOND" else r"(\d{1,10})"
    found = re.fullmatch(pattern, text, re.ASCII)
    return [Decimal(each) for each in found.groups()] if found else []


def written(ms: int) -> str | int:
    """``ms`` as a scenario file has it."""
    return format_duration(ms) if ms else 0
