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

Which step of the combined watermark is the first to reach a time: an as-of join without a sort over everything.

The watermark only rises, so the chunk in which a time is reached follows from the combined watermark at the end of each
chunk. The driver knows these numbers: it is a binary search in a constant array. Inside the chunk, the steps and the
rows that wait are sorted together by time, latest first; the last step seen is then the first one that reaches the row.

The combined watermark before and after every entry where it is not a running maximum: one task goes through all.

The entries are narrow, sorted by (item, sub), and stream through the task in Arrow batches, so that its memory does not
grow with them. The other columns of a record are passed through unchanged.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import EACH_RECORD
from tidemark.spark_bridge.execution.rows import by_side, chunk_of_item
from tidemark.spark_bridge.execution.source import StreamTables
from tidemark.spark_bridge.plan.batch import BatchPlan, Prefix, prefix_of
from tidemark.spark_bridge.plan.items import ITEM_SUB
from tidemark.spark_bridge.spark.columns import long, nothing, smallest
from tidemark.spark_bridge.watermarks.order import Passage, Wiring

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
    own = [candidate_of_channel(channel, plan, F.col("candidate")) for channel in range(plan.channels)]
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


def candidate_of_channel(channel: int, plan: BatchPlan, candidate: Column) -> Column:
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
    """The records among the entries that are not filtered, with all their columns."""
    return source.detailed(table.where("is_record")).where(F.col("key").isNotNull())


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


def fired(waiting: DataFrame, steps: DataFrame, chunk_prefix: Prefix) -> DataFrame:
    """``waiting`` with the ``step`` that is the first to reach its ``due``; without those that none reaches.

    A row whose ``due`` is null is not waiting: it stays, with a null ``step``.
    """
    due = F.col("due")
    # Rows that wait for nothing are spread over negative numbers, which no chunk has: one task could not take them all.
    spread = -1 - F.pmod(F.xxhash64(*waiting.columns), long(len(chunk_prefix.after)))
    chunk = F.when(due.isNull(), spread).otherwise(_first_reaching(due, chunk_prefix.after))
    return fired_in_chunk(waiting.withColumn("chunk", chunk).where(F.col("chunk") < len(chunk_prefix.after)), steps)


def fired_in_chunk(waiting: DataFrame, steps: DataFrame) -> DataFrame:
    """The same if the ``chunk`` in which each row fires is known."""
    due = F.col("due")
    marks = steps.select("chunk", F.col("reached").alias("due"), "step", F.lit(False).alias("waits"))
    both = waiting.withColumn("waits", F.lit(True)).unionByName(marks, allowMissingColumns=True)
    latest_first = Window.partitionBy("chunk").orderBy(F.col("due").desc(), "waits")
    so_far = latest_first.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    found = both.withColumn("step", F.last("step", ignorenulls=True).over(so_far))
    return found.where(F.col("waits") & (due.isNull() | F.col("step").isNotNull())).drop("chunk", "waits")


def reached(ends: DataFrame, steps: DataFrame, chunk_prefix: Prefix) -> DataFrame:
    """Each ``end`` of a window that the watermark reaches, with the ``step`` that does."""
    return fired(ends.withColumn("due", F.col("end") - 1), steps, chunk_prefix).drop("due")


def all_reached(moves: DataFrame, ends: range) -> DataFrame:
    """The same for all possible ``ends``, from the ``moves`` of the watermark that pass any of them.

    ``last`` is the last item that comes in time for the end.
    """
    step, last = long(ends.step), ends[-1]
    # Clamped to the ends, so that nothing leaves 64 bits.
    before = F.greatest(F.least(F.col("before"), long(last)), long(ends.start - 2))
    after = F.greatest(F.least(F.col("after"), long(last - 1)), long(ends.start - 2))
    first = F.call_function("div", before + long(2 - ends.start + ends.step - 1), step)
    stop = F.call_function("div", after + long(1 - ends.start + ends.step), step)
    in_time = F.col("item") - F.when(F.col("is_record"), long(0)).otherwise(long(1))
    numbers = F.explode(F.sequence(first, stop - 1)).alias("number")
    passed = moves.where(first < stop).select(step_of().alias("step"), in_time.alias("last"), numbers)
    return passed.select((F.col("number") * step + long(ends.start)).alias("end"), "step", "last")


