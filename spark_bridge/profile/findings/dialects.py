"""A column of the stream as code of each engine: the time that it says, and the comparison with a value."""

import json
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator.scenario.tables.times import format_offset, offset_of
from tidemark.spark_bridge.files.sample import Written

EXPONENTS: Final = {"s": 3, "ms": 0, "us": -3, "ns": -6}
"""The power of ten of the ms in one of each unit."""

_JAVA_NUMBERS: Final = {3: "<n> * 1_000L", 0: "<n>", -3: "<n> / 1_000", -6: "<n> / 1_000_000"}
_SQL_NUMBERS: Final = {3: "TO_TIMESTAMP_LTZ(<n>, 0)", 0: "TO_TIMESTAMP_LTZ(<n>, 3)"}


def spark_name(column: Written) -> str:
    """The column in an expression of Spark or Flink SQL: quoted, since many a name is a reserved word."""
    name = ".".join(f"`{part.replace('`', '``')}`" for part in column.path)
    return f"CONCAT_WS(' ', {name}, {spark_name(column.clock)})" if column.clock else name


def spark_time(column: Written, power: int = 0) -> str:
    """The time as a TIMESTAMP of Spark. ``power``: of ten that it is too large by."""
    name = spark_name(column)
    if column.unit is None or column.pattern is not None:
        time = _spark_date(column, name)
        return f"timestamp_millis({_scaled(f'unix_millis({time})', power, ' DIV ')})" if power else time
    exponent = EXPONENTS[column.unit] - power
    if exponent == 3 and _has_fractions(column):
        return f"timestamp_seconds({_spark_cast(name, column, 'DECIMAL(20, 6)')})"
    number = _spark_cast(name, column, "BIGINT")
    if exponent not in (3, 0, -3, -6):
        return f"timestamp_millis({_scaled(number, -exponent, ' DIV ')})"
    return {
        3: f"timestamp_seconds({number})",
        0: f"timestamp_millis({number})",
        -3: f"timestamp_micros({number})",
        -6: f"timestamp_micros({number} DIV 1000)",
    }[exponent]


def sql_time(column: Written, zone: str, power: int = 0) -> str:
    """The time as a TIMESTAMP_LTZ(3) of Flink SQL."""
    name = spark_name(column)
    if column.unit is None or column.pattern is not None:
        time = _sql_date(column, name, zone)
        if not power:
            return time
        ms = f"CAST(TIMESTAMPDIFF(SECOND, TO_TIMESTAMP_LTZ(0, 3), {time}) AS BIGINT) * 1000"
        return f"TO_TIMESTAMP_LTZ({_scaled(f'({ms} + EXTRACT(MILLISECOND FROM {time}))', power, ' / ')}, 3)"
    exponent = EXPONENTS[column.unit] - power
    if exponent == 3 and _has_fractions(column):
        return f"TO_TIMESTAMP_LTZ(CAST(CAST({name} AS DECIMAL(20, 6)) * 1000 AS BIGINT), 3)"
    number = name if column.type in ("bigint", "int") else f"TRY_CAST({name} AS BIGINT)"
    form = _SQL_NUMBERS.get(exponent)
    return form.replace("<n>", number) if form else f"TO_TIMESTAMP_LTZ({_scaled(number, -exponent, ' / ')}, 3)"


def java_time(column: Written, member: str, zone: str, power: int = 0) -> str:
    """The time in ms as Java has it; ``member`` is the column of an event."""
    if column.unit is None or column.pattern is not None:
        return _scaled(_java_date(column, member, zone), power, " / ", "_", "L")
    exponent = EXPONENTS[column.unit] - power
    if _has_fractions(column):
        exact = member if column.type.startswith("decimal") else f"BigDecimal.valueOf({member})"
        return f"{exact}.movePointRight({exponent}).longValue()"
    form = _JAVA_NUMBERS.get(exponent)
    return form.replace("<n>", member) if form else _scaled(member, -exponent, " / ", "_", "L")


