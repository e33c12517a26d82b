"""The batch engine of the bridge beside a plain Spark aggregation over the same records, without any watermark."""

import time
from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from simulator.scenario import model
from spark_bridge.execution.engine import Execution
from spark_bridge.execution.source import source_of
from spark_bridge.plan import BatchPlan, plan_of
from spark_bridge.session import open_session

WATERMARK = model.WatermarkSpec("bounded-out-of-orderness", 2_000)
SUM = model.Function("aggregate", "sum")

OPERATORS = {
    "tumbling": model.Window(model.Tumbling(5_000), model.EventTime(), SUM, allowed_lateness=3_000),
    "sliding": model.Window(model.Sliding(10_000, 2_000), model.EventTime(), SUM, allowed_lateness=3_000),
}


def scenario_of(case: str, events: int) -> model.Scenario:
    """The case's scenario: a hundred keys, four seconds of disorder, one record in fifty twenty seconds late."""
    stream = model.Generated(events, 7, 100, 10, disorder=4_000, late_millionths=20_000, late_by=20_000, end=True)
    return model.Scenario(case, OPERATORS[case], stream, (model.InputSpec("events", 1, WATERMARK),))


def measure(events: int) -> Iterator[dict[str, Any]]:
    """A result for each case; the plain aggregation runs right before the engine, both after a small warm-up."""
    spark = open_session(None)
    for case in OPERATORS:
        for count in (min(events, 10_000), events):
            plan = plan_of(scenario_of(case, count))
            plain = count / _seconds(lambda plan=plan: _plain(spark, plan))
            engine = count / _seconds(lambda plan=plan: _engine(spark, plan))
        yield {
            "case": case,
            "events_per_s": round(engine),
            "plain_per_s": round(plain),
            "ratio": round(engine / plain, 3),
            "way": "native",
        }


def _seconds(run: Any) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def _engine(spark: SparkSession, plan: BatchPlan) -> None:
    with Execution(spark, plan) as execution:
        _computed(execution.rows())


def _plain(spark: SparkSession, plan: BatchPlan) -> None:
    """Sum per key and window of all records, as anybody would write it."""
    source = source_of(spark, plan)
    operator = plan.operator
    starts = [F.lit(number * operator.slide) for number in range(operator.size // operator.slide)]
    last = F.expr(f"ts - pmod(ts, {operator.slide})")
    records = source.detailed(source.records).select("key", "whole", F.explode(F.array(*starts)).alias("back"), "ts")
    windows = records.groupBy("key", (last - F.col("back")).alias("start")).agg(F.sum("whole").alias("value"))
    _computed(windows)


def _computed(table: DataFrame) -> None:
    table.write.format("noop").mode("overwrite").save()
