"""The bridge's batch engine compared with a plain Spark aggregation of the same records without a watermark."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.scenario import model
from tidemark.spark_bridge.execution.engine import Execution
from tidemark.spark_bridge.execution.source import source_of
from tidemark.spark_bridge.plan.batch import BatchPlan, plan_of
from tidemark.spark_bridge.plan.operators import IntervalJoinPlan, KeyedPlan, WindowPlan
from tidemark.spark_bridge.spark.java import QUICK_ITEMS
from tidemark.spark_bridge.spark.session import open_session

WATERMARK = model.BoundedOutOfOrderness(2_000)
SUM = model.Function("aggregate", "sum")

OPERATORS: dict[str, model.Operator] = {
    "tumbling": model.Window(model.Tumbling(5_000), model.EventTimeTrigger(), SUM, allowed_lateness=3_000),
    "sliding": model.Window(model.Sliding(10_000, 2_000), model.EventTimeTrigger(), SUM, allowed_lateness=3_000),
    "session": model.Window(model.Session(500), model.EventTimeTrigger(), SUM, allowed_lateness=3_000),
    "interval-join": model.IntervalJoin(-400, 400),
}

SETTINGS = ("spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions")
"""The engine's settings for a run that also affect a plain aggregation. (Broadcast joins are off for both: Spark takes
a table made of numbers for a small one, and fails at a join of ten million.)"""

WARM_UP = 1_000_000
"""The number of records in the warm-up run: enough for Java to compile the code of both sides. With fewer, a third of
the measured time would go to Java's compiler, which a long run needs only at its start."""


ROUNDS = 3
"""The number of rounds of runs of up to ``WARM_UP`` records. They take only seconds, and Java's compiler and garbage
collector disturb some of them, so the median counts."""


def scenario_of(case: str, events: int) -> model.Scenario:
    """The case's scenario: a hundred keys, four seconds of disorder, one record in fifty twenty seconds late."""
    stream = model.Generated(events, 7, 100, 10, disorder=4_000, late_millionths=20_000, late_by=20_000, end=True)
    names = ("left", "right") if case == "interval-join" else ("events",)
    return model.Scenario(case, OPERATORS[case], stream, tuple(model.InputSpec(name, 1, WATERMARK) for name in names))


def seconds(run: Callable[[], object]) -> float:
    """How long ``run`` takes, in seconds of the wall clock."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def measure(events: int, cases: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """A result for each case. After a warm-up the plain aggregation runs right before the engine: once with Spark's
    defaults (``plain``), and once with the engine's settings (``set``), which are faster. Rates are medians of
    ``ROUNDS`` for runs of up to ``WARM_UP`` records.

    Memory is the peak of either process so far (resident, MB; 0 if the system does not report it).
    """
    spark = open_session(None, items=QUICK_ITEMS + 1)  # both compilers at every size, so that rates are comparable
    jvm: Any = spark.sparkContext._jvm
    java = str(jvm.java.lang.ProcessHandle.current().pid())
    for case in cases or OPERATORS:
        _round(spark, plan_of(scenario_of(case, min(events, WARM_UP))))
        plan = plan_of(scenario_of(case, events))
        rounds = [_round(spark, plan) for _ in range(ROUNDS if events <= WARM_UP else 1)]
        plain, plain_set, engine = (events / median(each) for each in zip(*rounds, strict=True))
        yield {
            "case": case,
            "events_per_s": round(engine),
            "plain_per_s": round(plain),
            "ratio": round(engine / plain, 3),
            "plain_set_per_s": round(plain_set),
            "ratio_set": round(engine / plain_set, 3),
            "way": "keyed" if isinstance(plan.operator, KeyedPlan) else "native",
            "python_mb": _peak_mb("self"),
            "jvm_mb": _peak_mb(java),
        }


def _round(spark: SparkSession, plan: BatchPlan) -> tuple[float, float, float]:
    """Seconds: plain with Spark's defaults, plain with the engine's settings, the engine."""
    with _unset(spark):
        plain = seconds(lambda: _plain(spark, plan))
    return plain, seconds(lambda: _plain(spark, plan)), seconds(lambda: _engine(spark, plan))


def _peak_mb(process: str) -> int:
    try:
        lines = Path("/proc", process, "status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmHWM")), 0)


@contextmanager
def _unset(spark: SparkSession) -> Iterator[None]:
    """Use Spark's defaults within the block."""
    before = {name: spark.conf.get(name) for name in SETTINGS}
    for name in SETTINGS:
        spark.conf.unset(name)
    yield
    for name, value in before.items():
        if value is not None:
            spark.conf.set(name, value)


def _engine(spark: SparkSession, plan: BatchPlan) -> None:
    with Execution(spark, plan) as execution:
        computed(execution.rows())


def _plain(spark: SparkSession, plan: BatchPlan) -> None:
    """The same aggregation of all records without lateness, as anybody would write it."""
    source = source_of(spark, plan)
    records = source.detailed(source.records).select("key", "whole", "ts", "side")
    match plan.operator:
        case WindowPlan() as window:
            computed(_plain_windows(records, window))
        case KeyedPlan(model.Window(model.Session(gap))):
            session = F.session_window(F.timestamp_millis("ts"), f"{gap} milliseconds")
            computed(records.groupBy("key", session).agg(F.sum("whole").alias("value")))
        case IntervalJoinPlan(lower, upper):
            computed(_plain_join(records, lower, upper))
        case other:
            raise TypeError(other)


def _plain_windows(records: DataFrame, window: WindowPlan) -> DataFrame:
    start = F.expr(f"ts - pmod(ts, {window.slide})")
    if window.slide < window.size:
        back = F.array(*(F.lit(number * window.slide) for number in range(window.size // window.slide)))
        records, start = records.withColumn("back", F.explode(back)), start - F.col("back")
    return records.groupBy("key", start.alias("start")).agg(F.sum("whole").alias("value"))


def _plain_join(records: DataFrame, lower: int, upper: int) -> DataFrame:
    """An equi-join on the key and a time bin, with each right record in every bin that may hold its partners."""
    width = upper - lower + 1
    left = records.where("side = 0").withColumn("bin", F.expr(f"ts div {width}"))
    right = records.where("side = 1").select(
        "key",
        F.col("ts").alias("other"),
        F.col("whole").alias("second"),
        F.explode(F.expr(f"sequence((ts - {upper}) div {width}, (ts - {lower}) div {width})")).alias("bin"),
    )
    return left.join(right, ["key", "bin"]).where((F.col("other") - F.col("ts")).between(lower, upper))


def computed(table: DataFrame) -> None:
    """Compute all of ``table``, and keep nothing."""
    table.write.format("noop").mode("overwrite").save()
