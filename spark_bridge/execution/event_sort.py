"""The event sort: a record above the watermark waits until the watermark reaches it; any other is dropped."""

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.execution.firing import fired
from tidemark.spark_bridge.execution.rows import late_rows, record_rows
from tidemark.spark_bridge.plan import BatchPlan, Prefix


def sorted_rows(records: DataFrame, steps: DataFrame, plan: BatchPlan, chunk_prefix: Prefix) -> DataFrame:
    """The ``emitted`` and the ``dropped`` rows."""
    kept = F.col("ts") > F.col("before")
    waiting = records.where(kept).select("key", "ts", "whole", "fraction", "text", F.col("ts").alias("due"))
    step = F.col("step")
    emitted = record_rows(
        fired(waiting, steps, chunk_prefix),
        row=F.lit("emitted"),
        watermark=step["watermark"],
        at=step["at"],
        item=step["item"],
    )
    return emitted.unionByName(late_rows(records.where(~kept), "dropped", plan))
