"""A fault planted in Spark's rows: one row taken out, something else put in its place."""

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.spark_bridge.canonical import COLUMNS
from tidemark.spark_bridge.execution.rows import SCHEMA
from tidemark.spark_bridge.faults import BEARERS, Fault, planted

_LOOKED_AT = 200
"""At most this many rows that may be able to carry a fault come to the driver."""


def plant(spark: SparkSession, rows: DataFrame, fault: Fault) -> DataFrame:
    """``rows`` with the fault in one row, always the same one; unchanged if none can carry it."""
    bearer = BEARERS[fault]
    late_first = [F.col("timing") != "late"] if bearer.late_first else []
    able = rows.where(F.col("row").isin(*bearer.kinds))
    if bearer.timing is not None:
        able = able.where(F.col("timing") == bearer.timing)
    seen = able.orderBy(*late_first, F.xxhash64(*COLUMNS)).limit(_LOOKED_AT).collect()
    chosen = next((tuple(each) for each in seen if bearer.fit(dict(zip(COLUMNS, each, strict=True)))), None)
    if chosen is None:
        return rows
    is_chosen = _is(chosen)
    # Rows may be equal to the last member (a sorted record that came twice): one of them is taken out.
    equal = rows.where(is_chosen).count()
    put_in = planted(chosen, fault) + [chosen] * (equal - 1)
    return rows.where(~is_chosen).unionAll(spark.createDataFrame(put_in, SCHEMA))


def _is(columns: tuple[object, ...]) -> Column:
    same = F.lit(True)
    for name, value in zip(COLUMNS, columns, strict=True):
        same &= F.col(name).eqNullSafe(F.lit(value))
    return same
