"""The stream of a scenario as micro-batches, how they get to Spark, and how results come back.

There is a table for every batch and input, an empty batch and an empty side too, so that both sources of a join step
together. If Spark runs on this machine, they are files; their names and modification times rise, and Spark takes them
in that order, one in each trigger.

Behind a Spark Connect server no file is shared, and no function here is called. There the batches become files of a
table on the server. The function of a batch leaves its results on the server as a global temporary view, from which
they are fetched. (A Python source would need no table, but would leave a process on the server after each query.)
"""

import os
import shutil
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Any, Final, cast
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter
from tidemark.simulator.engine.values.items import BatchEnd, Record
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.scenario.stream import items
from tidemark.spark_bridge.results.canonical import key_text, value_of
from tidemark.spark_bridge.spark.stages import CheckFails

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession as RemoteSession


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
        self._results: dict[int, Results] = {}

    def put(self, chunk: Chunk, number: int) -> None:
        write(chunk, number, self._inputs, self.column)

    def stream(self, name: str) -> DataFrame:
        reader = self.session.readStream.schema(self.sql_schema).option("maxFilesPerTrigger", 1)
        return reader.parquet(self._inputs[name].as_uri())

    def taking(self, writer: DataStreamWriter) -> DataStreamWriter:
        def take(rows: DataFrame, number: int) -> None:
            self._results[number] = tuple(map(tuple, rows.collect()))

        return writer.foreachBatch(take).option("checkpointLocation", (self._folder / "checkpoint").as_uri())

    def results(self, number: int) -> Results:
        return self._results[number]

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)


_VIEWS: Final = "global_temp"
_COARSE_SECONDS: Final = 1.1
"""The pause between two files (s) if the server's storage has modification times in whole seconds."""


class Server(Exchange):
    """A session of its own on the server, a table for each input."""

    def __init__(self, scenario: Scenario, spark: SparkSession) -> None:
        super().__init__(scenario, spark)
        theirs, ours = (cast("RemoteSession", each).client for each in (spark, self.session))
        ours.set_retry_policies(theirs.get_retry_policies())
        self._name = f"tidemark_{uuid4().hex}"
        self._batches = 0
        self._pause = 0.0

    def put(self, chunk: Chunk, number: int) -> None:
        sleep(self._pause)
        for name, table in tables_of(chunk, self.inputs, self.column).items():
            rows = self.session.createDataFrame(table, self.sql_schema)
            # One file, and one without rows for an empty batch.
            rows.coalesce(1).write.format("parquet").mode("append").saveAsTable(self._table(name))
        self._batches += 1
        if number == 0 and not any(each.microsecond for name in self.inputs for each in self._changes(name)):
            self._pause = _COARSE_SECONDS

    def stream(self, name: str) -> DataFrame:
        if not self._batches:
            self.session.sql(f"CREATE TABLE {self._table(name)} ({self.sql_schema}) USING parquet")
        elif len(set(self._changes(name))) < self._batches:
            raise CheckFails("coarse_times")
        return self.session.readStream.option("maxFilesPerTrigger", 1).table(self._table(name))

    def taking(self, writer: DataStreamWriter) -> DataStreamWriter:
        name = self._name

        def leave(rows: DataFrame, number: int) -> None:
            # Runs on the server, which has no copy of the project: code sent with a session reaches only its workers.
            # A nested function is sent by value, so it must use nothing of this module.
            # The rows themselves are left: what they are made from is gone after the batch.
            copied = rows.sparkSession.createDataFrame(rows.toArrow(), rows.schema)
            copied.createOrReplaceGlobalTempView(f"{name}_{number}")

        return writer.foreachBatch(leave)

    def results(self, number: int) -> Results:
        return tuple(map(tuple, self.session.table(f"{_VIEWS}.{self._name}_{number}").collect()))

    def close(self) -> None:
        with suppress(Exception):  # a server that is gone has no views left, and its tables cannot be dropped
            for name in self.inputs:
                self.session.sql(f"DROP TABLE IF EXISTS {self._table(name)}")
            for view in self.session.catalog.listTables(_VIEWS):
                if view.name.startswith(self._name):
                    self.session.catalog.dropGlobalTempView(view.name)
        self.session.stop()

    def _changes(self, name: str) -> list[datetime]:
        """The modification times of the input's files, in whose order Spark takes them."""
        files = list(self.session.table(self._table(name)).inputFiles())
        modified = self.session.read.format("binaryFile").load(files).select("modificationTime")
        return [row[0] for row in modified.collect()]

    def _table(self, name: str) -> str:
        return f"{self._name}_{self.inputs.index(name)}"
