"""Tables in any other format of Spark, and topics of Kafka: what Spark's own sources and packages read.

A record of Kafka has its columns in its value, a JSON object. What Kafka itself knows of it is beside these, under
names that begin with ``kafka.``: its timestamp is the arrival, its partition the channel, its key the key, unless
others are named.
"""

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from typing import Final

from pyspark.errors import AnalysisException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.scenario.tables.rows import Found as FoundObject
from tidemark.simulator.scenario.tables.rows import objects_of
from tidemark.spark_bridge.files.errors import FilesError
from tidemark.spark_bridge.files.finding import Found
from tidemark.spark_bridge.files.reading import json_schema, member, with_rank
from tidemark.spark_bridge.files.request import Columns
from tidemark.spark_bridge.files.sample import ROWS, Sample, guessed
from tidemark.spark_bridge.files.sampling import column_of, quoted, sample_of_table
from tidemark.spark_bridge.spark.columns import long

KAFKA: Final = "kafka"

_OWN: Final = {"key": "string", "timestamp": "timestamp", "partition": "int", "offset": "bigint", "topic": "string"}
"""What Kafka knows of a record, and Spark's types of that."""

_BEFORE: Final = "kafka."
_OBJECT: Final = "object"


def other_table(spark: SparkSession, found: Found, options: Mapping[str, str]) -> DataFrame:
    """The table that Spark's reader for ``found.format`` finds. Raises what Spark raises."""
    reader = spark.read.format(found.format).options(**options)
    table = reader.load(list(found.paths)) if found.paths else reader.load()
    table.schema  # noqa: B018 - Spark Connect looks for the table only now
    return table


def sample_of_other(table: DataFrame, found: Found) -> Sample:
    """The first rows of such a table. Raises ``FilesError``."""
    name = " ".join(found.paths) or found.format
    sample = _sample_of_kafka(table, name) if found.format == KAFKA else sample_of_table(table, name)
    if not sample.cells:
        raise FilesError("no_records", path=name)
    return sample


def with_defaults(asked: Columns, sample: Sample, found: Found) -> Columns:
    """The columns that were asked for; of a topic also those that Kafka itself brings, where no others are named."""
    if found.format != KAFKA:
        return asked
    columns = asked
    if not asked.named:
        members = [number for number, name in enumerate(sample.names) if not name.startswith(_BEFORE)]
        names = tuple(sample.names[number] for number in members)
        cells = tuple([row[number] for number in members] for row in sample.cells)
        of_value = guessed(Sample(sample.path, names, cells), ("ts", "key", "value"))
        columns = replace(asked, **of_value)
    own = {"at": "timestamp", "channel": "partition", "key": "key"}
    return replace(columns, **{role: f"{_BEFORE}{name}" for role, name in own.items() if role not in columns.named})


def raw_of_other(
    spark: SparkSession, table: DataFrame, found: Found, named: Mapping[str, str], *, whole: bool = False
) -> DataFrame:
    """The place of each record, and its columns by role, as they are; see ``reading.raw_records``."""
    if found.format == KAFKA:
        schema = json_schema([name for name in named.values() if not name.startswith(_BEFORE)])
        read = table.withColumn(_OBJECT, F.from_json(F.col("value").cast("string"), schema))
        columns = {role: _of_kafka(name) for role, name in named.items()}
        if whole:
            columns["raw"] = F.col("value").cast("string")
        place = [F.lit(0).alias("file"), F.col("partition").cast("bigint").alias("block"), F.col("offset").alias("row")]
        return read.select(*place, *(column.alias(role) for role, column in columns.items()))
    columns = {role: column_of(table.schema, name) for role, name in named.items()}
    if whole:
        columns["raw"] = F.struct(*map(quoted, table.columns))
    wanted = [column.alias(role) for role, column in columns.items()]
    row = F.monotonically_increasing_id().alias("row")
    try:
        block = F.col("_metadata.file_block_start").alias("block")
        placed = table.select(F.col("_metadata.file_path").alias("file_path"), block, row, *wanted)
        placed.schema  # noqa: B018 - Spark Connect looks for the columns only now
    except AnalysisException:  # no files: rows as they come
        return table.select(F.lit(0).alias("file"), long(0).alias("block"), row, *wanted)
    return with_rank(spark, placed, list(found.paths))


def _of_kafka(name: str) -> Column:
    own = name.removeprefix(_BEFORE)
    return F.col(own).cast(_OWN[own]) if name != own and own in _OWN else member(name, _OBJECT)


def _sample_of_kafka(table: DataFrame, name: str) -> Sample:
    own = [F.col(each).cast(type).cast("string") for each, type in _OWN.items()]
    rows = table.select(F.col("value").cast("string"), *own).limit(ROWS).collect()
    objects = [
        next((o for o in islice(objects_of(row[0] or ""), 1) if isinstance(o, FoundObject)), None) for row in rows
    ]
    members = list(dict.fromkeys(each for found in objects if found for each in found.members))
    if rows and not members:
        raise FilesError("no_objects", path=name)
    cells = tuple(
        [
            *(found.members.get(each, "") if found else "" for each in members),
            *("" if each is None else each for each in row[1:]),
        ]
        for row, found in zip(rows, objects, strict=True)
    )
    types = {f"{_BEFORE}{each}": type for each, type in _OWN.items()}
    return Sample(name, (*members, *types), cells, types)
