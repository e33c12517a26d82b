"""What a record is for the input, the channel and the chunk that it belongs to.

Rows in the columns of ``spark_bridge.results.canonical``.

A sample of the keys: one in so many, chosen by the hash of its text as on the simulator's side (``Share``).

Rows that a keyed function makes, as the Arrow batches that Spark takes from it.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import WatermarkSpec
from tidemark.spark_bridge.plan.batch import BatchPlan, InputPlan
from tidemark.spark_bridge.results.canonical import COLUMNS, TEXTS
from tidemark.spark_bridge.results.report import Sample
from tidemark.spark_bridge.spark.columns import long, nothing, quotient, record_number, record_text


def chunk_of_item(item: Column, plan: BatchPlan) -> Column:
    """The number of the chunk that an item is in."""
    return quotient(item, plan.chunks.size) if plan.chunks.count > 1 else long(0)


def by_side(plan: BatchPlan, make: Callable[[InputPlan], Column]) -> Column:
    """``make`` of the input that a record came from, by its column ``side``."""
    first, *second = (make(each) for each in plan.inputs)
    return F.when(F.col("side") == 0, first).otherwise(second[0]) if second else first


def candidate_of(plan: BatchPlan, ts: Column) -> Column:
    """The watermark that a record stands for; null where its input has no generator."""
    return by_side(plan, lambda source: _candidate(source.watermark, ts))


def _candidate(watermark: WatermarkSpec, ts: Column) -> Column:
    bound = watermark.bound
    match watermark.type:
        case "none":
            return nothing("bigint")
        case "punctuated":
            return ts - long(bound)
        case "sql":  # starts at 0, which is never sent
            return F.when(ts - long(bound) > 0, ts - long(bound))
        case _:  # Flink's generator starts from a timestamp that keeps the subtraction within a long
            return F.greatest(ts, long(MIN + bound + 1)) - long(bound + 1)


TYPES = {name: "string" if name in TEXTS else "double" if name == "value_number" else "bigint" for name in COLUMNS}
"""Spark's type of each column."""

SCHEMA = ", ".join(f"{name} {kind}" for name, kind in TYPES.items())
"""The columns with their types, as Spark writes a schema."""


def two_sided(left: Column, right: Column) -> Column:
    """``value_text`` of a pair or a group, from the JSON texts of its sides."""
    return F.concat(F.lit('{"left":'), left, F.lit(',"right":'), right, F.lit("}"))


def record_json(record: Column) -> Column:
    """A record's value as canonical JSON; ``record`` has ``whole`` and ``text``."""
    return F.coalesce(record["text"], record["whole"].cast("string"))


def stamped_json(record: Column) -> Column:
    """A record with its time, as in one half of a pair."""
    return F.concat(F.lit('{"ts":'), record["ts"].cast("string"), F.lit(',"value":'), record_json(record), F.lit("}"))


def typed(table: DataFrame, **columns: Column) -> DataFrame:
    """``table`` as rows: ``columns``, else those of ``table``, else nulls."""
    there = table.columns
    new = {name: nothing(kind) for name, kind in TYPES.items() if name not in there} | columns
    return table.select(*(new[name].alias(name) if name in new else name for name in COLUMNS))


def record_rows(records: DataFrame, **columns: Column) -> DataFrame:
    """Rows of one record each, without a window."""
    own = {"time": F.col("ts"), "value_text": record_text(), "value_number": record_number()}
    return typed(records, **(own | columns))


def late_rows(records: DataFrame, kind: str, plan: BatchPlan, **columns: Column) -> DataFrame:
    """``dropped`` or ``late`` rows, emitted when the record comes."""
    name = by_side(plan, lambda source: F.lit(source.name))
    return record_rows(records, row=F.lit(kind), watermark=F.col("before"), input=name, **columns)


def sampled(table: DataFrame, plan: BatchPlan, key: Column) -> DataFrame:
    """``table`` with the sampled keys of ``plan`` only; ``key`` is their text."""
    return table if plan.sample == 1 else table.where(is_sampled(key, plan.sample))


def is_sampled(key: Column, sample: int) -> Column:
    """Whether a key is in the sample."""
    return F.shiftrightunsigned(F.xxhash64(key), 1) % long(sample) == 0


def sample_of(keys: DataFrame, plan: BatchPlan) -> Sample | None:
    """What the sample holds of the stream, whose records have their ``key``; None if all keys are checked."""
    if plan.sample == 1:
        return None
    number, chosen = F.col("count"), is_sampled(F.col("key"), plan.sample)
    found = (
        keys.groupBy("key")
        .count()
        .agg(
            F.count(F.lit(1)).alias("keys"),
            F.count_if(chosen).alias("checked"),
            F.coalesce(F.sum(F.when(chosen, number)), long(0)).alias("events"),
        )
    )
    row = found.collect()[0]
    return Sample(plan.sample, row.checked, row["keys"], row.events)


BATCH_ROWS: Final = 10_000
"""A task holds at most this many rows that Spark has not taken yet."""


def in_batches(rows: Iterable[tuple[Any, ...]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """``rows``, tuples in the order of ``schema``, as Arrow batches; at least one, which may be empty."""
    waiting: list[tuple[Any, ...]] = []
    for row in rows:
        waiting.append(row)
        if len(waiting) == BATCH_ROWS:
            yield _batch(waiting, schema)
            waiting = []
    yield _batch(waiting, schema)


def _batch(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(values, type=field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.record_batch(arrays, schema)
