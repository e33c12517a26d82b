"""Expressions over a row: what they compute is what Flink 2.3.0 computed, each as a query over this one row."""

import math
import tomllib
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.sql.casts import written
from tidemark.simulator.sql.expressions import CLOCK, Computed, Failure, compiled
from tidemark.simulator.sql.parsing import expression
from tidemark.simulator.sql.syntax import SqlProblem
from tidemark.simulator.sql.times import milliseconds
from tidemark.simulator.sql.types import column, type_of

from tests.each import for_each

ROW = {
    "i": 1,
    "b": 5,
    "s": "2026-01-02 03:04:05+01:00",
    "d": 1.5,
    "t": 1767323045678,
    "n": None,
    "g": -7,
    "m": Decimal("2.50"),
}
TYPES = {
    "i": "int",
    "b": "bigint",
    "s": "text",
    "d": "double",
    "t": "timestamp",
    "n": "text",
    "g": "bigint",
    "m": "decimal",
}
RECORDED = [
    ("b/2", "2"),
    ("g/2", "-3"),
    ("g%3", "-1"),
    ("i*2147483647", "2147483647"),
    ("i*2147483647*2", "-2"),
    ("b*9223372036854775807", "9223372036854775803"),
    ("TO_TIMESTAMP_LTZ(b,0)", "1970-01-01 00:00:05.000"),
    ("TO_TIMESTAMP_LTZ(b*253402300799,0)", None),
    ("TO_TIMESTAMP_LTZ(253402300800000*i,3)", None),
    ("TO_TIMESTAMP_LTZ(253402300799999*i,3)", "9999-12-31 23:59:59.999"),
    ("TO_TIMESTAMP_LTZ(-62167219200000*i,3)", "0000-01-01 00:00:00.000"),
    ("TO_TIMESTAMP_LTZ(-62167219200001*i,3)", None),
    ("TO_TIMESTAMP_LTZ(d,0)", "1970-01-01 00:00:01.500"),
    ("TO_TIMESTAMP_LTZ(d,3)", "1970-01-01 00:00:00.001"),
    ("TO_TIMESTAMP_LTZ(m,0)", "1970-01-01 00:00:02.000"),
    ("TO_TIMESTAMP_LTZ(m,3)", "1970-01-01 00:00:00.002"),
    ("TO_TIMESTAMP_LTZ(b)", "1970-01-01 00:00:00.005"),
    ("TO_TIMESTAMP_LTZ(s)", "ERROR"),
    (
        "TO_TIMESTAMP_LTZ(SUBSTRING(s,1,CHAR_LENGTH(s)-6),'yyyy-MM-dd HH:mm:ss',TRIM(SUBSTRING(s,CHAR_LENGTH(s)-5)))",
        "2026-01-02 02:04:05.000",
    ),
    ("TO_TIMESTAMP_LTZ(SUBSTRING(s,1,19),'yyyy-MM-dd HH:mm:ss','+01')", "2026-01-02 02:04:05.000"),
    ("TO_TIMESTAMP_LTZ(SUBSTRING(s,1,19),'yyyy-MM-dd HH:mm:ss','+0130')", "2026-01-02 01:34:05.000"),
    ("TO_TIMESTAMP_LTZ(SUBSTRING(s,1,19),'yyyy-MM-dd HH:mm:ss','Z')", "2026-01-02 03:04:05.000"),
    ("TO_TIMESTAMP_LTZ(SUBSTRING(s,1,19),'yyyy-MM-dd HH:mm:ss','PST')", "ERROR"),
    ("TO_TIMESTAMP_LTZ(SUBSTRING(s,1,19),'yyyy-MM-dd HH:mm:ss','nonsense')", "ERROR"),
    ("TO_TIMESTAMP_LTZ(SUBSTRING(s,1,19),'yyyy-MM-dd HH:mm:ss','Europe/Berlin')", "2026-01-02 02:04:05.000"),
    ("TO_TIMESTAMP_LTZ(n,'yyyy-MM-dd HH:mm:ss','UTC')", None),
    ("TO_TIMESTAMP_LTZ('2026-03-29 02:30:00','yyyy-MM-dd HH:mm:ss','Europe/Berlin')", "2026-03-29 01:30:00.000"),
    ("TO_TIMESTAMP_LTZ('2026-10-25 02:30:00','yyyy-MM-dd HH:mm:ss','Europe/Berlin')", "2026-10-25 00:30:00.000"),
    ("CAST(t AS TIMESTAMP_LTZ(3))", "2026-01-02 03:04:05.678"),
    ("t = CAST(t AS TIMESTAMP_LTZ(3))", "TRUE"),
    ("CAST(t AS TIMESTAMP_LTZ(3)) > TIMESTAMP '2026-01-01 00:00:00'", "TRUE"),
    ("TIMESTAMPDIFF(SECOND,TO_TIMESTAMP_LTZ(0,3),CAST(t AS TIMESTAMP_LTZ(3)))", "1767323045"),
    ("TIMESTAMPDIFF(SECOND,TO_TIMESTAMP_LTZ(0,3),TO_TIMESTAMP_LTZ(4102444800000*i,3))", "-192522496"),
    ("TIMESTAMPDIFF(SECOND,TO_TIMESTAMP_LTZ(0,3),TO_TIMESTAMP_LTZ(-1500*i,3))", "-1"),
    ("EXTRACT(MILLISECOND FROM t)", "678"),
    ("EXTRACT(MILLISECOND FROM CAST(t AS TIMESTAMP_LTZ(3)))", "678"),
    ("EXTRACT(MILLISECOND FROM TO_TIMESTAMP_LTZ(-1500*i,3))", "-500"),
    ("CAST(CAST('1772438402.517' AS DECIMAL(20,6))*1000 AS BIGINT)", "1772438402517"),
    ("TRY_CAST('12345678901234567890' AS DECIMAL(20,6))", None),
    ("TRY_CAST('1.23456789' AS DECIMAL(20,6))", "1.234568"),
    ("CAST(d AS BIGINT)", "1"),
    ("CAST(m AS BIGINT)", "2"),
    ("CAST(m*1000 AS BIGINT)", "2500"),
    ("TRY_CAST('1e3' AS DOUBLE)", "1000.0"),
    ("CAST('1.5e3' AS DECIMAL(20,6))", "1500.000000"),
    ("b||s", "ERROR"),
    ("b='5'", "ERROR"),
    ("s=5", "ERROR"),
    ("n IS NULL", "TRUE"),
    ("n IN ('a')", None),
    ("NOT n='a'", None),
    ("n='a' OR b=5", "TRUE"),
    ("n='a' AND b=5", None),
    ("i IN (1,2)", "TRUE"),
    ("SUBSTRING(s,-5)", "01:00"),
    ("SUBSTRING(s,0,3)", "202"),
    ("SUBSTRING(s,2,-1)", None),
    ("SUBSTRING(s,100)", ""),
    ("SUBSTRING(s,1,0)", ""),
    ("TRIM('  a ')", "a"),
    ("COALESCE(n,'z')", "z"),
    ("CASE WHEN n='a' THEN 1 END", None),
    ("CASE i WHEN 1 THEN 'x' ELSE 'y' END", "x"),
    ("t + INTERVAL '1' HOUR", "2026-01-02 04:04:05.678"),
    ("t - INTERVAL '1:30' HOUR TO MINUTE", "2026-01-02 01:34:05.678"),
    ("TO_TIMESTAMP('10/Oct/2020:13:55:36','dd/MMM/yyyy:HH:mm:ss')", "2020-10-10 13:55:36.000"),
    ("TO_TIMESTAMP('10/oct/2020:13:55:36','dd/MMM/yyyy:HH:mm:ss')", None),
    ("TO_TIMESTAMP('03/02/26 08:05:01 PM','MM/dd/yy hh:mm:ss a')", "2026-03-02 20:05:01.000"),
    ("TO_TIMESTAMP('03/02/26 08:05:01 pm','MM/dd/yy hh:mm:ss a')", None),
    ("TO_TIMESTAMP('3/2/2026 8:05','M/d/yyyy H:mm')", "2026-03-02 08:05:00.000"),
    ("TO_TIMESTAMP('March 2, 2026 08:00','MMMM d, yyyy HH:mm')", "2026-03-02 08:00:00.000"),
    ("TO_TIMESTAMP('20260102T030405','yyyyMMdd''T''HHmmss')", "2026-01-02 03:04:05.000"),
    ("TO_TIMESTAMP('2026-01-02T03:04:05.123456789','yyyy-MM-dd''T''HH:mm:ss.SSSSSSSSS')", "2026-01-02 03:04:05.123"),
    ("TO_TIMESTAMP('2026-01-02 03:04:05.5','yyyy-MM-dd HH:mm:ss.SSS')", "2026-01-02 03:04:05.500"),
    ("TO_TIMESTAMP('2026-01-02 03','yyyy-MM-dd HH')", "2026-01-02 03:00:00.000"),
    ("TO_TIMESTAMP('2026-01-02 03:04:05 UTC','yyyy-MM-dd HH:mm:ss ''UTC''')", "2026-01-02 03:04:05.000"),
    ("TO_TIMESTAMP('Tue Jun 02 2009 03:00:00','EEE MMM dd yyyy HH:mm:ss')", "2009-06-02 03:00:00.000"),
    ("TO_TIMESTAMP('2026年3月2日 8:00:00','yyyy年M月d日 H:mm:ss')", "2026-03-02 08:00:00.000"),
    ("TO_TIMESTAMP('2026-01-02 03:04','yyyy-MM-dd HH:mm[:ss]')", "2026-01-02 03:04:00.000"),
    ("TO_TIMESTAMP('2026-01-02','yyyy-MM-dd')", "2026-01-02 00:00:00.000"),
    ("TO_TIMESTAMP('26-1-2 3:4','yy-M-d H:m')", "2026-01-02 03:04:00.000"),
    ("LEAST(b,g)", "-7"),
    ("GREATEST(t,TIMESTAMP '2030-01-01 00:00:00')", "2030-01-01 00:00:00.000"),
    ("IF(n IS NULL, 1, 2)", "1"),
    ("IFNULL(n,'q')", "q"),
    ("CAST(b AS STRING)", "5"),
    ("CAST(TRUE AS STRING)", "TRUE"),
    ("b/0", "ERROR"),
    ("t BETWEEN t AND t", "TRUE"),
    ("UPPER(s)", "2026-01-02 03:04:05+01:00"),
    ("REPLACE(s,'+01:00','')", "2026-01-02 03:04:05"),
    ("CAST('2026-01-02 03:04:05.6789' AS TIMESTAMP(3))", "2026-01-02 03:04:05.678"),
    ("TO_TIMESTAMP('2026-01-02 03:04:05.6789')", "2026-01-02 03:04:05.678"),
    ("b = 5.0", "TRUE"),
    ("i <> 3", "TRUE"),
    ("CHAR_LENGTH('键a')", "2"),
    ("TO_TIMESTAMP_LTZ('2026-01-02 03:04:05','yyyy-MM-dd HH:mm:ss', n)", None),
]
"""Expression and value, as Flink casts it to STRING in UTC; ERROR: the planner or the job refuses it."""


