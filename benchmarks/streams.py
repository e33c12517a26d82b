"""A stream of one's own in Parquet files: an operator over it, and its profile, compared with a plain aggregation."""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.scenario import model
from tidemark.spark_bridge.files.opening import files_as_stream
from tidemark.spark_bridge.files.request import Columns, Files
from tidemark.spark_bridge.over_files.run import opened
from tidemark.spark_bridge.profile.profile import ProfileRequest
from tidemark.spark_bridge.profile.run import profile_of
from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.spark.java import QUICK_ITEMS
from tidemark.spark_bridge.spark.jobs import alone
from tidemark.spark_bridge.spark.stages import Stages

from benchmarks.spark import OPERATORS, WATERMARK, computed, seconds

FILES: Final = 8
SEED: Final = 7
FIRST_AT: Final = 1_700_000_000_000
"""When the first record arrives, in ms since 1970."""

_ROWS: Final = 1_000_000
"""How many records are in memory at a time."""

Column = Callable[[np.random.Generator, np.ndarray], pa.Array | np.ndarray]
"""Draws what a column holds for the records that arrive at the given times (ms)."""


def write(folder: Path, records: int, every: int, **columns: Column) -> None:
    """Write ``records`` records, one every ``every`` ms, with their arrival as ``at``.

    Columns are drawn in the order in which they are named.
    """
    random = np.random.default_rng(SEED)
    for file in range(FILES):
        start, end = records * file // FILES, records * (file + 1) // FILES
        writer = None
        for first in range(start, end, _ROWS):
            at = FIRST_AT + np.arange(first, min(first + _ROWS, end)) * every
            table = pa.table({"at": at, **{name: drawn(random, at) for name, drawn in columns.items()}})
            writer = writer or pq.ParquetWriter(folder / f"part-{file:02}.parquet", table.schema)
            writer.write_table(table)
        if writer is not None:
            writer.close()


def whole_numbers(end: int, kind: type[np.integer] = np.int64) -> Column:
    """Numbers from 0 to ``end``, exclusive, each as likely as the next."""
    return lambda random, at: random.integers(0, end, len(at)).astype(kind)


ROUNDS = 2
"""The first round is not counted: it warms up both sides."""

CASES = {"tumbling": ("tumbling", None), "arrivals": ("tumbling", "at"), "session": ("session", None)}
"""The operator of each case, and the column of arrivals, if they are read."""


def measure_own(records: int, channels: int, cases: list[str] | None = None) -> Iterator[dict[str, Any]]:
    """Seconds of both for each case, side by side in one session; ``ratio``: the rate of the engine to the plain one.

    The engine's seconds are those of a run without its writing: files opened, numbered, looked at, and all rows made.
    """
    with tempfile.TemporaryDirectory(prefix="tidemark-own-") as folder:
        _write_own(Path(folder), records, channels)
        for case in cases or CASES:
            for _ in range(ROUNDS):
                result = _round_own(folder, channels, *CASES[case])
            yield {"case": case, "records": records, "channels": channels, **result}


def _round_own(folder: str, channels: int, operator: str, at: str | None) -> dict[str, Any]:
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


def _write_own(folder: Path, records: int, channels: int) -> None:
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


PROFILED = Columns(ts="ts", ts_unit="ms", channel="channel")


def measure_profile(records: int, channels: int) -> Iterator[dict[str, Any]]:
    """Seconds of both for each case, side by side in one session; ``ratio``: profile to plain.

    ``open``: until the columns and channels are known; ``figures``: all of the profile but its findings, opening
    included.
    """
    with tempfile.TemporaryDirectory(prefix="tidemark-profile-") as folder:
        _write_profiled(Path(folder), records, channels)
        cases = {
            "bounds": (PROFILED, ProfileRequest((2_000,), channels=channels)),
            "arrivals": (
                Columns(ts="ts", ts_unit="ms", channel="channel", at="at"),
                ProfileRequest((2_000,), channels=channels),
            ),
            "windows": (PROFILED, ProfileRequest((2_000,), window=60_000, channels=channels)),
        }
        for case, (columns, asked) in cases.items():
            for _ in range(ROUNDS):
                result = _round_profile(Files((folder,), columns), asked, folder)
            yield {"case": case, "records": records, "channels": channels, **result}


def _round_profile(files: Files, asked: ProfileRequest, folder: str) -> dict[str, Any]:
    stages = Stages(None, Event())
    began = time.perf_counter()
    with files_as_stream(files, stages) as stream, alone(stages):
        opened = time.perf_counter() - began
        spark = stream.everything.sparkSession
        table = spark.read.parquet(folder)
        plain = seconds(lambda: table.groupBy("channel").agg(F.max("ts"), F.count("*")).collect())
        profile = seconds(lambda: profile_of(stream, asked, stages))
    figures = opened + stages.seconds["order"] + stages.seconds["count"]
    return {
        "plain_s": round(plain, 2),
        "open_s": round(opened, 2),
        "figures_s": round(figures, 2),
        "profile_s": round(opened + profile, 2),
        "ratio_figures": round(figures / plain, 2),
        "ratio": round((opened + profile) / plain, 2),
    }


def _write_profiled(folder: Path, records: int, channels: int) -> None:
    """Records as they arrive, 2 ms apart, mostly seconds late."""
    write(
        folder,
        records,
        2,
        ts=lambda random, at: at - random.exponential(500, len(at)).astype(np.int64),
        channel=whole_numbers(channels, np.int32),
        key=whole_numbers(100),
        value=whole_numbers(100),
    )
