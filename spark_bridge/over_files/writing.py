"""The rows of a run in files of Parquet, CSV or JSON Lines, a folder for each outcome."""

import os
import shutil
import tempfile
from contextlib import AbstractContextManager, suppress
from itertools import takewhile
from pathlib import Path
from types import TracebackType
from typing import Final

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from tidemark.simulator.engine.values.time import MIN
from tidemark.simulator.scenario.model import Data
from tidemark.spark_bridge.files.errors import FilesError
from tidemark.spark_bridge.plan.batch import BatchPlan

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
