"""The stream as two DataFrames: its records, and its signals (explicit watermarks and the end).

The columns are those of ``spark_bridge.listed``, and ``chunk``. A record also has a ``candidate``, the watermark that
it stands for. Generated records are made in the tasks that work on them; a list comes from the driver.
"""

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.scenario.generated import arrivals_in
from tidemark.simulator.scenario.model import Data, Generated
from tidemark.spark_bridge.execution.generated import detailed, items_of, placed
from tidemark.spark_bridge.execution.inputs import candidate_of, chunk_of_item
from tidemark.spark_bridge.listed import RECORDS, SIGNALS, Row, ends, listed
from tidemark.spark_bridge.plan import BatchPlan
from tidemark.spark_bridge.watermarks.sieve import Grid

_TEXTS = frozenset({"key", "text", "kind"})


DETAILS = ("side", "key", "ts", "whole", "fraction", "text")
"""What makes up a record, apart from its place, its channel and the clock."""


@dataclass(frozen=True, slots=True)
class StreamTables:
    """The two tables of a stream.

    The scan for the watermark sorts its rows, so they are kept narrow. ``carried`` names the columns that have to go
    through it; ``detailed`` adds the missing ``DETAILS`` to what has come through, from the number of the item.
    """

    records: DataFrame
    signals: DataFrame
    carried: tuple[str, ...]
    detailed: Callable[[DataFrame], DataFrame]


@dataclass(frozen=True, slots=True)
class Sifted:
    """The records of files, of which only some need the watermark before them.

    ``records``: ``item`` and ``DETAILS``, the key as it is; ``key`` turns it into that of a row. ``notable`` gives the
    entries that matter to a ``Grid``: ``DETAILS``, ``item``, ``at``, ``is_record``, ``before`` and ``after``.
    """

    records: DataFrame
    key: Callable[[Column], Column]
    notable: Callable[[Grid], DataFrame]


@dataclass(frozen=True, slots=True)
class FileRecords:
    """The records of a stream from files. ``placed``: in the columns of ``listed.RECORDS``, with chunk and candidate.

    ``sifted``: where tasks can tell in the order of the files which of them matter; else None.
    """

    placed: Callable[[], DataFrame]
    sifted: Sifted | None = None


def source_of(spark: SparkSession, plan: BatchPlan, of_files: FileRecords | None = None) -> StreamTables:
    """The tables of the stream of ``plan``, cut into chunks. ``of_files``: its records, if they come from files."""
    stream = plan.scenario.stream
    if of_files is not None:
        assert isinstance(stream, Data)
        last = max(plan.scenario.origin, stream.known.at[1] if stream.known.at else plan.scenario.origin)
        rows = ends(stream.known.records, last, plan.channels) if stream.end else []
        ending = _with_chunk(_table(spark, SIGNALS, rows), plan)
        return StreamTables(of_files.placed(), ending, DETAILS, lambda table: table)
    if isinstance(stream, Generated):
        end = _with_chunk(_table(spark, SIGNALS, _end(plan, stream)), plan)
        records = placed(items_of(spark, plan.chunks, stream), plan, stream)
        return StreamTables(records, end, ("ts",), lambda table: detailed(table, plan, stream))
    rows, signals = listed(plan)
    records = _with_chunk(_table(spark, RECORDS, rows), plan, candidate=candidate_of(plan, F.col("ts")))
    return StreamTables(records, _with_chunk(_table(spark, SIGNALS, signals), plan), DETAILS, lambda table: table)


def _with_chunk(table: DataFrame, plan: BatchPlan, **given: Column) -> DataFrame:
    chunked = table.withColumns({"chunk": chunk_of_item(F.col("item"), plan)} | given)
    # Partitioned like generated records, so that their union needs no exchange of all the data.
    return chunked.repartition(plan.chunks.partitions, "chunk")


def _table(spark: SparkSession, names: tuple[str, ...], rows: list[Row]) -> DataFrame:
    kinds = {"fraction": pa.float64()} | dict.fromkeys(_TEXTS, pa.string())
    schema = pa.schema([(name, kinds.get(name, pa.int64())) for name in names])
    columns = list(zip(*rows, strict=True)) or [()] * len(names)
    arrays = [pa.array(values, type=each.type) for values, each in zip(columns, schema, strict=True)]
    return spark.createDataFrame(pa.table(arrays, schema=schema))


def _end(plan: BatchPlan, stream: Generated) -> list[Row]:
    if not stream.end:
        return []
    clock = arrivals_in(plan.scenario).at(max(0, stream.events - 1))
    return ends(stream.events, clock, plan.channels)
