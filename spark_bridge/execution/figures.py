"""The progress of Spark, by its own figures: stages, tasks, and the rows that its stages have read and exchanged."""

from collections import deque
from dataclasses import dataclass
from time import monotonic
from typing import Any

from pyspark import SparkContext
from tidemark.spark_bridge.stages import Work

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