def spark_number(column: Written) -> str | None:
    """The column of times as a number; None if its times are written in another way."""
    if column.unit is None or column.pattern is not None:
        return None
    return _spark_cast(spark_name(column), column, "DECIMAL(38, 6)" if _has_fractions(column) else "BIGINT")


def sql_number(column: Written) -> str | None:
    """The same in Flink SQL."""
    if column.unit is None or column.pattern is not None:
        return None
    name = spark_name(column)
    if column.type in ("bigint", "int"):
        return name
    return f"TRY_CAST({name} AS {'DECIMAL(38, 6)' if _has_fractions(column) else 'BIGINT'})"


def _has_fractions(column: Written) -> bool:
    return column.fraction or column.type.startswith(("float", "double", "decimal"))


def sql_interval(ms: int) -> str:
    """A duration in Flink SQL, which takes two digits of seconds, and no more than three of days."""
    if ms < 100_000:
        return f"'{f'{ms / 1000:.3f}'.rstrip('0').rstrip('.')}' SECOND"
    seconds, rest = divmod(ms, 1000)
    days, seconds = divmod(seconds, 86_400)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}" + (f".{rest:03}" if rest else "")
    return f"'{days} {clock}' DAY{'(3)' if days > 99 else ''} TO SECOND"


def needs_spark_zone(column: Written) -> bool:
    """Whether Spark reads the times in the zone of its session."""
    if column.pattern is not None:
        return not column.pattern.zone
    return column.type in ("timestamp_ntz", "date")


def spark_is(column: Written, value: Any) -> str:
    """The condition that the column has ``value``."""
    name = spark_name(column)
    if value == "":
        return f"{name} IS NULL"
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"{name} = {value}" if isinstance(value, int) or column.is_number else f"{name} = '{text}'"


def sql_is(column: Written, value: Any) -> str:
    """The same in Flink SQL, which compares no text with a number."""
    name = spark_name(column)
    if value == "":
        return f"{name} IS NULL"
    text = str(value).replace("'", "''")
    if column.is_number:
        return f"{name} = {value}"
    return f"CAST({name} AS STRING) = '{text}'" if text.lstrip("-").isdigit() else f"{name} = '{text}'"


def java_is(member: str, column: Written, value: Any) -> str:
    """The same in Java."""
    if value == "":
        return f"{member} == null"
    if isinstance(value, int) or column.is_number:
        return f"{member} == {value}"
    return f"{member}.equals({json.dumps(str(value), ensure_ascii=False)})"


def java_member(column: Written, otherwise: str) -> str:
    """The column of an event; ``otherwise`` is its name where its own is none in Java."""
    if column.clock:
        date = java_member(replace(column, clock=None), otherwise)
        return f'{date} + " " + {java_member(column.clock, f"{otherwise}_clock")}'
    if all(part.isidentifier() and part.isascii() for part in column.path):
        return ".".join(("event", *column.path))
    return f"event.{otherwise}"


def python_text(text: str) -> str:
    """A text as a literal of Python."""
    return json.dumps(text, ensure_ascii=False)


def _scaled(number: str, power: int, division: str, group: str = "", suffix: str = "") -> str:
    """``number`` divided by ten to the ``power``."""
    if not power:
        return number
    factor = f"{10 ** abs(power):_}".replace("_", group) + suffix
    return f"{number}{division if power > 0 else ' * '}{factor}"


def _spark_cast(name: str, column: Written, type: str) -> str:
    if column.type in ("bigint", "int"):
        return name
    if type == "BIGINT" and column.fraction:
        return f"CAST(TRY_CAST({name} AS DECIMAL(38, 6)) AS BIGINT)"
    return f"TRY_CAST({name} AS {type})"


def _spark_date(column: Written, name: str) -> str:
    pattern = column.pattern
    if pattern is None:
        if column.type.startswith("timestamp_ns"):
            return f"timestamp_micros({name} DIV 1000)"
        return name if column.type == "timestamp" else f"CAST({name} AS TIMESTAMP)"
    if pattern.is_iso:
        return f"TRY_CAST({name} AS TIMESTAMP)"
    text = pattern.text + _spark_zone(pattern.zone) + pattern.tail
    if pattern.day:  # Spark writes days of the week, and reads none
        name = f"REGEXP_REPLACE({name}, '^[A-Za-z]+[,.]? +', '')"
    return f"try_to_timestamp({name}, '{text.replace(_QUOTE, _ESCAPED)}')"


