"""Checks in the background: they continue when the page is closed, and a link finds them again."""

import atexit
import contextlib
import json
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, Final
from uuid import uuid4

from tidemark.simulator.proof import spark_checks
from tidemark.simulator.proof.spark_checks import FOUND
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import current_language, words
from tidemark.ui.server.background import PATIENCE_SECONDS, Queue, Task, queue
from tidemark.ui.server.bridge import bridge
from tidemark.ui.server.cache import keeping
from tidemark.ui.server.roles import is_teacher

FOLDER: Final = FOUND / "spark-runs"

KEPT: Final = 60
"""The number of finished jobs that are kept; the oldest are removed first."""

MOST_BYTES: Final = 1_000_000
_WHOLE: Final = ("events", "panes", "differing")
_TEXTS: Final = ("engine", "way", "spark_version", "java_version")


@dataclass(frozen=True)
class Difference:
    """A row on which the sides disagree; None for a side that has none. ``members``: the fields that differ."""

    simulator: Mapping[str, Any] | None
    spark: Mapping[str, Any] | None
    members: tuple[str, ...]


@dataclass(frozen=True)
class Result:
    """The result of a check as the page shows it, from the bridge's report or from a file."""

    engine: str
    way: str
    events: int
    panes: int
    differing: int
    seconds: float
    spark_version: str
    java_version: str
    counts: Mapping[str, Mapping[str, int]]
    differences: tuple[Difference, ...] = ()
    stages: Mapping[str, float] = field(default_factory=dict)
    distributions: Mapping[str, Any] | None = None

    @property
    def equal(self) -> bool:
        """Whether both sides emitted the same rows."""
        return self.differing == 0

    @property
    def rows(self) -> int:
        """The number of compared rows of each side."""
        return max((sum(side.values()) for side in self.counts.values()), default=self.panes)


def plain(report: Any) -> dict[str, Any]:
    """The bridge's report, or a ``Result``, as plain data."""
    shape = report.distributions
    if shape is not None and not isinstance(shape, Mapping):
        shape = shape.as_json()
    return {
        **{name: getattr(report, name) for name in (*_TEXTS, *_WHOLE, "seconds")},
        "counts": {side: dict(kinds) for side, kinds in report.counts.items()},
        "differences": [[each.simulator, each.spark, list(each.members)] for each in report.differences],
        "stages": dict(report.stages),
        "distributions": None if shape is None else dict(shape),
    }


def result_of(found: Mapping[str, Any]) -> Result:
    """The result from plain data. Raises ``KeyError``, ``TypeError`` or ``ValueError`` for anything else."""
    whole: dict[str, Any] = {name: _whole(found[name]) for name in _WHOLE}
    texts: dict[str, Any] = {name: _text(found[name]) for name in _TEXTS}
    differences = tuple(
        Difference(_row(ours), _row(theirs), tuple(map(_text, members)))
        for ours, theirs, members in found["differences"]
    )
    counts = {side: {_text(kind): _whole(n) for kind, n in kinds.items()} for side, kinds in found["counts"].items()}
    return Result(
        **whole,
        **texts,
        seconds=float(found["seconds"]),
        counts=counts,
        differences=differences,
        stages={_text(name): float(seconds) for name, seconds in found["stages"].items()},
        distributions=_shape(found["distributions"]),
    )


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise TypeError(value)
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _row(value: Any) -> Mapping[str, Any] | None:
    if value is not None and not (isinstance(value, dict) and "row" in value):
        raise TypeError(value)
    return value


def _shape(value: Any) -> Mapping[str, Any] | None:
    if value is None:
        return None
    numbers = {name: _whole(value[name]) for name in ("delay_width", "keys", "results_width")}
    if not numbers["delay_width"] or not numbers["results_width"]:
        raise ValueError(numbers)
    tables = {name: _table(value[name], width) for name, width in (("delays", 4), ("firings", 2), ("results", 2))}
    top = [(_text(key), _whole(number)) for key, number in value["top"]]
    return {**numbers, **tables, "top": top}


def _table(rows: Any, width: int) -> list[tuple[int, ...]]:
    made = [tuple(row) for row in rows]
    if any(len(row) != width or any(type(each) is not int for each in row) for row in made):
        raise TypeError(rows)
    return made


