"""The value of a pane: first over the records that came in time, then again with every late one.

Integers are summed and compared in groups, as any engine would do it. Where the order shows (a list, a sum with
doubles in it) the values are kept in order of arrival and folded one by one, as Flink does.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window, WindowSpec
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.spark_bridge.execution.rows import late_rows, typed
from tidemark.spark_bridge.plan.batch import MOST_ENDS, BatchPlan
from tidemark.spark_bridge.plan.operators import WindowPlan
from tidemark.spark_bridge.spark.columns import floor_start, long, nothing, number_of_double, text_of_double

Named = dict[str, Column]
Of = Callable[[Column], Column]


@dataclass(frozen=True, slots=True)
class Halves:
    """A result in the form of ``canonical.value_of``."""

    text: Column
    number: Column


@dataclass(frozen=True, slots=True)
class Accumulation:
    """How a pane's value is computed, in parts.

    ``grouped``: the parts over a group of records. ``alone``: over a single record. ``joined``: over the groups in a
    window frame, in order. ``result``: the value, from columns of those names. ``carried``: the columns that a later
    step needs as they are.
    """

    grouped: Named
    alone: Named
    joined: Named
    result: Halves
    carried: tuple[str, ...] = ()


def _all(column: Column) -> Column:
    return column


def accumulation(plan: WindowPlan, whole_numbers: bool, frame: WindowSpec, of: Of = _all) -> Accumulation:
    """The accumulation for the function of ``plan``; ``frame`` runs over the groups in order of arrival.

    ``of`` makes a record's column null where the record does not count.
    """
    match plan.compute:
        case "collect":
            return _ordered(frame, of, _written)
        case "sides":
            return _both_sides(frame, of)
        case "count":
            return _counted(frame, of)
        case "min" | "max":
            return _extreme(plan.compute, frame, of)
        case "avg":
            return _averaged(frame, of) if whole_numbers else _ordered(frame, of, _folded_average)
        case _:
            return _summed(frame, of) if whole_numbers else _ordered(frame, of, _folded_sum)


def _whole(number: Column) -> Halves:
    return Halves(number.cast("string"), F.lit(None).cast("double"))


def _double(number: Column) -> Halves:
    return Halves(text_of_double(number), number_of_double(number))


def _counted(frame: WindowSpec, of: Of) -> Accumulation:
    return Accumulation(
        {"number": F.count(of(F.lit(1)))},
        {"number": long(1)},
        {"number": F.sum("number").over(frame)},
        _whole(F.col("number")),
    )


def _summed(frame: WindowSpec, of: Of) -> Accumulation:
    return Accumulation(
        {"total": F.sum(of(F.col("whole")))},
        {"total": F.col("whole")},
        {"total": F.sum("total").over(frame)},
        _whole(F.col("total")),
    )


def _averaged(frame: WindowSpec, of: Of) -> Accumulation:
    return Accumulation(
        {"total": F.sum(of(F.col("whole"))), "number": F.count(of(F.lit(1)))},
        {"total": F.col("whole"), "number": long(1)},
        {"total": F.sum("total").over(frame), "number": F.sum("number").over(frame)},
        _double(F.col("total").cast("double") / F.col("number")),
    )


def _extreme(compute: str, frame: WindowSpec, of: Of) -> Accumulation:
    best = F.min if compute == "min" else F.max
    whole, double = F.col("whole_best"), F.col("double_best")
    # Compared as doubles: where rounding makes the two equal, either is within the tolerance of comparison.
    whole_wins = whole.cast("double") <= double if compute == "min" else whole.cast("double") >= double
    use_whole = double.isNull() | (whole.isNotNull() & whole_wins)
    return Accumulation(
        {"whole_best": best(of(F.col("whole"))), "double_best": best(of(F.col("fraction")))},
        {"whole_best": F.col("whole"), "double_best": F.col("fraction")},
        {name: best(name).over(frame) for name in ("whole_best", "double_best")},
        Halves(
            F.when(use_whole, whole.cast("string")).otherwise(text_of_double(double)),
            F.when(~use_whole, number_of_double(double)),
        ),
    )


def _ordered(frame: WindowSpec, of: Of, finish: Callable[[Column], Halves]) -> Accumulation:
    arrival = F.struct("item", "whole", "fraction", "text")
    return Accumulation(
        {"values": F.array_sort(F.collect_list(of(arrival)))},
        {"values": F.array(arrival)},
        {"values": F.flatten(F.collect_list("values").over(frame))},
        finish(F.col("values")),
    )


def _both_sides(frame: WindowSpec, of: Of) -> Accumulation:
    """The records of both inputs, as ``values`` in order of arrival."""
    arrival = F.struct("item", "side", "ts", "whole", "text")
    nothing = F.lit(None)
    return Accumulation(
        {"values": F.array_sort(F.collect_list(of(arrival)))},
        {"values": F.array(arrival)},
        {"values": F.flatten(F.collect_list("values").over(frame))},
        Halves(nothing.cast("string"), nothing.cast("double")),
        carried=("values",),
    )


def _written(values: Column) -> Halves:
    texts = F.transform(values, lambda each: F.coalesce(each["text"], each["whole"].cast("string")))
    return Halves(F.concat(F.lit("["), F.array_join(texts, ","), F.lit("]")), F.lit(None).cast("double"))


def _folded_sum(values: Column) -> Halves:
    total = _fold(values)
    is_double = total["is_double"]
    return Halves(
        F.when(is_double, text_of_double(total["double"])).otherwise(total["whole"].cast("string")),
        F.when(is_double, number_of_double(total["double"])),
    )


def _folded_average(values: Column) -> Halves:
    return _double(_as_double(_fold(values)) / F.size(values))


def _as_double(total: Column) -> Column:
    return F.when(total["is_double"], total["double"]).otherwise(total["whole"].cast("double"))


def _fold(values: Column) -> Column:
    """The sum in order: an integer until the first double is added."""

    def add(total: Column, each: Column) -> Column:
        is_double = total["is_double"] | each["fraction"].isNotNull()
        number = F.coalesce(each["fraction"], each["whole"].cast("double"))
        return F.struct(
            is_double.alias("is_double"),
            F.when(is_double, total["whole"]).otherwise(total["whole"] + each["whole"]).alias("whole"),
            F.when(is_double, _as_double(total) + number).otherwise(total["double"]).alias("double"),
        )

    start = F.struct(
        F.lit(False).alias("is_double"), F.lit(0).cast("bigint").alias("whole"), F.lit(0.0).alias("double")
    )
    return F.aggregate(values, start, add)


Keep = Callable[[DataFrame], DataFrame]
"""Persists a table that is used more than once, so that it is computed only once."""


def _unchanged(key: Column) -> Column:
    return key


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream with its watermark.

    ``behind`` holds, with the watermark ``before`` each, at least those of the ``records`` that are behind the end of a
    window when they come. ``key`` turns a record's key into that of a row.

    ``reached`` is a function that finds, for each ``end`` in a table, the ``step`` of the watermark that reaches it
    first; then every record carries ``before`` too. Or it is the table of all ends that are reached, with these steps
    and the ``last`` item in front of each; then a record is late if it comes after that item.
    """

    records: DataFrame
    behind: DataFrame
    reached: Callable[[DataFrame], DataFrame] | DataFrame
    key: Callable[[Column], Column] = _unchanged


