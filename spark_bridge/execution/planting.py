"""A fault planted in Spark's rows: one result row taken out, something else put in its place."""

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_bridge.canonical import COLUMNS, RESULTS
from spark_bridge.execution.rows import SCHEMA
from spark_bridge.faults import PREFERS_LATE, Fault, planted


def plant(spark: SparkSession, rows: DataFrame, fault: Fault) -> DataFrame:
    """``rows`` with the fault in one result row, always the same one; unchanged if there is no result row."""
    late_first = [F.col("timing") != "late"] if fault in PREFERS_LATE else []
    results = rows.where(F.col("row").isin(*RESULTS))
    chosen = results.orderBy(*late_first, F.xxhash64(*COLUMNS)).limit(1).collect()
    if not chosen:
        return rows
    is_chosen = _is(tuple(chosen[0]))
    # Rows may be equal to the last member (a sorted record that came twice): one of them is taken out.
    equal = rows.where(is_chosen).count()
    put_in = planted(tuple(chosen[0]), fault) + [tuple(chosen[0])] * (equal - 1)
    return rows.where(~is_chosen).unionAll(spark.createDataFrame(put_in, SCHEMA))


def _is(columns: tuple[object, ...]) -> Column:
    same = F.lit(True)
    for name, value in zip(COLUMNS, columns, strict=True):
        same &= F.col(name).eqNullSafe(F.lit(value))
    return same
