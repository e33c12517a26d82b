"""A session in a Java process next to this one, whoever started that.

The progress of Spark, by its own figures: stages, tasks, and the rows that its stages have read and exchanged.

A session that the calling program has already: it is used and left as it was.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession
from tidemark.spark_bridge.spark.connection import Connection, Jobs, settle, ship
from tidemark.spark_bridge.spark.failures import CheckFails
from tidemark.spark_bridge.spark.stages import Work


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
