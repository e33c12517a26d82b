"""Long work in the background, one task after another: the pages stay usable, each task knows its place, and any can be
stopped.

Checks, profiles and cuts all use Spark, which takes every core and gigabytes of memory. So a server has one queue for
all of them, whoever asks and on whichever page.
"""

import atexit
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Condition, Event, Thread
from typing import Any, Final

from tidemark.simulator.words import current_language, speaking
from tidemark.ui.server.bridge import bridge
from tidemark.ui.server.cache import keeping

PATIENCE_SECONDS: Final = 8
"""How long the end of the server waits for the running task to clean up."""


@dataclass(kw_only=True)
class Task:
    """One piece of work and how far it is.

    ``state``: ``waiting``, ``running``, ``done``, ``cancelled`` or ``failed``; ``problem`` says why it failed.
    ``stages``: those that have begun, with the seconds from the start at which each began and ended (None: it has not).
    ``progress``: what each stage has done, and of how much. ``stop``: set when somebody wants it to end.
    ``language``: the language of whoever asked, for error messages.
    """

    state: str = "waiting"
    language: str = field(default_factory=current_language)
    began: float = 0.0
    took: float = 0.0
    stages: dict[str, list[float | None]] = field(default_factory=dict)
    progress: dict[str, tuple[int, int]] = field(default_factory=dict)
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

    def report(self, stage: str, done: int, total: int) -> None:
        """The bridge reports progress; from any thread."""
        now = time.monotonic() - self.began
        times = self.stages.setdefault(stage, [now, None])
        self.progress[stage] = (done, total)
        if done >= total and times[1] is None:
            times[1] = now

    def begin(self) -> None:
        """The task's turn has come."""
        self.began = time.monotonic()
        self.state = "running"

    def end(self, state: str, problem: str = "") -> None:
        """The task has ended in ``state``."""
        self.took = self.seconds
        self.state, self.problem = state, problem


class Queue:
    """Tasks in order of arrival, and the thread that does them. Each comes with a call whose value is its result."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[Task, Callable[[], Any], Callable[[], None]]] = deque()
        self._current: Task | None = None
        self._changed = Condition()
        # A daemon thread, so that a long task does not keep the server from ending; ``end`` lets it clean up.
        Thread(target=self._work, name="background", daemon=True).start()
        atexit.register(self.end)

    def start(self, task: Task, call: Callable[[], Any], ended: Callable[[], None] = lambda: None) -> None:
        """Queue ``task``. ``call`` does it; soon after ``task.stop`` is set it raises the bridge's ``Cancelled``.
        ``ended`` is called once it has begun and ended, however that was."""
        with self._changed:
            self._waiting.append((task, call, ended))
            self._changed.notify_all()

    def stop(self, task: Task) -> None:
        """Stop a task; a waiting one ends at once."""
        task.stop.set()
        with self._changed:
            if task.state == "waiting":
                self._waiting = deque(each for each in self._waiting if each[0] is not task)
                task.end("cancelled")

    def before(self, task: Task) -> int:
        """How many others must end before it starts."""
        with self._changed:
            waiting = [each for each, *_ in self._waiting]
            # By identity: tasks are mutable records, and two that have just been queued are equal.
            places = [place for place, each in enumerate(waiting) if each is task]
            return places[0] + (self._current is not None) if places else 0

    def end(self) -> None:
        """The server ends: stop everything, and let the running task clean up."""
        with self._changed:
            running, waiting = self._current, [each for each, *_ in self._waiting]
        for task in waiting:
            self.stop(task)
        if running is not None:
            running.stop.set()
            until = time.monotonic() + PATIENCE_SECONDS
            while running.running and time.monotonic() < until:
                time.sleep(0.05)

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                task, call, ended = self._waiting.popleft()
                self._current = task
                task.begin()
            with speaking(task.language):
                _run(task, call)
                ended()
            del call  # it may hold an upload
            with self._changed:
                self._current = None


def _run(task: Task, call: Callable[[], Any]) -> None:
    try:
        task.result = call()
        task.end("done")
    except bridge().Cancelled:
        task.end("cancelled")
    except Exception as error:  # whatever Spark or Java raises is shown on the page
        task.end("failed", str(error) or type(error).__name__)


@keeping()
def queue() -> Queue:
    """The queue of this server."""
    return Queue()
