"""Session windows of a long generated stream: Spark finds clusters of records, and a function makes their rows.

Theory of operation
-------------------
Sorted by time, the records of a key fall into *clusters*: a new one begins where a record is more than the gap behind
the one before it. Windows of different clusters never touch, so each cluster can be looked at by itself. What becomes
of it depends on the order of arrival: a window fires when the watermark reaches its last instant, and a record that
comes after that finds a window that has fired, or none.

A cluster is *plain* if no record r of it, and no successor of r by time, came when the watermark had already reached
r.ts + gap - 1. Then no window in it fires before it is complete: each window but the last ends with a record whose
successor comes before the window's end is reached, and merges with it. And when the last window fires, at the end of
the whole cluster, there is no record left to come. So a plain cluster is one firing, on time, with all of its records;
the order of these does not matter to a sum of whole numbers.

Only records that were behind, or a millisecond above, the watermark before them can keep a cluster from being plain. In
a generated stream they are among the notable entries, and no other record needs its watermark. Each of them stands in
front of itself in the order of time, as a *mark* that carries the watermark. Where the bound covers the disorder there
are few. A Python function makes the rows of all clusters, in one pass (``keyed.clusters``): the plain ones in blocks,
the records of the others one by one. It needs no watermark but those of the marks.
"""

from collections.abc import Callable, Iterator
from typing import Final

import pyarrow as pa
from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario import model
from tidemark.spark_bridge.execution.notable import Interest
from tidemark.spark_bridge.execution.rows import by_side, typed
from tidemark.spark_bridge.execution.source import arrival
from tidemark.spark_bridge.execution.watermark import fired_in_chunk, steps
from tidemark.spark_bridge.execution.windows import Stream, accumulation
from tidemark.spark_bridge.keyed.clusters import LATE, WAITED, Clusters, Records, Rows
from tidemark.spark_bridge.plan.batch import SMALL_ITEMS, BatchPlan, Prefix
from tidemark.spark_bridge.plan.operators import KeyedPlan, WindowPlan
from tidemark.spark_bridge.spark.columns import long, nothing

FEWEST_ITEMS: Final = SMALL_ITEMS
"""Of little data the keyed function alone takes less time than the plan for both ways."""

_IN_ANY_ORDER: Final = frozenset({"sum", "count", "min", "max", "avg"})
_COLUMNS: Final = [*Rows._fields, "chunk"]
_SPARK: Final = ", ".join(f"`{name}` bigint" for name in _COLUMNS)


def have_clusters(plan: BatchPlan) -> bool:
    """Whether the operator has sessions over a long generated stream, whose order does not show in their values."""
    operator = plan.operator.operator if isinstance(plan.operator, KeyedPlan) and not plan.operator.ordered else None
    return (
        operator is not None
        and operator.aggregates_windows
        and not operator.in_sql
        and isinstance(operator.assigner, model.Session)
        and isinstance(operator.trigger, model.EventTimeTrigger)
        and operator.evictor is None
        and operator.compute in _IN_ANY_ORDER
        and isinstance(plan.scenario.stream, model.Generated)
        and plan.chunks.items > FEWEST_ITEMS
        and not plan.watermark_in_order
    )


def of_sessions() -> Interest:
    """What matters to sessions: every step, and each record that is less than 2 ms above the watermark, or behind."""
    return Interest(F.lit(True), lambda watermark: F.least(watermark, long(MAX - 2)) + 2)