_QUOTE: Final = "'"
_ESCAPED: Final = "\\'"


def _spark_zone(zone: str) -> str:
    if not zone:
        return ""
    blanks, own = zone[: len(zone) - len(zone.lstrip())], zone.lstrip()
    if own.endswith("]"):
        return f"{blanks}{_spark_zone(own[: own.index('[')])}'['VV']'"
    if own.isalpha():
        return blanks + ("X" if own == "Z" else f"'{own}'" if own in ("UTC", "GMT", "z") else "zzz")
    return blanks + ({3: "x", 5: "xx", 6: "xxx"}[len(own)] if own[0] in "+-" else "O")


def _sql_date(column: Written, name: str, zone: str) -> str:
    pattern = column.pattern
    if pattern is None:
        if column.type == "timestamp_ns":
            return f"TO_TIMESTAMP_LTZ({name} / 1000000, 3)"
        return f"CAST({name} AS TIMESTAMP_LTZ(3))"
    own = pattern.zone.strip()
    text = pattern.day + pattern.text
    if own and own[-1].isdigit() and not pattern.tail:
        split = len(pattern.zone)
        blanks = f"TRIM(SUBSTRING({name}, CHAR_LENGTH({name}) - {split - 1}))"
        name, of_zone = f"SUBSTRING({name}, 1, CHAR_LENGTH({name}) - {split})", blanks
    else:
        text += f"{pattern.zone[: len(pattern.zone) - len(own)]}'{own}'" if own else ""
        text += pattern.tail
        of_zone = f"'{_zone_named(own, zone)}'"
    return f"TO_TIMESTAMP_LTZ({name}, '{text.replace(_QUOTE, _QUOTE * 2)}', {of_zone})"


def _zone_named(own: str, zone: str) -> str:
    """The zone that ends a time, as Flink SQL knows it."""
    if own.endswith("]"):
        return own[own.index("[") + 1 : -1]
    if not own or own in ("Z", "z", "UTC", "GMT"):
        return "UTC" if own else zone
    minutes = offset_of(own, zone) if own.isalpha() else None
    return own if minutes is None else format_offset(minutes)


def _java_date(column: Written, member: str, zone: str) -> str:
    pattern = column.pattern
    own_zone = "UTC" if pattern is not None and pattern.zone else zone
    in_zone = f'.atZone(ZoneId.of("{own_zone}")).toInstant().toEpochMilli()'
    if pattern is None:
        if column.type == "date":
            return f'{member}.atStartOfDay(ZoneId.of("{zone}")).toInstant().toEpochMilli()'
        return f"{member}{in_zone}" if column.type.endswith("ntz") else f"{member}.toEpochMilli()"
    form = pattern.day + pattern.text + _spark_zone(pattern.zone) + pattern.tail
    of_form = f', DateTimeFormatter.ofPattern("{form}", Locale.ENGLISH)'
    if pattern.is_iso and pattern.text.startswith("yyyy-MM-dd'T'HH:mm"):
        if pattern.zone == "Z":
            return f"Instant.parse({member}).toEpochMilli()"
        if len(pattern.zone) == len("+01:00"):
            return f"OffsetDateTime.parse({member}).toInstant().toEpochMilli()"
        if not pattern.zone:
            of_form = ""
    if "zzz" in form or "VV" in form:
        return f"ZonedDateTime.parse({member}{of_form}).toInstant().toEpochMilli()"
    if pattern.zone and pattern.zone.strip()[-1].isdigit():
        return f"OffsetDateTime.parse({member}{of_form}).toInstant().toEpochMilli()"
    if not pattern.has_time:
        return f'LocalDate.parse({member}{of_form}).atStartOfDay(ZoneId.of("{zone}")).toInstant().toEpochMilli()'
    return f"LocalDateTime.parse({member}{of_form}){in_zone}"
