"""Small expressions that several steps use."""

from pyspark.sql import Column
from pyspark.sql import functions as F
from tidemark.spark_bridge.results.canonical import EXACT


def long(number: int) -> Column:
    """A 64-bit literal, whatever the size of the number."""
    return F.expr(f"{number}L")


def nothing(kind: str) -> Column:
    """A null of that type."""
    return F.lit(None).cast(kind)


def smallest(columns: list[Column]) -> Column:
    """The smallest of one or more columns; nulls are ignored."""
    return columns[0] if len(columns) == 1 else F.least(*columns)


def floor_start(ts: Column, offset: int, width: int) -> Column:
    """Start of the span of ``width`` on the grid of ``offset`` that holds ``ts``."""
    return ts - F.pmod(ts - long(offset), long(width))


def quotient(dividend: Column, divisor: int) -> Column:
    """The integer quotient of two non-negative integers, exact for all of 64 bits."""
    return F.call_function("div", dividend, long(divisor))


def text_of_double(number: Column) -> Column:
    """A double that is a small whole number as that integer, any other as null (see ``canonical``)."""
    whole = (F.abs(number) < F.lit(float(EXACT))) & (number == F.floor(number))
    return F.when(whole, number.cast("bigint").cast("string"))


def number_of_double(number: Column) -> Column:
    """The other half of ``text_of_double``."""
    return F.when(text_of_double(number).isNull(), number)


def record_text() -> Column:
    """``value_text`` of a record's own value."""
    shown = F.coalesce(F.col("text"), F.col("whole").cast("string"))
    return F.when(record_number().isNull(), shown)


def record_number() -> Column:
    """``value_number`` of a record's own value."""
    return number_of_double(F.col("fraction"))