def session_rows(
    stream: Stream, notable: DataFrame, plan: BatchPlan, keyed: KeyedPlan, chunk_prefix: Prefix
) -> DataFrame:
    """All rows of session windows (``have_clusters``). ``notable``: the entries of ``of_sessions``."""
    operator = keyed.operator
    assert isinstance(operator.assigner, model.Session)
    gap, compute = operator.assigner.gap, operator.compute or ""
    clusters = Clusters(gap, operator.allowed_lateness, compute)
    sorted_clusters = _clustered(stream, plan, gap).sortWithinPartitions("key", "start", "item")
    firing = sorted_clusters.mapInArrow(_task(clusters, chunk_prefix), _SPARK)
    has_waited = F.col("kind") == WAITED
    found = fired_in_chunk(firing.withColumn("due", F.when(has_waited, F.col("end") - 1)), steps(notable))
    window = WindowPlan(gap, gap, 0, operator.allowed_lateness, keyed.late_row, compute)
    by_item = Window.partitionBy("key").orderBy("item")
    result = accumulation(window, True, by_item).result
    parts = found.withColumns({"total": F.col("value"), "whole_best": F.col("value"), "double_best": nothing("double")})
    is_late, step, at = F.col("kind") == LATE, F.col("step"), arrival(plan, F.col("item"))
    pane = F.when(~is_late, F.col("pane"))
    return typed(
        parts,
        row=F.when(is_late, keyed.late_row).otherwise("pane"),
        key=stream.key(F.col("key")),
        start=F.when(~is_late, F.col("start")),
        end=F.when(~is_late, F.col("end")),
        pane=pane,
        timing=F.when(pane == 0, "on-time").when(pane > 0, "late"),
        time=F.when(is_late, F.col("start")).otherwise(F.col("end") - 1),
        value_text=F.when(is_late, F.col("value").cast("string")).otherwise(result.text),
        value_number=F.when(~is_late, result.number),
        watermark=F.when(has_waited, step["watermark"]).otherwise(F.col("before")),
        at=F.when(has_waited, step["at"]).otherwise(at),
        item=F.when(has_waited, step["item"]).otherwise(F.col("item")),
        input=F.when(is_late, by_side(plan, lambda source: F.lit(source.name))),
    )


def _task(clusters: Clusters, chunk_prefix: Prefix) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function of a task: ``Rows`` with the ``chunk`` in which each fires (see ``firing``)."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        columns = (Records(*(batch.column(name).to_numpy() for name in Records._fields)) for batch in batches)
        for rows in clusters.rows(columns):
            chunk = rows.chunk(chunk_prefix.after)
            fires = pa.array(chunk < len(chunk_prefix.after))
            yield pa.record_batch([*map(pa.array, rows), pa.array(chunk)], names=_COLUMNS).filter(fires)

    return run


def _clustered(stream: Stream, plan: BatchPlan, gap: int) -> DataFrame:
    """The records in the columns of ``Records``, those of a key in one partition."""
    place = F.col("item") * 2  # a mark stands in front of its record
    marks = stream.behind.select("key", "ts", place.alias("place"), "before", nothing("bigint").alias("whole"))
    records = stream.records.select("key", "ts", (place + 1).alias("place"), nothing("bigint").alias("before"), "whole")
    table = records.unionByName(marks).repartition(plan.chunks.partitions, "key")
    by_time = Window.partitionBy("key").orderBy("ts", "place")
    so_far = by_time.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    has_mark = F.lag("place").over(by_time) == F.col("place") - 1
    own = F.when(has_mark, F.lag("before").over(by_time))
    table = table.withColumns({"previous": F.lag("ts").over(by_time), "own": own})
    begins = F.col("previous").isNull() | (F.col("ts") - F.col("previous") > long(gap))

    def is_over(ts: str) -> Column:
        return F.col("before") >= F.col(ts) + long(gap - 1)

    spoils = F.coalesce(is_over("ts") | (~begins & is_over("previous")), F.lit(False)).cast("bigint")
    start = F.max(F.when(begins, F.col("ts"))).over(so_far)
    of_mark = F.when(F.col("own").isNotNull(), F.lag(spoils).over(by_time)).otherwise(long(0))
    columns = {"start": start, "spoils": of_mark, "before": F.coalesce("own", long(MIN))}
    item = F.shiftright("place", 1).alias("item")
    records = table.withColumns(columns).where(F.col("whole").isNotNull())
    return records.select(*(item if name == "item" else name for name in Records._fields))
