"""What a check reports while it runs, how it is stopped, and what can go wrong around it.

A failure is reported as what happened and what to do, never as a traceback. Spark reports one as a long text with
several nested causes, Java as a process that is gone; ``failure_of`` finds the cause that matters. The kinds are names
in the catalogue (``spark.failures.<kind>``).
"""

import errno
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Event
from time import monotonic
from typing import Final
from urllib.parse import unquote

from tidemark.simulator.words import words
from tidemark.spark_bridge.spark.folders import spark_place

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


KINDS: Final = (
    "no_memory",
    "disk_full",
    "not_writable",
    "worker_lost",
    "simulator_lost",
    "java_lost",
    "java_refuses",
    "other_master",
    "no_server",
    "no_master",
    "no_workers",
    "server_storage",
    "coarse_times",
    "broken_file",
    "other",
)
"""In the order of ``_SIGNS``, then those that no text reveals."""

_SIGNS: Final = (
    ("no_memory", r"OutOfMemoryError|Java heap space|GC overhead|UNABLE_TO_ACQUIRE_MEMORY|MemoryError|Cannot allocate|"
                  r"System memory \d+ must be at least"),
    ("disk_full", r"No space left on device|Disk quota exceeded|FileSystemException: .*space"),
    ("not_writable", r"Permission denied|Read-only file system|Failed to create (a temp|local) dir|AccessDenied|"
                     r"Failed to create directory|Cannot create .*director|No usable temporary directory"),
    ("worker_lost", r"Python worker exited unexpectedly|Python worker .*(crash|fail)|ExecutorLostFailure|"
                    r"pyspark\.daemon"),
)  # fmt: skip

_READING: Final = re.compile(r"FAILED_READ_FILE\S* Encountered error while reading file (\S+?)\.?\s")
"""How Spark says that it could not read a file of somebody's own."""

_ERRNO: Final = {
    errno.ENOSPC: "disk_full",
    errno.EDQUOT: "disk_full",
    errno.EACCES: "not_writable",
    errno.EPERM: "not_writable",
    errno.EROFS: "not_writable",
    errno.ENOMEM: "no_memory",
}

_MOST = 300
"""The most characters to show of a text that is not ours."""


class CheckFails(RuntimeError):
    """The check could not be carried out, which says nothing about the scenario. ``kind`` is one of ``KINDS``."""

    def __init__(self, kind: str, **fields: str) -> None:
        super().__init__(words(f"spark.failures.{kind}", **fields))
        self.kind = kind


def failure_of(error: BaseException, *, exit_code: int | None = None, said: str = "") -> CheckFails:
    """``error`` as a failure with a message for people.

    ``exit_code`` is that of Spark's Java if it is gone (None while it lives), ``said`` the last that it wrote on
    stderr.
    """
    if isinstance(error, CheckFails):
        return error
    if (file := unreadable_file(error)) is not None:
        return file
    kind = _ERRNO.get(error.errno or 0) if isinstance(error, OSError) else None
    text = f"{_texts(error)}\n{said}"
    kind = kind or next((name for name, signs in _SIGNS if re.search(signs, text)), None)
    if exit_code is not None and kind not in ("no_memory", "disk_full", "not_writable"):
        # What Spark reports while its Java dies are only consequences.
        if exit_code > 0 and (line := error_line(said)):
            return CheckFails("java_refuses", code=str(exit_code), text=line)
        return CheckFails("java_lost", code=str(exit_code))
    return CheckFails(kind or "other", text=_first_line(error), **_place(error))


def unreadable_file(error: BaseException) -> CheckFails | None:
    """The file that Spark could not read, and why; None if ``error`` is about something else."""
    text = _texts(error)
    found = _READING.search(text)
    if found is None:
        return None
    causes = re.findall(r"Caused by: (?:[\w$]+\.)*([\w$]+(?:: .*)?)", text)
    path = unquote(re.sub(r"^file:/+", "/", found[1]))
    return CheckFails("broken_file", path=path, reason=causes[-1][:_MOST] if causes else "-")


def simulator_failure(exit_code: int, said: str) -> CheckFails:
    """Why the simulator's process died, from its exit code and what it wrote on stderr."""
    kind = next((name for name, signs in _SIGNS[:3] if re.search(signs, said)), None)
    lines = said.splitlines()
    text = lines[-1][:_MOST] if lines else ""
    if kind is None and (exit_code < 0 or not text):
        return CheckFails("simulator_lost", code=str(exit_code))
    return CheckFails(kind or "other", text=text, folder=temporary_folder(), variable="TMPDIR")


def temporary_folder() -> str:
    """Where temporary files go, for a message."""
    try:
        return tempfile.gettempdir()
    except OSError:
        return os.environ.get("TMPDIR", "TMPDIR")


def _place(error: BaseException) -> dict[str, str]:
    """Where the temporary files are that ``error`` is about, and the environment variable that says so."""
    spark = spark_place()
    if spark is not None and (not isinstance(error, OSError) or str(error.filename or "").startswith(str(spark))):
        return {"folder": str(spark), "variable": "SPARK_LOCAL_DIRS"}
    return {"folder": temporary_folder(), "variable": "TMPDIR"}


def _texts(error: BaseException) -> str:
    """The texts of ``error`` and of what caused it."""
    found: list[str] = []
    each: BaseException | None = error
    while each is not None and len(found) < 10:
        found.append(_text(each))
        each = each.__cause__ or each.__context__
    return "\n".join(found)


def _text(error: BaseException) -> str:
    """The text of an error; that of a Java error comes from Java, which may be gone."""
    try:
        return str(error)
    except Exception:
        return ""


def error_line(said: str) -> str:
    """The first line of a process's output that names an error; "" if none does."""
    lines = (line.strip() for line in said.splitlines())
    return next((line[:_MOST] for line in lines if re.search(r"rror|xception|nvalid|nrecognized", line)), "")


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in _text(error).splitlines() if line.strip()]
    # A Java error begins with a line about the call, and names itself after a colon.
    line = next((line[1:].strip() for line in lines if line.startswith(": ")), None)
    if line is not None:
        return line[:_MOST]
    return f"{type(error).__name__}: {lines[0][:_MOST]}" if lines else type(error).__name__
