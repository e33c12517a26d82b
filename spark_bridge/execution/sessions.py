"""Session windows: DataFrame operations wherever a session fires once and as a whole, a function for the others.

Theory of operation
-------------------
Sorted by time, the records of a key fall into *clusters*: a new one begins where a record is more than the gap behind
the one before it. Windows of different clusters never touch, so each cluster can be looked at by itself. What becomes
of it depends on the order of arrival: a window fires when the watermark reaches its last instant, and a record that
comes after that finds a window that has fired, or none.

A cluster is *plain* if no record r of it, and no successor of r by time, came when the watermark had already reached
r.ts + gap - 1. Then no window in it fires before it is complete: each window but the last ends with a record whose
successor comes before the window's end is reached, and merges with it. And when the last window fires, at the end of
the whole cluster, there is no record left to come. So a plain cluster is one firing, on time, with all of its records;
the order of these does not matter to a sum of whole numbers.

Only records that were behind, or a millisecond above, the watermark before them can keep a cluster from being plain. In
a generated stream they are among the notable entries, and no other record needs its watermark. Each of them stands in
front of itself in the order of time, as a *mark* that carries the watermark. Where the bound covers the disorder there
are few. The records of clusters that are not plain go through the keyed function, in order of arrival (``keyed.py``).
"""

from collections.abc import Callable
from typing import Final

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from simulator.scenario import model
from simulator.values.time import MAX
from spark_bridge.execution.expressions import long, nothing
from spark_bridge.execution.firing import fired
from spark_bridge.execution.inputs import chunk_of_item
from spark_bridge.execution.keyed import keyed_rows
from spark_bridge.execution.notable import Interest
from spark_bridge.execution.rows import typed
from spark_bridge.execution.values import accumulation
from spark_bridge.execution.watermark import moves, steps
from spark_bridge.execution.windows import Stream
from spark_bridge.keyed.planned import KeyedPlan
from spark_bridge.plan import SMALL_ITEMS, BatchPlan, Prefix, WindowPlan

FEWEST_ITEMS: Final = SMALL_ITEMS
"""Of little data the keyed function alone takes less time than the plan for both ways."""

_IN_ANY_ORDER: Final = frozenset({"sum", "count", "min", "max", "avg"})
_MARK, _RECORD = 0, 1
_MOVED_BEFORE, _WANTED, _MOVED_AFTER = 0, 1, 2


def have_clusters(plan: BatchPlan) -> bool:
    """Whether the operator has sessions over a long generated stream, whose order does not show in their values."""
    operator = plan.operator.operator if isinstance(plan.operator, KeyedPlan) and not plan.operator.ordered else None
    return (
        isinstance(operator, model.Window)
        and operator.api == "datastream"
        and isinstance(operator.assigner, model.Session)
        and operator.trigger.type == "event-time"
        and operator.evictor is None
        and operator.function.compute in _IN_ANY_ORDER
        and isinstance(plan.scenario.stream, model.Generated)
        and plan.chunks.items > FEWEST_ITEMS
        and not plan.watermark_in_order
    )


def of_sessions() -> Interest:
    """What matters to sessions: every step, and each record that is less than 2 ms above the watermark, or behind."""
    return Interest(F.lit(True), lambda watermark: F.least(watermark, long(MAX - 2)) + 2)


