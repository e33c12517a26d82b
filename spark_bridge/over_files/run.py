"""A scenario's operator over files: opened, laid out, planned, executed, and its rows written or checked.

They are written to a folder for each outcome, whole or not at all. In a check both sides see the same records, Spark
from its tables, the simulator as a stream.
"""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import takewhile
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Final

from pyspark import StorageLevel
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.limits import CLOCKED_RECORDS
from tidemark.simulator.scenario.data.columns import rows_left_out
from tidemark.simulator.scenario.model import Data, Scenario
from tidemark.simulator.words import words
from tidemark.spark_bridge.execution.engine import Execution
from tidemark.spark_bridge.execution.run import compared, progress_of
from tidemark.spark_bridge.execution.source import FileRecords
from tidemark.spark_bridge.files.opening import files_as_stream
from tidemark.spark_bridge.files.request import Columns, Files, FilesError
from tidemark.spark_bridge.files.sample import described
from tidemark.spark_bridge.files.stream import FileStream, refused_records
from tidemark.spark_bridge.over_files.records import InputRecords, clocks_of, in_order, placed, sifted, staged, surveyed
from tidemark.spark_bridge.plan.batch import BatchPlan
from tidemark.spark_bridge.plan.coverage import MANY_CLOCKS, NotCovered, gaps_of, gaps_over_files
from tidemark.spark_bridge.plan.faults import Fault, faulty_plan
from tidemark.spark_bridge.plan.operators import KeyedPlan
from tidemark.spark_bridge.results.report import Report
from tidemark.spark_bridge.simulation.run import simulation
from tidemark.spark_bridge.spark import session
from tidemark.spark_bridge.spark.folders import temporary_folder
from tidemark.spark_bridge.spark.stages import Stages

OUTCOMES: Final = ("on-time", "early", "late-firing", "late", "dropped")
"""What a row is, and the folders ``outcome=…``: results at their time, before it and after it, and records that came
too late, sent to the side output or dropped."""

_WITHOUT_TIME: Final = ("late", "dropped", "emitted", "ranked")
"""Rows that have the ``ts`` of their record, not the ``timestamp`` of a result."""

_ROOM: Final = 2**20
"""With fewer bytes left a disk is full."""


