"""A check by the streaming engine: the query of a scenario by Spark's rules, run to its end beside the simulator.

Spark has all batches before it starts and takes one in each trigger (``availableNow``). So its batches are ours,
whatever the speed of the machine, and it adds the batch without data at the end by its own rule.
"""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from time import monotonic
from typing import Final

from pyspark.errors import StreamingQueryException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.model import Generated, Operator, Scenario, Session, Sliding, Tumbling
from tidemark.spark_bridge.plan.faults import Fault
from tidemark.spark_bridge.results.report import Report
from tidemark.spark_bridge.simulation.process import LINES
from tidemark.spark_bridge.simulation.run import boundaries_in, simulation
from tidemark.spark_bridge.spark.folders import temporary_folder
from tidemark.spark_bridge.spark.jobs import watched
from tidemark.spark_bridge.spark.session import is_remote, java_version, open_session
from tidemark.spark_bridge.spark.stages import Stages
from tidemark.spark_bridge.streaming.exchange import Exchange, Files, Server, chunks, number_of_chunks
from tidemark.spark_bridge.streaming.rows import (
    Done,
    Row,
    broken,
    compare,
    milliseconds,
    planted,
    simulator_rows,
    spark_rows,
)

_ONE_PART: Final = str(2**40)

JOINED: Final = ("key", "left_ts", "left_value", "right_ts", "right_value")
"""The columns of the results of a join. Times in ms, ``key`` and the values of a join as JSON."""


def settings_of(scenario: Scenario, batches: int) -> dict[str, str]:
    """The settings of the query's session. ``batches``: how many progress reports it must keep."""
    return {
        "spark.sql.streaming.multipleWatermarkPolicy": scenario.operator.watermark_policy or "min",
        "spark.sql.streaming.numRecentProgressUpdates": str(batches + 10),
        "spark.sql.session.timeZone": "UTC",
        # A sum that leaves 64 bits ends the query, as in Spark by default.
        "spark.sql.ansi.enabled": "true",
        # The figures must not depend on how work is distributed: one task reads a file, one keeps the state.
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.files.maxPartitionBytes": _ONE_PART,
        "spark.sql.files.openCostInBytes": _ONE_PART,
        # A batch is a handful of rows: compiling what is done with them costs more than doing it.
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        # State snapshots are written by a thread that outlives the query and would create its folder again.
        "spark.sql.streaming.stateStore.minDeltasForSnapshot": str(2**31 - 1),
        # A folder that Spark makes for itself is removed with the query, whatever ends that.
        "spark.sql.streaming.forceDeleteTempCheckpointLocation": "true",
        # Stopping must not wait for ever for a thread that does not end.
        "spark.sql.streaming.stopTimeout": "5s",
    }


def results(scenario: Scenario, inputs: dict[str, DataFrame]) -> DataFrame:
    """The streaming DataFrame of the scenario's results.

    ``inputs``: the records of each input, in columns ``time`` (ms), ``key`` and ``value``.
    """
    streams = {name: each.withColumn("time", F.timestamp_millis("time")) for name, each in inputs.items()}
    delays = {each.name: each.delay for each in scenario.inputs}
    operator = scenario.operator
    if operator.is_join:
        return _joined({name: _of_side(stream, name, delays[name]) for name, stream in streams.items()}, operator)
    ((name, stream),) = streams.items()
    return _aggregated(_with_watermark(stream, "time", delays[name]), operator)


def _with_watermark(stream: DataFrame, column: str, delay: int | None) -> DataFrame:
    return stream if delay is None else stream.withWatermark(column, _span(delay))


def _span(milliseconds: int) -> str:
    return f"{milliseconds} milliseconds"


def _aggregated(stream: DataFrame, operator: Operator) -> DataFrame:
    match operator.assigner:
        case Tumbling(size, offset):
            window = F.window("time", _span(size), _span(size), _span(offset))
        case Sliding(size, slide, offset):
            window = F.window("time", _span(size), _span(slide), _span(offset))
        case Session(gap):
            window = F.session_window("time", _span(gap))
        case other:
            raise TypeError(other)
    # Grouped by an alias, so that every kind of window has the same name afterwards.
    grouped = stream.groupBy("key", window.alias("span")).agg(_aggregate(operator.compute).alias("value"))
    return grouped.select(
        "key", F.unix_millis("span.start").alias("start"), F.unix_millis("span.end").alias("end"), "value"
    )


