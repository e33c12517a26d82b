"""What a record is for the input, the channel and the chunk that it belongs to."""

from collections.abc import Callable

from pyspark.sql import Column
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import WatermarkSpec
from tidemark.spark_bridge.execution.expressions import long, nothing, quotient
from tidemark.spark_bridge.plan import BatchPlan, InputPlan


def chunk_of_item(item: Column, plan: BatchPlan) -> Column:
    """The number of the chunk that an item is in."""
    return quotient(item, plan.chunks.size) if plan.chunks.count > 1 else long(0)


def by_side(plan: BatchPlan, make: Callable[[InputPlan], Column]) -> Column:
    """``make`` of the input that a record came from, by its column ``side``."""
    first, *second = (make(each) for each in plan.inputs)
    return F.when(F.col("side") == 0, first).otherwise(second[0]) if second else first


def candidate_of(plan: BatchPlan, ts: Column) -> Column:
    """The watermark that a record stands for; null where its input has no generator."""
    return by_side(plan, lambda source: _candidate(source.watermark, ts))


def _candidate(watermark: WatermarkSpec, ts: Column) -> Column:
    bound = watermark.bound
    match watermark.type:
        case "none":
            return nothing("bigint")
        case "punctuated":
            return ts - long(bound)
        case "sql":  # starts at 0, which is never sent
            return F.when(ts - long(bound) > 0, ts - long(bound))
        case _:  # Flink's generator starts from a timestamp that keeps the subtraction within a long
            return F.greatest(ts, long(MIN + bound + 1)) - long(bound + 1)
