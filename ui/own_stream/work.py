"""Profiles and cuts in the background, one after another: the page stays usable, and anything can be cancelled."""

import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition, Event, Thread
from typing import Any

import streamlit as st

from simulator.words import current_language, speaking
from ui.own_stream.files import remove_orphans
from ui.spark.jobs import bridge

Call = Callable[[Callable[[str, int, int], None], Event], Any]
"""What is to be done: it reports (stage, done, total), and ends soon after the event is set."""


@dataclass
class Work:
    """One piece of work. ``state``: ``waiting``, ``running``, ``done``, ``cancelled`` or ``failed``.

    ``stages``: those that have begun, with the seconds at which each began and ended (None: it has not).
    """

    call: Call
    language: str
    state: str = "waiting"
    began: float = 0.0
    took: float = 0.0
    stages: dict[str, list[float | None]] = field(default_factory=dict)
    result: Any = None
    problem: str = ""
    stop: Event = field(default_factory=Event)

    @property
    def running(self) -> bool:
        """Waiting or running."""
        return self.state in ("waiting", "running")

    @property
    def seconds(self) -> float:
        """The seconds that it took, or has taken so far."""
        return time.monotonic() - self.began if self.state == "running" else self.took

    def tell(self, stage: str, done: int, total: int) -> None:
        """The bridge reports progress; from any thread."""
        now = time.monotonic() - self.began
        times = self.stages.setdefault(stage, [now, None])
        if done >= total and times[1] is None:
            times[1] = now

    def end(self, state: str, problem: str = "") -> None:
        """The work has ended."""
        self.took = self.seconds
        self.state, self.problem = state, problem


class Works:
    """The queue of this server, shared by all sessions, and its single worker."""

    def __init__(self) -> None:
        remove_orphans()
        self._queue: deque[Work] = deque()
        self._changed = Condition()
        self._current: Work | None = None
        Thread(target=self._work, name="own-stream", daemon=True).start()

    def start(self, call: Call) -> Work:
        """Queue ``call``."""
        work = Work(call, current_language())
        with self._changed:
            self._queue.append(work)
            self._changed.notify_all()
        return work

    def stop(self, work: Work) -> None:
        """Stop it; what waits ends at once."""
        work.stop.set()
        with self._changed:
            if work in self._queue:
                self._queue.remove(work)
                work.end("cancelled")

    def before(self, work: Work) -> int:
        """How many others come before it."""
        with self._changed:
            return self._queue.index(work) + (self._current is not None) if work in self._queue else 0

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._queue:
                    self._changed.wait()
                work = self._current = self._queue.popleft()
                work.began = time.monotonic()
                work.state = "running"
            with speaking(work.language):
                self._run(work)
            self._current = None

    def _run(self, work: Work) -> None:
        try:
            work.result = work.call(work.tell, work.stop)
            work.end("done")
        except bridge().Cancelled:
            work.end("cancelled")
        except Exception as error:  # whatever Spark or Java raises is shown on the page
            work.end("failed", str(error) or type(error).__name__)
        del work.call  # it may hold an upload


@st.cache_resource(show_spinner=False)
def works() -> Works:
    """This server's queue."""
    return Works()