def columns() -> dict[str, Computed]:
    def column(name: str) -> Computed:
        digits = 3 if TYPES[name] == "timestamp" else 0
        return Computed(TYPES[name], lambda row: row[name], digits, columns=frozenset([name]))

    return {name: column(name) for name in ROW}


def shown(value: Any, type: str) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if type in ("timestamp", "timestamp_ltz"):
        if value == -62167219200000:
            return "0000-01-01 00:00:00.000"
        time = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=value)
        return f"{time:%Y-%m-%d %H:%M:%S}.{time.microsecond // 1000:03}"
    return str(value).upper() if isinstance(value, bool) else str(value)


@for_each(RECORDED)
def test_the_value_is_flinks(recorded: tuple[str, str | None]) -> None:
    text, value = recorded
    if value == "ERROR":
        with pytest.raises((SqlProblem, Failure)):
            compiled(expression(text), columns(), "UTC").of(ROW)
        return
    computed = compiled(expression(text), columns(), "UTC")
    assert shown(computed.of(ROW), computed.type) == value


def tables() -> list[dict[str, Any]]:
    file = Path(__file__).with_name("expressions.toml")
    found: list[dict[str, Any]] = tomllib.loads(file.read_text(encoding="utf-8"))["table"]
    return found


def is_close(one: str, two: str, type: str) -> bool:
    """Equal, or floats that differ in the last bit: libraries of mathematics round differently, and so does Java's
    writing of a FLOAT."""
    if one == two or type not in ("FLOAT", "DOUBLE") or "NULL" in (one, two):
        return one == two
    return math.isclose(float(one), float(two), rel_tol=1e-7 if type == "FLOAT" else 1e-15)


