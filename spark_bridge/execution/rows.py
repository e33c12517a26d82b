"""Rows in the columns of ``spark_bridge.canonical``."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.canonical import COLUMNS, TEXTS
from tidemark.spark_bridge.execution.expressions import nothing, record_number, record_text
from tidemark.spark_bridge.execution.inputs import by_side
from tidemark.spark_bridge.plan import BatchPlan

TYPES = {name: "string" if name in TEXTS else "double" if name == "value_number" else "bigint" for name in COLUMNS}
"""Spark's type of each column."""

SCHEMA = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
"""The columns with their types, as Spark writes a schema."""


def two_sided(left: Column, right: Column) -> Column:
    """``value_text`` of a pair or a group, from the JSON texts of its sides."""
    return F.concat(F.lit('{"left":'), left, F.lit(',"right":'), right, F.lit("}"))


def record_json(record: Column) -> Column:
    """A record's value as canonical JSON; ``record`` has ``whole`` and ``text``."""
    return F.coalesce(record["text"], record["whole"].cast("string"))


def stamped_json(record: Column) -> Column:
    """A record with its time, as in one half of a pair."""
    return F.concat(F.lit('{"ts":'), record["ts"].cast("string"), F.lit(',"value":'), record_json(record), F.lit("}"))


def typed(table: DataFrame, **columns: Column) -> DataFrame:
    """``table`` as rows: ``columns``, else those of ``table``, else nulls."""
    there = table.columns
    new = {name: nothing(kind) for name, kind in TYPES.items() if name not in there} | columns
    return table.select(*(new[name].alias(name) if name in new else name for name in COLUMNS))


def record_rows(records: DataFrame, **columns: Column) -> DataFrame:
    """Rows of one record each, without a window."""
    own = {"time": F.col("ts"), "value_text": record_text(), "value_number": record_number()}
    return typed(records, **(own | columns))


def late_rows(records: DataFrame, kind: str, plan: BatchPlan, **columns: Column) -> DataFrame:
    """``dropped`` or ``late`` rows, emitted when the record comes."""
    name = by_side(plan, lambda source: F.lit(source.name))
    return record_rows(records, row=F.lit(kind), watermark=F.col("before"), input=name, **columns)
