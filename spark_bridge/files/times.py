"""Times as Spark expressions: ms since 1970 from whatever a column holds, by the rules of ``tables.times``.

Exact: no number passes through a double. What is finer than a millisecond is cut off, towards the past. Null stands for
what cannot be read. Numbers go further than in the wizard, to ``FURTHEST``: a timestamp in another unit than it should
have must be seen, not thrown away.
"""

from collections.abc import Callable
from typing import Final

from pyspark.sql import Column
from pyspark.sql import functions as F
from tidemark.simulator.scenario.tables.times import (
    ABBREVIATIONS,
    FURTHEST,
    NAME,
    OFFSET,
    REGION,
    format_offset,
    names_in,
)
from tidemark.spark_bridge.spark.columns import long, nothing, quotient

_PER_MS: Final = {"ms": 1, "us": 1_000, "ns": 1_000_000}
_UTC: Final = ("UTC", "GMT", "Z", "z", "")
_MONTHS: Final = "janfebmaraprmayjunjulaugsepoctnovdec"

_PLAIN: Final = r"^[-+]?\d{1,23}([.,]\d{1,15})?$"
_NUMBER: Final = r"^([-+]?)(\d{1,40})(?:[.,](\d{1,40}))?(?:[Ee]([-+]?\d{1,2}))?$"
_ROOM: Final = 100
"""Digits on each side of a number, for its point to move over."""

_ZONE: Final = rf"(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?| {REGION})"
_STRICT: Final = rf"^(?!0000)\d{{4}}-\d\d?-\d\d?([T ]\d\d?:\d\d(:\d\d(\.\d{{1,9}})?{_ZONE}?)?)?$"
_HAS_ZONE: Final = rf":\d\d(\.\d+)?{_ZONE}$"
_CLOCK: Final = r":\d\d(?:[.,]\d{1,9})?(?:\s*[AaPp]\.?[Mm]\.?(?![A-Za-z]))?"
_BY_NAME: Final = rf"^(.*:\d\d(?:\.\d{{1,9}})?)\s*({NAME})$"

# What ends a time of day becomes a zone as Spark reads it. Java knows of ``$10`` that there is no tenth group.
_ZONES: Final = (
    (r" \([A-Za-z ]{1,60}\)$", ""),
    (rf"({_CLOCK}\s*(?:[Zz]|{NAME}|{OFFSET}))\[[A-Za-z0-9_:/+-]{{1,40}}\]$", "$1"),
    (rf"({_CLOCK})\[([A-Za-z0-9_:/+-]{{1,40}})\]$", "$1 $2"),
    (r"(:\d\d.{0,60})(?:UTC|GMT|UT)([+-])(\d(?::\d\d)?)$", "$1$20$3"),
    (r"(:\d\d.{0,60})(?:UTC|GMT|UT)(?=[+-]\d\d)", "$1"),
    (r"(\d)\s*z$", "$1Z"),
)

# A date in another form becomes year-month-day, with the rest of the text as it is.
_FORMS: Final = {
    "iso": (
        (r"^(\d{4})([-/.])(\d\d?)\2(\d\d?)(?!\d)", "$1-$3-$4"),
        (r"^(\d{4})(\d\d)(\d\d)T?(\d\d)(\d\d)(\d\d)(?=$|[Zz.+-])", "$1-$2-$3 $4:$5:$6"),
        (r"^(\d{4})(\d\d)(\d\d)(?!\d)", "$1-$2-$3"),
    ),
    "dmy": (
        (r"^(\d\d?)([-/.])(\d\d?)\2(\d{4})(?!\d)", "$4-$3-$1"),
        (r"^(\d\d?)([-/.])(\d\d?)\2(\d\d)(?!\d)", "20$4-$3-$1"),
    ),
    "mdy": (
        (r"^(\d\d?)([-/.])(\d\d?)\2(\d{4})(?!\d)", "$4-$1-$3"),
        (r"^(\d\d?)([-/.])(\d\d?)\2(\d\d)(?!\d)", "20$4-$1-$3"),
    ),
}  # fmt: skip
_NAMED: Final = r"^(\d\d?)[ /-]([A-Za-z]{3})[A-Za-z]{0,6}\.?,?[ /-](\d{4})(?!\d)(.*)$"
_WEEKDAY: Final = (r"^(?i:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6})[,.]?\s+", "")
_YEAR_LAST: Final = (r"^([A-Za-z]{3,9})\.? (\d\d?) (\d\d?:.*) (\d{4})$", "$2 $1 $4 $3")
_NAMED_FIRST: Final = (r"^([A-Za-z]{3,9})\.? (\d\d?),? (\d{4})(?!\d)", "$2 $1 $3")
_HALF_DAY: Final = r"^(\S+ )(0?[1-9]|1[0-2])(:\d\d(?::\d\d(?:\.\d{1,9})?)?)\s*([AaPp])\.?[Mm]\.?(?![A-Za-z])\s*(.*)$"
_CHINESE: Final = ("年月日时時分秒", "-- :::")


