"""The stream as two DataFrames: its records, and its signals (explicit watermarks and the end).

Columns are those of ``spark_bridge.listed``, and ``chunk`` in both; a record has a ``candidate`` too, the watermark
that it stands for. Generated records are made in the tasks that work on them; a list comes from the driver.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from simulator.scenario.model import EACH_RECORD, Generated
from simulator.values.time import MIN
from spark_bridge.execution.expressions import long, nothing, quotient
from spark_bridge.listed import RECORDS, SIGNALS, Row, ends, listed
from spark_bridge.plan import BatchPlan

_TEXTS = frozenset({"key", "text"})


DETAILS = ("key", "ts", "whole", "fraction", "text")
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
        records = _generated(spark, plan, stream).withColumn("candidate", _candidate(plan, details["ts"]))
        return Source(records, end, (), lambda table: table.withColumns(details))
    rows, signals = listed(plan)
    records = _with_chunk(_table(spark, RECORDS, rows), plan).withColumn("candidate", _candidate(plan, F.col("ts")))
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


def _candidate(plan: BatchPlan, ts: Column) -> Column:
    bound = plan.watermark.bound
    match plan.watermark.generator:
        case "none":
            return nothing("bigint")
        case "punctuated":
            return ts - long(bound)
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
    channel = _below(stream, 4, plan.channels)
    tick, tick_item = _tick(plan, stream, item)
    return items.select(
        "chunk",
        item,
        channel.alias("channel"),
        (long(plan.scenario.origin) + item * long(stream.every)).alias("at"),
        tick_item.alias("tick_item"),
        (tick * long(plan.channels) + channel).alias("tick_sub"),
        (long(plan.scenario.origin) + tick * long(plan.watermark.emit)).alias("tick_at"),
    )


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
        "key": F.concat(F.lit('"k'), _below(stream, 0, stream.keys).cast("string"), F.lit('"')),
        "ts": at - _below(stream, 1, stream.disorder + 1) - late,
        "whole": long(lowest) + _below(stream, 3, highest - lowest + 1),
        "fraction": nothing("double"),
        "text": nothing("string"),
    }


def _tick(plan: BatchPlan, stream: Generated, item: Column) -> tuple[Column, Column]:
    interval, every = plan.watermark.emit, stream.every
    if interval == EACH_RECORD or every == 0:
        return nothing("bigint"), nothing("bigint")
    tick = quotient(item * long(every), interval) + 1
    reached = quotient(tick * long(interval) + long(every - 1), every)
    return tick, F.when(reached < long(stream.events), reached)
