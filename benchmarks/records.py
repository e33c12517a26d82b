"""Records in Parquet files, as they arrive at a fixed rate: what the benchmarks of a stream of one's own read."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

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


def seconds(run: Callable[[], object]) -> float:
    """How long ``run`` takes, in seconds of the wall clock."""
    began = time.perf_counter()
    run()
    return time.perf_counter() - began
