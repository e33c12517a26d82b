"""The combined watermark before and after every entry where it is not a running maximum: one task goes through all.

The entries are narrow, sorted by (item, sub), and stream through the task in Arrow batches, so that its memory does not
grow with them. The other columns of a record are passed through unchanged.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.execution.expressions import long, nothing
from tidemark.spark_bridge.execution.inputs import chunk_of_item
from tidemark.spark_bridge.execution.source import StreamTables
from tidemark.spark_bridge.listed import ITEM_SUB
from tidemark.spark_bridge.plan import BatchPlan, Prefix, prefix_of
from tidemark.spark_bridge.watermarks.order import Passage, Wiring

_READ = ("kind", "item", "sub", "channel", "at", "candidate")
_MADE = ("item", "sub", "at", "is_record", "before", "after")


def entries_in_order(source: StreamTables, plan: BatchPlan) -> DataFrame:
    """The records with the combined watermark ``before`` and ``after`` each, and the moves that no record has made."""
    records = source.records.withColumns({"kind": nothing("string"), "sub": long(ITEM_SUB)})
    both = records.select(*_READ, *source.carried).unionByName(source.signals.select(*_READ), allowMissingColumns=True)
    ordered = both.repartition(1).sortWithinPartitions("item", "sub")
    kinds = {field.name: field.dataType.simpleString() for field in ordered.schema}
    kinds |= {"is_record": "boolean", "before": "bigint", "after": "bigint"}
    schema = ", ".join(f"`{name}` {kinds[name]}" for name in (*_MADE, *source.carried))
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
    own = [pa.array(columns[name], pa.bool_() if name == "is_record" else pa.int64()) for name in _MADE]
    return pa.RecordBatch.from_arrays([*own, *(columns[name] for name in carried)], names=[*_MADE, *carried])
