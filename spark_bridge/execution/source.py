"""The stream as two DataFrames: its records, and its signals (explicit watermarks and the end).

Columns are those of ``spark_bridge.listed``, and ``chunk`` in both; a record has a ``candidate`` too, the watermark
that it stands for. Generated records are made in the tasks that work on them; a list comes from the driver.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from simulator.scenario.model import EACH_RECORD, Generated, WatermarkSpec
from simulator.values.time import MIN
from spark_bridge.execution.expressions import long, nothing, quotient
from spark_bridge.listed import RECORDS, SIGNALS, Row, ends, listed
from spark_bridge.plan import BatchPlan, InputPlan

_TEXTS = frozenset({"key", "text", "kind"})


DETAILS = ("side", "key", "ts", "whole", "fraction", "text")
"""What a record is beside its place, its channel and the clock."""


@dataclass(frozen=True, slots=True)
class Source:
    """The stream's two tables.

    What goes through the watermark's scan is sorted, so it is kept narrow: ``carried`` names the columns that have to
    come along, ``detailed`` gives what came through its ``DETAILS`` (again: they follow from the item's number).
    """

    records: DataFrame
    signals: DataFrame
    carried: tuple[str, ...]
    detailed: Callable[[DataFrame], DataFrame]


def source_of(spark: SparkSession, plan: BatchPlan) -> Source:
    """The stream of ``plan``, by chunks."""
    stream = plan.scenario.stream
    if isinstance(stream, Generated):
        details = _details(plan, stream)
        end = _with_chunk(_table(spark, SIGNALS, _end(plan, stream)), plan)
        ts = details.pop("ts")
        records = _generated(spark, plan, stream).withColumn("ts", ts)
        records = records.withColumn("candidate", candidate_of(plan, F.col("ts")))
        return Source(records, end, ("ts",), lambda table: table.withColumns(details))
    rows, signals = listed(plan)
    records = _with_chunk(_table(spark, RECORDS, rows), plan).withColumn("candidate", candidate_of(plan, F.col("ts")))
    return Source(records, _with_chunk(_table(spark, SIGNALS, signals), plan), DETAILS, lambda table: table)


def chunk_of_item(item: Column, plan: BatchPlan) -> Column:
    """The number of the chunk that an item is in."""
    return quotient(item, plan.chunks.size) if plan.chunks.count > 1 else long(0)


def _with_chunk(table: DataFrame, plan: BatchPlan) -> DataFrame:
    # The same partitioning as that of generated records: their union then needs no exchange of all the data.
    return table.withColumn("chunk", chunk_of_item(F.col("item"), plan)).repartition(plan.chunks.partitions, "chunk")


def _table(spark: SparkSession, names: tuple[str, ...], rows: list[Row]) -> DataFrame:
    kinds = {"fraction": pa.float64()} | dict.fromkeys(_TEXTS, pa.string())
    schema = pa.schema([(name, kinds.get(name, pa.int64())) for name in names])
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    arrays = [pa.array(values, type=each.type) for values, each in zip(columns, schema, strict=True)]
    return spark.createDataFrame(pa.table(arrays, schema=schema))


def by_side(plan: BatchPlan, make: Callable[[InputPlan], Column]) -> Column:
    """What ``make`` gives for the input that a record, of the column ``side``, came from."""
    first, *second = (make(each) for each in plan.inputs)
    return F.when(F.col("side") == 0, first).otherwise(second[0]) if second else first


def candidate_of(plan: BatchPlan, ts: Column) -> Column:
    """The watermark that a record stands for; null where its input has no generator."""
    return by_side(plan, lambda source: _candidate(source.watermark, ts))


def _candidate(watermark: WatermarkSpec, ts: Column) -> Column:
    bound = watermark.bound
    match watermark.generator:
        case "none":
            return nothing("bigint")
        case "punctuated":
            return ts - long(bound)
        case "sql":  # starts at 0, which is never sent
            return F.when(ts - long(bound) > 0, ts - long(bound))
        case _:  # Flink's generator starts from a timestamp that keeps the subtraction within a long
            return F.greatest(ts, long(MIN + bound + 1)) - long(bound + 1)


def _end(plan: BatchPlan, stream: Generated) -> list[Row]:
    if not stream.end:
        return []
    clock = plan.scenario.origin + max(0, stream.events - 1) * stream.every
    return ends(stream.events, clock, plan.channels)


def _generated(spark: SparkSession, plan: BatchPlan, stream: Generated) -> DataFrame:
    chunks = plan.chunks
    first = F.col("id") * long(chunks.size)
    last = F.least(first + long(chunks.size), long(stream.events)) - 1
    items = (
        spark.range(chunks.count)
        .where(first < long(stream.events))
        .repartition(chunks.partitions, "id")
        .select(F.col("id").alias("chunk"), F.explode(F.sequence(first, last)).alias("item"))
    )
    item = F.col("item")
    placed = items.withColumn("side", _below(stream, 5, len(plan.inputs)))
    channel = by_side(plan, lambda source: long(source.first) + _below(stream, 4, source.channels))
    tick = by_side(plan, lambda source: _tick(plan, source, stream, item))
    at = long(plan.scenario.origin) + item * long(stream.every)
    return placed.withColumn("tick", tick).select(
        *("chunk", "item", "side"),
        channel.alias("channel"),
        at.alias("at"),
        F.col("tick.item").alias("tick_item"),
        ((F.col("tick.at") - long(plan.scenario.origin)) * long(plan.channels) + _rank(plan, channel)).alias(
            "tick_sub"
        ),
        F.col("tick.at").alias("tick_at"),
    )


def _rank(plan: BatchPlan, channel: Column) -> Column:
    ranks = plan.tick_ranks
    if ranks == list(range(plan.channels)):
        return channel
    return F.array(*map(long, ranks))[channel]


def _below(stream: Generated, column: int, limit: int) -> Column:
    """The generator's number below ``limit`` for a column of the record ``item``."""
    drawn = F.xxhash64(long(stream.seed), long(column), F.col("item"))
    return F.shiftrightunsigned(drawn, 1) % long(limit) if limit > 1 else long(0)


def _details(plan: BatchPlan, stream: Generated) -> dict[str, Column]:
    at = long(plan.scenario.origin) + F.col("item") * long(stream.every)
    is_late = _below(stream, 2, 1_000_000) < stream.late_millionths
    late = F.when(is_late, long(stream.late_by)).otherwise(long(0)) if stream.late_millionths else long(0)
    lowest, highest = stream.values
    return {
        "side": _below(stream, 5, len(plan.inputs)),
        "key": F.concat(F.lit('"k'), _below(stream, 0, stream.keys).cast("string"), F.lit('"')),
        "ts": at - _below(stream, 1, stream.disorder + 1) - late,
        "whole": long(lowest) + _below(stream, 3, highest - lowest + 1),
        "fraction": nothing("double"),
        "text": nothing("string"),
    }


def _tick(plan: BatchPlan, source: InputPlan, stream: Generated, item: Column) -> Column:
    """The periodic emission after a record: the ``item`` on whose way it comes (null if none does) and when."""
    interval, every = source.watermark.emit, stream.every
    if interval == EACH_RECORD or every == 0 or plan.watermark_in_order:
        reached = due = nothing("bigint")
    else:
        tick = quotient(item * long(every), interval) + 1
        next_item = quotient(tick * long(interval) + long(every - 1), every)
        reached = F.when(next_item < long(stream.events), next_item)
        due = long(plan.scenario.origin) + tick * long(interval)
    return F.struct(reached.alias("item"), due.alias("at"))
