"""An operator over Parquet files compared with a plain Spark aggregation of the same files without a watermark."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.scenario import model
from tidemark.spark_bridge.files.request import Columns, Files
from tidemark.spark_bridge.over_files.run import opened
from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.spark.java import QUICK_ITEMS
from tidemark.spark_bridge.spark.stages import Stages

from benchmarks.records import seconds, whole_numbers, write
from benchmarks.spark import OPERATORS, WATERMARK, computed

ROUNDS = 2
"""The first round is not counted: it warms up both sides."""

CASES = {"tumbling": ("tumbling", None), "arrivals": ("tumbling", "at"), "session": ("session", None)}
"""The operator of each case, and the column of arrivals, if they are read."""


def measure(records: int, channels: int, cases: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """Seconds of both for each case, side by side in one session; ``ratio``: the rate of the engine to the plain one.

    The engine's seconds are those of a run without its writing: files opened, numbered, looked at, and all rows made.
    """
    with tempfile.TemporaryDirectory(prefix="tidemark-own-") as folder:
        _write(Path(folder), records, channels)
        for case in cases or CASES:
            for _ in range(ROUNDS):
                result = _round(folder, channels, *CASES[case])
            yield {"case": case, "records": records, "channels": channels, **result}


def _round(folder: str, channels: int, operator: str, at: str | None) -> dict[str, Any]:
    source = model.InputSpec("events", channels, WATERMARK)
    scenario = model.Scenario(operator, OPERATORS[operator], (), (source,))
    columns = Columns(ts="ts", ts_unit="ms", at=at, key="key", value="value", channel="channel")
    spark = session.open_session(None, items=QUICK_ITEMS + 1)
    for name in ("spark.sql.adaptive.enabled", "spark.sql.shuffle.partitions"):  # as Spark comes
        spark.conf.unset(name)
    plain = seconds(lambda: computed(_plain(spark, folder, operator)))
    engine = seconds(lambda: _engine(scenario, Files((folder,), columns)))
    return {"plain_s": round(plain, 2), "engine_s": round(engine, 2), "ratio": round(plain / engine, 3)}


def _engine(scenario: model.Scenario, files: Files) -> None:
    with opened(scenario, files, None, Stages(None, Event())) as over, over.execution(over.plan()) as execution:
        computed(execution.rows())


def _plain(spark: SparkSession, folder: str, operator: str) -> DataFrame:
    """The same aggregation without lateness, as anybody would write it."""
    table = spark.read.parquet(folder)
    if operator == "session":
        window = F.session_window(F.timestamp_millis("ts"), "500 milliseconds")
    else:
        window = F.expr("ts - pmod(ts, 5000)").alias("start")
    return table.groupBy("key", window).agg(F.sum("value").alias("value"))


def _write(folder: Path, records: int, channels: int) -> None:
    """Records as they arrive, 10 ms apart, up to 4 s out of order, one in fifty 20 s later than that, 100 keys."""
    keys = pa.array([f"k{each}" for each in range(100)])
    write(
        folder,
        records,
        10,
        ts=lambda random, at: at - random.integers(0, 4_001, len(at)) - 20_000 * (random.random(len(at)) < 0.02),
        channel=whole_numbers(channels, np.int32),
        key=lambda random, at: keys.take(pa.array(random.integers(0, 100, len(at)))),
        value=whole_numbers(100),
    )