class Target(AbstractContextManager[Path]):
    """A folder that gets its name once it is complete: until ``finish`` what is written lies beside it.

    Raises ``FilesError`` if it cannot be made, or has anything in it.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = Path(os.path.abspath(folder))
        self._unfinished: Path | None = None
        self._made: list[Path] = []
        self._finished = False

    def __enter__(self) -> Path:
        folder = self._folder
        try:
            if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
                raise FilesError("target_no_folder", path=str(folder))
            if folder.is_dir() and any(folder.iterdir()):
                raise FilesError("target_not_empty", path=str(folder))
            self._made = list(takewhile(lambda above: not above.exists(), folder.parents))
            above = folder.parents[len(self._made)]
            if not above.is_dir():
                raise FilesError("target_no_folder", path=str(above))
            folder.parent.mkdir(parents=True, exist_ok=True)
            self._unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        except OSError as error:
            self._remove_made()
            raise FilesError("target_not_made", path=str(folder), reason=error.strerror or str(error)) from error
        return self._unfinished / "rows"

    def finish(self) -> None:
        """Everything is written: give it its name."""
        assert self._unfinished is not None
        rows = self._unfinished / "rows"
        for note in (*rows.rglob("_SUCCESS"), *rows.rglob(".*.crc")):
            note.unlink()
        try:
            os.replace(rows, self._folder)
        except OSError as error:
            raise FilesError("target_not_made", path=str(self._folder), reason=error.strerror or str(error)) from error
        self._finished = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._unfinished is not None:
            shutil.rmtree(self._unfinished, ignore_errors=True)
        if not self._finished:
            self._remove_made()

    def _remove_made(self) -> None:
        """Remove the folders above that were not there before, unless somebody else has put something into them."""
        with suppress(OSError):
            for above in self._made:
                above.rmdir()


def outcomes(rows: DataFrame, plan: BatchPlan) -> DataFrame:
    """``rows``, in the columns of ``canonical``, as they are written: members as in the contract, and ``outcome``."""
    timing = F.when(F.col("timing") == "late", "late-firing").otherwise(F.coalesce("timing", F.lit("on-time")))
    is_result = ~F.col("row").isin("late", "dropped")
    has_ts = F.col("row").isin(*_WITHOUT_TIME)
    operator = plan.scenario.operator
    members: dict[str, Column] = {
        "row": F.col("row"),
        "key": F.get_json_object(F.concat(F.lit("["), F.col("key"), F.lit("]")), "$[0]"),
        "start": F.col("start"),
        "end": F.col("end"),
        "timing": F.col("timing"),
        "rank" if operator.row_ranked else "pane": F.col("pane"),
        "change": F.col("change"),
        "timestamp": F.when(~has_ts, F.col("time")),
        "ts": F.when(has_ts, F.col("time")),
        "value": _value(plan),
        **({"own": _own(plan)} if operator.aggregates_rows else {}),
        "watermark": F.when(F.col("watermark") != F.lit(MIN), F.col("watermark")),
        "at": F.col("at"),
        "item": F.col("item"),
        "input": F.col("input"),
        "outcome": F.when(is_result, timing).otherwise(F.col("row")),
    }
    return rows.select(*(column.alias(name) for name, column in members.items()))


def _value(plan: BatchPlan) -> Column:
    """The value of a row: that of a record, or the result over those of many."""
    compute = plan.scenario.operator.compute
    kind = "text" if compute == "collect" else _values(plan)
    return _plain(
        "number" if kind == "whole" and compute == "avg" else kind, F.col("value_text"), F.col("value_number")
    )


def _own(plan: BatchPlan) -> Column:
    """The record's own value beside an aggregate."""
    return _plain(_values(plan), F.col("own"), F.lit(None).cast("double"))


def _values(plan: BatchPlan) -> str:
    """What the values of all records are (``Known.values``)."""
    stream = plan.scenario.stream
    assert isinstance(stream, Data)
    return stream.known.values


def _plain(kind: str, text: Column, number: Column) -> Column:
    """Whole numbers or doubles where all values of all rows are such; else the text, lists as JSON."""
    if kind == "whole":
        return text.cast("bigint")
    if kind != "text":
        return F.coalesce(number, text.cast("double"))
    as_text = F.coalesce(text, number.cast("string"))
    plain = F.get_json_object(F.concat(F.lit("["), as_text, F.lit("]")), "$[0]")
    return F.when(as_text.startswith("["), as_text).otherwise(plain)


def write(rows: DataFrame, folder: Path, format: str) -> None:
    """Write ``rows`` to ``folder``, in a folder ``outcome=…`` each. Raises ``FilesError`` when the disk is full."""
    writer = rows.write.partitionBy("outcome")
    if format == "csv":
        writer = writer.option("header", "true")
    try:
        writer.format("json" if format == "jsonl" else format).save(folder.as_uri())
    except Exception as error:
        # Spark says that some disk is full, not which: its own temporary files lie elsewhere.
        if shutil.disk_usage(folder.parent).free < _ROOM:
            raise FilesError("target_full", path=str(folder.parent.parent)) from error
        raise


@dataclass(frozen=True)
class Over:
    """``requested``: the columns asked for. ``persisted``: what is on disk until the end of ``opened``."""

    spark: SparkSession
    stream: FileStream
    records: InputRecords
    requested: Columns
    persisted: list[DataFrame] = field(default_factory=list)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of how the files were read, in sentences."""
        guessed = (described(self.stream.columns, self.requested),) if self.stream.guessed else ()
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
        self.persisted.append(self.records.table.persist(StorageLevel.DISK_ONLY))
        return placed(self.persisted[-1], plan)


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
    with files_as_stream(files, stages, place) as stream, in_order(stream) as ordered:
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
                for table in over.persisted:
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
