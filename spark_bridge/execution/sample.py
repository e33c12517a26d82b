"""A sample of the keys: one in so many, chosen by the hash of its text as on the simulator's side (``Share``)."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.spark_bridge.execution.expressions import long
from tidemark.spark_bridge.plan import BatchPlan
from tidemark.spark_bridge.report import Sample


def sampled(table: DataFrame, plan: BatchPlan, key: Column) -> DataFrame:
    """``table`` with the sampled keys of ``plan`` only; ``key`` is their text."""
    return table if plan.sample == 1 else table.where(is_sampled(key, plan.sample))


def is_sampled(key: Column, sample: int) -> Column:
    """Whether a key is in the sample."""
    return F.shiftrightunsigned(F.xxhash64(key), 1) % long(sample) == 0


def sample_of(keys: DataFrame, plan: BatchPlan) -> Sample | None:
    """What the sample holds of the stream, whose records have their ``key``; None if all keys are checked."""
    if plan.sample == 1:
        return None
    number, chosen = F.col("count"), is_sampled(F.col("key"), plan.sample)
    found = (
        keys.groupBy("key")
        .count()
        .agg(
            F.count(F.lit(1)).alias("keys"),
            F.count_if(chosen).alias("checked"),
            F.coalesce(F.sum(F.when(chosen, number)), long(0)).alias("events"),
        )
    )
    row = found.collect()[0]
    return Sample(plan.sample, row.checked, row["keys"], row.events)
