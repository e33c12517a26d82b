"""Runs the query to its end, and reads what each micro-batch did: results, watermark, figures.

Spark has all batches before it starts and takes one in each trigger (``availableNow``). So its batches are ours,
whatever the speed of the machine, and it adds the batch without data at the end by its own rule.
"""

import re
from collections.abc import Callable, Iterator
from typing import Final

from pyspark.errors import StreamingQueryException
from pyspark.sql.streaming.query import StreamingQuery
from tidemark.simulator.scenario.model import Scenario, SparkWindow
from tidemark.spark_bridge.streaming.exchange import Exchange
from tidemark.spark_bridge.streaming.query import results, settings_of
from tidemark.spark_bridge.streaming.rows import Done, milliseconds

_POLL_SECONDS: Final = 1
_OVERFLOW: Final = re.compile(r"ARITHMETIC_OVERFLOW|long overflow")


class QueryDies(Exception):
    """The query failed in micro-batch ``batch`` because of its data, by Spark's own rules. ``done``: those before."""

    def __init__(self, java_type: str, done: list[Done]) -> None:
        super().__init__(java_type)
        self.java_type = java_type
        self.done = done


def drive(scenario: Scenario, exchange: Exchange, batches: int, progress: Callable[[int], None]) -> list[Done]:
    """Run the query over the ``batches`` that ``exchange`` has and return what each did. No query is left running.

    ``progress`` is called with the number of batches that are done; what it raises ends the query.
    Raises ``QueryDies``, and whatever Spark raises.
    """
    for name, value in settings_of(scenario, batches).items():
        exchange.session.conf.set(name, value)
    mode = scenario.operator.output_mode if isinstance(scenario.operator, SparkWindow) else "append"
    streams = {name: exchange.stream(name) for name in exchange.inputs}
    writer = exchange.taking(results(scenario, streams).writeStream.outputMode(mode))
    query = writer.trigger(availableNow=True).start()
    try:
        while not query.awaitTermination(_POLL_SECONDS):
            last = query.lastProgress  # one report only: fetching all takes longer with each batch
            progress(0 if last is None else last["batchId"] + 1)
    except StreamingQueryException as error:
        if _OVERFLOW.search(str(error)):
            raise QueryDies("ArithmeticException", list(_done(query, exchange))) from error
        raise
    finally:
        query.stop()
    return list(_done(query, exchange))


def _done(query: StreamingQuery, exchange: Exchange) -> Iterator[Done]:
    """Spark's report on each batch, with its results."""
    for report in query.recentProgress:
        number = report["batchId"]
        if "addBatch" not in report["durationMs"]:  # it only reports that it waits
            continue
        operators = report["stateOperators"]
        yield Done(
            number,
            exchange.results(number),
            milliseconds(report["eventTime"].get("watermark")),
            report.numInputRows,
            sum(each["numRowsDroppedByWatermark"] for each in operators),
            sum(each["numRowsTotal"] for each in operators),
        )
