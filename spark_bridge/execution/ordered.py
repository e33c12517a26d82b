"""Operators that have processing-time timers too, on the executors: each task goes through everything in its order.

Records are distributed by key. Every task gets all moves of the watermark, and works out by itself where the clock
stands at each item. A tick of a generator may fall on the very millisecond of a processing-time timer, and which of the
two comes first depends on the timers of all keys. So where there are ticks, one task has all keys, and also where rows
of all keys wait in one buffer. A task keeps nothing
longer than the window that it belongs to.
"""

import json
from collections.abc import Callable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.items import Checkpoint, Restore
from tidemark.simulator.engine.values.time import MIN
from tidemark.spark_bridge.course import course_of, periods_by_rank, rules_of
from tidemark.spark_bridge.execution.arrow import in_batches
from tidemark.spark_bridge.execution.expressions import long, nothing
from tidemark.spark_bridge.execution.rows import SCHEMA, TYPES, record_json
from tidemark.spark_bridge.keyed.ordered import Came, Entry, Kept, Moved, Ordered, Restored
from tidemark.spark_bridge.keyed.output_rows import OutputRows
from tidemark.spark_bridge.keyed.planned import KeyedPlan
from tidemark.spark_bridge.keyed.records import DELETED, Arrival
from tidemark.spark_bridge.listed import ITEM_SUB, clock_of
from tidemark.spark_bridge.plan import BatchPlan

_OF_RECORD = ("key", "side", "ts", "value")
_TAKEN = ("part", "item", "sub", "at", "before", "after", "mine", *_OF_RECORD, "mark")
_ARROW = {"string": pa.string(), "double": pa.float64(), "bigint": pa.int64()}
_ROWS = pa.schema([(name, _ARROW[kind]) for name, kind in TYPES.items()])


def ordered_rows(spark: SparkSession, entries: DataFrame, plan: BatchPlan, keyed: KeyedPlan) -> DataFrame:
    """All rows of the operator. ``entries`` are those of the whole stream, the records with all their columns."""
    parts = 1 if plan.is_periodic or keyed.front is not None else min(plan.tasks, plan.chunks.partitions)
    shared = _shared(entries, parts)
    if keyed.restores:
        shared = shared.unionByName(_marks(spark, plan, parts), allowMissingColumns=True)
    ordered = shared.repartition(parts, "part").sortWithinPartitions("part", "item", "sub", "after")
    output_rows = OutputRows(keyed.late_row, tuple(each.name for each in plan.inputs))
    return ordered.select(*_TAKEN).mapInArrow(_task(_machine(plan, keyed), periods_by_rank(plan), output_rows), SCHEMA)


def _machine(plan: BatchPlan, keyed: KeyedPlan) -> Callable[[], Ordered]:
    maker, course, rules, front = keyed.maker, course_of(plan), rules_of(plan, keyed), keyed.front
    return lambda: Ordered(maker, course, rules, front)


def _shared(entries: DataFrame, parts: int) -> DataFrame:
    """The entries by ``part``: a record goes to the part of its key and is ``mine`` there; a move goes to all parts."""
    own = F.pmod(F.xxhash64("key"), long(parts)) if parts > 1 else long(0)
    everywhere = F.sequence(long(0), long(parts - 1))
    moves = F.col("after") > F.col("before")
    goes_to = F.when(moves, everywhere).otherwise(F.array(own))
    mine = F.col("is_record") & (F.col("part") == own)
    value = record_json(F.struct("whole", "text"))
    own_columns = {"key": F.col("key"), "side": F.col("side"), "ts": F.col("ts"), "value": value}
    sub = F.col("sub") if "sub" in entries.columns else long(ITEM_SUB)
    return (
        entries.where(F.col("is_record") | moves)
        .select("*", F.explode(goes_to).alias("part"))
        .select(
            *("part", "item", "at", "before", "after"),
            sub.alias("sub"),
            mine.alias("mine"),
            *(F.when(mine, column).alias(name) for name, column in own_columns.items()),
            nothing("string").alias("mark"),
        )
    )


def _marks(spark: SparkSession, plan: BatchPlan, parts: int) -> DataFrame:
    """Checkpoints and restores, for every part; ``mark`` is ``+`` or ``-`` and the name."""
    stream = plan.scenario.stream
    assert isinstance(stream, tuple)
    marks = [
        (place, at, ("+" if isinstance(item, Checkpoint) else "-") + item.name)
        for place, (item, at) in enumerate(zip(stream, clock_of(stream, plan.scenario.origin), strict=True))
        if isinstance(item, Checkpoint | Restore)
    ]
    table = pa.table(list(zip(*marks, strict=True)), names=["item", "at", "mark"])
    part = F.explode(F.sequence(long(0), long(parts - 1))).alias("part")
    return spark.createDataFrame(table).select("item", "at", "mark", part, long(ITEM_SUB).alias("sub"))


def _task(
    machine: Callable[[], Ordered], periods: list[int], output_rows: OutputRows
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[Any, ...]]:
        for _, entries in groupby(_entries(batches, periods), key=itemgetter(0)):
            for emitted in machine().run(entry for _, entry in entries):
                yield output_rows.columns(emitted)

    return lambda batches: in_batches(rows(batches), _ROWS)


def _entries(batches: Iterator[pa.RecordBatch], periods: list[int]) -> Iterator[tuple[int, Entry]]:
    for batch in batches:
        columns = [batch.column(name).to_pylist() for name in _TAKEN]
        for part, item, sub, at, before, after, mine, key, side, ts, value, mark in zip(*columns, strict=True):
            if mark is not None:
                yield part, (Kept if mark[0] == "+" else Restored)(item, at, mark[1:])
                continue
            if mine:
                time = MIN if ts is None else ts
                given = DELETED if value is None else json.loads(value)
                yield part, Came(key, Arrival(item, at, before, side, time, given))
            if after > before:
                yield part, Moved(item, at, after, periods[sub % len(periods)] if sub < ITEM_SUB else 0)
