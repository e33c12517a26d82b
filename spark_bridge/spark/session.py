"""The Spark session of this process: one at a time, on the master or behind the server that was asked for.

A session in which something failed is not used again: ``discard_session`` closes it (with its Java, if it was started
here), and the next check opens a new one.
"""

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, RLock, Thread

from pyspark.sql import SparkSession
from tidemark.spark_bridge.spark.connection import Connection, Existing, Jobs, running_master
from tidemark.spark_bridge.spark.folders import remove_orphans
from tidemark.spark_bridge.spark.java import NoJava
from tidemark.spark_bridge.spark.remote import SCHEME, Remote, running_session
from tidemark.spark_bridge.spark.stages import Cancelled, CheckFails, failure_of
from tidemark.spark_bridge.spark.started import StartedJava

LOCK = RLock()
"""Held by whoever uses the session: a check on another master may have to replace it."""

DEFAULT_MASTER = "local[*]"

_current: Connection | None = None
_POLL_SECONDS = 0.1


def place_of(place: str | None) -> str:
    """Where Spark runs: ``place``, else ``SPARK_REMOTE`` or ``SPARK_MASTER`` of the environment, else ``""``."""
    return place or os.environ.get("SPARK_REMOTE") or os.environ.get("SPARK_MASTER") or ""


def _never() -> bool:
    return False


def open_session(place: str | None = None, stopped: Callable[[], bool] = _never, items: int = 0) -> SparkSession:
    """The session on ``place``, a master or the address of a Spark Connect server (see ``place_of``).

    The session of the last check is used again if it lives, is on the same place and suits a check of that many
    ``items``; else it is closed. If the calling program has a session of its own, a new session of that one is used,
    and the place is that one's. Without a place it is ``DEFAULT_MASTER``. Raises ``NoJava``, ``CheckFails``, and
    ``Cancelled`` as soon as ``stopped()``. The caller holds ``LOCK``.
    """
    global _current
    wanted = place_of(place)
    if _current is not None and not (wanted in ("", _current.place) and _current.is_for(items) and _current.is_alive):
        discard_session()
    if _current is None:
        remove_orphans()
        _current = _connection_to(wanted, items)
        with _clean_when_it_fails(_current, stopped):
            _current.open(stopped)
        # The exception says what has failed; these loggers would print the same again, as JSON on stderr.
        for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    return _current.session


def _connection_to(place: str, items: int) -> Connection:
    if running_master() is not None:
        return Existing(place)
    if not place and (session := running_session()) is not None:
        return Remote(place, session)
    return Remote(place) if place.startswith(SCHEME) else StartedJava(place or DEFAULT_MASTER, items)


def discard_session() -> None:
    """Close the session at once, and end what was started for it. The caller holds ``LOCK``."""
    global _current
    if _current is not None:
        _current.discard()
    _current = None


def is_alive() -> bool:
    """Whether there is a session that can be used."""
    return _current is not None and _current.is_alive


def kill_java() -> None:
    """End what was started for the session, from any thread. Whoever waits for it gets an error, and discards it."""
    if _current is not None:
        _current.kill()


def jobs() -> Jobs:
    """What Spark does for one check in the open session."""
    assert _current is not None, "no session is open"
    return _current.jobs()


def parallelism() -> int:
    """How many tasks Spark runs side by side in the open session."""
    assert _current is not None, "no session is open"
    return _current.parallelism


def current_place() -> str:
    """The master or the address of the open session."""
    assert _current is not None, "no session is open"
    return _current.place


def is_remote() -> bool:
    """Whether the open session is behind a Spark Connect server."""
    return isinstance(_current, Remote)


def failure(error: Exception) -> CheckFails:
    """``error``, raised while the session was used, in words for people."""
    return failure_of(error) if _current is None else _current.failure(error)


@contextmanager
def _clean_when_it_fails(connection: Connection, stopped: Callable[[], bool]) -> Iterator[None]:
    """End Java as soon as ``stopped()``.

    Whatever is raised in the block is put into words, and leaves nothing behind.
    """
    done = Event()

    def watch() -> None:
        while not done.wait(_POLL_SECONDS):
            if stopped():
                connection.kill()

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except BaseException as error:
        described = failure(error) if isinstance(error, Exception) else None
        discard_session()
        if stopped():
            raise Cancelled from error
        if described is None or isinstance(error, (NoJava, Cancelled)):
            raise
        raise described from error
    finally:
        done.set()
        watcher.join()


def java_version() -> str:
    """The version of the Java that the open session's driver runs on."""
    assert _current is not None, "no session is open"
    return _current.java_version