def session_rows(
    stream: Stream,
    notable: DataFrame,
    plan: BatchPlan,
    keyed: KeyedPlan,
    chunk_prefix: Prefix,
    keep: Callable[[DataFrame], DataFrame],
) -> DataFrame:
    """All rows of session windows (``have_clusters``). ``notable``: the entries of ``of_sessions``.

    Runs a job that finds out whether there are clusters for the keyed function at all.
    """
    operator = keyed.operator
    assert isinstance(operator, model.Window)
    assert isinstance(operator.assigner, model.Session)
    gap = operator.assigner.gap
    clustered = keep(_clustered(stream, plan, gap))
    window = WindowPlan(gap, gap, 0, operator.allowed_lateness, keyed.late_row, operator.function.compute or "")
    is_record = F.col("rank") == _RECORD
    frame = Window.partitionBy("key").orderBy("item")
    parts = accumulation(window, True, frame, lambda column: F.when(is_record, column))
    groups = (
        clustered.withColumn("fraction", nothing("double"))
        .groupBy("key", "start")
        .agg(
            F.max("ts").alias("last"),
            F.coalesce(F.bool_or("spoils"), F.lit(False)).alias("spoiled"),
            *(part.alias(name) for name, part in parts.grouped.items()),
        )
    )
    due = (F.col("last") + long(gap - 1)).alias("due")
    waiting = groups.where(~F.col("spoiled")).select(
        stream.key(F.col("key")).alias("key"), "start", due, *parts.grouped
    )
    step, every_step = F.col("step"), steps(notable)
    plain = typed(
        fired(waiting, every_step, chunk_prefix),
        row=F.lit("pane"),
        end=F.col("due") + 1,
        timing=F.lit("on-time"),
        pane=long(0),
        time=F.col("due"),
        value_text=parts.result.text,
        value_number=parts.result.number,
        watermark=step["watermark"],
        at=step["at"],
        item=step["item"],
    )
    if not clustered.agg(F.bool_or("spoils").alias("any")).collect()[0]["any"]:
        return plain
    spoiled = groups.where("spoiled").select("key", "start").hint("shuffle_hash")
    others = clustered.where(is_record).join(spoiled, ["key", "start"], "left_semi")
    arrived = _with_watermarks(others, notable, plan, chunk_prefix)
    return plain.unionByName(
        keyed_rows(arrived.withColumn("key", stream.key(F.col("key"))), every_step, plan, keyed, chunk_prefix)
    )


def _clustered(stream: Stream, plan: BatchPlan, gap: int) -> DataFrame:
    """Records and marks (``rank``) with the ``start`` of their cluster, and whether they ``spoil`` it."""
    marks = stream.behind.select(
        "key", "ts", "item", long(_MARK).alias("rank"), "before", nothing("bigint").alias("whole")
    )
    records = stream.records.select(
        "key", "ts", "item", long(_RECORD).alias("rank"), nothing("bigint").alias("before"), "whole"
    )
    table = records.unionByName(marks).repartition(plan.chunks.partitions, "key")
    by_time = Window.partitionBy("key").orderBy("ts", "item", "rank")
    so_far = by_time.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    table = table.withColumn("previous", F.lag("ts").over(by_time))
    begins = F.col("previous").isNull() | (F.col("ts") - F.col("previous") > long(gap))

    def is_over(ts: str) -> Column:
        return F.col("before") >= F.col(ts) + long(gap - 1)

    spoils = is_over("ts") | (~begins & is_over("previous"))
    start = F.max(F.when(begins, F.col("ts"))).over(so_far)
    return table.select("key", "ts", "item", "rank", "whole", start.alias("start"), spoils.alias("spoils"))


def _with_watermarks(records: DataFrame, notable: DataFrame, plan: BatchPlan, chunk_prefix: Prefix) -> DataFrame:
    """``records`` with the watermark ``before`` each, which the moves of the watermark up to there tell."""
    stream = plan.scenario.stream
    assert isinstance(stream, model.Generated)
    chunk = chunk_of_item(F.col("item"), plan)
    wanted = records.select("key", "ts", "item", "whole", chunk.alias("chunk"), long(_WANTED).alias("rank"))
    own = F.when(F.col("is_record"), long(_MOVED_AFTER)).otherwise(long(_MOVED_BEFORE))
    moved = moves(notable).select("chunk", "item", own.alias("rank"), F.col("after").alias("reached"))
    both = wanted.unionByName(moved, allowMissingColumns=True).repartition(plan.chunks.partitions, "chunk")
    earlier = (
        Window.partitionBy("chunk").orderBy("item", "rank").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    )
    at_start = F.array(*(long(min(starts)) for starts in chunk_prefix.before))[F.col("chunk").cast("int")]
    before = F.coalesce(F.max("reached").over(earlier), at_start)
    return (
        both.withColumn("before", before)
        .where(F.col("rank") == _WANTED)
        .select(
            *("key", "ts", "item", "whole", "before"),
            (long(plan.scenario.origin) + F.col("item") * long(stream.every)).alias("at"),
            long(0).alias("side"),
            nothing("string").alias("text"),
        )
    )
