"""Which step of the combined watermark is the first to reach a time: an as-of join without a sort over everything.

The watermark only rises, so the chunk in which a time is reached follows from the combined watermark at the end of each
chunk. The driver knows these numbers: it is a binary search in a constant array. Inside the chunk, the steps and the
rows that wait are sorted together by time, latest first; the last step seen is then the first one that reaches the row.
"""

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F
from tidemark.spark_bridge.execution.expressions import long
from tidemark.spark_bridge.execution.watermark import step_of
from tidemark.spark_bridge.plan import Prefix


def fired(waiting: DataFrame, steps: DataFrame, chunk_prefix: Prefix) -> DataFrame:
    """``waiting`` with the ``step`` that is the first to reach its ``due``; without those that none reaches.

    A row whose ``due`` is null is not waiting: it stays, with a null ``step``.
    """
    due = F.col("due")
    # Rows that wait for nothing are spread over negative numbers, which no chunk has: one task could not take them all.
    spread = -1 - F.pmod(F.xxhash64(*waiting.columns), long(len(chunk_prefix.after)))
    chunk = F.when(due.isNull(), spread).otherwise(_first_reaching(due, chunk_prefix.after))
    return fired_in_chunk(waiting.withColumn("chunk", chunk).where(F.col("chunk") < len(chunk_prefix.after)), steps)


def fired_in_chunk(waiting: DataFrame, steps: DataFrame) -> DataFrame:
    """The same if the ``chunk`` in which each row fires is known."""
    due = F.col("due")
    marks = steps.select("chunk", F.col("reached").alias("due"), "step", F.lit(False).alias("waits"))
    both = waiting.withColumn("waits", F.lit(True)).unionByName(marks, allowMissingColumns=True)
    latest_first = Window.partitionBy("chunk").orderBy(F.col("due").desc(), "waits")
    so_far = latest_first.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    found = both.withColumn("step", F.last("step", ignorenulls=True).over(so_far))
    return found.where(F.col("waits") & (due.isNull() | F.col("step").isNotNull())).drop("chunk", "waits")


def reached(ends: DataFrame, steps: DataFrame, chunk_prefix: Prefix) -> DataFrame:
    """Each ``end`` of a window that the watermark reaches, with the ``step`` that does."""
    return fired(ends.withColumn("due", F.col("end") - 1), steps, chunk_prefix).drop("due")


def all_reached(moves: DataFrame, ends: range) -> DataFrame:
    """The same for all possible ``ends``, from the ``moves`` of the watermark that pass any of them.

    ``last`` is the last item that comes in time for the end.
    """
    step, last = long(ends.step), ends[-1]
    # Clamped to the ends, so that nothing leaves 64 bits.
    before = F.greatest(F.least(F.col("before"), long(last)), long(ends.start - 2))
    after = F.greatest(F.least(F.col("after"), long(last - 1)), long(ends.start - 2))
    first = F.call_function("div", before + long(2 - ends.start + ends.step - 1), step)
    stop = F.call_function("div", after + long(1 - ends.start + ends.step), step)
    in_time = F.col("item") - F.when(F.col("is_record"), long(0)).otherwise(long(1))
    numbers = F.explode(F.sequence(first, stop - 1)).alias("number")
    passed = moves.where(first < stop).select(step_of().alias("step"), in_time.alias("last"), numbers)
    return passed.select((F.col("number") * step + long(ends.start)).alias("end"), "step", "last")


def _first_reaching(due: Column, reached: tuple[int, ...]) -> Column:
    """The index of the first of ``reached`` (ascending) that is at least ``due``; their number if none is."""
    if len(reached) == 1:
        return F.when(due <= long(reached[0]), long(0)).otherwise(long(1))
    numbers = F.expr(f"array({','.join(f'{number}L' for number in reached)})")
    rounds = F.expr(f"sequence(1, {len(reached).bit_length()})")
    start = F.struct(F.lit(0).alias("low"), F.lit(len(reached)).alias("high"))

    def halve(span: Column, _: Column) -> Column:
        low, high = span["low"], span["high"]
        middle = F.call_function("div", low + high, F.lit(2)).cast("int")
        enough = (low < high) & (F.get(numbers, middle) >= due)
        onward = (low < high) & (F.get(numbers, middle) < due)
        return F.struct(
            F.when(onward, middle + 1).otherwise(low).alias("low"), F.when(enough, middle).otherwise(high).alias("high")
        )

    return F.aggregate(rounds, start, halve, lambda span: span["low"].cast("bigint"))