def _aggregate(compute: str | None) -> Column:
    if compute == "count":
        return F.count(F.lit(1))
    return {"sum": F.sum, "min": F.min, "max": F.max, "avg": F.avg}[compute or ""]("value")


def _of_side(stream: DataFrame, side: str, delay: int | None) -> DataFrame:
    named = stream.select(*(F.col(name).alias(f"{side}_{name}") for name in stream.columns))
    return _with_watermark(named, f"{side}_time", delay)


def _joined(sides: dict[str, DataFrame], operator: Operator) -> DataFrame:
    condition = F.col("left_key") == F.col("right_key")
    if operator.bounds is not None:
        lower, upper = (F.lit(timedelta(milliseconds=bound)) for bound in operator.bounds)
        condition &= F.col("right_time") >= F.col("left_time") + lower
        condition &= F.col("right_time") <= F.col("left_time") + upper
    pairs = sides["left"].join(sides["right"], condition, "inner")
    return pairs.select(
        F.col("left_key").alias("key"),
        F.unix_millis("left_time").alias("left_ts"),
        "left_value",
        F.unix_millis("right_time").alias("right_ts"),
        "right_value",
    )


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
    mode = scenario.operator.output_mode or "append"
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


WAY = "micro-batch"


def run(scenario: Scenario, master: str | None, stages: Stages, fault: Fault | None) -> Report:
    """Run both sides of a covered scenario and compare them. Leaves no files and no query behind.

    Raises ``Cancelled``, ``NoJava``, ``CheckFails``.
    """
    began = monotonic()
    batches = number_of_chunks(scenario)
    with (
        temporary_folder("check") as folder,
        simulation(
            scenario, folder, lambda batch: stages.tell("simulator", min(batch + 1, batches), batches)
        ) as simulating,
    ):
        with stages.stage("session"):
            spark = open_session(master, stages.cancelled.is_set)
        sent = broken(scenario, fault)
        with watched(simulating, stages):
            with stages.stage("spark"):
                exchange = Server(sent, spark) if is_remote() else Files(sent, spark, folder / "query")
                rows = batches_of(sent, exchange, stages)
            versions = spark.version, java_version()
        stages.seconds["simulator"] = simulating.wait()
        with stages.stage("compare"):
            outcome = compare(simulator_rows(folder / LINES), planted(rows, fault))
            boundaries = boundaries_in(folder)
    results = {kind: number for kind, number in outcome.counts["simulator"].items() if kind in ("pane", "joined")}
    return Report(
        scenario=scenario.name,
        engine="streaming",
        way=WAY,
        events=_records(scenario),
        panes=sum(results.values()),
        differing=outcome.differing,
        differences=outcome.differences,
        seconds=monotonic() - began,
        spark_version=versions[0],
        java_version=versions[1],
        stages=stages.seconds,
        counts=outcome.counts,
        boundaries=boundaries,
    )


def batches_of(scenario: Scenario, exchange: Exchange, stages: Stages) -> list[list[Row]]:
    """The rows of each micro-batch of the real query, whose data and results go by ``exchange``, which is closed.

    If the query fails because of its data, the last list is its error row. Raises ``Cancelled``, and whatever Spark
    raises.
    """
    with exchange:
        last_items = []
        for number, chunk in enumerate(chunks(scenario)):
            stages.check()
            exchange.put(chunk, number)
            last_items.append(chunk.last_item)
        total = len(last_items)

        def progress(done: int) -> None:
            stages.check()
            stages.tell("spark", min(done, total), max(total, 1))

        try:
            return list(spark_rows(scenario, drive(scenario, exchange, total, progress)))
        except QueryDies as death:
            batches = list(spark_rows(scenario, death.done))
            return [*batches, [{"row": "error", "type": death.java_type, "item": last_items[len(batches)]}]]


def _records(scenario: Scenario) -> int:
    stream = scenario.stream
    if isinstance(stream, Generated):
        return stream.events
    return sum(isinstance(item, Record) for item in stream)
