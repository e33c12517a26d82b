"""Checks in the background, one at a time: they continue when the page is closed, and a link finds them again.

The app does not import the bridge: ``app.py`` passes it to ``connect``.
"""

import atexit
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from threading import Condition, Event, Lock, Thread
from typing import Any, Protocol
from uuid import uuid4

import streamlit as st

from simulator.proof import spark_checks
from simulator.scenario.model import Scenario
from simulator.words import current_language, speaking
from ui.spark import kept
from ui.spark.kept import Result
from ui.spark.warming import WarmUp

STATES = ("waiting", "running", "done", "cancelled", "failed", "interrupted")
"""``interrupted``: the app ended while the job waited or ran."""

_PATIENCE_SECONDS = 8


class Bridge(Protocol):
    """The part of ``spark_bridge`` that the app uses."""

    STAGES: Any
    ENGINES: Any
    Cancelled: type[Exception]
    Fault: Any
    CheckFails: type[Exception]
    stream_page: Any

    def check(self, scenario: Scenario, events: int | None = None, **options: Any) -> Any:
        """Run both sides and compare."""

    def warm_up(self, scenario: Scenario, engine: str, cancelled: Event) -> None:
        """Start Spark ahead of the first check."""

    def is_long(self, scenario: Scenario, events: int | None) -> bool:
        """Whether a check of this many records cannot use what ``warm_up`` starts."""

    def gaps_of(self, scenario: Scenario, engine: str | None) -> Any:
        """What prevents a check of the scenario by ``engine`` (None: the scenario's own)."""

    def ways(self) -> Any:
        """The table of what is covered, and of what is not, with the reasons."""


_bridge: list[Bridge] = []


def connect(bridge: Any) -> None:
    """Connect the app to the bridge; called once, by ``app.py``."""
    _bridge[:] = [bridge]


def bridge() -> Bridge:
    """The connected bridge."""
    return _bridge[0]


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
class Job:
    """One check: the request, the progress, the result. ``stages`` holds (begin, end) in seconds from the start."""

    id: str
    asked: Asked
    asked_at: datetime
    state: str = "waiting"
    began: float = 0.0
    took: float = 0.0
    stages: dict[str, list[float | None]] = field(default_factory=dict)
    done: dict[str, tuple[int, int]] = field(default_factory=dict)
    work: Any = None
    result: Result | None = None
    problem: str = ""
    stop: Event = field(default_factory=Event)

    @property
    def running(self) -> bool:
        """Waiting or running."""
        return self.state in ("waiting", "running")

    @property
    def stopped(self) -> bool:
        """Whether it ended without a result and without a failure."""
        return self.state in ("cancelled", "interrupted")

    @property
    def found_the_planted(self) -> bool:
        """Whether the sides differ because of the planted fault."""
        return self.asked.fault is not None and self.result is not None and not self.result.equal

    @property
    def seconds(self) -> float:
        """The seconds that it took, or has taken so far."""
        return time.monotonic() - self.began if self.state == "running" else self.took

    def tell(self, stage: str, done: int, total: int) -> None:
        """The bridge reports progress; from any thread."""
        now = time.monotonic() - self.began
        begin = self.stages.setdefault(stage, [now, None])
        self.done[stage] = (done, total)
        if done >= total and begin[1] is None:
            begin[1] = now

    def tell_work(self, work: Any) -> None:
        """The bridge reports Spark's own metrics; from any thread."""
        self.work = work

    def end(self, state: str, problem: str = "") -> None:
        """The job has ended in ``state``, one of ``STATES``."""
        self.took = self.seconds
        self.state, self.problem = state, problem

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
    job = Job(found["id"], known, datetime.fromisoformat(found["asked_at"]), found["state"])
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
    """The jobs of this server, shared by all sessions, and their single worker.

    ``unreadable``: the number of files of earlier jobs that were skipped.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or kept.FOLDER
        self._jobs: dict[str, Job] = {}
        self._queue: deque[tuple[Job, Scenario]] = deque()
        self._changed = Condition()
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
        # A daemon thread, so that a long check does not keep the server from ending; ``_end`` lets it clean up.
        self._worker = Thread(target=self._work, name="spark-check", daemon=True)
        self._worker.start()
        atexit.register(self._end)

    def start(self, scenario: Scenario, asked: Asked) -> Job:
        """Queue a check."""
        self._warming.is_needless()
        if bridge().is_long(scenario, asked.events):
            self._warming.end(0)
        job = Job(uuid4().hex[:8], asked, datetime.now(UTC).astimezone())
        with self._changed:
            self._jobs[job.id] = job
            for old in [each for each in self._jobs.values() if not each.running][: -kept.KEPT]:
                del self._jobs[old.id]
            self._queue.append((job, scenario))
            self._changed.notify_all()
        self._keep(job)
        return job

    def expect(self, scenario: Scenario, engine: str) -> None:
        """The page is open: a check of the scenario is likely to follow, so start Spark."""
        self._warming.begin(partial(bridge().warm_up, scenario, engine))

    def stop(self, job: Job) -> None:
        """Stop a job; a waiting one ends at once."""
        job.stop.set()
        with self._changed:
            if job.state == "waiting":
                job.end("cancelled")
                self._queue = deque(each for each in self._queue if each[0] is not job)
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
        """How many other jobs must end before this one starts."""
        with self._changed:
            waiting = [each for each, _ in self._queue]
            busy = any(each.state == "running" for each in self._jobs.values())
        return waiting.index(job) + busy if job in waiting else 0

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._queue:
                    self._changed.wait()
                job, scenario = self._queue.popleft()
                job.began = time.monotonic()
                job.state = "running"
            with speaking(job.asked.language):
                self._run(job, scenario, bridge().check)

    def _run(self, job: Job, scenario: Scenario, check: Callable[..., Any]) -> None:
        asked = job.asked
        fault = bridge().Fault(asked.fault) if asked.fault else None
        options = {"engine": asked.engine, "fault": fault, "distributions": True}
        try:
            report = check(scenario, asked.events, progress=job.tell, work=job.tell_work, cancelled=job.stop, **options)
            if fault is None:
                spark_checks.remember(scenario, report)
            job.result = kept.result_of(kept.plain(report))
            self._checked = True
            job.end("done")
        except bridge().Cancelled:
            job.end("cancelled")
        except Exception as error:  # whatever Spark or Java raises is shown on the page
            job.end("failed", str(error) or type(error).__name__)
        self._keep(job)

    def _keep(self, job: Job) -> None:
        # The state is read under the lock, so the last write holds the last state whichever thread comes first.
        with self._writing:
            kept.write(self._folder, job.id, job.as_json())
            kept.forget_old(self._folder)

    def _end(self) -> None:
        """Stop the running check when the server ends."""
        for job in self.all():
            job.stop.set()
        self._warming.end(0)
        until = time.monotonic() + _PATIENCE_SECONDS
        while any(job.state == "running" for job in self.all()) and time.monotonic() < until:
            time.sleep(0.05)
        self._warming.end(max(until - time.monotonic(), 0))


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """This server's jobs."""
    return Jobs()