@pytest.mark.parametrize("table", tables(), ids=lambda each: f"{len(each['values'])} in {each['zone']}")
def test_types_and_values_are_flinks(table: dict[str, Any]) -> None:
    zone, different = table["zone"], []
    columns = {name: column(name, type_of(text), zone) for name, text in table["columns"].items()}
    for text, said in table["values"].items():
        type, _, values = said.partition(": ")
        computed = compiled(expression(text), columns, zone)
        write = written(computed, zone)
        assert write is not None
        found = [
            "NULL" if (value := computed.of({**row, CLOCK: 1_767_323_045_678})) is None else write(value)
            for row in table["rows"]
        ]
        wanted = values.split(" | ")
        if str(computed) != type or not all(is_close(one, two, type) for one, two in zip(found, wanted, strict=True)):
            different.append(f"{text}: {computed}: {' | '.join(found)}, not {said}")
    assert different == []


@pytest.mark.parametrize(
    "text",
    [
        "i + s", "i AND b", "t + 5", "CASE WHEN i = 1 THEN t ELSE b END", "t = b", "nope", "SUM(b)",
        "COUNT(*)", "SUBSTRING(b, 1)", "TO_TIMESTAMP(b)", "TO_TIMESTAMP_LTZ(b, 2)", "TO_TIMESTAMP(s, n)",
        "TO_TIMESTAMP(s, 'QQ')", "TO_TIMESTAMP(s, '[[[[[[[[[[y')", "CAST(s AS BINARY)", "TIME '10:00:00'", "NOT b",
        "EXISTS (SELECT 1 FROM v)", "s SIMILAR TO 'a'", "99999999999999999999", "TIMESTAMP '2026-01-01T10:00:00'", "-s",
    ],
)  # fmt: skip
def test_what_is_not_read_is_refused_before_the_first_row(text: str) -> None:
    with pytest.raises(SqlProblem):
        compiled(expression(text), columns(), "UTC")


