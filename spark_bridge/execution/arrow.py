"""Rows that a keyed function makes, as the Arrow batches that Spark takes from it."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import pyarrow as pa

BATCH_ROWS: Final = 10_000
"""A task holds at most this many rows that Spark has not taken yet."""


def in_batches(rows: Iterable[tuple[Any, ...]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """``rows``, tuples in the order of ``schema``, as Arrow batches; at least one, which may be empty."""
    waiting: list[tuple[Any, ...]] = []
    for row in rows:
        waiting.append(row)
        if len(waiting) == BATCH_ROWS:
            yield _batch(waiting, schema)
            waiting = []
    yield _batch(waiting, schema)


def _batch(rows: list[tuple[Any, ...]], schema: pa.Schema) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(values, type=field.type) for values, field in zip(columns, schema, strict=True)]
    return pa.record_batch(arrays, schema)
