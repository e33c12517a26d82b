"""A scenario's operator over files, as far as check and run have it in common: open, lay out, plan, execute.

A scenario's operator over files, its rows written to a folder: whole, or not at all.

A check over files: both sides see the same records, Spark from its tables, the simulator as a stream.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

from pyspark import StorageLevel
from pyspark.sql import DataFrame, SparkSession
from tidemark.simulator.limits import CLOCKED_RECORDS
from tidemark.simulator.scenario.data.described import rows_left_out
from tidemark.simulator.scenario.model import Data, Scenario
from tidemark.simulator.words import words
from tidemark.spark_bridge.execution.engine import Execution
from tidemark.spark_bridge.execution.run import compared, progress_of
from tidemark.spark_bridge.execution.source import FileRecords
from tidemark.spark_bridge.files.errors import FilesError
from tidemark.spark_bridge.files.opening import own_stream
from tidemark.spark_bridge.files.request import Columns, Files
from tidemark.spark_bridge.files.sample import described
from tidemark.spark_bridge.files.stream import OwnStream, refused_records
from tidemark.spark_bridge.over_files.ordered import in_order
from tidemark.spark_bridge.over_files.records import OwnRecords, clocks_of, placed, sifted, staged, surveyed
from tidemark.spark_bridge.over_files.writing import Target, outcomes, write
from tidemark.spark_bridge.plan.batch import BatchPlan
from tidemark.spark_bridge.plan.coverage import MANY_CLOCKS, NotCovered, gaps_of, gaps_over_files
from tidemark.spark_bridge.plan.faults import Fault, faulty_plan
from tidemark.spark_bridge.plan.operators import KeyedPlan
from tidemark.spark_bridge.results.report import Report
from tidemark.spark_bridge.simulation.run import simulation
from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.spark.folders import temporary_folder
from tidemark.spark_bridge.spark.stages import Stages


@dataclass(frozen=True)
class Over:
    """``asked``: the columns asked for. ``kept``: what lies on the executors' disks until the end of ``opened``."""

    spark: SparkSession
    stream: OwnStream
    records: OwnRecords
    asked: Columns
    kept: list[DataFrame] = field(default_factory=list)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of how the files were read, in sentences."""
        guessed = (described(self.stream.columns, self.asked),) if self.stream.guessed else ()
        left_out = rows_left_out(self.records.unreadable)
        return (*guessed, *((left_out,) if left_out else ()))

    def plan(self, fault: Fault | None = None) -> BatchPlan:
        """What Spark carries out. Raises ``NotCovered``."""
        plan = faulty_plan(self.records.scenario, fault).on(session.parallelism())
        stream = self.records.scenario.stream
        assert isinstance(stream, Data)
        if not (isinstance(plan.operator, KeyedPlan) and plan.operator.ordered) or stream.known.at is None:
            return plan
        if plan.records > CLOCKED_RECORDS:
            raise NotCovered([MANY_CLOCKS])
        clocks = clocks_of(self.records.table)
        return replace(plan, clocks=clocks + clocks[-1:] * stream.end)

    def execution(self, plan: BatchPlan) -> Execution:
        """The batch engine on the records."""
        return Execution(self.spark, plan, FileRecords(lambda: self._placed(plan), sifted(self.records, plan)))

    def _placed(self, plan: BatchPlan) -> DataFrame:
        self.kept.append(self.records.table.persist(StorageLevel.DISK_ONLY))
        return placed(self.kept[-1], plan)


def files_beside(data: Data) -> Files:
    """The file of a scenario's own stream, as the bridge reads it."""
    given = data.columns
    columns = Columns(given.ts, given.ts_unit, given.zone, given.at, given.key, given.value, given.channel)
    return Files((str(data.file),), columns)


