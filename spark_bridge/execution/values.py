"""The value of a pane: first over the records that came in time, then again with every late one.

Integers are summed and compared in groups, as any engine would do it. Where the order shows (a list, a sum with
doubles in it) the values are kept in order of arrival and folded one by one, as Flink does.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pyspark.sql import Column, WindowSpec
from pyspark.sql import functions as F
from tidemark.spark_bridge.plan.operators import WindowPlan
from tidemark.spark_bridge.spark.columns import long, number_of_double, text_of_double

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
    window frame, in order. ``result``: the value, from columns of those names. ``kept``: the columns that a later step
    needs as they are.
    """

    grouped: Named
    alone: Named
    joined: Named
    result: Halves
    kept: tuple[str, ...] = ()


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
        kept=("values",),
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
