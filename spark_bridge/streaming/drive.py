"""The query run to its end, and what each micro-batch did: its results, its watermark, its figures.

Spark has all files before it starts and takes one in each trigger (``availableNow``), so its batches are ours,
whatever the speed of the machine, and it adds the batch without data at the end by its own rule.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from simulator.scenario.model import Scenario, SparkWindow
from spark_bridge.streaming.query import results, settings_of
from spark_bridge.streaming.rows import Done, milliseconds

_POLL_SECONDS: Final = 1
_OVERFLOW: Final = re.compile(r"ARITHMETIC_OVERFLOW|long overflow")


class QueryDies(Exception):
    """The query failed in micro-batch ``batch`` because of its data, by Spark's own rules. ``done``: those before."""

    def __init__(self, java_type: str, done: list[Done]) -> None:
        super().__init__(java_type)
        self.java_type = java_type
        self.done = done


def drive(
    spark: SparkSession,
    scenario: Scenario,
    inputs: dict[str, Path],
    checkpoint: Path,
    column: str,
    batches: int,
    told: Callable[[int], None],
) -> list[Done]:
    """Run the query over the files in ``inputs`` and return what each batch did. No query is left running.

    ``told`` is called with the number of batches that are done; what it raises ends the query. ``checkpoint`` is a
    folder that nobody else uses. Raises ``QueryDies``, and whatever Spark raises.
    """
    own = spark.newSession()
    for name, value in settings_of(scenario, batches).items():
        own.conf.set(name, value)
    given: dict[int, tuple[tuple[Any, ...], ...]] = {}

    def take(rows: DataFrame, number: int) -> None:
        given[number] = tuple(map(tuple, rows.collect()))

    mode = scenario.operator.output_mode if isinstance(scenario.operator, SparkWindow) else "append"
    writer = results(own, scenario, inputs, column).writeStream.outputMode(mode).foreachBatch(take)
    query = writer.option("checkpointLocation", checkpoint.as_uri()).trigger(availableNow=True).start()
    try:
        while not query.awaitTermination(_POLL_SECONDS):
            told(len(given))
    except StreamingQueryException as error:
        if _OVERFLOW.search(str(error)):
            raise QueryDies("ArithmeticException", list(_done(query, given))) from error
        raise
    finally:
        query.stop()
    return list(_done(query, given))


def _done(query: StreamingQuery, given: dict[int, tuple[tuple[Any, ...], ...]]) -> Iterator[Done]:
    """What Spark reported of each batch, beside the results that it gave."""
    for report in query.recentProgress:
        number = report["batchId"]
        if "addBatch" not in report["durationMs"]:  # it only told that it waited
            continue
        operators = report["stateOperators"]
        yield Done(
            number,
            given[number],
            milliseconds(report["eventTime"].get("watermark")),
            report["numInputRows"],
            sum(each["numRowsDroppedByWatermark"] for each in operators),
            sum(each["numRowsTotal"] for each in operators),
        )
