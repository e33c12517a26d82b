"""Keyed functions on the executors: each task goes through its keys, one after another, in order of arrival.

The records are sorted by key and item, and stream through the task in Arrow batches, so no key has to fit into memory,
however large it is. A key sees the watermark only where one of its records comes. A row that is fired between two
records therefore carries only the timestamp that it waited for (``due``); the step of the watermark that fired it is
joined afterwards, as for every other row (``firing``).

Operators that have processing-time timers too, on the executors: each task goes through everything in its order.

Records are distributed by key. Every task gets all moves of the watermark, and works out by itself where the clock
stands at each item. A tick of a generator may fall on the very millisecond of a processing-time timer, and which of the
two comes first depends on the timers of all keys. So where there are ticks, one task has all keys, and also where rows
of all keys wait in one buffer. A task keeps nothing
longer than the window that it belongs to.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.items import Checkpoint, Restore
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.spark_bridge.execution.rows import SCHEMA, TYPES, by_side, in_batches, record_json, typed
from tidemark.spark_bridge.execution.watermark import fired
from tidemark.spark_bridge.keyed.context import DELETED, IN, Arrival, Fired
from tidemark.spark_bridge.keyed.ordered import (
    CheckpointBarrier,
    Entry,
    KeyedRecord,
    Ordered,
    OutputRows,
    Restored,
    WatermarkMove,
)
from tidemark.spark_bridge.plan.batch import BatchPlan, Prefix
from tidemark.spark_bridge.plan.items import ITEM_SUB, clock_of, course_of, periods_by_rank, rules_of
from tidemark.spark_bridge.plan.operators import KeyedPlan
from tidemark.spark_bridge.results.canonical import value_of
from tidemark.spark_bridge.spark.columns import long, nothing

KeyFunction = Callable[[Iterable[Arrival]], Iterator[Fired]]

_FIELDS = {
    "row": pa.string(),
    "key": pa.string(),
    "start": pa.int64(),
    "end": pa.int64(),
    "pane": pa.int64(),
    "change": pa.string(),
    "time": pa.int64(),
    "value_text": pa.string(),
    "value_number": pa.float64(),
    "due": pa.int64(),
    "before": pa.int64(),
    "at": pa.int64(),
    "item": pa.int64(),
    "side": pa.int64(),
    "life": pa.int64(),
    "own": pa.string(),
}
_SCHEMA = pa.schema(list(_FIELDS.items()))
_SPARK = ", ".join(
    f"`{name}` {'string' if kind == pa.string() else 'double' if kind == pa.float64() else 'bigint'}"
    for name, kind in _FIELDS.items()
)


def keyed_rows(
    records: DataFrame, steps: DataFrame, plan: BatchPlan, keyed: KeyedPlan, chunk_prefix: Prefix
) -> DataFrame:
    """All rows of an operator that works key by key. ``chunk_prefix`` is what the driver knows of the chunks."""
    value = record_json(F.struct("whole", "text")).alias("value")
    wanted = records.select(*(name for name in IN if name != "value"), value)
    by_key = wanted.repartition(plan.chunks.partitions, "key").sortWithinPartitions("key", "item")
    output_rows = by_key.mapInArrow(_task(keyed.key_function(chunk_prefix.after[-1])), _SPARK)
    fired_rows = fired(output_rows, steps, chunk_prefix)
    step = F.col("step")
    stamped = fired_rows.withColumns(
        {
            "watermark": F.coalesce("before", step["watermark"]),
            "at": F.coalesce("at", step["at"]),
            "item": F.coalesce("item", step["item"]),
        }
    )
    late = F.lit(keyed.late_row)
    rows = stamped.withColumns(
        {"timing": _timing(), "row": F.when(F.col("row") == "late", late).otherwise(F.col("row"))}
    )
    name = by_side(plan, lambda source: F.lit(source.name))
    is_late = F.col("row") == keyed.late_row
    return typed(rows, time=F.coalesce("time", _last_instant()), input=F.when(is_late, name))


def _last_instant() -> Column:
    return F.coalesce(F.col("end") - 1, long(MAX))


def _timing() -> Column:
    """The timing of a pane: early before the end; then the first row is on time, and all others are late."""
    life = Window.partitionBy("key", "start", "end", "life").orderBy("pane")
    behind = F.col("watermark") >= _last_instant()
    # A range, not rows: a retraction and the result that replaces it have one pane number and are one firing.
    earlier = F.max(behind).over(life.rangeBetween(Window.unboundedPreceding, -1))
    timing = F.when(~behind, "early").when(F.coalesce(earlier, F.lit(False)), "late").otherwise("on-time")
    return F.when(F.col("row") == "pane", timing)


def _task(new_function: Callable[[], KeyFunction]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[Any, ...]]:
        for key, records in groupby(_records(batches), key=itemgetter(0)):
            for row in new_function()(record for _, record in records):
                yield _columns(key, row)

    return lambda batches: in_batches(rows(batches), _SCHEMA)


def _records(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[str, Arrival]]:
    for batch in batches:
        key, item, at, before, side, ts, value = (batch.column(name).to_pylist() for name in IN)
        for place in range(batch.num_rows):
            record = Arrival(item[place], at[place], before[place], side[place], ts[place], json.loads(value[place]))
            yield key[place], record


def _columns(key: str, row: Fired) -> tuple[Any, ...]:
    start, end = (None, None) if row.span is None else row.span
    text, number = value_of(row.value)
    by = (None, None, None, None) if row.by is None else (row.by.before, row.by.at, row.by.item, row.by.side)
    own = (row.kind, key, start, end, row.pane, row.change, row.time, text, number, row.due)
    return (*own, *by, None if row.life is None else row.life.number, row.own)


_OF_RECORD = ("key", "side", "ts", "value")
_ENTRY = ("part", "item", "sub", "at", "before", "after", "mine", *_OF_RECORD, "mark")
_ARROW = {"string": pa.string(), "double": pa.float64(), "bigint": pa.int64()}
_ROWS = pa.schema([(name, _ARROW[kind]) for name, kind in TYPES.items()])


def ordered_rows(spark: SparkSession, entries: DataFrame, plan: BatchPlan, keyed: KeyedPlan) -> DataFrame:
    """All rows of the operator. ``entries`` are those of the whole stream, the records with all their columns."""
    parts = 1 if plan.is_periodic or keyed.buffer is not None else min(plan.tasks, plan.chunks.partitions)
    shared = _shared(entries, parts)
    if keyed.restores:
        shared = shared.unionByName(_marks(spark, plan, parts), allowMissingColumns=True)
    ordered = shared.repartition(parts, "part").sortWithinPartitions("part", "item", "sub", "after")
    output_rows = OutputRows(keyed.late_row, tuple(each.name for each in plan.inputs))
    return ordered.select(*_ENTRY).mapInArrow(
        _task_in_order(_all_keys(plan, keyed), periods_by_rank(plan), output_rows), SCHEMA
    )


def _all_keys(plan: BatchPlan, keyed: KeyedPlan) -> Callable[[], Ordered]:
    factory, course, rules, buffer = keyed.factory, course_of(plan), rules_of(plan, keyed), keyed.buffer
    return lambda: Ordered(factory, course, rules, buffer)


def _shared(entries: DataFrame, parts: int) -> DataFrame:
    """The entries by ``part``: a record goes to the part of its key and is ``mine`` there; a move goes to all parts."""
    own = F.pmod(F.xxhash64("key"), long(parts)) if parts > 1 else long(0)
    everywhere = F.sequence(long(0), long(parts - 1))
    moves = F.col("after") > F.col("before")
    goes_to = F.when(moves, everywhere).otherwise(F.array(own))
    mine = F.col("is_record") & F.col("key").isNotNull() & (F.col("part") == own)
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


def _task_in_order(
    new_task: Callable[[], Ordered], periods: list[int], output_rows: OutputRows
) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[Any, ...]]:
        for _, entries in groupby(_entries(batches, periods), key=itemgetter(0)):
            for emitted in new_task().run(entry for _, entry in entries):
                yield output_rows.columns(emitted)

    return lambda batches: in_batches(rows(batches), _ROWS)


def _entries(batches: Iterator[pa.RecordBatch], periods: list[int]) -> Iterator[tuple[int, Entry]]:
    for batch in batches:
        columns = [batch.column(name).to_pylist() for name in _ENTRY]
        for part, item, sub, at, before, after, mine, key, side, ts, value, mark in zip(*columns, strict=True):
            if mark is not None:
                yield part, (CheckpointBarrier if mark[0] == "+" else Restored)(item, at, mark[1:])
                continue
            if mine:
                time = MIN if ts is None else ts
                content = DELETED if value is None else json.loads(value)
                yield part, KeyedRecord(key, Arrival(item, at, before, side, time, content))
            if after > before:
                yield part, WatermarkMove(item, at, after, periods[sub % len(periods)] if sub < ITEM_SUB else 0)
