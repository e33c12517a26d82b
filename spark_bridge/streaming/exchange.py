"""How micro-batches get to Spark and results come back: by files, if Spark runs on this machine."""

import shutil
from abc import abstractmethod
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter
from tidemark.simulator.scenario.model import Scenario
from tidemark.spark_bridge.streaming.batches import DOUBLE, TEXT, WHOLE, Chunk, column_of, write

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
