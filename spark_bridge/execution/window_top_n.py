"""Window Top-N: no order but that of equal values decides, and that is the order of arrival.

A record is late for each window whose end the watermark has reached when it comes. What a window has taken is ranked
once, at the first step of the watermark that reaches its end.
"""

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from tidemark.spark_bridge.execution.firing import reached
from tidemark.spark_bridge.execution.rows import late_rows, record_rows
from tidemark.spark_bridge.execution.windows import spread, start_of
from tidemark.spark_bridge.operator_plans import TopNPlan
from tidemark.spark_bridge.plan import BatchPlan, Prefix


def ranked_rows(
    records: DataFrame, steps: DataFrame, plan: BatchPlan, top: TopNPlan, chunk_prefix: Prefix
) -> DataFrame:
    """The ``ranked`` and the ``dropped`` rows."""
    assigned = spread(records, top.window).withColumn("start", start_of(top.window))
    in_time = F.col("before") < F.col("end") - 1
    value = F.col("whole").desc() if top.largest_first else F.col("whole")
    rank = F.row_number().over(Window.partitionBy("end", "key").orderBy(value, "item")).cast("bigint")
    ranked = assigned.where(in_time).withColumn("pane", rank).where(F.col("pane") <= top.n).drop("before", "at", "item")
    timed = ranked.join(reached(ranked.select("end").distinct(), steps, chunk_prefix), "end")
    step = {name: F.col("step")[name] for name in ("watermark", "at", "item")}
    return record_rows(timed, row=F.lit("ranked"), **step).unionByName(
        late_rows(assigned.where(~in_time), "dropped", plan)
    )
