"""The profile of a stream compared with a plain Spark aggregation over the same Parquet files."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
from pyspark.sql import functions as F
from tidemark.spark_bridge.files.opening import own_stream
from tidemark.spark_bridge.files.request import Columns, Files
from tidemark.spark_bridge.profile.profile import ProfileRequest
from tidemark.spark_bridge.profile.run import profile_of
from tidemark.spark_bridge.spark.jobs import alone
from tidemark.spark_bridge.spark.stages import Stages

from benchmarks.records import seconds, whole_numbers, write

ROUNDS = 2
"""The first round is not counted: it warms up both sides."""

COLUMNS = Columns(ts="ts", ts_unit="ms", channel="channel")


def measure(records: int, channels: int) -> Iterator[dict[str, Any]]:
    """Seconds of both for each case, side by side in one session; ``ratio``: profile to plain.

    ``open``: until the columns and channels are known; ``figures``: all of the profile but its findings, opening
    included.
    """
    with tempfile.TemporaryDirectory(prefix="tidemark-profile-") as folder:
        _write(Path(folder), records, channels)
        cases = {
            "bounds": (COLUMNS, ProfileRequest((2_000,), channels=channels)),
            "arrivals": (
                Columns(ts="ts", ts_unit="ms", channel="channel", at="at"),
                ProfileRequest((2_000,), channels=channels),
            ),
            "windows": (COLUMNS, ProfileRequest((2_000,), window=60_000, channels=channels)),
        }
        for case, (columns, asked) in cases.items():
            for _ in range(ROUNDS):
                result = _round(Files((folder,), columns), asked, folder)
            yield {"case": case, "records": records, "channels": channels, **result}


def _round(files: Files, asked: ProfileRequest, folder: str) -> dict[str, Any]:
    stages = Stages(None, Event())
    began = time.perf_counter()
    with own_stream(files, stages) as stream, alone(stages):
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


def _write(folder: Path, records: int, channels: int) -> None:
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
