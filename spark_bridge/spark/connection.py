"""What every way to Spark offers, and those by a Java process next to this one, whoever started that.

Spark's workers get the project's code as one archive, since a worker may run on a host that has no copy of it.
"""

import atexit
import shutil
import zipfile
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from time import monotonic
from typing import Any, Final
from uuid import uuid4

from pyspark import SparkContext
from pyspark.sql import SparkSession
from tidemark.spark_bridge.spark.folders import new_folder
from tidemark.spark_bridge.spark.stages import CheckFails, Work, failure_of

SETTINGS: Final = {
    "spark.sql.session.timeZone": "UTC",
    # Times are Java longs that wrap; if a sum could wrap, the bridge refuses the scenario beforehand.
    "spark.sql.ansi.enabled": "false",
    # Column names are ours; no setting of the session may change what they mean.
    "spark.sql.caseSensitive": "false",
    # A Parquet file with times in nanoseconds is read, as whole numbers; Spark refuses it otherwise.
    "spark.sql.legacy.parquet.nanosAsLong": "true",
}
"""The settings that the batch engine relies on in any session; a run sets more (``execution.engine``)."""


class Jobs(ABC):
    """The work that one check gives to Spark, marked by a tag."""

    def __init__(self) -> None:
        self.tag = f"tidemark-{uuid4()}"

    @abstractmethod
    def begin(self) -> None:
        """From now on, what this thread asks of Spark belongs to the check."""

    @abstractmethod
    def end(self) -> None:
        """From now on it no longer does."""

    @abstractmethod
    def cancel(self) -> None:
        """Cancel what is running; from any thread."""

    @abstractmethod
    def are_over(self) -> bool:
        """Whether no task is running any more, after ``cancel``."""

    def have_workers(self) -> bool:
        """Whether there is any executor to do the work, as far as Spark reports it."""
        return True

    @abstractmethod
    def figures(self) -> Work:
        """The progress of Spark, by its own figures; from any thread, but always the same one."""


class Connection(ABC):
    """A session that checks may use, one after another; ``place`` is the master or the address that it was asked for.

    ``session`` and ``parallelism`` (how many tasks Spark runs side by side) are set once it is open.
    """

    session: SparkSession
    parallelism: int

    def __init__(self, place: str) -> None:
        self.place = place

    @abstractmethod
    def open(self, stopped: Callable[[], bool]) -> None:
        """Raises ``NoJava``, ``CheckFails``, ``Cancelled``, or whatever Spark raises."""

    @property
    @abstractmethod
    def is_alive(self) -> bool:
        """Whether it can be used again."""

    def is_for(self, items: int) -> bool:
        """Whether it suits a check of that many items; what was not started here suits any."""
        return True

    @property
    def java_version(self) -> str:
        """The version of the Java that Spark's driver runs on."""
        row = self.session.sql("SELECT java_method('java.lang.System', 'getProperty', 'java.version')").first()
        assert row is not None
        return str(row[0])

    @abstractmethod
    def jobs(self) -> Jobs:
        """The work of one more check."""

    @abstractmethod
    def discard(self) -> None:
        """Close it at once, whatever its state; may be called again."""

    def kill(self) -> None:  # noqa: B027 - what was not started here is not ended
        """End what was started for it, from any thread. Whoever waits for it gets an error, and discards it."""

    def failure(self, error: Exception) -> CheckFails:
        """``error``, raised while it was used, in words for people."""
        return failure_of(error)


def settle(session: SparkSession) -> None:
    """Give a session that was not started here the settings that the bridge relies on."""
    for name, value in SETTINGS.items():
        session.conf.set(name, value)


def ship(session: SparkSession) -> None:
    """Send the code to the workers: they may run on hosts that have no copy of it.

    They keep it as long as the session.
    """
    session.addArtifact(str(_code()), pyfile=True)


@cache
def _code() -> Path:
    """The archive, as long as this process lives: workers of this host read it where it is."""
    folder = new_folder("code")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return archive(folder / "tidemark.zip")


PACKAGES = ("simulator", "spark_bridge")
"""What a keyed function needs on a worker; everything else that it imports is a library that the worker has."""


