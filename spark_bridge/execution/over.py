"""OVER from the first record of a key on: a running aggregate over the records that were not late, in order of time.

Nothing ever leaves such a frame, and what comes after a timer of its time has fired is late. So the aggregate of a
record follows from the records before it in time, whenever they came. Of equal times, ``ROWS`` takes the order of
arrival, and ``RANGE`` all of them. Frames with a bound go by the last timer of their key instead of the watermark, so
there the order of everything counts (``spark_bridge.keyed.over``).
"""

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F
from tidemark.spark_bridge.execution.expressions import number_of_double, text_of_double
from tidemark.spark_bridge.execution.firing import fired
from tidemark.spark_bridge.execution.rows import late_rows, typed
from tidemark.spark_bridge.operator_plans import OverPlan
from tidemark.spark_bridge.plan import BatchPlan, Prefix


def over_rows(records: DataFrame, steps: DataFrame, plan: BatchPlan, over: OverPlan, chunk_prefix: Prefix) -> DataFrame:
    """The ``emitted`` and the ``dropped`` rows."""
    in_time = F.col("ts") > F.col("before")
    key = Window.partitionBy("key")
    if over.by_row:
        frame = key.orderBy("ts", "item").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    else:
        frame = key.orderBy("ts").rangeBetween(Window.unboundedPreceding, Window.currentRow)
    text, number = _aggregate(over.compute, frame)
    waiting = records.where(in_time).select(
        *("key", "ts"),
        F.col("ts").alias("due"),
        F.col("whole").cast("string").alias("own"),
        text.alias("value_text"),
        number.alias("value_number"),
    )
    step = {name: F.col("step")[name] for name in ("watermark", "at", "item")}
    emitted = typed(fired(waiting, steps, chunk_prefix), row=F.lit("emitted"), time=F.col("ts"), **step)
    return emitted.unionByName(late_rows(records.where(~in_time), "dropped", plan))


def _aggregate(compute: str, frame: WindowSpec) -> tuple[Column, Column]:
    """The two halves of the value; all values are whole numbers."""
    count, value = F.count(F.lit(1)).over(frame), F.col("whole")
    if compute == "avg":
        average = F.sum(value).over(frame).cast("double") / count
        return text_of_double(average), number_of_double(average)
    whole = count if compute == "count" else {"sum": F.sum, "min": F.min, "max": F.max}[compute](value).over(frame)
    return whole.cast("string"), F.lit(None).cast("double")
