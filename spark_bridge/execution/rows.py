"""Rows in the columns of ``spark_bridge.canonical``."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_bridge.canonical import COLUMNS, TEXTS
from spark_bridge.execution.expressions import nothing, record_number, record_text

SCHEMA = ", ".join(
    f"{name} {'string' if name in TEXTS else 'double' if name == 'value_number' else 'bigint'}" for name in COLUMNS
)
"""The columns with their types, as Spark writes a schema."""


def typed(table: DataFrame, **given: Column) -> DataFrame:
    """``table`` as rows: ``given`` by name, every other column as it stands in ``table``."""
    return table.select(*(given.get(name, F.col(name)).alias(name) for name in COLUMNS))


def record_rows(records: DataFrame, **given: Column) -> DataFrame:
    """Rows that tell of one record each, without a window."""
    absent = {"start": nothing("bigint"), "end": nothing("bigint"), "timing": nothing("string")}
    absent["pane"] = nothing("bigint")
    own = {"time": F.col("ts"), "value_text": record_text(), "value_number": record_number()}
    return typed(records, **(absent | own | given))


def late_rows(records: DataFrame, kind: str, name: str) -> DataFrame:
    """``dropped`` or ``late`` rows, told at once."""
    return record_rows(records, row=F.lit(kind), watermark=F.col("before"), input=F.lit(name))
