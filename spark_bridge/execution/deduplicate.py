"""Deduplication by event time: the earliest record of each key, or the latest one as a stream of updates.

No order decides the earliest. A record that comes after its key was given is either late or has no smaller time, so the
record given is the smallest (time, item) of those that were not late, and the first watermark that reaches it gives it.
The latest is decided by the order of arrival alone: each record is compared with the largest (time, item) before it.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MAX
from tidemark.spark_bridge.execution.expressions import long
from tidemark.spark_bridge.execution.firing import fired
from tidemark.spark_bridge.execution.rows import late_rows, record_rows
from tidemark.spark_bridge.plan import BatchPlan, Prefix

_VALUE = ("whole", "fraction", "text")


def first_rows(records: DataFrame, steps: DataFrame, plan: BatchPlan, chunk_prefix: Prefix) -> DataFrame:
    """The ``emitted`` and the ``dropped`` rows of keep-first."""
    kept = F.col("ts") >= F.col("before")
    earliest = records.where(kept).groupBy("key").agg(F.min(F.struct("ts", "item", "before", *_VALUE)).alias("first"))
    # A timer at the watermark, or behind it, waits for the next advance.
    advance = F.when(F.col("before") < long(MAX), F.col("before") + 1)
    waiting = earliest.select("key", "first.*").withColumn("due", F.greatest("ts", advance)).drop("item", "before")
    step = F.col("step")
    emitted = record_rows(
        fired(waiting, steps, chunk_prefix),
        row=F.lit("emitted"),
        change=F.lit("+I"),
        watermark=step["watermark"],
        at=step["at"],
        item=step["item"],
    )
    return emitted.unionByName(late_rows(records.where(~kept), "dropped", plan))


def last_rows(records: DataFrame) -> DataFrame:
    """The ``emitted`` rows of keep-last; nothing is late."""
    so_far = Window.partitionBy("key").orderBy("item").rowsBetween(Window.unboundedPreceding, -1)
    own = F.struct("ts", "item", *_VALUE)
    compared = records.withColumns({"own": own, "kept": F.max(own).over(so_far)})
    newer = compared.where(F.col("kept").isNull() | (F.col("own.ts") >= F.col("kept.ts")))
    first = F.array(F.struct(F.lit("+I").alias("change"), F.col("own").alias("given")))
    update = F.array(
        F.struct(F.lit("-U").alias("change"), F.col("kept").alias("given")),
        F.struct(F.lit("+U").alias("change"), F.col("own").alias("given")),
    )
    rows = newer.select(
        "key", "before", "at", "item", F.explode(F.when(F.col("kept").isNull(), first).otherwise(update)).alias("row")
    )
    value = {name: F.col("row.given")[name] for name in ("ts", *_VALUE)}
    given = rows.withColumns({**value, "change": F.col("row.change")}).drop("row")
    return record_rows(given, row=F.lit("emitted"), watermark=F.col("before"))
