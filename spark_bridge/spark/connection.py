"""What every way to Spark offers.

The project's code for Spark's workers: one archive, since a worker may run on a host that has no copy of it.
"""

import atexit
import shutil
import zipfile
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Final
from uuid import uuid4

from pyspark.sql import SparkSession
from tidemark.spark_bridge.spark.failures import CheckFails, failure_of
from tidemark.spark_bridge.spark.folders import new_folder
from tidemark.spark_bridge.spark.stages import Work

SETTINGS: Final = {
    "spark.sql.session.timeZone": "UTC",
    # Times are Java longs that wrap; if a sum could wrap, the bridge refuses the scenario beforehand.
    "spark.sql.ansi.enabled": "false",
    # Column names are ours; no setting of the session may change what they mean.
    "spark.sql.caseSensitive": "false",
    # A Parquet file with times in nanoseconds is read, as whole numbers; Spark refuses it otherwise.
    "spark.sql.legacy.parquet.nanosAsLong": "true",
}
"""The settings that the batch engine relies on in any session; a run sets more (``execution.engine``)."""


class Jobs(ABC):
    """The work that one check gives to Spark, marked by a tag."""

    def __init__(self) -> None:
        self.tag = f"tidemark-{uuid4()}"

    @abstractmethod
    def begin(self) -> None:
        """From now on, what this thread asks of Spark belongs to the check."""

    @abstractmethod
    def end(self) -> None:
        """From now on it no longer does."""

    @abstractmethod
    def cancel(self) -> None:
        """Cancel what is running; from any thread."""

    @abstractmethod
    def are_over(self) -> bool:
        """Whether no task is running any more, after ``cancel``."""

    def have_workers(self) -> bool:
        """Whether there is any executor to do the work, as far as Spark reports it."""
        return True

    @abstractmethod
    def figures(self) -> Work:
        """The progress of Spark, by its own figures; from any thread, but always the same one."""


class Connection(ABC):
    """A session that checks may use, one after another; ``place`` is the master or the address that it was asked for.

    ``session`` and ``parallelism`` (how many tasks Spark runs side by side) are set once it is open.
    """

    session: SparkSession
    parallelism: int

    def __init__(self, place: str) -> None:
        self.place = place

    @abstractmethod
    def open(self, stopped: Callable[[], bool]) -> None:
        """Raises ``NoJava``, ``CheckFails``, ``Cancelled``, or whatever Spark raises."""

    @property
    @abstractmethod
    def is_alive(self) -> bool:
        """Whether it can be used again."""

    def is_for(self, items: int) -> bool:
        """Whether it suits a check of that many items; what was not started here suits any."""
        return True

    @property
    def java_version(self) -> str:
        """The version of the Java that Spark's driver runs on."""
        row = self.session.sql("SELECT java_method('java.lang.System', 'getProperty', 'java.version')").first()
        assert row is not None
        return str(row[0])

    @abstractmethod
    def jobs(self) -> Jobs:
        """The work of one more check."""

    @abstractmethod
    def discard(self) -> None:
        """Close it at once, whatever its state; may be called again."""

    def kill(self) -> None:  # noqa: B027 - what was not started here is not ended
        """End what was started for it, from any thread. Whoever waits for it gets an error, and discards it."""

    def failure(self, error: Exception) -> CheckFails:
        """``error``, raised while it was used, in words for people."""
        return failure_of(error)


def settle(session: SparkSession) -> None:
    """Give a session that was not started here the settings that the bridge relies on."""
    for name, value in SETTINGS.items():
        session.conf.set(name, value)


def ship(session: SparkSession) -> None:
    """Send the code to the workers: they may run on hosts that have no copy of it.

    They keep it as long as the session.
    """
    session.addArtifact(str(_code()), pyfile=True)


@cache
def _code() -> Path:
    """The archive, as long as this process lives: workers of this host read it where it is."""
    folder = new_folder("code")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return archive(folder / "tidemark.zip")


PACKAGES = ("simulator", "spark_bridge")
"""What a keyed function needs on a worker; everything else that it imports is a library that the worker has."""


def archive(path: Path) -> Path:
    """Write the packages to ``path``, a zip file that Python can import from, and return it."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(zipfile.ZipInfo("tidemark/__init__.py"), b"")
        for package in PACKAGES:
            _add(out, files(f"tidemark.{package}"), f"tidemark/{package}")
    return path


def _add(out: zipfile.ZipFile, folder: Traversable, name: str) -> None:
    for each in sorted(folder.iterdir(), key=lambda entry: entry.name):
        inside = f"{name}/{each.name}"
        if each.is_dir():
            if each.name != "__pycache__":
                _add(out, each, inside)
        elif each.name.endswith((".py", ".toml")):
            # A fixed time, so that the same code makes the same bytes.
            out.writestr(zipfile.ZipInfo(inside), each.read_bytes())
