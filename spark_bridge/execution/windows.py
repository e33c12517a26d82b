"""Tumbling, sliding and cumulative windows with lateness, every firing a row. A window is known by its end.

A record is taken by each of its windows that is not cleaned up yet. If the watermark had not reached the window's end
when the record came, the record waits for the one firing at the end; otherwise it fires the window at once.

Firings on time need no order: one grouping gives their values, and the step that fires them is looked up once for each
end, not for each key. Only the panes that had a late record are gone through in order.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F

from simulator.values.time import MAX, MIN
from spark_bridge.ends import MOST_ENDS
from spark_bridge.execution.expressions import floor_start, long, nothing
from spark_bridge.execution.firing import fired
from spark_bridge.execution.rows import late_rows, typed
from spark_bridge.execution.values import Accumulation, accumulation
from spark_bridge.plan import BatchPlan, Prefix, WindowPlan

Keep = Callable[[DataFrame], DataFrame]
"""Marks a table that is used more than once, so that it is made only once."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream whose watermark is known: its ``records``, those of them that are ``behind`` the end of a window (and
    maybe more), each with the watermark ``before`` it, and the ``steps`` of the watermark that may fire something.

    ``ends`` are all that windows can have; then the ``records`` need no watermark: whether one is late follows from its
    item and that of the step that has reached the end. Null where they are not known.
    """

    records: DataFrame
    behind: DataFrame
    steps: DataFrame
    ends: DataFrame | None = None


def window_rows(stream: Stream, plan: BatchPlan, window: WindowPlan, known: Prefix, keep: Keep) -> DataFrame:
    """The ``pane`` rows and the ``dropped`` or ``late`` rows of a window operator."""
    panes = firings(stream, plan, window, known, keep)
    rows = typed(panes, row=F.lit("pane"), time=F.col("end") - 1)
    return rows.unionByName(late_rows(stream.behind.where(too_late(window)), window.late_row, plan))


def is_notable(window: WindowPlan) -> Column:
    """Whether an entry may fire something, or is a record that the watermark has left behind the end of a window."""
    earliest = F.least(_first_end(window), _last_end(window))
    moves = (F.col("after") > F.col("before")) & may_fire(window)
    return moves | (F.col("is_record") & (F.col("before") >= earliest - 1))


def may_fire(window: WindowPlan) -> Column:
    """Whether a step of the watermark, from ``before`` to ``after``, passes the last instant of any window."""
    after = F.col("after")
    passed = floor_start(after, (window.offset + window.size - 1) % window.slide, window.slide)
    # Close to the lowest number the arithmetic wraps: such a step is kept.
    return (passed > F.col("before")) | (after < long(MIN + 2 * min(window.slide, MAX // 2)))


def firings(stream: Stream, plan: BatchPlan, window: WindowPlan, known: Prefix, keep: Keep) -> DataFrame:
    """One row for each firing of a window, with its value, and when it came (``watermark``, ``at``, ``item``)."""
    if stream.ends is None:
        reached = None
        assigned = _assigned(stream.records, window)
        is_late = F.col("before") >= F.col("end") - 1
    else:
        reached = keep(_reached(stream.ends, stream.steps, known))
        assigned = _spread(stream.records, window).join(F.broadcast(reached), "end", "left")
        is_late = _came_after("step")
    pane = Window.partitionBy("key", "end").orderBy(F.col("late_item").asc_nulls_first())
    frame = pane.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    if not window.lateness:  # a window that has fired is cleaned up
        parts = accumulation(window, plan.whole_numbers, frame)
        groups = keep(assigned.where(~is_late).groupBy("key", "end").agg(*_named(parts)))
        return _on_time(groups, reached, parts, stream, plan, window, known)
    parts = accumulation(window, plan.whole_numbers, frame, lambda column: F.when(~is_late, column))
    numbers = (F.count_if(~is_late).alias("in_time"), F.count_if(is_late).alias("late"))
    groups = keep(assigned.groupBy("key", "end").agg(*_named(parts), *numbers))
    in_time = groups.where("in_time > 0")
    of_late = accumulation(window, plan.whole_numbers, frame)
    behind = _assigned(stream.behind, window).where(F.col("before") >= F.col("end") - 1)
    late = _late(behind, in_time.where("late > 0"), of_late, pane, window)
    return _on_time(in_time, reached, parts, stream, plan, window, known).unionByName(late)


def _reached(ends: DataFrame, steps: DataFrame, known: Prefix) -> DataFrame:
    """Each ``end`` that the watermark reaches, with the ``step`` that does."""
    return fired(ends.withColumn("due", F.col("end") - 1), steps, known).drop("due")


def _came_after(step: str) -> Column:
    """Whether a record came when the watermark had made that step; never, if it is null."""
    item, own = F.col(step)["item"], F.col(step)["own"]
    return F.coalesce((F.col("item") > item) | ((F.col("item") == item) & ~own), F.lit(False))


def _named(parts: Accumulation) -> list[Column]:
    return [part.alias(name) for name, part in parts.grouped.items()]


def _on_time(
    groups: DataFrame,
    reached: DataFrame | None,
    parts: Accumulation,
    stream: Stream,
    plan: BatchPlan,
    window: WindowPlan,
    known: Prefix,
) -> DataFrame:
    if reached is None:
        reached = _reached(groups.select("end").distinct(), stream.steps, known)
    few = stream.ends is not None or plan.most_windows(window) <= MOST_ENDS
    found = groups.join(F.broadcast(reached) if few else reached, "end")
    step = F.col("step")
    when = {name: step[name] for name in ("watermark", "at", "item")}
    return _told(found.withColumns(when | {"pane": long(0), "timing": F.lit("on-time")}), parts, window)


def _late(
    late: DataFrame, before_them: DataFrame, parts: Accumulation, pane: WindowSpec, window: WindowPlan
) -> DataFrame:
    """Every late record fires: the value is what was there on time and all late records so far."""
    came = {name: F.max(name).alias(name) for name in ("before", "at")}
    each = late.withColumn("late_item", F.col("item")).groupBy("key", "end", "late_item")
    groups = each.agg(*came.values(), *_named(parts))
    on_time = before_them.select("key", "end", *parts.grouped).withColumn("late_item", nothing("bigint"))
    both = groups.unionByName(on_time, allowMissingColumns=True)
    numbered = both.withColumns(parts.joined | {"pane": F.row_number().over(pane).cast("bigint") - 1})
    timing = F.when(F.col("pane") == 0, "on-time").otherwise("late")
    when = {"watermark": F.col("before"), "item": F.col("late_item"), "timing": timing}
    return _told(numbered.where("late_item IS NOT NULL").withColumns(when), parts, window)


def _told(firing: DataFrame, parts: Accumulation, window: WindowPlan) -> DataFrame:
    end = F.col("end")
    start = floor_start(end - 1, window.offset, window.size) if window.grows else end - long(window.size)
    return firing.select(
        *("key", "end", "pane", "timing", "watermark", "at", "item"),
        start.alias("start"),
        F.lit(window.change).cast("string").alias("change"),
        parts.result.text.alias("value_text"),
        parts.result.number.alias("value_number"),
        *parts.kept,
    )


def _last_end(window: WindowPlan) -> Column:
    """Of the windows that hold a record, the last one's end; not behind the record if it falls in a gap."""
    return floor_start(F.col("ts"), window.offset, window.grid) + long(window.size)


