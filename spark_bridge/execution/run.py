"""The stages of a check: the session, both sides beside each other, the comparison."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from uuid import uuid4

from pyspark.sql import DataFrame, SparkSession

from simulator.scenario.model import Scenario
from spark_bridge.canonical import RESULTS
from spark_bridge.execution.compare import compare
from spark_bridge.execution.engine import Execution
from spark_bridge.execution.planting import plant
from spark_bridge.faults import Fault
from spark_bridge.plan import BatchPlan, KeyedPlan, plan_of
from spark_bridge.report import Report
from spark_bridge.session import java_release, open_session
from spark_bridge.simulate import Simulation, simulation
from spark_bridge.stages import Cancelled, Stages

_POLL_SECONDS = 0.2


def run(scenario: Scenario, engine: str, master: str | None, stages: Stages, fault: Fault | None) -> Report:
    """Both sides of a scenario that is covered, compared. Raises ``Cancelled``; leaves no files and no jobs behind."""
    began = monotonic()
    plan = plan_of(scenario)
    with (
        tempfile.TemporaryDirectory(prefix="tidemark-") as folder,
        simulation(plan.scenario, Path(folder), _told(plan, stages)) as simulating,
    ):
        with stages.stage("session"):
            spark = open_session(master)
        with _stopped_when_cancelled(spark, simulating, stages), Execution(spark, plan) as execution:
            with stages.stage("spark"):
                rows = _materialized(execution.rows())
                if fault is not None:
                    rows = plant(spark, rows, fault)
            stages.seconds["simulator"] = simulating.wait()
            with stages.stage("compare"):
                outcome = compare(spark.read.parquet(Path(folder).as_uri()), rows)
        java = java_release(spark)
    return Report(
        scenario=scenario.name,
        engine=engine,
        way="keyed" if isinstance(plan.operator, KeyedPlan) else "native",
        events=plan.records,
        panes=sum(number for kind, number in outcome.counts["simulator"].items() if kind in RESULTS),
        differing=outcome.differing,
        differences=outcome.differences,
        seconds=monotonic() - began,
        spark_version=spark.version,
        java_version=java,
        stages=stages.seconds,
        counts=outcome.counts,
    )


def _materialized(rows: DataFrame) -> DataFrame:
    """``rows`` (persisted) with the work done now, so that comparing does not take the blame for its seconds."""
    rows.count()
    return rows


def _told(plan: BatchPlan, stages: Stages) -> Callable[[int], None]:
    items = plan.chunks.items
    return lambda item: stages.tell("simulator", min(item + 1, items), items)


@contextmanager
def _stopped_when_cancelled(spark: SparkSession, simulating: Simulation, stages: Stages) -> Iterator[None]:
    """Ends both sides once the check is cancelled, and turns what they say to that into ``Cancelled``."""
    # The session's own tags (``addTag``) do not reach the jobs that a DataFrame's actions start; the context's do.
    jobs, tag, done = spark.sparkContext, f"tidemark-{uuid4()}", Event()

    def watch() -> None:
        while not done.wait(_POLL_SECONDS):
            if stages.cancelled.is_set():
                simulating.stop()
                jobs.cancelJobsWithTag(tag)

    watcher = Thread(target=watch, daemon=True)
    jobs.addJobTag(tag)
    jobs.setInterruptOnCancel(True)
    watcher.start()
    try:
        yield
    except Exception as error:
        if stages.cancelled.is_set():
            raise Cancelled from error
        raise
    finally:
        done.set()
        watcher.join()
        jobs.removeJobTag(tag)
        jobs.setInterruptOnCancel(False)
