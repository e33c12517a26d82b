"""The stages of a check: the session, both sides side by side, the comparison.

A fault planted in Spark's rows: one row taken out, something else put in its place.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from time import monotonic

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import words
from tidemark.spark_bridge.execution.compare import compare, digests_of, distributions
from tidemark.spark_bridge.execution.engine import Execution
from tidemark.spark_bridge.execution.rows import SCHEMA, sample_of
from tidemark.spark_bridge.plan.batch import BatchPlan
from tidemark.spark_bridge.plan.faults import BEARERS, Fault, faulty_plan, planted
from tidemark.spark_bridge.results.canonical import COLUMNS, RESULTS
from tidemark.spark_bridge.results.report import Report
from tidemark.spark_bridge.simulation.run import Simulation, boundaries_in, digests_in, rows_in, simulation
from tidemark.spark_bridge.spark.folders import temporary_folder
from tidemark.spark_bridge.spark.jobs import watched
from tidemark.spark_bridge.spark.session import java_version, open_session, parallelism
from tidemark.spark_bridge.spark.stages import Stages


def run(
    scenario: Scenario,
    engine: str,
    master: str | None,
    stages: Stages,
    fault: Fault | None,
    distributed: bool = False,
    sample: int = 1,
) -> Report:
    """Run both sides of a covered scenario and compare them. Leaves no files and no jobs behind.

    ``distributed``: compute the distributions of the stream and its results as well. ``sample``: check one key in so
    many. Raises ``Cancelled``, ``EngineFails``, ``NoJava``, ``CheckFails``.
    """
    began = monotonic()
    plan = replace(faulty_plan(scenario, fault), sample=sample)
    with (
        temporary_folder("check") as folder,
        simulation(scenario, folder, progress_of(plan, stages), sample=sample) as simulating,
    ):
        with stages.stage("session"):
            spark = open_session(master, stages.cancelled.is_set, plan.chunks.items)
        plan = plan.on(parallelism())
        execution = Execution(spark, plan)
        return compared(
            spark,
            scenario,
            plan,
            execution,
            simulating,
            folder,
            stages,
            engine=engine,
            fault=fault,
            distributed=distributed,
            began=began,
        )


def compared(
    spark: SparkSession,
    scenario: Scenario,
    plan: BatchPlan,
    execution: Execution,
    simulating: Simulation,
    folder: Path,
    stages: Stages,
    *,
    began: float,
    engine: str = "batch",
    fault: Fault | None = None,
    distributed: bool = False,
) -> Report:
    """Carry out ``plan`` beside the simulation that writes to ``folder``, and compare their rows.

    ``began``: when the check did, by the monotonic clock (s). Raises as ``run``.
    """
    with watched(simulating, stages), execution:
        with stages.stage("spark"):
            rows = execution.rows()
            if fault in BEARERS:
                rows = plant(spark, execution.keep(rows), fault)
            elif distributed:
                rows = execution.keep(rows)
            found = digests_of(rows)
        stages.seconds["simulator"] = simulating.wait()
        with stages.stage("compare"):
            again = _again(spark, scenario, plan, stages)
            outcome = compare(digests_in(folder), found, rows, again)
            shape = None
            if distributed and execution.records is not None:
                shape = distributions(execution.records(), rows, plan)
            sample = None if execution.keys is None else sample_of(execution.keys(), plan)
        versions = spark.version, java_version()
    if sample is not None and sample.keys and not sample.checked:
        raise ValueError(words("spark.no_key_in_sample", sample=sample.one_in, keys=f"{sample.keys:,}"))
    return Report(
        scenario=scenario.name,
        engine=engine,
        way=plan.way,
        events=plan.records,
        panes=sum(number for kind, number in outcome.counts["simulator"].items() if kind in RESULTS),
        differing=outcome.differing,
        differences=outcome.differences,
        seconds=monotonic() - began,
        spark_version=versions[0],
        java_version=versions[1],
        stages=stages.seconds,
        counts=outcome.counts,
        at_least=outcome.at_least,
        distributions=shape,
        sample=sample,
        boundaries=boundaries_in(folder),
    )


def _again(
    spark: SparkSession, scenario: Scenario, plan: BatchPlan, stages: Stages
) -> Callable[[frozenset[int]], DataFrame]:
    """A second run of the simulator, for the rows of some buckets; from here they go to Spark."""

    def rows(buckets: frozenset[int]) -> DataFrame:
        with (
            temporary_folder("check") as folder,
            simulation(scenario, folder, progress_of(plan, stages), buckets, sample=plan.sample) as simulating,
        ):
            simulating.wait(stages.cancelled.is_set)
            return spark.createDataFrame(rows_in(folder))

    return rows


def progress_of(plan: BatchPlan, stages: Stages) -> Callable[[int], None]:
    """Reports the item that the simulator has reached."""
    items = plan.chunks.items
    return lambda item: stages.tell("simulator", min(item + 1, items), items)


_LOOKED_AT = 200
"""At most this many rows that may be able to carry a fault come to the driver."""


def plant(spark: SparkSession, rows: DataFrame, fault: Fault) -> DataFrame:
    """``rows`` with the fault in one row, always the same one; unchanged if none can carry it."""
    bearer = BEARERS[fault]
    late_first = [F.col("timing") != "late"] if bearer.late_first else []
    able = rows.where(F.col("row").isin(*bearer.kinds))
    if bearer.timing is not None:
        able = able.where(F.col("timing") == bearer.timing)
    seen = able.orderBy(*late_first, F.xxhash64(*COLUMNS)).limit(_LOOKED_AT).collect()
    chosen = next((tuple(each) for each in seen if bearer.fit(dict(zip(COLUMNS, each, strict=True)))), None)
    if chosen is None:
        return rows
    is_chosen = _is(chosen)
    # Rows may be equal to the last member (a sorted record that came twice): one of them is taken out.
    equal = rows.where(is_chosen).count()
    put_in = planted(chosen, fault) + [chosen] * (equal - 1)
    return rows.where(~is_chosen).unionAll(spark.createDataFrame(put_in, SCHEMA))


def _is(columns: tuple[object, ...]) -> Column:
    same = F.lit(True)
    for name, value in zip(COLUMNS, columns, strict=True):
        same &= F.col(name).eqNullSafe(F.lit(value))
    return same