def _cleanup(end: Column, window: WindowPlan) -> Column:
    """When a window is cleaned up: ``end - 1 + lateness``, never if that overflows."""
    cleanup = end - 1 + long(window.lateness)
    return F.when(cleanup >= end - 1, cleanup).otherwise(long(MAX))


def too_late(window: WindowPlan) -> Column:
    """Whether no window takes the record (the last one lives longest), and it is itself behind by more than that.

    The table runtime asks the last window that began before the record, even if the record falls in the gap behind it.
    """
    end, before = _last_end(window), F.col("before")
    is_over = _cleanup(end, window) <= before
    if window.table:
        return is_over
    return ((end <= F.col("ts")) | is_over) & (F.col("ts") + long(window.lateness) <= before)


def _first_end(window: WindowPlan) -> Column:
    """Of the windows that hold a record, the first one's end; behind the last one's if it falls in a gap."""
    last, slide = _last_end(window), long(window.slide)
    if window.slide == window.size:
        return last
    return last - F.call_function("div", last - F.col("ts") - 1, slide) * slide


def _spread(records: DataFrame, window: WindowPlan) -> DataFrame:
    """Each record once for every window that holds it, with the window's ``end``."""
    last = _last_end(window)
    if window.slide == window.size:
        return records.withColumn("end", last)
    ends = F.sequence(_first_end(window), last, long(window.slide))
    return records.where(last > F.col("ts")).withColumn("end", F.explode(ends))


def _assigned(records: DataFrame, window: WindowPlan) -> DataFrame:
    """Each record once for every window that takes it."""
    return _spread(records, window).where(_cleanup(F.col("end"), window) > F.col("before"))
