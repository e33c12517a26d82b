"""The stream as two DataFrames: its records, and its signals (explicit watermarks and the end).

Columns are those of ``spark_bridge.listed``, and ``chunk`` in both; a record has a ``candidate`` too, the watermark
that it stands for. Generated records are made in the tasks that work on them; a list comes from the driver.
"""

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


@dataclass(frozen=True, slots=True)
class Source:
    """The stream's two tables."""

    records: DataFrame
    signals: DataFrame


def source_of(spark: SparkSession, plan: BatchPlan) -> Source:
    """The stream of ``plan``, by chunks."""
    stream = plan.scenario.stream
    if isinstance(stream, Generated):
        records, signals = _generated(spark, plan, stream), _end(plan, stream)
    else:
        listed_records, signals = listed(plan)
        records = _with_chunk(_table(spark, RECORDS, listed_records), plan)
    return Source(
        records.withColumn("candidate", _candidate(plan)),
        _with_chunk(_table(spark, SIGNALS, signals), plan),
    )


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


def _candidate(plan: BatchPlan) -> Column:
    ts, bound = F.col("ts"), plan.watermark.bound
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

    def below(column: int, limit: int) -> Column:
        drawn = F.xxhash64(long(stream.seed), long(column), item)
        return F.shiftrightunsigned(drawn, 1) % long(limit) if limit > 1 else long(0)

    at = long(plan.scenario.origin) + item * long(stream.every)
    late = F.when(below(2, 1_000_000) < stream.late_millionths, long(stream.late_by)).otherwise(long(0))
    lowest, highest = stream.values
    tick, tick_item = _tick(plan, stream, item)
    return items.select(
        "chunk",
        item,
        below(4, plan.channels).alias("channel"),
        F.concat(F.lit('"k'), below(0, stream.keys).cast("string"), F.lit('"')).alias("key"),
        (at - below(1, stream.disorder + 1) - late).alias("ts"),
        at.alias("at"),
        (long(lowest) + below(3, highest - lowest + 1)).alias("whole"),
        nothing("double").alias("fraction"),
        nothing("string").alias("text"),
        tick_item.alias("tick_item"),
        (tick * long(plan.channels) + below(4, plan.channels)).alias("tick_sub"),
        (long(plan.scenario.origin) + tick * long(plan.watermark.emit)).alias("tick_at"),
    )


def _tick(plan: BatchPlan, stream: Generated, item: Column) -> tuple[Column, Column]:
    interval, every = plan.watermark.emit, stream.every
    if interval == EACH_RECORD or every == 0:
        return nothing("bigint"), nothing("bigint")
    tick = quotient(item * long(every), interval) + 1
    reached = quotient(tick * long(interval) + long(every - 1), every)
    return tick, F.when(reached < long(stream.events), reached)
