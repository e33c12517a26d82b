"""The profile of a stream compared with a plain Spark aggregation over the same Parquet files."""

import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import functions as F

from spark_bridge.execution.stopping import alone
from spark_bridge.files.asked import Files
from spark_bridge.files.columns import Columns
from spark_bridge.files.using import own_stream
from spark_bridge.profile.profile import Asked
from spark_bridge.profile.run import profile_of
from spark_bridge.stages import Stages

FILES = 8
ROUNDS = 2
"""The first round is not counted: it warms up both sides."""

_ROWS = 1_000_000
COLUMNS = Columns(ts="ts", ts_unit="ms", channel="channel")


def measure(records: int, channels: int) -> Iterator[dict[str, Any]]:
    """Seconds of both for each case, side by side in one session; ``ratio``: profile to plain.

    ``open``: until the columns and channels are known; ``figures``: all of the profile but its findings, opening
    included.
    """
    with tempfile.TemporaryDirectory(prefix="tidemark-profile-") as folder:
        _write(Path(folder), records, channels)
        cases = {
            "bounds": (COLUMNS, Asked((2_000,), channels=channels)),
            "arrivals": (
                Columns(ts="ts", ts_unit="ms", channel="channel", at="at"),
                Asked((2_000,), channels=channels),
            ),
            "windows": (COLUMNS, Asked((2_000,), window=60_000, channels=channels)),
        }
        for case, (columns, asked) in cases.items():
            for _ in range(ROUNDS):
                result = _round(Files((folder,), columns), asked, folder)
            yield {"case": case, "records": records, "channels": channels, **result}


def _round(files: Files, asked: Asked, folder: str) -> dict[str, Any]:
    stages = Stages(None, Event())
    began = time.perf_counter()
    with own_stream(files, stages) as stream, alone(stages):
        opened = time.perf_counter() - began
        spark = stream.everything.sparkSession
        table = spark.read.parquet(folder)
        plain = _seconds(lambda: table.groupBy("channel").agg(F.max("ts"), F.count("*")).collect())
        profile = _seconds(lambda: profile_of(stream, asked, stages))
    figures = opened + stages.seconds["order"] + stages.seconds["count"]
    return {
        "plain_s": round(plain, 2),
        "open_s": round(opened, 2),
        "figures_s": round(figures, 2),
        "profile_s": round(opened + profile, 2),
        "ratio_figures": round(figures / plain, 2),
        "ratio": round((opened + profile) / plain, 2),
    }


def _seconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def _write(folder: Path, records: int, channels: int) -> None:
    """Records as they arrive, 2 ms apart, mostly seconds late, from a fixed seed."""
    random = np.random.default_rng(7)
    for file in range(FILES):
        start, end = records * file // FILES, records * (file + 1) // FILES
        with pq.ParquetWriter(folder / f"part-{file:02}.parquet", _SCHEMA) as writer:
            for first in range(start, end, _ROWS):
                number = np.arange(first, min(first + _ROWS, end))
                at = 1_700_000_000_000 + number * 2
                ts = at - random.exponential(500, len(number)).astype(np.int64)
                channel = random.integers(0, channels, len(number)).astype(np.int32)
                key, value = random.integers(0, 100, (2, len(number)))
                writer.write_table(pa.table([ts, at, channel, key, value], schema=_SCHEMA))


_SCHEMA = pa.schema(
    [("ts", pa.int64()), ("at", pa.int64()), ("channel", pa.int32()), ("key", pa.int64()), ("value", pa.int64())]
)
