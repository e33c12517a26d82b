"""The rows of both sides as multisets, for tests to compare."""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any

from tidemark.spark_bridge.results.canonical import COMPARED, Columns, columns_of
from tidemark.spark_bridge.results.digests import Digests

MASTER = "local[2]"

WITHOUT_TWIN = {"flink_version", "state_ttl", "process_function", "null_watermark", "null_rowtime"}
"""The gaps of what only the simulator has: rules of older versions, and parts of an operator."""

Rows = Counter[Columns]


def compared(rows: Iterable[Mapping[str, Any]]) -> Rows:
    """The rows that are compared, in their canonical form, as a multiset."""
    return Counter(columns_of(row) for row in rows if row["row"] in COMPARED)


def collected(tables: Mapping[str, Any]) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of tables with the same columns, by name, as one action: each action costs a second."""
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as F

    rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in tables}
    named = (table.withColumn("table", F.lit(name)) for name, table in tables.items())
    for *row, name in reduce(DataFrame.unionByName, named).collect():
        rows[name].append(tuple(row))
    return rows


def outcome_of(spark: Any, ours: list[Columns], theirs: list[Columns]) -> Any:
    """The outcome of comparing the simulator's rows with Spark's, both in canonical form."""
    from tidemark.spark_bridge.execution.compare import compare, digests_of
    from tidemark.spark_bridge.execution.rows import SCHEMA

    digests = Digests()
    buckets = [digests.add(row) for row in ours]

    def simulated(wanted: frozenset[int]) -> Any:
        chosen = [row for row, bucket in zip(ours, buckets, strict=True) if bucket in wanted]
        return spark.createDataFrame(chosen, SCHEMA)

    rows = spark.createDataFrame(theirs, SCHEMA)
    return compare(digests.found(), digests_of(rows), rows, simulated)
