"""Keyed functions on the executors: each task goes through its keys, one after another, in order of arrival.

The records are sorted by key and item, and stream through the task in Arrow batches, so no key has to fit into memory,
however large it is. A key sees the watermark only where one of its records comes. A row that is fired between two
records therefore carries only the timestamp that it waited for (``due``); the step of the watermark that fired it is
joined afterwards, as for every other row (``firing``).
"""

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MAX
from tidemark.spark_bridge.canonical import value_of
from tidemark.spark_bridge.execution.arrow import in_batches
from tidemark.spark_bridge.execution.expressions import long
from tidemark.spark_bridge.execution.firing import fired
from tidemark.spark_bridge.execution.inputs import by_side
from tidemark.spark_bridge.execution.rows import record_json, typed
from tidemark.spark_bridge.keyed.planned import KeyedPlan
from tidemark.spark_bridge.keyed.records import IN, Arrival, Fired
from tidemark.spark_bridge.plan import BatchPlan, Prefix

Machine = Callable[[Iterable[Arrival]], Iterator[Fired]]

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
    "order": pa.int64(),
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
    output_rows = by_key.mapInArrow(_task(keyed.machine(chunk_prefix.after[-1])), _SPARK)
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


def _task(machine: Callable[[], Machine]) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def rows(batches: Iterator[pa.RecordBatch]) -> Iterator[tuple[Any, ...]]:
        for key, records in groupby(_records(batches), key=itemgetter(0)):
            for row in machine()(record for _, record in records):
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
    return (*own, *by, None if row.life is None else row.life.number, row.order, row.own)
