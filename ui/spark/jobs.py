"""Checks in the background, one after another: they go on when the page is closed, and a link finds them again.

The app does not import the bridge: ``app.py`` hands it over with ``connect``.
"""

import itertools
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event, Lock
from typing import Any, Protocol

import streamlit as st

from simulator.proof import spark_checks
from simulator.scenario.model import Scenario

KEPT = 40
"""So many finished jobs are remembered."""


class Bridge(Protocol):
    """What the app needs of ``spark_bridge``."""

    STAGES: Any
    Cancelled: type[Exception]
    Fault: Any

    def check(self, scenario: Scenario, events: int | None = None, **options: Any) -> Any:
        """Run both sides and compare."""

    def gaps_of(self, scenario: Scenario, engine: str) -> Any:
        """What stands against a check of the scenario."""


_bridge: list[Bridge] = []


def connect(bridge: Any) -> None:
    """Give the app the bridge; once, from ``app.py``."""
    _bridge[:] = [bridge]


def bridge() -> Bridge:
    """The bridge that was connected."""
    return _bridge[0]


@dataclass
class Job:
    """One check: what was asked, how far it is, what came out. ``stages`` holds (begin, end) in seconds from start."""

    id: str
    scenario: str
    title: str
    events: int | None
    fault: str | None
    asked_at: datetime
    state: str = "waiting"
    began: float = 0.0
    ended: float = 0.0
    stages: dict[str, list[float | None]] = field(default_factory=dict)
    done: dict[str, tuple[int, int]] = field(default_factory=dict)
    report: Any = None
    problem: str = ""
    stop: Event = field(default_factory=Event)

    @property
    def running(self) -> bool:
        """Waiting or running."""
        return self.state in ("waiting", "running")

    @property
    def seconds(self) -> float:
        """So long it took, or has taken so far."""
        if self.state == "waiting":
            return 0.0
        return (self.ended or time.monotonic()) - self.began

    def tell(self, stage: str, done: int, total: int) -> None:
        """The bridge reports progress; from any thread."""
        now = time.monotonic() - self.began
        begin = self.stages.setdefault(stage, [now, None])
        self.done[stage] = (done, total)
        if done >= total:
            begin[1] = now


class Jobs:
    """The table of jobs of this server, shared by all sessions."""

    def __init__(self) -> None:
        self._jobs: dict[str, Job] = {}
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="spark-check")
        self._lock = Lock()
        self._numbers = itertools.count(1)

    def start(self, scenario: Scenario, title: str, events: int | None, fault: str | None) -> Job:
        """Put a check in the queue."""
        with self._lock:
            job = Job(f"{next(self._numbers):x}", scenario.name, title, events, fault, datetime.now(UTC).astimezone())
            self._jobs[job.id] = job
            for old in [j for j in self._jobs.values() if not j.running][:-KEPT]:
                del self._jobs[old.id]
        self._pool.submit(self._run, job, scenario, bridge().check)
        return job

    def find(self, id: str) -> Job | None:
        """The job with this id, if it is still known."""
        return self._jobs.get(id)

    def of(self, scenario: str) -> list[Job]:
        """The jobs of a scenario, the newest first."""
        return [job for job in reversed(list(self._jobs.values())) if job.scenario == scenario]

    def _run(self, job: Job, scenario: Scenario, check: Callable[..., Any]) -> None:
        job.began = time.monotonic()
        job.state = "running"
        options: Mapping[str, Any] = {"fault": bridge().Fault(job.fault) if job.fault else None}
        try:
            job.report = check(scenario, job.events, progress=job.tell, cancelled=job.stop, **options)
            if job.fault is None:
                spark_checks.remember(scenario, job.report)
            job.state = "done"
        except bridge().Cancelled:
            job.state = "cancelled"
        except Exception as error:  # whatever Spark or Java throws is shown on the page, not lost in a thread
            job.state, job.problem = "failed", str(error) or type(error).__name__
        job.ended = time.monotonic()


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """This server's jobs."""
    return Jobs()
