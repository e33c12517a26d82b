"""Spark for scripts and notebooks: a stream in a DataFrame profiled, and a scenario computed by Spark and compared.

A session that exists is used, and never stopped. Without one, ``verify`` starts a Java of its own, which ends with the
process.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from threading import Event
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from tidemark.ui.extras import require
from tidemark.ui.python.frames import InputError, length_of, lengths_of, named, whole_number
from tidemark.ui.python.runs import Scenario

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from tidemark.spark_bridge.profile.profile import Profile
    from tidemark.spark_bridge.results.report import Report

PUBLIC: Final = ("StreamProfile", "profile", "verify")


def __dir__() -> list[str]:
    return sorted(PUBLIC)


_FEW: Final = 20_000
"""With at most so many rows, Spark's settings are those for a small file."""


@dataclass(frozen=True)
class StreamProfile:
    """What a stream is like; ``print`` shows it as the command ``profile`` does. ``figures`` has everything.

    >>> import tidemark
    >>> found = tidemark.spark.profile(df, "ts")
    >>> found.as_json()["records"], sorted(found.charts())
    (4, ['delay', 'loss'])
    """

    figures: "Profile"

    def __repr__(self) -> str:
        from tidemark.spark_bridge.profile.profile import as_text

        return as_text(self.figures)

    def as_json(self) -> dict[str, Any]:
        """The figures as plain data: those of ``profile --json``."""
        return self.figures.as_json()

    def charts(self) -> dict[str, Any]:
        """Altair charts by name: ``delay`` over time, ``loss`` against wait, ``holders`` of the watermark."""
        from tidemark.spark_bridge.profile.report import pictures

        return pictures(self.figures)


def profile(
    df: "DataFrame",
    time: str,
    *,
    arrival: str | None = None,
    partition: str | None = None,
    key: str | None = None,
    bounds: Sequence[str | int | timedelta] = (),
    window: str | int | timedelta | None = None,
    lateness: str | int | timedelta = "0s",
) -> StreamProfile:
    """How late the records of a DataFrame of Spark are, what each bound would lose, and which causes are at work.

    ``df`` may be of any origin (Delta, Iceberg, Kafka, a query). ``time``, ``arrival``, ``partition``, ``key``: names
    of its columns; without ``arrival`` the order is that in which Spark reads the rows. ``bounds``: of which the share
    of late records is wanted; ``window`` and ``lateness``: of tumbling windows, whose losses are counted.

    Raises ``InputError`` for what is no such DataFrame, and what the command ``profile`` refuses, as ``CheckFails``.

    >>> import tidemark
    >>> found = tidemark.spark.profile(df, "ts", arrival="at", partition="p", bounds=["1s", "10s"])
    >>> [each.channel for each in found.figures.channels]
    ['x', 'y']
    """
    require("spark")
    from tidemark.spark_bridge.files.request import BYTES, VIEW, Columns, Files
    from tidemark.spark_bridge.profile.profile import ProfileRequest
    from tidemark.spark_bridge.profile.run import profile_files
    from tidemark.spark_bridge.spark.stages import Stages

    if not hasattr(df, "createOrReplaceGlobalTempView"):
        raise InputError("of_other", found=type(df).__name__)
    for name in filter(None, (time, arrival, partition, key)):
        count = df.columns.count(name)
        if count != 1:
            word = "column_twice" if count else "no_column"
            raise InputError(word, name=name, count=count, known=", ".join(df.columns))
    request = ProfileRequest(
        tuple(lengths_of(bounds, "bounds")),
        length_of(lateness, "lateness"),
        None if window is None else length_of(window, "window"),
        course=True,
    )
    with _view(df) as view:
        # What a plan says of its size is no more than a guess; that a DataFrame is small is soon counted.
        if not (count := df.limit(_FEW + 1).count()):
            raise InputError("few_rows")
        size = {BYTES: "0"} if count <= _FEW else {}
        files = Files((view,), Columns(ts=time, at=arrival, key=key, channel=partition), VIEW, size)
        found, _, _ = profile_files(files, request, Stages(None, Event()))
    return StreamProfile(found)


@contextmanager
def _view(df: "DataFrame") -> Iterator[str]:
    """The name by which another session of the same Spark reads ``df``."""
    name = f"tidemark_{uuid4().hex}"
    df.createOrReplaceGlobalTempView(name)
    try:
        yield f"global_temp.{name}"
    finally:
        df.sparkSession.catalog.dropGlobalTempView(name)


def verify(scenario: Scenario, spark: "SparkSession | None" = None, *, events: int | None = None) -> "Report":
    """Have Spark compute a scenario another way, and compare the rows. ``equal`` of the report says what came out.

    ``spark``: the session to use, by default the one that is running, else a new one. ``events``: so many records, as
    they suit the scenario, in place of its own. Raises what ``verify`` refuses: ``NotCovered``, ``NoJava``,
    ``CheckFails``.

    >>> import tidemark
    >>> tidemark.spark.verify(tidemark.load("late-and-dropped"), spark).equal
    True
    """
    require("spark")
    from tidemark.spark_bridge import check
    from tidemark.spark_bridge.spark.folders import end_with_process

    if not isinstance(scenario, Scenario):
        raise InputError("no_scenario", found=named(scenario))
    if events is not None and (whole_number(events) or 0) < 1:
        raise InputError("no_events", found=named(events))
    if spark is None:
        end_with_process()
    elif not hasattr(spark, "newSession"):
        raise InputError("no_session", found=type(spark).__name__)
    return check(scenario.model, events)
