"""The combined watermark before and after every entry, as a distributed prefix maximum.

1. One pass finds the highest candidate of each chunk and channel: a few numbers, which go to the driver (``prefix``).
2. The driver makes running maxima of them: each channel's watermark at the start of every chunk (``plan.prefix_of``).
3. Inside its chunk, each entry takes the running maximum of the entries before it, beginning there (``entries``).

A few channels have a column each, and the combined watermark is the smallest of these. Many channels stay in rows. An
entry that *raises* its channel knows the watermark that the channel had until then. So the combined watermark before an
entry is the lowest that any entry from here on raises: a channel that is raised later stands where it is raised from,
and one that is not raised stands where it is at the end of the chunk. That is one running minimum, from the end of the
chunk to its beginning.

No window function sees all the data, and the scan follows the number of the item, never that of a partition.
"""

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import EACH_RECORD
from tidemark.spark_bridge.execution.expressions import long, nothing, smallest
from tidemark.spark_bridge.execution.inputs import by_side, chunk_of_item
from tidemark.spark_bridge.execution.source import StreamTables
from tidemark.spark_bridge.listed import ITEM_SUB
from tidemark.spark_bridge.plan import BatchPlan, Prefix, prefix_of

MOST_COLUMNS = 8
"""Up to this many channels have a column each; with more the plan, and Java's code for it, would grow with them."""

SIGNAL = ("chunk", "item", "sub", "channel", "at", "candidate")
"""The columns of a signal: its place, and the watermark of the channel that it stands for."""


def have_columns(plan: BatchPlan) -> bool:
    """Whether the channels have a column each."""
    return plan.channels <= MOST_COLUMNS


def prefix(source: StreamTables, plan: BatchPlan) -> Prefix:
    """The channels' watermarks before each chunk. Runs a job if there are several chunks, or many channels."""
    if plan.chunks.count == 1 and have_columns(plan):
        return Prefix.of_one_chunk(plan.channels)
    at_once = candidate_at_once(plan).alias("candidate")
    candidates = source.records.select("chunk", "channel", at_once).union(
        source.signals.select("chunk", "channel", "candidate")
    )
    if plan.is_periodic:
        tick_item = F.col("tick_item")
        chunk = chunk_of_item(tick_item, plan).alias("chunk")
        candidates = candidates.union(source.records.where(tick_item.isNotNull()).select(chunk, "channel", "candidate"))
    highest = candidates.groupBy("chunk", "channel").agg(F.max("candidate").alias("highest"))
    maxima = highest.where(F.col("highest").isNotNull()).collect()
    return prefix_of(((row.chunk, row.channel, row.highest) for row in maxima), plan.chunks, plan.channels)


def entries(spark: SparkSession, source: StreamTables, plan: BatchPlan, chunk_prefix: Prefix) -> DataFrame:
    """Every entry, ``is_record`` or signal, with the combined watermark ``before`` and ``after`` it."""
    if not have_columns(plan):
        return _by_raises(spark, source, plan, chunk_prefix)
    earlier = Window.partitionBy("chunk").orderBy("item", "sub").rowsBetween(Window.unboundedPreceding, -1)
    own = [own_candidate(channel, plan, F.col("candidate")) for channel in range(plan.channels)]
    names = [f"before_{channel}" for channel in range(plan.channels)]
    highest = {name: F.max(each).over(earlier) for name, each in zip(names, own, strict=True)}
    table = _all_entries(source, plan).withColumns(highest)
    starting = [long(MIN)] * plan.channels
    if plan.chunks.count > 1:  # joined after the scan, which sorts and should have narrow rows
        table = table.join(F.broadcast(starts_of(spark, chunk_prefix)), "chunk")
        starting = [F.col("starts")[channel] for channel in range(plan.channels)]
    before = [F.greatest(start, F.col(name)) for start, name in zip(starting, names, strict=True)]
    after = [F.greatest(F.col(name), each) for name, each in zip(names, own, strict=True)]
    table = table.withColumns(dict(zip(names, before, strict=True)))
    return table.select(
        *("chunk", "item", "at", "is_record", *source.carried),
        smallest([F.col(name) for name in names]).alias("before"),
        smallest(after).alias("after"),
    )


