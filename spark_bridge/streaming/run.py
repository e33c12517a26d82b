"""The stages of a check by the streaming engine: the session, both sides side by side, the comparison."""

from time import monotonic

from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.spark_bridge.plan.faults import Fault
from tidemark.spark_bridge.results.report import Report
from tidemark.spark_bridge.simulation.process import LINES
from tidemark.spark_bridge.simulation.run import boundaries_in, simulation
from tidemark.spark_bridge.spark.folders import temporary_folder
from tidemark.spark_bridge.spark.jobs import watched
from tidemark.spark_bridge.spark.session import is_remote, java_version, open_session
from tidemark.spark_bridge.spark.stages import Stages
from tidemark.spark_bridge.streaming.exchange import Exchange, Files, chunks, number_of_chunks
from tidemark.spark_bridge.streaming.planting import broken, planted
from tidemark.spark_bridge.streaming.query import QueryDies, drive
from tidemark.spark_bridge.streaming.rows import Row, compare, simulator_rows, spark_rows
from tidemark.spark_bridge.streaming.server import Server

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
