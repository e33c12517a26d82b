"""Tumbling and sliding windows with lateness, every firing a row.

A record is taken by each of its windows that is not cleaned up yet. If the watermark had not reached the window's end
when the record came, the record waits for the one firing at the end; otherwise it fires the window at once.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from simulator.values.time import MAX
from spark_bridge.execution.expressions import floor_start, long
from spark_bridge.execution.firing import fired
from spark_bridge.execution.rows import late_rows, typed
from spark_bridge.execution.values import accumulation
from spark_bridge.plan import BatchPlan, Prefix, WindowPlan


def window_rows(records: DataFrame, steps: DataFrame, plan: BatchPlan, window: WindowPlan, known: Prefix) -> DataFrame:
    """The ``pane`` rows and the ``dropped`` or ``late`` rows of a window operator."""
    panes = fired(firings(records, plan, window), steps, known)
    rows = typed(panes, row=F.lit("pane"), time=F.col("end") - 1, **fired_by())
    return rows.unionByName(late_rows(records.where(too_late(window)), window.late_row, plan))


def firings(records: DataFrame, plan: BatchPlan, window: WindowPlan) -> DataFrame:
    """One row for each firing that may come, with the value that it gives: those on time wait for ``due``."""
    return _panes(_assigned(records, window), plan, window)


def fired_by() -> dict[str, Column]:
    """When a firing came, of the rows of ``firings`` that have their ``step``: by a late record, or by that step."""
    step = F.col("step")
    return {
        "watermark": F.coalesce("before", step["watermark"]),
        "at": F.coalesce("at", step["at"]),
        "item": F.coalesce("late_item", step["item"]),
    }


def _newest_start(window: WindowPlan) -> Column:
    return floor_start(F.col("ts"), window.offset, window.slide)


def _room(newest: Column, window: WindowPlan) -> Column:
    """How far (ms) the newest window reaches beyond the record; not above 0 if the record falls in a gap."""
    return newest - F.col("ts") + long(window.size)


def _cleanup(start: Column, window: WindowPlan) -> Column:
    """When a window is cleaned up: ``end - 1 + lateness``, never if that overflows."""
    last = start + long(window.size - 1)
    cleanup = last + long(window.lateness)
    return F.when(cleanup >= last, cleanup).otherwise(long(MAX))


def too_late(window: WindowPlan) -> Column:
    """Whether no window takes the record (the newest lives longest), and it is itself behind by more than that."""
    newest, before = _newest_start(window), F.col("before")
    taken = (_room(newest, window) > 0) & (_cleanup(newest, window) > before)
    return ~taken & (F.col("ts") + long(window.lateness) <= before)


def _assigned(records: DataFrame, window: WindowPlan) -> DataFrame:
    """Each record once for every window that takes it, with the window's ``start``."""
    newest = _newest_start(window)
    if window.slide == window.size:
        assigned = records.withColumn("start", newest)
    else:
        slide, room = long(window.slide), _room(newest, window)
        oldest = newest - F.call_function("div", room - 1, slide) * slide
        assigned = records.where(room > 0).withColumn("start", F.explode(F.sequence(oldest, newest, slide)))
    return assigned.where(_cleanup(F.col("start"), window) > F.col("before"))


def _panes(assigned: DataFrame, plan: BatchPlan, window: WindowPlan) -> DataFrame:
    """One row for each firing that may come: ``due`` is when the first one of a window does, null if at once."""
    size = long(window.size)
    late = F.col("before") >= F.col("start") + size - 1
    firing = assigned.withColumn("late_item", F.when(late, F.col("item")))
    pane = Window.partitionBy("key", "start").orderBy(F.col("late_item").asc_nulls_first())
    parts = accumulation(window, plan.whole_numbers, pane.rowsBetween(Window.unboundedPreceding, Window.currentRow))
    at_once = {name: F.max(F.when(late, F.col(name))).alias(name) for name in ("before", "at")}
    groups = firing.groupBy("key", "start", "late_item").agg(
        *at_once.values(), *(part.alias(name) for name, part in parts.grouped.items())
    )
    numbered = groups.withColumns(
        parts.joined | {"pane": F.row_number().over(pane).cast("bigint") - 1},
    )
    on_time = F.col("late_item").isNull() | (F.col("pane") == 0)
    return numbered.select(
        *("key", "start", "pane", "before", "at", "late_item"),
        (F.col("start") + size).alias("end"),
        F.when(on_time, "on-time").otherwise("late").alias("timing"),
        F.when(F.col("late_item").isNull(), F.col("start") + size - 1).alias("due"),
        parts.result.text.alias("value_text"),
        parts.result.number.alias("value_number"),
        *parts.kept,
    )