def read_all(folder: Path) -> tuple[list[dict[str, Any]], int]:
    """The files of ``folder`` as plain data, oldest first, and the number of unreadable ones."""
    found, broken = [], 0
    for path in _files(folder):
        try:
            if path.stat().st_size > MOST_BYTES:
                raise ValueError(path)
            value = json.loads(path.read_text(encoding="utf-8"))
            if not isinstance(value, dict):
                raise TypeError(path)
            found.append(value)
        except (OSError, ValueError, TypeError, RecursionError):
            broken += 1
    return found, broken


def write(folder: Path, id: str, value: Mapping[str, Any]) -> None:
    """Save ``value`` whole or not at all, whoever else writes; if the folder cannot be written, not at all."""
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(value, ensure_ascii=False)
        if len(text.encode()) > MOST_BYTES:
            return
        handle, unfinished = tempfile.mkstemp(dir=folder, prefix=".unfinished-")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(unfinished, folder / f"{id}.json")
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise


def forget_old(folder: Path) -> None:
    """Remove the oldest files beyond ``KEPT``."""
    for path in _files(folder)[:-KEPT]:
        with contextlib.suppress(OSError):
            path.unlink()


def _files(folder: Path) -> list[Path]:
    """Oldest first."""

    def aged() -> Iterator[tuple[int, Path]]:
        for path in folder.glob("*.json"):
            with contextlib.suppress(OSError):  # removed since it was listed
                yield path.stat().st_mtime_ns, path

    return [path for _, path in sorted(aged())]


class WarmUp:
    """One small check, invisible to readers. A check requested meanwhile waits for it; starting Spark itself would take
    about as long."""

    def __init__(self) -> None:
        self._stop = Event()
        self._lock = Lock()
        self._needed = True
        self._thread: Thread | None = None
        self.done = False

    def begin(self, check: Callable[..., Any]) -> None:
        """Call ``check(cancelled=…)`` in the background, unless a check has been started or requested before."""
        with self._lock:
            if not self._needed:
                return
            self._needed = False
            self._thread = Thread(target=self._run, args=(check,), name="spark-warm-up", daemon=True)
            self._thread.start()

    def is_needless(self) -> None:
        """A real check starts, and starts Spark itself."""
        with self._lock:
            self._needed = False

    def end(self, seconds: float) -> None:
        """Stop it with everything that it started; waits at most this many seconds."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(seconds)

    def _run(self, check: Callable[..., Any]) -> None:
        with suppress(Exception):  # the check that somebody requests reports the error
            check(cancelled=self._stop)
            self.done = True


STATES = ("waiting", "running", "done", "cancelled", "failed", "interrupted")
"""``interrupted``: the app ended while the job waited or ran."""


@dataclass(frozen=True)
class Asked:
    """What to check. ``of`` identifies the scenario, ``address`` is the part of a link that opens it.

    ``language``: the requester's, for error messages.
    """

    of: str
    title: str
    address: tuple[str, str]
    events: int | None = None
    engine: str = "batch"
    fault: str | None = None
    language: str = field(default_factory=current_language)


@dataclass
class Job(Task):
    """One check: the request, the progress, the result (a ``Result``). ``work``: what Spark reports meanwhile."""

    id: str
    asked: Asked
    asked_at: datetime
    work: Any = None

    @property
    def stopped(self) -> bool:
        """Whether it ended without a result and without a failure."""
        return self.state in ("cancelled", "interrupted")

    @property
    def found_the_planted(self) -> bool:
        """Whether the sides differ because of the planted fault."""
        return self.asked.fault is not None and self.result is not None and not self.result.equal

    def tell_work(self, work: Any) -> None:
        """The bridge reports Spark's own metrics; from any thread."""
        self.work = work

    def as_json(self) -> dict[str, Any]:
        """The job as it is kept on disk and downloaded by the reader."""
        asked = {name: getattr(self.asked, name) for name in self.asked.__dataclass_fields__}
        own = {"id": self.id, "asked_at": self.asked_at.isoformat(timespec="seconds"), "state": self.state}
        return {
            **own,
            "asked": asked,
            "took": self.took,
            "stages": self.stages,
            "problem": self.problem,
            "result": None if self.result is None else plain(self.result),
        }


