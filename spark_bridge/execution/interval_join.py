"""The interval join: an equi-join of the sides, and a rule whether a record was still there when the other one came.

A record is late if the watermark is above it when it comes. Otherwise it is kept until its cleanup timer fires: at
the first advance of the watermark that reaches ``ts + max(reach, 0)``, and not before the next advance at all, since
a timer fires only when the watermark moves.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.execution.expressions import long
from tidemark.spark_bridge.execution.rows import late_rows, stamped_json, two_sided, typed
from tidemark.spark_bridge.operator_plans import IntervalJoinPlan
from tidemark.spark_bridge.plan import BatchPlan

_RECORD = ("item", "at", "before", "ts", "whole", "text")


def interval_join_rows(records: DataFrame, plan: BatchPlan, join: IntervalJoinPlan) -> DataFrame:
    """The ``joined`` rows, and the ``dropped`` or ``late`` ones."""
    taken = records.where(F.col("ts") >= F.col("before"))
    width = max(join.upper - join.lower + 1, 1)
    first, last = (_bin(F.col("ts") + long(bound), width) for bound in (join.lower, join.upper))
    left = taken.where("side = 0").select(
        "key", F.struct(*_RECORD).alias("left"), F.explode(F.sequence(first, last)).alias("bin")
    )
    right = taken.where("side = 1").select(
        "key", F.struct(*_RECORD).alias("right"), _bin(F.col("ts"), width).alias("bin")
    )
    one, other = F.col("left"), F.col("right")
    distance = other["ts"] - one["ts"]
    kept_left = _kept(one, join.upper, until=other)
    kept_right = _kept(other, -join.lower, until=one)
    met = left.join(right, ["key", "bin"]).where(
        distance.between(long(join.lower), long(join.upper))
        & F.when(one["item"] < other["item"], kept_left).otherwise(kept_right)
    )
    second = met.withColumn("second", F.when(one["item"] < other["item"], other).otherwise(one))
    rows = typed(
        second,
        row=F.lit("joined"),
        time=F.greatest(one["ts"], other["ts"]),
        value_text=two_sided(stamped_json(one), stamped_json(other)),
        watermark=F.col("second.before"),
        at=F.col("second.at"),
        item=F.col("second.item"),
    )
    return rows.unionByName(late_rows(records.where(F.col("ts") < F.col("before")), join.late_row, plan))


def _bin(ts: Column, width: int) -> Column:
    return F.call_function("div", ts - F.pmod(ts, long(width)), long(width))


def _kept(record: Column, reach: int, *, until: Column) -> Column:
    """Whether ``record``, which came first, is still in its buffer when ``until`` comes."""
    cleanup = record["ts"] + long(max(reach, 0))
    return until["before"] < F.greatest(cleanup, record["before"] + 1)