@pytest.mark.parametrize("text", ["b / 0", "b % 0", "m / 0", "CAST('x' AS BIGINT)"])
def test_what_fails_in_a_row_fails_there(text: str) -> None:
    computed = compiled(expression(text), columns(), "UTC")
    with pytest.raises(Failure):
        computed.of(ROW)


# Interval literals: their length, and which the planner refuses.

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("INTERVAL '5' SECOND", 5000),
        ("INTERVAL '0.0019' SECOND", 1),
        ("INTERVAL -'5' SECOND", -5000),
        ("INTERVAL '-5' SECOND", -5000),
        ("INTERVAL -'-5' SECOND", 5000),
        ("INTERVAL '+5' SECOND", 5000),
        ("- INTERVAL '5' SECOND", -5000),
        ("INTERVAL '99' DAY", 99 * DAY),
        ("INTERVAL '100' DAY(3)", 100 * DAY),
        ("INTERVAL '90' MINUTE", 90 * MINUTE),
        ("INTERVAL '10:59' MINUTE TO SECOND", 10 * MINUTE + 59_000),
        ("INTERVAL '10:59.999' MINUTE TO SECOND", 10 * MINUTE + 59_999),
        ("INTERVAL '1 23:59' DAY TO MINUTE", 2 * DAY - MINUTE),
        ("INTERVAL '99:59' HOUR TO MINUTE", 100 * HOUR - MINUTE),
    ],
)
def test_the_length(text: str, length: int) -> None:
    assert milliseconds(expression(text)) == length


@pytest.mark.parametrize(
    "text",
    [
        "INTERVAL '10:60' MINUTE TO SECOND",
        "INTERVAL '1:60' HOUR TO MINUTE",
        "INTERVAL '1 24:00' DAY TO MINUTE",
        "INTERVAL '100' SECOND",
        "INTERVAL '1000' DAY(4)",
        "INTERVAL '1:2:3' MINUTE TO SECOND",
        "INTERVAL 'x' SECOND",
        "INTERVAL 5 SECOND",
        "INTERVAL '1' MONTH",
    ],
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(SqlProblem):
        milliseconds(expression(text))
