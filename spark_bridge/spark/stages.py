"""What a check reports while it runs, and how it is stopped."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from time import monotonic
from typing import Final

STAGES: Final = ("session", "simulator", "spark", "compare")
"""In the order in which they begin (``simulator`` runs beside ``session`` and ``spark``). Their titles are in the
catalogue, ``spark.stages.<name>``."""

Progress = Callable[[str, int, int], None]
"""Called with a stage, how much of it is done, and of how much; from any thread."""


@dataclass(frozen=True, slots=True)
class Work:
    """The progress of Spark, by its own figures.

    ``stages`` are finished, ``running`` are at work; of the newest of these, ``tasks_done`` of ``tasks`` are done.
    ``rows``: read and exchanged between stages so far; ``rate``: rows a second, over the last few seconds. A Spark
    Connect server reports neither (0), only ``read_bytes``, which is 0 elsewhere.
    """

    stages: int
    running: int
    tasks_done: int
    tasks: int
    rows: int
    rate: float
    read_bytes: int = 0


class EngineFails(Exception):
    """The engine itself throws on this scenario: there is nothing to compare."""


class Cancelled(Exception):
    """The caller has cancelled the check."""


@dataclass(slots=True)
class Stages:
    """Reports progress, measures each stage (``seconds``), and raises ``Cancelled`` between stages."""

    progress: Progress | None
    cancelled: Event
    seconds: dict[str, float] = field(default_factory=dict)
    work: Callable[[Work], None] | None = None

    def tell(self, stage: str, done: int, total: int) -> None:
        """Report the progress of a stage."""
        if self.progress is not None:
            self.progress(stage, done, total)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """A stage, from beginning to end."""
        self.check()
        self.tell(name, 0, 1)
        began = monotonic()
        yield
        self.seconds[name] = monotonic() - began
        self.tell(name, 1, 1)

    def check(self) -> None:
        """Raise ``Cancelled`` if the check was cancelled."""
        if self.cancelled.is_set():
            raise Cancelled
