"""The event sort: a record above the watermark waits until the watermark reaches it; any other is dropped.

Deduplication by event time: the earliest record of each key, or the latest one as a stream of updates.

No order decides the earliest. A record that comes after its key was given is either late or has no smaller time, so the
record given is the smallest (time, item) of those that were not late, and the first watermark that reaches it gives it.
The latest is decided by the order of arrival alone: each record is compared with the largest (time, item) before it.

Window Top-N: no order but that of equal values decides, and that is the order of arrival.

A record is late for each window whose end the watermark has reached when it comes. What a window has taken is ranked
once, at the first step of the watermark that reaches its end.

OVER from the first record of a key on: a running aggregate over the records that were not late, in order of time.

Nothing ever leaves such a frame, and what comes after a timer of its time has fired is late. So the aggregate of a
record follows from the records before it in time, whenever they came. Of equal times, ``ROWS`` takes the order of
arrival, and ``RANGE`` all of them. Frames with a bound go by the last timer of their key instead of the watermark, so
there the order of everything counts (``spark_bridge.keyed.over``).
"""

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MAX
from tidemark.spark_bridge.execution.rows import late_rows, record_rows, typed
from tidemark.spark_bridge.execution.watermark import fired, reached
from tidemark.spark_bridge.execution.windows import spread, start_of
from tidemark.spark_bridge.plan.batch import BatchPlan, Prefix
from tidemark.spark_bridge.plan.operators import OverPlan, TopNPlan
from tidemark.spark_bridge.spark.columns import long, number_of_double, text_of_double


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