def ms_of(column: Column, type: str, unit: str | None, zone: str) -> Column:
    """``column`` of Spark's ``type`` as ms. ``unit``: see ``columns.UNITS``; None: the type says it."""
    if type == "timestamp":
        return F.unix_millis(column)
    if type in ("timestamp_ntz", "date"):
        return F.unix_millis(_in_utc(column.cast("timestamp_ntz"), zone))
    if type == "timestamp_ns":
        return _floor_div(column, _PER_MS["ns"])
    if type == "timestamp_ns_ntz":
        local = F.timestamp_micros(_floor_div(column, 1_000)).cast("timestamp_ntz")
        return F.unix_millis(_in_utc(local, zone))
    if type in ("tinyint", "smallint", "int", "bigint"):
        return _of_whole(column.cast("bigint"), unit or "ms")
    if type in ("float", "double") or type.startswith("decimal"):
        return _of_decimal(column.try_cast("decimal(38,15)"), unit or "ms")
    if type not in ("string", "binary"):
        return nothing("bigint")
    text = F.trim(column.cast("string"))
    unit = unit or "ms"
    return _of_number(text, unit) if unit in ("s", *_PER_MS) else _of_date(text, unit, zone)


def _floor_div(number: Column, by: int) -> Column:
    """``number`` (bigint) divided and rounded down: no double, no overflow."""
    if by == 1:
        return number
    return quotient(number, by) - F.when(number % long(by) < 0, 1).otherwise(0)


def _bounded(ms: Column) -> Column:
    return F.when(ms.between(long(-FURTHEST), long(FURTHEST)), ms)


def _of_whole(number: Column, unit: str) -> Column:
    if unit == "s":
        most = FURTHEST // 1000
        return F.when(number.between(long(-most), long(most)), number * long(1000))
    return _bounded(_floor_div(number, _PER_MS[unit]))


def _of_decimal(number: Column, unit: str) -> Column:
    """A decimal(38,15): its whole part and its fraction apart, since Spark rounds products of many digits."""
    whole = F.floor(number)
    if unit == "s":
        fraction = F.pmod(number, F.lit(1).cast("decimal(1,0)")).cast("decimal(18,15)")  # a difference would be rounded
        ms = whole * F.lit(1000).cast("decimal(4,0)") + F.floor(fraction * F.lit(1000).cast("decimal(4,0)"))
    else:
        ms = F.floor(whole / F.lit(_PER_MS[unit]).cast("decimal(7,0)"))
    return _bounded(ms.try_cast("bigint"))


def _of_number(text: Column, unit: str) -> Column:
    def exactly(text: Column) -> Column:
        plain = F.when(text.rlike(_PLAIN), F.translate(text, ",", ".").try_cast("decimal(38,15)"))
        number = F.coalesce(plain, F.when(text.rlike(_NUMBER), _decimal(text)))
        return _once(number, lambda number: _of_decimal(number, unit))

    whole = text.try_cast("bigint")
    return F.when(whole.isNotNull(), _of_whole(whole, unit)).otherwise(_once(text, exactly))


def _decimal(text: Column) -> Column:
    """A number with any exponent and number of digits; of those beyond 14 behind the point only whether they are 0."""
    sign, whole, fraction, exponent = (F.regexp_extract(text, _NUMBER, group) for group in (1, 2, 3, 4))
    room = F.lit("0" * _ROOM)
    digits = F.concat(room, whole, fraction, room)
    point = F.lit(_ROOM) + F.length(whole) + F.coalesce(exponent.try_cast("int"), F.lit(0))
    before = F.concat(F.lit("0"), F.ltrim(digits.substr(F.lit(1), point), F.lit("0")))
    kept = digits.substr(point + 1, F.lit(14))
    rest = F.when(digits.substr(point + 15, F.length(digits)).rlike("[1-9]"), "1").otherwise("0")
    return F.concat(sign, before, F.lit("."), kept, rest).try_cast("decimal(38,15)")


