"""The stages of a check: the session, both sides beside each other, the comparison."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from time import monotonic

from pyspark.sql import DataFrame

from simulator.scenario.model import Scenario
from spark_bridge.canonical import RESULTS
from spark_bridge.execution.compare import compare
from spark_bridge.execution.distributions import distributions
from spark_bridge.execution.engine import Execution
from spark_bridge.execution.planting import plant
from spark_bridge.execution.stopping import watched
from spark_bridge.faults import BEARERS, Fault, broken
from spark_bridge.plan import BatchPlan, KeyedPlan, plan_of
from spark_bridge.report import Report
from spark_bridge.session import java_release, open_session
from spark_bridge.simulate import simulation
from spark_bridge.stages import Stages


def run(
    scenario: Scenario, engine: str, master: str | None, stages: Stages, fault: Fault | None, distributed: bool = False
) -> Report:
    """Both sides of a scenario that is covered, compared. Leaves no files and no jobs behind.

    ``distributed``: with the distributions of the stream and its results.
    Raises ``Cancelled``, ``EngineFails``, ``NoJava``, ``CheckFails``.
    """
    began = monotonic()
    plan = plan_of(broken(scenario, fault))
    with (
        tempfile.TemporaryDirectory(prefix="tidemark-") as folder,
        simulation(scenario, Path(folder), _told(plan, stages)) as simulating,
    ):
        with stages.stage("session"):
            spark = open_session(master, stages.cancelled.is_set)
        with watched(spark, simulating, stages), Execution(spark, plan) as execution:
            with stages.stage("spark"):
                rows = _materialized(execution.rows())
                if fault in BEARERS:
                    rows = plant(spark, rows, fault)
            stages.seconds["simulator"] = simulating.wait()
            with stages.stage("compare"):
                outcome = compare(spark.read.parquet(Path(folder).as_uri()), rows)
                shape = None
                if distributed and execution.records is not None:
                    shape = distributions(execution.records, rows, plan)
            versions = spark.version, java_release(spark)
    return Report(
        scenario=scenario.name,
        engine=engine,
        way="keyed" if isinstance(plan.operator, KeyedPlan) else "native",
        events=plan.records,
        panes=sum(number for kind, number in outcome.counts["simulator"].items() if kind in RESULTS),
        differing=outcome.differing,
        differences=outcome.differences,
        seconds=monotonic() - began,
        spark_version=versions[0],
        java_version=versions[1],
        stages=stages.seconds,
        counts=outcome.counts,
        distributions=shape,
    )


def _materialized(rows: DataFrame) -> DataFrame:
    """``rows`` (persisted) with the work done now, so that comparing does not take the blame for its seconds."""
    rows.count()
    return rows


def _told(plan: BatchPlan, stages: Stages) -> Callable[[int], None]:
    items = plan.chunks.items
    return lambda item: stages.tell("simulator", min(item + 1, items), items)