def job_of(found: Mapping[str, Any]) -> Job:
    """A job of an earlier run of the app. Raises ``KeyError``, ``TypeError`` or ``ValueError`` for malformed data."""
    asked = dict(found["asked"])
    first, second = asked["address"]
    known = Asked(**{**asked, "address": (str(first), str(second))})
    texts = (found["id"], found["state"], found["problem"], asked["of"], asked["title"], known.engine)
    if not all(isinstance(each, str) for each in texts) or found["state"] not in STATES:
        raise TypeError(texts)
    if not isinstance(asked.get("events"), int | None) or not isinstance(asked.get("fault"), str | None):
        raise TypeError(asked)
    job = Job(found["id"], known, datetime.fromisoformat(found["asked_at"]), state=found["state"])
    job.took, job.problem = float(found["took"]), found["problem"]
    job.stages = {
        name: [float(begin), None if end is None else float(end)] for name, (begin, end) in found["stages"].items()
    }
    if job.running:
        job.state = "interrupted"
    elif job.state == "done":
        job.result = result_of(found["result"])
    return job


class Jobs:
    """The checks of this server, shared by all sessions.

    ``unreadable``: the number of files of earlier jobs that were skipped.
    """

    def __init__(self, folder: Path | None = None, queue: Queue | None = None) -> None:
        self._folder = folder or FOLDER
        self._queue = queue or Queue()
        self._jobs: dict[str, Job] = {}
        self._writing = Lock()
        found, self.unreadable = read_all(self._folder)
        for each in found:
            try:
                job = job_of(each)
            except (KeyError, TypeError, ValueError, AttributeError):
                self.unreadable += 1
            else:
                self._jobs[job.id] = job
        self._warming = WarmUp()
        self._checked = False
        atexit.register(self.end)

    def start(self, scenario: Scenario, asked: Asked) -> Job:
        """Queue a check. Raises ``PermissionError`` unless the visitor is the teacher, whatever the page offered."""
        _only_the_teacher()
        self._warming.is_needless()
        if bridge().is_long(scenario, asked.events):
            self._warming.end(0)
        job = Job(uuid4().hex[:8], asked, datetime.now(UTC).astimezone(), language=asked.language)
        self._jobs[job.id] = job
        for old in [each for each in self.all() if not each.running][:-KEPT]:
            self._jobs.pop(old.id, None)
        self._keep(job)
        self._queue.start(job, partial(self._check, job, scenario), partial(self._keep, job))
        return job

    def expect(self, scenario: Scenario, engine: str) -> None:
        """The page is open: a check of the scenario is likely to follow, so start Spark."""
        self._warming.begin(partial(bridge().warm_up, scenario, engine))

    def stop(self, job: Job) -> None:
        """Stop a job; a waiting one ends at once. Raises ``PermissionError`` as ``start`` does."""
        _only_the_teacher()
        self._queue.stop(job)
        self._keep(job)

    @property
    def spark_runs(self) -> bool:
        """Whether Spark is running, so that the next check need not wait for its start."""
        return self._checked or self._warming.done

    def find(self, id: str) -> Job | None:
        """The job with this id; None if it is no longer known."""
        return self._jobs.get(id)

    def of(self, scenario: str) -> list[Job]:
        """The jobs of a scenario, newest first."""
        return [job for job in reversed(list(self._jobs.values())) if job.asked.of == scenario]

    def all(self) -> list[Job]:
        """All jobs, oldest first."""
        return list(self._jobs.values())

    def before(self, job: Job) -> int:
        """How many other tasks must end before this one starts."""
        return self._queue.before(job)

    def _check(self, job: Job, scenario: Scenario) -> Result:
        asked = job.asked
        fault = bridge().Fault(asked.fault) if asked.fault else None
        options = {"engine": asked.engine, "fault": fault, "distributions": True}
        reporting = {"progress": job.report, "work": job.tell_work, "cancelled": job.stop}
        report = bridge().check(scenario, asked.events, **reporting, **options)
        if fault is None:
            spark_checks.remember(scenario, report)
        self._checked = True
        return result_of(plain(report))

    def _keep(self, job: Job) -> None:
        # The state is read under the lock, so the last write holds the last state whichever thread comes first.
        with self._writing:
            write(self._folder, job.id, job.as_json())
            forget_old(self._folder)

    def end(self) -> None:
        """The server ends: stop the warm-up with everything that it started. The queue stops the checks."""
        self._warming.end(PATIENCE_SECONDS)


def _only_the_teacher() -> None:
    if not is_teacher():
        raise PermissionError(words("roles.spark"))


@keeping()
def jobs() -> Jobs:
    """This server's jobs."""
    return Jobs(queue=queue())
