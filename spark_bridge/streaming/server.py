"""The exchange with Spark behind a Spark Connect server: no file is shared, and no function here is called.

The batches become files of a table on the server, and the query takes one of them in each trigger. The function of a
batch leaves its results on the server as a global temporary view, from which they are fetched. (A Python source would
need no table, but would leave a process on the server after each query.)
"""

from contextlib import suppress
from datetime import datetime
from time import sleep
from typing import TYPE_CHECKING, Final, cast
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamWriter
from tidemark.simulator.scenario.model import Scenario
from tidemark.spark_bridge.spark.failures import CheckFails
from tidemark.spark_bridge.streaming.exchange import Chunk, Exchange, Results, tables_of

if TYPE_CHECKING:
    from pyspark.sql.connect.session import SparkSession as RemoteSession

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
