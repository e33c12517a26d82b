"""Checks in the background: they continue when the page is closed, and a link finds them again."""

import atexit
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any
from uuid import uuid4

from tidemark.simulator.proof import spark_checks
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.words import current_language, words
from tidemark.ui.server.background import PATIENCE_SECONDS, Queue, Task, queue
from tidemark.ui.server.bridge import bridge
from tidemark.ui.server.cache import keeping
from tidemark.ui.server.roles import is_teacher
from tidemark.ui.spark import kept
from tidemark.ui.spark.kept import Result


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
            "result": None if self.result is None else kept.plain(self.result),
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
        job.result = kept.result_of(found["result"])
    return job


class Jobs:
    """The checks of this server, shared by all sessions.

    ``unreadable``: the number of files of earlier jobs that were skipped.
    """

    def __init__(self, folder: Path | None = None, queue: Queue | None = None) -> None:
        self._folder = folder or kept.FOLDER
        self._queue = queue or Queue()
        self._jobs: dict[str, Job] = {}
        self._writing = Lock()
        found, self.unreadable = kept.read_all(self._folder)
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
        for old in [each for each in self.all() if not each.running][: -kept.KEPT]:
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
        return kept.result_of(kept.plain(report))

    def _keep(self, job: Job) -> None:
        # The state is read under the lock, so the last write holds the last state whichever thread comes first.
        with self._writing:
            kept.write(self._folder, job.id, job.as_json())
            kept.forget_old(self._folder)

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
