"""The stream of a scenario as micro-batches: tables, and files of which the query reads one in each trigger.

A file for every batch and input, an empty batch and an empty side too, so that both sources of a join step together.
The names and modification times of the files rise, and Spark takes them in that order.

How micro-batches get to Spark and results come back: by files, if Spark runs on this machine.
"""

import os
import shutil
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter
from tidemark.simulator.engine.values.items import BatchEnd, Record
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.spark_bridge.results.canonical import key_text, value_of

WHOLE: Final = "whole"
DOUBLE: Final = "double"
TEXT: Final = "text"
"""The type of the value column: BIGINT, DOUBLE, or any values as JSON, which are only carried along."""

_TYPES: Final = {WHOLE: pa.int64(), DOUBLE: pa.float64(), TEXT: pa.string()}
_FIRST_CHANGE: Final = 1_000_000_000
"""The modification time of the first file, in seconds since the epoch; each further one is a second later."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """The records of one micro-batch, and the stream index of the item that ends it, which an error row carries."""

    records: tuple[Record, ...]
    last_item: int


def chunks(scenario: Scenario) -> Iterator[Chunk]:
    """The micro-batches that have data, empty ones included, in order."""
    listed = not isinstance(scenario.stream, Generated)
    records: list[Record] = []
    item = last = 0
    for each in items(scenario):
        if isinstance(each, Record):
            records.append(each)
            last = item
            item += 1
        elif isinstance(each, BatchEnd):
            if listed:  # the ends of generated batches are no items
                last = item
                item += 1
            yield Chunk(tuple(records), last)
            records = []
    if records:  # the batch ends with the stream, after its last item
        yield Chunk(tuple(records), item)


def number_of_chunks(scenario: Scenario) -> int:
    """How many micro-batches have data, without making any record of a generated stream."""
    stream = scenario.stream
    if isinstance(stream, Generated):
        return -(-stream.events // (stream.batch_every or max(stream.events, 1)))
    ends = [place for place, item in enumerate(stream) if isinstance(item, BatchEnd)]
    return len(ends) + (bool(stream) and (not ends or ends[-1] < len(stream) - 1))


def column_of(scenario: Scenario) -> str:
    """The type of the value column: one double makes them all doubles."""
    operator, stream = scenario.operator, scenario.stream
    if operator.compute in (None, "count"):
        return TEXT
    if isinstance(stream, Generated):
        return WHOLE
    has_double = any(isinstance(item, Record) and isinstance(item.value, float) for item in stream)
    return DOUBLE if has_double else WHOLE


def schema_of(column: str) -> pa.Schema:
    """``time`` is the timestamp (ms; Spark reads it as its own microseconds), ``key`` is JSON."""
    return pa.schema([("time", pa.int64()), ("key", pa.string()), ("value", _TYPES[column])])


def tables_of(chunk: Chunk, inputs: Iterable[str], column: str) -> dict[str, pa.Table]:
    """The records of the micro-batch for each input, in ``schema_of``; one without any has a table without rows."""
    schema = schema_of(column)
    tables = {}
    for name in inputs:
        records = [record for record in chunk.records if record.input == name]
        columns = [
            [record.ts for record in records],
            [key_text(record.key) for record in records],
            [_value(record.value, column) for record in records],
        ]
        arrays = [pa.array(values, type=field.type) for values, field in zip(columns, schema, strict=True)]
        tables[name] = pa.Table.from_arrays(arrays, schema=schema)
    return tables


def write(chunk: Chunk, number: int, inputs: dict[str, Path], column: str) -> None:
    """Write micro-batch ``number`` into the folder of each input; a file appears whole or not at all."""
    for name, table in tables_of(chunk, inputs, column).items():
        path, unfinished = inputs[name] / f"{number:09}.parquet", inputs[name] / f"_{number:09}"
        pq.write_table(table, unfinished)
        os.utime(unfinished, (_FIRST_CHANGE + number,) * 2)
        unfinished.rename(path)


def _value(value: Any, column: str) -> Any:
    if column == WHOLE:
        return value
    if column == DOUBLE:
        return float(value)
    text, number = value_of(value)
    return repr(number) if text is None else text


Results = tuple[tuple[Any, ...], ...]

_SQL_TYPES: Final = {WHOLE: "BIGINT", DOUBLE: "DOUBLE", TEXT: "STRING"}


class Exchange(AbstractContextManager["Exchange"]):
    """For one query: ``put`` every micro-batch, then start it. ``session`` is a session of the query's own, made from
    the given one.

    Nothing of it is left when the ``with`` block ends.
    """

    def __init__(self, scenario: Scenario, spark: SparkSession) -> None:
        self.session = spark.newSession()
        self.inputs = tuple(each.name for each in scenario.inputs)
        self.column = column_of(scenario)

    @property
    def sql_schema(self) -> str:
        """The columns of each input: ``time`` in ms."""
        return f"time BIGINT, key STRING, value {_SQL_TYPES[self.column]}"

    @abstractmethod
    def put(self, chunk: Chunk, number: int) -> None:
        """Hand over micro-batch ``number``; they come in order from 0, all before the query starts."""

    @abstractmethod
    def stream(self, name: str) -> DataFrame:
        """The input ``name``, of which each trigger takes one micro-batch."""

    @abstractmethod
    def taking(self, writer: DataStreamWriter) -> DataStreamWriter:
        """``writer``, set up for where the results go."""

    @abstractmethod
    def results(self, number: int) -> Results:
        """The results of micro-batch ``number``, which is done."""

    @abstractmethod
    def close(self) -> None:
        """Remove what the query, which has stopped, no longer needs."""

    def __exit__(self, *_: object) -> None:
        self.close()


class Files(Exchange):
    """Below ``folder``, a file for each batch and input, and Spark's checkpoint; results come to a function here."""

    def __init__(self, scenario: Scenario, spark: SparkSession, folder: Path) -> None:
        super().__init__(scenario, spark)
        self._folder = folder
        self._inputs = {name: folder / "inputs" / name for name in self.inputs}
        for each in self._inputs.values():
            each.mkdir(parents=True)
        self._given: dict[int, Results] = {}

    def put(self, chunk: Chunk, number: int) -> None:
        write(chunk, number, self._inputs, self.column)

    def stream(self, name: str) -> DataFrame:
        reader = self.session.readStream.schema(self.sql_schema).option("maxFilesPerTrigger", 1)
        return reader.parquet(self._inputs[name].as_uri())

    def taking(self, writer: DataStreamWriter) -> DataStreamWriter:
        def take(rows: DataFrame, number: int) -> None:
            self._given[number] = tuple(map(tuple, rows.collect()))

        return writer.foreachBatch(take).option("checkpointLocation", (self._folder / "checkpoint").as_uri())

    def results(self, number: int) -> Results:
        return self._given[number]

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