def archive(path: Path) -> Path:
    """Write the packages to ``path``, a zip file that Python can import from, and return it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(zipfile.ZipInfo("tidemark/__init__.py"), b"")
        for package in PACKAGES:
            _add(out, files(f"tidemark.{package}"), f"tidemark/{package}")
    return path


def _add(out: zipfile.ZipFile, folder: Traversable, name: str) -> None:
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        inside = f"{name}/{each.name}"
        if each.is_dir():
            if each.name != "__pycache__":
                _add(out, each, inside)
        elif each.name.endswith((".py", ".toml")):
            # A fixed time, so that the same code makes the same bytes.
            out.writestr(zipfile.ZipInfo(inside), each.read_bytes())


class ClassicJobs(Jobs):
    """The jobs of a Spark context that have the tag."""

    def __init__(self, context: SparkContext) -> None:
        super().__init__()
        self._context = context
        self._figures: Figures | None = None

    def begin(self) -> None:
        # The session's own tags (``addTag``) do not reach the jobs that a DataFrame's actions start.
        self._context.addJobTag(self.tag)
        self._context.setInterruptOnCancel(True)

    def end(self) -> None:
        self._context.removeJobTag(self.tag)
        self._context.setInterruptOnCancel(False)

    def cancel(self) -> None:
        self._context.cancelJobsWithTag(self.tag)

    def are_over(self) -> bool:
        executors = self._context._jsc.sc().statusTracker().getExecutorInfos()
        return not any(each.numRunningTasks() for each in executors)

    def have_workers(self) -> bool:
        if (self._context.master or "").startswith("local["):
            return True
        # The driver is in the list too.
        return int(self._context._jsc.sc().statusStore().executorList(True).size()) > 1

    def figures(self) -> Work:
        if self._figures is None:
            self._figures = Figures(self._context)
        return self._figures.now()


class Classic(Connection):
    """A session with a Spark context."""

    @property
    def java_version(self) -> str:
        """Asked of Java itself: a query, as behind a server, takes a third of a second."""
        java = self.session.sparkContext._jvm
        assert java is not None
        return str(java.System.getProperty("java.version"))

    def jobs(self) -> Jobs:
        return ClassicJobs(self.session.sparkContext)


_RATE_SECONDS = 4.0
"""The rate is that of the last few seconds, not of the whole run."""


@dataclass(slots=True)
class _Stage:
    tasks: int = 0
    done: int = 0
    rows: int = 0


class Figures:
    """Reads the figures of what a context runs.

    They come from Spark's status store, which exists without its UI as well.
    """

    def __init__(self, context: SparkContext) -> None:
        self._store: Any = context._jsc.sc().statusStore()
        self._stages: dict[int, _Stage] = {}
        self._running: set[int] = set()
        self._seen: deque[tuple[float, int]] = deque()

    def now(self) -> Work:
        """The figures at this moment."""
        active = self._store.activeStages()
        running = {}
        for place in range(active.size()):
            stage = active.apply(place)
            running[stage.stageId()] = stage
        for number in self._running - running.keys():
            self._take(number, self._store.lastStageAttempt(number))
        for number, stage in running.items():
            self._take(number, stage)
        self._running = set(running)
        rows = sum(each.rows for each in self._stages.values())
        latest = self._stages[max(running)] if running else _Stage()
        return Work(
            stages=len(self._stages) - len(running),
            running=len(running),
            tasks_done=latest.done,
            tasks=latest.tasks,
            rows=rows,
            rate=self._rate(rows),
        )

    def _take(self, number: int, stage: Any) -> None:
        rows = stage.inputRecords() + stage.shuffleReadRecords() + stage.shuffleWriteRecords()
        self._stages[number] = _Stage(stage.numTasks(), stage.numCompleteTasks(), rows)

    def _rate(self, rows: int) -> float:
        """Rows a second, over the last few seconds."""
        now = monotonic()
        self._seen.append((now, rows))
        while len(self._seen) > 2 and now - self._seen[1][0] >= _RATE_SECONDS:
            self._seen.popleft()
        began, before = self._seen[0]
        return (rows - before) / (now - began) if now > began else 0.0


def running_master() -> str | None:
    """The master of the Spark context of this process; None if there is none."""
    context = SparkContext._active_spark_context
    return None if context is None or context._jsc is None else context.master


class Existing(Classic):
    """A new session of the running Spark context, with settings and shipped code of its own."""

    def open(self, stopped: Callable[[], bool]) -> None:
        master = running_master()
        if master is None or self.place not in ("", master):
            raise CheckFails("other_master", running=str(master), asked=self.place)
        self._context = SparkContext._active_spark_context
        self.session = (SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()).newSession()
        settle(self.session)
        ship(self.session)
        self.parallelism = self.session.sparkContext.defaultParallelism

    @property
    def is_alive(self) -> bool:
        """A new context in its place makes it another session."""
        return self._context is SparkContext._active_spark_context and running_master() is not None

    def discard(self) -> None:
        """Nothing is ended, as everything belongs to the caller."""
