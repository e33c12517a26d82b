"""The *notable* entries of a generated stream: those that can matter to its windows. Found without sorting all entries.

Theory of operation
-------------------
Two kinds of entry matter: a step of the watermark that passes the end of a window, and a record that is behind such an
end when it comes. Both are rare, but to know the watermark before each record, all records would have to be sorted.
Instead the chunks are cut once more, into *blocks* of consecutive items:

1. One pass over the records finds the highest candidates and the lowest timestamp of each block. No order is needed.
2. Running maxima over the blocks, which are few, give the channels' watermarks before and after each block.
3. A block is opened only if the watermark may pass an end in it, or if its lowest timestamp is behind the watermark
   after it. In an open block a record is looked at in order only if it is above its channel's watermark before the
   block (it may raise it), or behind an end that the watermark after the block has reached (it may be late).
4. The records looked at are made again from their numbers and sorted within their chunk. The block's start, an entry of
   its own with the channels' watermarks before the block, stands in front of them.

Step 3 leaves out only what cannot matter. A record at or below its channel's watermark before the block raises nothing.
One that is not late by the watermark *after* the block is not late by the watermark before itself, which is no higher.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import Generated
from tidemark.spark_bridge.execution.source import StreamTables, placed
from tidemark.spark_bridge.execution.watermark import (
    SIGNAL,
    candidate_at_once,
    candidate_of_channel,
    entries,
    have_columns,
    prefix,
    signals_of,
    starts_of,
)
from tidemark.spark_bridge.execution.windows import Keep, left_behind, may_fire
from tidemark.spark_bridge.plan.batch import BatchPlan, Prefix, prefix_of
from tidemark.spark_bridge.plan.items import ITEM_SUB
from tidemark.spark_bridge.plan.operators import WindowPlan
from tidemark.spark_bridge.spark.columns import long, smallest
from tidemark.spark_bridge.watermarks.sieve import Grid

BLOCK_ITEMS = 64
"""The items of a block. In larger blocks more records have to be looked at in order; of smaller ones there are more."""


@dataclass(frozen=True, slots=True)
class Interest:
    """What matters: steps of the watermark, from ``before`` to ``after``, for which ``fires`` holds; and records before
    the time that lies ``behind`` the watermark at their arrival. A higher watermark lies behind no less.
    """

    fires: Column
    behind: Callable[[Column], Column]


def of_windows(window: WindowPlan) -> Interest:
    """What matters to windows whose ends lie on a grid."""
    return Interest(may_fire(window), lambda watermark: left_behind(watermark, window))


def grid_of(window: WindowPlan) -> Grid:
    """The same for the records of files, and perhaps a little more (see ``watermarks.sieve``)."""
    return Grid(window.slide, (window.offset + window.size - 1) % window.slide, max(0, window.slide - window.size))


def notable_entries(
    spark: SparkSession, source: StreamTables, plan: BatchPlan, stream: Generated, interest: Interest, keep: Keep
) -> tuple[DataFrame, Prefix]:
    """The notable entries, with the combined watermark ``before`` and ``after`` each, and the prefix of the chunks.

    Runs a job if there is more than one chunk.
    """
    moves = (F.col("after") > F.col("before")) & interest.fires
    matters = moves | (F.col("is_record") & (F.col("ts") < interest.behind(F.col("before"))))
    if not have_columns(plan):  # nearly every record of many channels may raise its own
        chunk_prefix = prefix(source, plan)
        return keep(entries(spark, source, plan, chunk_prefix).where(matters)), chunk_prefix
    signals = signals_of(source, plan)
    if plan.is_periodic:
        signals = keep(signals)
    blocks = keep(_blocks(source, signals, plan))
    chunk_prefix = _prefix_of_blocks(blocks, plan)
    started = _started(spark, blocks, chunk_prefix, plan, interest)
    table = _looked_at(started, plan, stream).unionByName(_as_entries(signals, plan), allowMissingColumns=True)
    # The frame ends at the entry before: what an entry raises counts from the next one on. ``sub`` puts the start of a
    # block in front of its records, and the ticks on the clock's way to an item in front of the item.
    earlier = Window.partitionBy("chunk").orderBy("item", "sub").rowsBetween(Window.unboundedPreceding, -1)
    channels = range(plan.channels)
    table = table.withColumns({f"before_{channel}": F.max(f"own_{channel}").over(earlier) for channel in channels})
    after = [F.greatest(f"before_{channel}", f"own_{channel}") for channel in channels]
    with_watermarks = table.select(
        *("chunk", "item", "at", "ts", "is_record", "is_start"),
        smallest([F.col(f"before_{channel}") for channel in channels]).alias("before"),
        smallest(after).alias("after"),
    )
    return keep(with_watermarks.where(~F.col("is_start") & matters).drop("is_start")), chunk_prefix


def _blocks(source: StreamTables, signals: DataFrame, plan: BatchPlan) -> DataFrame:
    """For each ``block`` the number of ``records``, their ``lowest`` timestamp, the highest candidate by channel."""
    names = [f"highest_{channel}" for channel in range(plan.channels)]

    def highest(candidate: Column) -> list[Column]:
        own = (candidate_of_channel(channel, plan, candidate) for channel in range(plan.channels))
        return [F.max(each).alias(name) for name, each in zip(names, own, strict=True)]

    counted = F.min("ts").alias("lowest"), F.count(F.lit(1)).alias("records")
    of_records = source.records.groupBy("chunk", _block(F.col("first")))
    records = of_records.agg(*highest(candidate_at_once(plan)), *counted)
    of_signals = signals.groupBy("chunk", _block(F.col("chunk") * long(plan.chunks.size)))
    signals = of_signals.agg(*highest(F.col("candidate")))
    both = records.unionByName(signals, allowMissingColumns=True).groupBy("chunk", "block")
    totals = F.min("lowest").alias("lowest"), F.sum("records").alias("records")
    return both.agg(*(F.max(name).alias(name) for name in names), *totals)


def _block(first: Column) -> Column:
    """The first item of the block that an item is in; ``first`` is the first item of its chunk."""
    return (F.col("item") - (F.col("item") - first) % long(BLOCK_ITEMS)).alias("block")


def _prefix_of_blocks(blocks: DataFrame, plan: BatchPlan) -> Prefix:
    """The prefix of the chunks, from the highest candidates of their blocks."""
    if plan.chunks.count == 1:
        return Prefix.of_one_chunk(plan.channels)
    channels = range(plan.channels)
    rows = blocks.groupBy("chunk").agg(*(F.max(f"highest_{channel}") for channel in channels)).collect()
    highest = ((row[0], channel, row[1 + channel]) for row in rows for channel in channels)
    maxima = ((chunk, channel, each) for chunk, channel, each in highest if each is not None)
    return prefix_of(maxima, plan.chunks, plan.channels)


def _started(
    spark: SparkSession, blocks: DataFrame, chunk_prefix: Prefix, plan: BatchPlan, interest: Interest
) -> DataFrame:
    """The blocks with the watermarks around them.

    These are the watermark of each channel before the block (``start_0`` …), and the combined one ``before`` and
    ``after`` it. Records before the time ``left_behind`` may be late; ``looks_at`` records have to be made again, which
    is all of the block or none.
    """
    earlier = Window.partitionBy("chunk").orderBy("block").rowsBetween(Window.unboundedPreceding, -1)
    channels = range(plan.channels)
    starts = {f"start_{channel}": F.max(f"highest_{channel}").over(earlier) for channel in channels}
    table = blocks.withColumns(starts).join(F.broadcast(starts_of(spark, chunk_prefix)), "chunk")
    table = table.withColumns({name: F.greatest(F.col("starts")[index], name) for index, name in enumerate(starts)})
    after = [F.greatest(f"start_{channel}", f"highest_{channel}") for channel in channels]
    matters = ((F.col("after") > F.col("before")) & interest.fires) | (F.col("lowest") < F.col("left_behind"))
    return table.select(  # in this order: later columns refer to earlier ones
        *("chunk", "block", *starts),
        smallest([F.col(name) for name in starts]).alias("before"),
        smallest(after).alias("after"),
        interest.behind(F.col("after")).alias("left_behind"),
        F.coalesce(F.when(matters, F.col("records")), long(0)).alias("looks_at"),
    )


def _looked_at(started: DataFrame, plan: BatchPlan, stream: Generated) -> DataFrame:
    """The start of each block, and those of its records that have to be looked at in order."""
    channels = range(plan.channels)
    starts = [f"start_{channel}" for channel in channels]
    place = F.explode(F.sequence(long(-1), F.col("looks_at") - 1)).alias("place")
    places = started.select("chunk", "block", "left_behind", *starts, place)
    is_start = F.col("place") < 0
    table = placed(places.withColumn("item", F.col("block") + F.greatest(F.col("place"), long(0))), plan, stream)
    candidate = candidate_at_once(plan)
    start = F.col("start_0") if plan.channels == 1 else F.array(*starts)[F.col("channel").cast("int")]
    looked_at = is_start | (candidate > start) | (F.col("ts") < F.col("left_behind"))
    own = {
        f"own_{channel}": F.when(is_start, F.col(f"start_{channel}")).otherwise(
            candidate_of_channel(channel, plan, candidate)
        )
        for channel in channels
    }
    return table.where(looked_at).select(
        *("chunk", "item", "at", "ts"),
        F.when(is_start, long(MIN)).otherwise(long(ITEM_SUB)).alias("sub"),
        (~is_start).alias("is_record"),
        is_start.alias("is_start"),
        *(each.alias(name) for name, each in own.items()),
    )


def _as_entries(signals: DataFrame, plan: BatchPlan) -> DataFrame:
    """The signals in the columns of ``_looked_at``, each candidate under its own channel."""
    candidate = F.col("candidate")
    own = [candidate_of_channel(channel, plan, candidate).alias(f"own_{channel}") for channel in range(plan.channels)]
    flags = [F.lit(False).alias(name) for name in ("is_record", "is_start")]
    return signals.select(*(name for name in SIGNAL if name not in ("channel", "candidate")), *flags, *own)