@contextmanager
def opened(
    scenario: Scenario, files: Files | None, place: str | None, stages: Stages, skip_unreadable: bool = False
) -> Iterator[Over]:
    """``scenario`` over ``files``, or over those of its own stream, in the session on ``place``.

    ``skip_unreadable``: records without a readable time may be left out; without it they are refused. Raises
    ``UnreadableRecords``, ``NotCovered``, ``FilesError``, ``CheckFails``, ``NoJava``, ``Cancelled``.
    """
    if gaps := gaps_over_files(scenario):
        raise NotCovered(gaps)
    if files is None:
        if not isinstance(scenario.stream, Data):
            raise FilesError("no_data", path=scenario.name)
        files = files_beside(scenario.stream)
    with own_stream(files, stages, place) as stream, in_order(stream) as ordered:
        stages.check()
        if ordered.parts.unreadable and ordered.records and not skip_unreadable:
            raise refused_records(stream, ordered.parts.unreadable, ordered.records)
        records = surveyed(scenario, ordered, files.paths)
        if gaps := gaps_of(records.scenario):
            raise NotCovered(gaps)
        stages.check()
        over = Over(stream.everything.sparkSession, stream, records, files.columns)
        try:
            yield over
        finally:
            if session.is_alive():
                for table in over.kept:
                    table.unpersist()


def require_local() -> None:
    """Raise ``ValueError`` unless Spark runs on this machine: only then the simulator reads what Spark has written."""
    if session.is_remote() or not session.current_place().startswith("local"):
        raise ValueError(words("own_run.needs_local", place=session.current_place()))


@dataclass(frozen=True)
class Written:
    """``rows``: how many rows of each outcome there are. ``notes``: what to know of how the files were read."""

    records: int
    rows: dict[str, int]
    way: str
    notes: tuple[str, ...]


def run_over(
    scenario: Scenario,
    files: Files | None,
    place: str | None,
    stages: Stages,
    folder: Path,
    format: str,
    *,
    skip_unreadable: bool = False,
) -> Written:
    """Write the rows of ``scenario`` over ``files`` to ``folder``, which does not exist yet or is empty.

    ``skip_unreadable``: see ``opened``. Raises ``UnreadableRecords``, ``NotCovered``, ``FilesError``, ``CheckFails``,
    ``NoJava``, ``Cancelled``.
    """
    target = Target(folder)
    with target as unfinished, opened(scenario, files, place, stages, skip_unreadable) as over:
        plan = over.plan()
        with stages.stage("spark"), over.execution(plan) as execution:
            rows = execution.keep(outcomes(execution.rows(), plan))
            counts = {row.outcome: row["count"] for row in rows.groupBy("outcome").count().collect()}
            stages.check()
            write(rows, unfinished, format)
        over.stream.require_unchanged()
        target.finish()
    return Written(plan.records, counts, plan.way, over.notes)


def check_over(
    scenario: Scenario,
    files: Files | None,
    place: str | None,
    stages: Stages,
    fault: Fault | None = None,
    sample: int = 1,
    skip_unreadable: bool = False,
) -> Report:
    """Run both sides of ``scenario`` over ``files``, or over those of its own stream, and compare them.

    ``sample``: check one key in so many. ``skip_unreadable``: see ``opened``. Leaves no files and no jobs behind.
    Raises ``UnreadableRecords``, ``NotCovered``, ``EngineFails``, ``FilesError``, ``CheckFails``, ``NoJava``,
    ``Cancelled``, ``ValueError``.
    """
    began = monotonic()
    with opened(scenario, files, place, stages, skip_unreadable) as over, temporary_folder("own") as staging:
        require_local()
        plan = replace(over.plan(fault), sample=sample)
        records = staged(over.records, staging / "records")
        stages.check()
        with (
            temporary_folder("check") as folder,
            simulation(records.scenario, folder, progress_of(plan, stages), sample=sample) as simulating,
        ):
            execution = over.execution(plan)
            report = compared(
                over.spark, records.scenario, plan, execution, simulating, folder, stages, fault=fault, began=began
            )
    return replace(report, notes=over.notes)
