"""Joins, the event sort, deduplication, Top-N and unbounded OVER as DataFrame operations.

An *interval join* is an equi-join of the sides, and a rule whether a record was still there when the other one came. A
record is late if the watermark is above it when it comes. Otherwise it is kept until its cleanup timer fires: at the
first advance of the watermark that reaches ``ts + max(reach, 0)``, and not before the next advance at all, since a
timer fires only when the watermark moves. A *window join* is a window over both inputs, whose firings emit pairs or
both sides at once.

In the *event sort* a record above the watermark waits until the watermark reaches it; any other is dropped.

*Deduplication* gives the earliest record of each key, or the latest one as a stream of updates. No order decides the
earliest: a record that comes after its key was given is either late or has no smaller time, so the record given is the
smallest (time, item) of those that were not late, and the first watermark that reaches it gives it. The latest is
decided by the order of arrival alone: each record is compared with the largest (time, item) before it.

In a *window Top-N* a record is late for each window whose end the watermark has reached when it comes. What a window
has taken is ranked once, at the first step of the watermark that reaches its end; equal values stay in order of
arrival.

*OVER* from the first record of a key on is a running aggregate over the records that were not late, in order of time.
Nothing ever leaves such a frame, and what comes after a timer of its time has fired is late. So the aggregate of a
record follows from the records before it in time, whenever they came. Of equal times, ``ROWS`` takes the order of
arrival, and ``RANGE`` all of them. Frames with a bound go by the last timer of their key instead of the watermark, so
there the order of everything counts (``keyed.operators``).
"""

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MAX
from tidemark.spark_bridge.execution.rows import late_rows, record_json, record_rows, stamped_json, two_sided, typed
from tidemark.spark_bridge.execution.watermark import fired, reached
from tidemark.spark_bridge.execution.windows import Keep, Stream, firings, spread, start_of, too_late_rows
from tidemark.spark_bridge.plan.batch import BatchPlan, Prefix
from tidemark.spark_bridge.plan.operators import IntervalJoinPlan, OverPlan, TopNPlan, WindowJoinPlan
from tidemark.spark_bridge.spark.columns import long, nothing, number_of_double, text_of_double

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
    kept_left = _still_buffered(one, join.upper, until=other)
    kept_right = _still_buffered(other, -join.lower, until=one)
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


def _still_buffered(record: Column, reach: int, *, until: Column) -> Column:
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
