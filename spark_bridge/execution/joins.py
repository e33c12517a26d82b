"""The interval join: an equi-join of the sides, and a rule whether a record was still there when the other one came.

A record is late if the watermark is above it when it comes. Otherwise it is kept until its cleanup timer fires: at
the first advance of the watermark that reaches ``ts + max(reach, 0)``, and not before the next advance at all, since
a timer fires only when the watermark moves.

The window join and the coGroup: a window over both inputs, whose firings emit pairs or both sides at once.
"""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.execution.rows import late_rows, record_json, stamped_json, two_sided, typed
from tidemark.spark_bridge.execution.windows import Keep, Stream, firings, too_late_rows
from tidemark.spark_bridge.plan.batch import BatchPlan
from tidemark.spark_bridge.plan.operators import IntervalJoinPlan, WindowJoinPlan
from tidemark.spark_bridge.spark.columns import long, nothing

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


def window_join_rows(stream: Stream, plan: BatchPlan, join: WindowJoinPlan, keep: Keep) -> DataFrame:
    """The ``joined`` or ``group`` rows, and the ``dropped`` ones."""
    results = firings(stream, plan, join.window, keep)
    sides = {"left": _side(0), "right": _side(1)}
    rows = _pairs(results.withColumns(sides)) if join.pairs else _groups(results.withColumns(sides), join)
    return rows.unionByName(too_late_rows(stream, plan, join.window))


def _side(number: int) -> Column:
    return F.filter("values", lambda record: record["side"] == number)


def _pairs(results: DataFrame) -> DataFrame:
    pairs = results.withColumn("one", F.explode("left")).withColumn("other", F.explode("right"))
    return _rows(pairs, "joined", two_sided(stamped_json(F.col("one")), stamped_json(F.col("other"))))


def _groups(results: DataFrame, join: WindowJoinPlan) -> DataFrame:
    for needed, side in ((join.needs_left, "left"), (join.needs_right, "right")):
        if needed:
            results = results.where(F.size(side) > 0)
    return _rows(results, "group", two_sided(_list("left"), _list("right")))


def _list(side: str) -> Column:
    return F.concat(F.lit("["), F.array_join(F.transform(side, record_json), ","), F.lit("]"))


def _rows(results: DataFrame, kind: str, text: Column) -> DataFrame:
    columns = {"row": F.lit(kind), "value_text": text, "timing": nothing("string"), "pane": nothing("bigint")}
    return typed(results, time=F.col("end") - 1, **columns)