def _first_reaching(due: Column, reached: tuple[int, ...]) -> Column:
    """The index of the first of ``reached`` (ascending) that is at least ``due``; their number if none is."""
    if len(reached) == 1:
        return F.when(due <= long(reached[0]), long(0)).otherwise(long(1))
    numbers = F.expr(f"array({','.join(f'{number}L' for number in reached)})")
    rounds = F.expr(f"sequence(1, {len(reached).bit_length()})")
    start = F.struct(F.lit(0).alias("low"), F.lit(len(reached)).alias("high"))

    def halve(span: Column, _: Column) -> Column:
        low, high = span["low"], span["high"]
        middle = F.call_function("div", low + high, F.lit(2)).cast("int")
        enough = (low < high) & (F.get(numbers, middle) >= due)
        onward = (low < high) & (F.get(numbers, middle) < due)
        return F.struct(
            F.when(onward, middle + 1).otherwise(low).alias("low"), F.when(enough, middle).otherwise(high).alias("high")
        )

    return F.aggregate(rounds, start, halve, lambda span: span["low"].cast("bigint"))


_READ = ("kind", "item", "sub", "channel", "at", "candidate")
_ENTRY = ("item", "sub", "at", "is_record", "before", "after")


def entries_in_order(source: StreamTables, plan: BatchPlan) -> DataFrame:
    """The records with the combined watermark ``before`` and ``after`` each, and the moves that no record has made."""
    records = source.records.withColumns({"kind": nothing("string"), "sub": long(ITEM_SUB)})
    both = records.select(*_READ, *source.carried).unionByName(source.signals.select(*_READ), allowMissingColumns=True)
    ordered = both.repartition(1).sortWithinPartitions("item", "sub")
    kinds = {field.name: field.dataType.simpleString() for field in ordered.schema}
    kinds |= {"is_record": "boolean", "before": "bigint", "after": "bigint"}
    schema = ", ".join(f"`{name}` {kinds[name]}" for name in (*_ENTRY, *source.carried))
    entries = ordered.mapInArrow(_task(plan.wiring, source.carried), schema)
    chunked = entries.withColumn("chunk", chunk_of_item(F.col("item"), plan))
    return chunked.repartition(plan.chunks.partitions, "chunk") if plan.chunks.partitions > 1 else chunked


def prefix_of_entries(table: DataFrame, plan: BatchPlan) -> Prefix:
    """The combined watermark after each chunk. Runs a job if there is more than one chunk."""
    if plan.chunks.count == 1:
        return Prefix.of_one_chunk(plan.channels)
    moved = table.where(F.col("after") > F.col("before"))
    highest = moved.groupBy("chunk").agg(F.max("after").alias("highest")).collect()
    return prefix_of(((row.chunk, 0, row.highest) for row in highest), plan.chunks, 1)


def _task(wiring: Wiring, carried: tuple[str, ...]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        passage = wiring.passage()
        for batch in batches:
            yield from _passed(passage, batch, carried)

    return run


def _passed(passage: Passage, batch: pa.RecordBatch, carried: tuple[str, ...]) -> Iterator[pa.RecordBatch]:
    """The records of a batch, then the moves among them."""
    before, after = list[int](), list[int]()
    columns = [batch.column(name).to_pylist() for name in _READ]
    for kind, item, sub, channel, at, candidate in zip(*columns, strict=True):
        passage.come_to(item, at)
        if kind is not None:
            passage.signal(kind, item, sub, channel, candidate)
            continue
        before.append(passage.watermark)
        passage.record(channel, candidate)
        after.append(passage.watermark)
    records = batch.filter(batch.column("kind").is_null())
    own = {name: records.column(name) for name in ("item", "sub", "at", *carried)}
    yield _batch(own | {"is_record": [True] * len(before), "before": before, "after": after}, carried)
    moves = list(zip(*passage.moves, strict=True)) or [()] * 5
    passage.moves.clear()
    absent = {name: pa.nulls(len(moves[0]), batch.column(name).type) for name in carried}
    places = dict(zip(("item", "sub", "at", "before", "after"), moves, strict=True))
    yield _batch(absent | places | {"is_record": [False] * len(moves[0])}, carried)


def _batch(columns: dict[str, Any], carried: tuple[str, ...]) -> pa.RecordBatch:
    own = [pa.array(columns[name], pa.bool_() if name == "is_record" else pa.int64()) for name in _ENTRY]
    return pa.RecordBatch.from_arrays([*own, *(columns[name] for name in carried)], names=[*_ENTRY, *carried])