def _of_date(text: Column, form: str, zone: str) -> Column:
    """A date with or without a time of day. Most texts are as Spark itself reads them; others are rewritten first."""
    rewritten = _once(text, lambda text: _rewritten(text, form, zone))
    return F.when(text.rlike(_STRICT), _instant(text, zone)).otherwise(rewritten) if form == "iso" else rewritten


def _rewritten(text: Column, form: str, zone: str) -> Column:
    if form == "iso":
        text = F.rtrim(F.regexp_replace(F.translate(text, *_CHINESE), r"\s+", " "), F.lit(": "))
    if form == "named":
        for pattern, replacement in ((r"\s+", " "), _WEEKDAY, _YEAR_LAST):
            text = F.regexp_replace(text, pattern, replacement)
        text = _once(F.regexp_replace(text, *map(F.lit, _NAMED_FIRST)), _with_number_of_month)
    for pattern, replacement in _FORMS.get(form, ()):
        text = F.regexp_replace(text, pattern, replacement)
    text = F.regexp_replace(text, r"^(\d{4}-\d\d?-\d\d?)(?:[Tt,:]|\s)\s*(?=\d)", "$1 ")
    for pattern, replacement in _ZONES:
        text = F.regexp_replace(text, pattern, replacement)
    text = F.regexp_replace(text, r"(:\d\d:\d\d),(\d)", "$1.$2")
    text = _once(text, lambda text: F.when(text.rlike(_HALF_DAY), _in_24_hours(text)).otherwise(text))
    text = _once(text, lambda text: F.when(text.rlike(_BY_NAME), _with_offset(text, zone)).otherwise(text))
    text = F.regexp_replace(text, rf"(:\d\d(?:\.\d{{1,9}})?)\s*({_ZONE})$", "$1$2")
    text = F.regexp_replace(text, rf"^(\S+ \d\d?:\d\d)({_ZONE})$", "$1:00$2")  # Spark wants seconds before a zone
    return _once(text, lambda text: F.when(text.rlike(_STRICT), _instant(text, zone)))


def _once(column: Column, use: Callable[[Column], Column]) -> Column:
    """What ``use`` makes of ``column``, which is computed once however often it is used.

    Spark also leaves this out of the code that it compiles, where one long expression would slow down all the others.
    """
    return F.element_at(F.transform(F.array(column), use), 1)


def _with_number_of_month(text: Column) -> Column:
    day, name, year, rest = (F.regexp_extract(text, _NAMED, group) for group in (1, 2, 3, 4))
    at = F.call_function("locate", F.lower(name), F.lit(_MONTHS))
    month = F.when(at % 3 == 1, quotient(at + 2, 3).cast("string"))
    return F.concat(year, F.lit("-"), month, F.lit("-"), day, rest)


def _with_offset(text: Column, zone: str) -> Column:
    """A time that ends in the abbreviation of a zone, with its offset instead; what nobody knows stays as it is."""
    known = {name: minutes for name, minutes in names_in(zone).items() if name not in ABBREVIATIONS} | ABBREVIATIONS
    offsets = {name: format_offset(minutes) for name, minutes in known.items()}
    table = F.create_map(*(F.lit(each) for item in offsets.items() for each in item))
    time, name = (F.regexp_extract(text, _BY_NAME, group) for group in (1, 2))
    return F.concat(time, F.coalesce(F.try_element_at(table, name), name))


def _in_24_hours(text: Column) -> Column:
    date, hour, minute, half, rest = (F.regexp_extract(text, _HALF_DAY, group) for group in (1, 2, 3, 4, 5))
    hours = hour.cast("int") % 12 + F.when(F.lower(half) == "p", 12).otherwise(0)
    return F.concat(date, F.lpad(hours.cast("string"), 2, "0"), minute, rest)


def _instant(text: Column, zone: str) -> Column:
    """A text as ``_STRICT`` wants it, which has a zone of its own or not."""
    instant = text.try_cast("timestamp")  # a local time as one of UTC, as the session has it
    if zone in _UTC:
        return F.unix_millis(instant)
    local = _in_utc(text.try_cast("timestamp_ntz"), zone)
    return F.unix_millis(F.when(text.rlike(_HAS_ZONE), instant).otherwise(local))


def _in_utc(local: Column, zone: str) -> Column:
    """A local time of ``zone`` as a timestamp. Of two instants the first; one that the clocks skip comes out later."""
    if zone in _UTC:
        return local.cast("timestamp")
    return F.convert_timezone(F.lit(zone), F.lit("UTC"), local).cast("timestamp")