def window_rows(stream: Stream, plan: BatchPlan, window: WindowPlan, keep: Keep) -> DataFrame:
    """The ``pane`` rows and the ``dropped`` or ``late`` rows of a window operator."""
    rows = typed(firings(stream, plan, window, keep), row=F.lit("pane"), time=F.col("end") - 1)
    return rows.unionByName(too_late_rows(stream, plan, window))


def too_late_rows(stream: Stream, plan: BatchPlan, window: WindowPlan) -> DataFrame:
    """A row for each record that no window takes."""
    late = stream.behind.where(_too_late(window))
    return late_rows(late, window.late_row, plan, key=stream.key(F.col("key")))


def left_behind(watermark: Column, window: WindowPlan) -> Column:
    """The time before which every record has a window whose end the watermark has reached.

    A record in a gap between windows counts with the window in front of the gap.
    """
    # Kept away from both ends of 64 bits, where the sums below would wrap.
    widest = max(window.slide, window.size)
    reached = F.greatest(F.least(watermark, long(MAX - 1)), long(MIN + 2 * min(widest, MAX // 2))) + 1
    if window.slide > window.size:
        start = floor_start(reached - long(window.size), window.offset, window.slide)
        return F.least(start, long(MAX - window.slide)) + long(window.slide)
    return floor_start(reached, (window.offset + window.size) % window.slide, window.slide)


def may_fire(window: WindowPlan) -> Column:
    """Whether a step of the watermark, from ``before`` to ``after``, passes the last instant of any window."""
    after = F.col("after")
    passed = floor_start(after, (window.offset + window.size - 1) % window.slide, window.slide)
    # Close to Long.MIN_VALUE the arithmetic wraps: such a step is kept, and looked at later.
    return (passed > F.col("before")) | (after < long(MIN + 2 * min(window.slide, MAX // 2)))


def firings(stream: Stream, plan: BatchPlan, window: WindowPlan, keep: Keep) -> DataFrame:
    """One row for each firing, with its value and what fired it (``watermark``, ``at``, ``item``)."""
    if isinstance(stream.reached, DataFrame):
        lasts = stream.reached.select("end", "last")
        assigned = spread(stream.records, window).join(F.broadcast(lasts), "end", "left")
        is_late = F.coalesce(F.col("item") > F.col("last"), F.lit(False))
    else:
        assigned = _assigned(stream.records, window)
        is_late = F.col("before") >= F.col("end") - 1
    # The end comes first because Spark sorts by it: ends differ from row to row, while a few keys repeat all the time.
    pane = Window.partitionBy("end", "key").orderBy(F.col("late_item").asc_nulls_first())
    frame = pane.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    if not window.lateness:  # a window that has fired is cleaned up: no record fires it again
        parts = accumulation(window, plan.whole_numbers, frame)
        groups = _shared(assigned.where(~is_late).groupBy("key", "end").agg(*_named(parts)), stream, keep)
        return _on_time(groups, parts, stream, plan, window)
    parts = accumulation(window, plan.whole_numbers, frame, lambda column: F.when(~is_late, column))
    numbers = (F.count_if(~is_late).alias("in_time"), F.count_if(is_late).alias("late"))
    groups = _shared(assigned.groupBy("key", "end").agg(*_named(parts), *numbers), stream, keep)
    # One filter for both uses of the groups, so that Spark makes one exchange serve both. ``late >= 0`` always holds,
    # and ``end IS NOT NULL`` is what a join adds by itself: without them the two filters would differ.
    in_time = groups.where("end IS NOT NULL AND in_time > 0 AND late >= 0")
    behind = _assigned(stream.behind, window).where(F.col("before") >= F.col("end") - 1)
    late = _late(behind, in_time.where("late > 0"), parts, pane, stream, plan, window)
    return _on_time(in_time, parts, stream, plan, window).unionByName(late)


def _shared(groups: DataFrame, stream: Stream, keep: Keep) -> DataFrame:
    """``groups``, which are used twice: persisted, unless Spark does not replan and finds the same exchange in both."""
    return groups if isinstance(stream.reached, DataFrame) else keep(groups)


def _named(parts: Accumulation) -> list[Column]:
    return [part.alias(name) for name, part in parts.grouped.items()]


def _on_time(groups: DataFrame, parts: Accumulation, stream: Stream, plan: BatchPlan, window: WindowPlan) -> DataFrame:
    if isinstance(stream.reached, DataFrame):
        timed = groups.join(F.broadcast(stream.reached.select("end", "step")), "end")
    else:
        ends = stream.reached(groups.select("end").distinct())
        timed = groups.join(F.broadcast(ends) if plan.most_windows(window) <= MOST_ENDS else ends, "end")
    when = {name: F.col("step")[name] for name in ("watermark", "at", "item")}
    return _firing_rows(timed, parts, stream, window, **when, pane=long(0), timing=F.lit("on-time"))


def _late(
    late: DataFrame,
    before_them: DataFrame,
    parts: Accumulation,
    pane: WindowSpec,
    stream: Stream,
    plan: BatchPlan,
    window: WindowPlan,
) -> DataFrame:
    """Every late record fires, with the value on time and all late records so far."""
    alone = [part.alias(name) for name, part in parts.alone.items()]
    each = late.select("key", "end", F.col("item").alias("late_item"), "before", "at", *alone)
    on_time = before_them.select("key", "end", *parts.grouped, nothing("bigint").alias("late_item"))
    # Partitioned like the groups, so that their union needs no further exchange.
    placed = each.repartition(plan.chunks.partitions, "key", "end")
    both = placed.unionByName(on_time, allowMissingColumns=True)
    numbered = both.withColumns(parts.joined | {"pane": F.row_number().over(pane).cast("bigint") - 1})
    timing = F.when(F.col("pane") == 0, "on-time").otherwise("late")
    when = {"watermark": F.col("before"), "item": F.col("late_item"), "at": F.col("at")}
    late_ones = numbered.where("late_item IS NOT NULL")
    return _firing_rows(late_ones, parts, stream, window, **when, pane=F.col("pane"), timing=timing)


def _firing_rows(
    firing: DataFrame, parts: Accumulation, stream: Stream, window: WindowPlan, **when: Column
) -> DataFrame:
    """The firings with their values; ``when``: pane, timing, and the watermark, clock and item that fired them."""
    return firing.select(
        "end",
        *(each.alias(name) for name, each in when.items()),
        stream.key(F.col("key")).alias("key"),
        start_of(window).alias("start"),
        F.lit(window.change).cast("string").alias("change"),
        parts.result.text.alias("value_text"),
        parts.result.number.alias("value_number"),
        *parts.carried,
    )


def start_of(window: WindowPlan) -> Column:
    """The start of the window that ends at ``end``."""
    end = F.col("end")
    return floor_start(end - 1, window.offset, window.size) if window.grows else end - long(window.size)


def _last_end(ts: Column, window: WindowPlan) -> Column:
    """The end of the last window that holds a record; at or before the record if it falls in a gap."""
    return floor_start(ts, window.offset, window.grid) + long(window.size)


def _cleanup(end: Column, window: WindowPlan) -> Column:
    """When a window is cleaned up (ms, inclusive): ``end - 1 + lateness``, or never if that overflows."""
    cleanup = end - 1 + long(window.lateness)
    return F.when(cleanup >= end - 1, cleanup).otherwise(long(MAX))


def _too_late(window: WindowPlan) -> Column:
    """Whether no window takes the record, and the record itself is behind by more than the lateness.

    It is enough to ask the last window, which is kept longest. The table runtime asks the last window that began before
    the record, even if the record falls in the gap after it, and does not ask the record.
    """
    end, before = _last_end(F.col("ts"), window), F.col("before")
    is_over = _cleanup(end, window) <= before
    if window.table:
        return is_over
    return ((end <= F.col("ts")) | is_over) & (F.col("ts") + long(window.lateness) <= before)


def _first_end(ts: Column, window: WindowPlan) -> Column:
    """The end of the first window that holds a record; after that of the last one if it falls in a gap."""
    last, slide = _last_end(ts, window), long(window.slide)
    if window.slide == window.size:
        return last
    return last - F.call_function("div", last - ts - 1, slide) * slide


def spread(records: DataFrame, window: WindowPlan) -> DataFrame:
    """Each record once for each window that holds it, with the window's ``end``."""
    ts = F.col("ts")
    last = _last_end(ts, window)
    if window.slide == window.size:
        return records.withColumn("end", last)
    ends = F.sequence(_first_end(ts, window), last, long(window.slide))
    return records.where(last > ts).withColumn("end", F.explode(ends))


def _assigned(records: DataFrame, window: WindowPlan) -> DataFrame:
    """Each record once for each window that takes it."""
    return spread(records, window).where(_cleanup(F.col("end"), window) > F.col("before"))