def _by_raises(spark: SparkSession, source: StreamTables, plan: BatchPlan, chunk_prefix: Prefix) -> DataFrame:
    """``entries`` for any number of channels."""
    of_channel = Window.partitionBy("chunk", "channel").orderBy("item", "sub")
    highest = F.max("candidate").over(of_channel.rowsBetween(Window.unboundedPreceding, -1))
    table = _all_entries(source, plan).withColumn("highest", highest)
    table = table.join(F.broadcast(starts_of(spark, chunk_prefix)), "chunk")
    own = F.greatest(F.col("starts")[F.col("channel").cast("int")], "highest")
    raised = table.withColumn("raised", F.when(F.col("candidate") > own, own)).drop("starts", "highest")
    latest_first = Window.partitionBy("chunk").orderBy(F.col("item").desc(), F.col("sub").desc())
    from_here, behind = (latest_first.rowsBetween(Window.unboundedPreceding, last) for last in (0, -1))
    at_end = F.array(*map(long, chunk_prefix.after))[F.col("chunk").cast("int")]
    return raised.select(
        *("chunk", "item", "at", "is_record", *source.carried),
        F.least(F.min("raised").over(from_here), at_end).alias("before"),
        F.least(F.min("raised").over(behind), at_end).alias("after"),
    )


def starts_of(spark: SparkSession, chunk_prefix: Prefix) -> DataFrame:
    """The channels' watermarks before each ``chunk``, as the array ``starts``."""
    rows = {"chunk": range(len(chunk_prefix.before)), "starts": chunk_prefix.before}
    return spark.createDataFrame(pa.table(rows, pa.schema({"chunk": pa.int64(), "starts": pa.list_(pa.int64())})))


def own_candidate(channel: int, plan: BatchPlan, candidate: Column) -> Column:
    """The ``candidate`` if it is for that channel."""
    return candidate if plan.channels == 1 else F.when(F.col("channel") == channel, candidate)


def candidate_at_once(plan: BatchPlan) -> Column:
    """A record's candidate if its generator is asked after each record; else null, as a tick brings it later."""
    candidate = F.col("candidate")
    return by_side(plan, lambda source: candidate if source.watermark.emit == EACH_RECORD else nothing("bigint"))


def _all_entries(source: StreamTables, plan: BatchPlan) -> DataFrame:
    own = {"sub": long(ITEM_SUB), "candidate": candidate_at_once(plan), "is_record": F.lit(True)}
    records = source.records.withColumns(own).select(*SIGNAL, *source.carried, "is_record")
    signals = signals_of(source, plan).withColumn("is_record", F.lit(False))
    return records.unionByName(signals, allowMissingColumns=True)


def signals_of(source: StreamTables, plan: BatchPlan) -> DataFrame:
    """What moves a channel's watermark without a record: ``SIGNAL``."""
    signals = source.signals.select(*SIGNAL)
    return signals.unionByName(_ticks(source.records, plan)) if plan.is_periodic else signals


def _ticks(records: DataFrame, plan: BatchPlan) -> DataFrame:
    """The periodic emissions that may send something: one for each tick and channel with records since the last."""
    ticks = (
        records.where(F.col("tick_item").isNotNull())
        .groupBy("tick_item", "tick_sub", "tick_at", "channel")
        .agg(F.max("candidate").alias("candidate"))
        .withColumnsRenamed({"tick_item": "item", "tick_sub": "sub", "tick_at": "at"})
    )
    chunked = ticks.withColumn("chunk", chunk_of_item(F.col("item"), plan))
    return chunked.repartition(plan.chunks.partitions, "chunk").select(*SIGNAL)


def records_of(table: DataFrame, source: StreamTables) -> DataFrame:
    """The records among the entries, with all their columns."""
    return source.detailed(table.where("is_record"))


def moves(table: DataFrame, wanted: Column | None = None) -> DataFrame:
    """The entries at which the combined watermark moved.

    ``wanted``, a condition on ``before`` and ``after``, leaves only those that something can wait for.
    """
    moved = F.col("after") > F.col("before")
    return table.where(moved if wanted is None else moved & wanted)


def step_of() -> Column:
    """What is known of a move: the watermark, and when and with which item it came.

    ``own``: the item's own record made the move, so it is not behind it.
    """
    return F.struct(F.col("after").alias("watermark"), "at", "item", F.col("is_record").alias("own"))


def steps(table: DataFrame, wanted: Column | None = None) -> DataFrame:
    """The ``moves``: what was ``reached``, and the ``step`` that did."""
    return moves(table, wanted).select("chunk", F.col("after").alias("reached"), step_of().alias("step"))
