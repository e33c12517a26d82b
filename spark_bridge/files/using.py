"""Files opened in the session of this process, for as long as a block of code works with them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from pyspark import StorageLevel
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.spark_bridge import session
from tidemark.spark_bridge.coverage import NotCovered
from tidemark.spark_bridge.failures import CheckFails
from tidemark.spark_bridge.files.asked import Files
from tidemark.spark_bridge.files.errors import refusal
from tidemark.spark_bridge.files.finding import CSV, JSON, find
from tidemark.spark_bridge.files.opening import open_files
from tidemark.spark_bridge.files.stream import OwnStream
from tidemark.spark_bridge.java import QUICK_ITEMS, NoJava
from tidemark.spark_bridge.stages import Cancelled, EngineFails, Stages

_POLL_SECONDS: Final = 0.2
_FEWEST_BYTES: Final = 5
"""The fewest bytes of a record, about: how many there may be in files of some size."""


@contextmanager
def own_stream(
    files: Files, stages: Stages, place: str | None = None, *, typed: bool = True, whole: bool = False
) -> Iterator[OwnStream]:
    """The stream that ``files`` hold, in the session on ``place`` (see ``session.open_session``).

    Opening the session is the stage ``session``, looking at the files the stage ``open``. ``typed`` and ``whole``: see
    ``open_files``. One block at a time in a process, as with checks. Raises ``FilesError``, ``NoJava``, ``Cancelled``;
    whatever Spark raises inside the block comes out as ``CheckFails``, and a file that has changed meanwhile as
    ``FilesError``.
    """
    items = _most_items(files)
    stages.tell("session", 0, 1)
    while not session.LOCK.acquire(timeout=_POLL_SECONDS):
        stages.check()
    try:
        with stages.stage("session"):
            spark = session.open_session(place, stages.cancelled.is_set, items)
            version = spark.version
        try:
            with stages.stage("open"):
                stream = open_files(spark, files, stages, typed=typed, whole=whole)
            try:
                yield stream
            except Cancelled:
                raise
            except Exception:
                stream.require_unchanged()  # if one has changed, everything else only follows from that
                raise
            stream.require_unchanged()
        except (Cancelled, CheckFails, EngineFails, NoJava, NotCovered, ScenarioError, ValueError):
            raise
        except Exception as error:
            if (refused := refusal(error, " ".join(files.paths), version)) is not None:
                raise refused from error
            failed = session.failure(error)
            # What its Java has said of this failure would explain any later one as well.
            session.discard_session()
            raise failed from error
    finally:
        session.LOCK.release()


@contextmanager
def read_once(stream: OwnStream) -> Iterator[OwnStream]:
    """``stream``, kept on disk as a table where its files are texts: what goes through it more than twice is faster."""
    if stream.found.format not in (CSV, JSON):
        yield stream
        return
    table = stream.everything.persist(StorageLevel.DISK_ONLY)
    try:
        yield replace(stream, everything=table)
    finally:
        if session.is_alive():
            table.unpersist()


def _most_items(files: Files) -> int:
    """As many records as the files may hold: few get along with the Java that starts fast. Raises ``FilesError``."""
    found = find(files)
    return sum(size for size, *_ in found.here) // _FEWEST_BYTES if found.is_here else QUICK_ITEMS + 1
