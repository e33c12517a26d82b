"""A session behind a Spark Connect server (``sc://host:port``): no Java here, and none that could be ended.

Spark's functions look at the environment to decide whether to talk to a server; it says so as long as the connection
exists.
"""

import logging
import os
import re
import socket
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, cast
from urllib.parse import urlsplit

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from tidemark.spark_bridge.spark.connection import Connection, Jobs, settle, ship
from tidemark.spark_bridge.spark.stages import CheckFails, Work, failure_of

if TYPE_CHECKING:
    from pyspark.sql.connect.shell.progress import StageInfo

SCHEME: Final = "sc://"
_PORT: Final = 15002
_PATIENCE_SECONDS: Final = 5.0
_RETRIES: Final = 3
_MOST_PARTITIONS: Final = 4096
_CONNECT_MODE: Final = "SPARK_CONNECT_MODE_ENABLED"
_GONE: Final = ("UNAVAILABLE", "INVALID_HANDLE", "Connection refused", "CANNOT_CONNECT", "NO_ACTIVE_SESSION")
"""Texts in errors which say that a server is gone, or is not the one that it was."""

# Everything that it logs or warns of is raised as well.
logging.getLogger("pyspark.sql.connect.logging").setLevel(logging.CRITICAL)
warnings.filterwarnings("ignore", r"\[RETRIES_EXCEEDED\]")


class RemoteJobs(Jobs):
    """The operations of a session that have the tag. A server reports stages, tasks and bytes read, but no rows."""

    def __init__(self, session: SparkSession) -> None:
        super().__init__()
        self._session = session
        self._stages: dict[int, StageInfo] = {}

    def begin(self) -> None:
        self._session.addTag(self.tag)
        self._session.registerProgressHandler(self._on_progress)  # type: ignore[arg-type]

    def end(self) -> None:
        self._session.removeTag(self.tag)
        self._session.removeProgressHandler(self._on_progress)  # type: ignore[arg-type]

    def cancel(self) -> None:
        self._session.interruptTag(self.tag)

    def are_over(self) -> bool:
        """The server does not report it; it was asked to interrupt them."""
        return True

    def figures(self) -> Work:
        known = dict(self._stages)
        running = [number for number, each in known.items() if not each.done]
        done, tasks = 0, 0
        if running:
            newest = known[max(running)]
            done, tasks = newest.num_completed_tasks, newest.num_tasks
        read = sum(each.num_bytes_read for each in known.values())
        return Work(len(known) - len(running), len(running), done, tasks, rows=0, rate=0.0, read_bytes=read)

    def _on_progress(
        self, stages: "Iterable[StageInfo] | None", inflight_tasks: int, operation_id: Any, done: bool
    ) -> None:
        for each in stages or ():
            each.done = each.done or done
            self._stages[each.stage_id] = each


class Remote(Connection):
    """A session of its own on the server; other clients' sessions are not touched."""

    def __init__(self, place: str, client_session: SparkSession | None = None) -> None:
        super().__init__(place)
        self._client_session = client_session
        self._is_open = False

    def open(self, stopped: Callable[[], bool]) -> None:
        if self._client_session is not None:
            self.session = self._client_session.newSession()
        else:
            self.session = self._connected()
        self._is_open = True
        settle(self.session)
        ship(self.session)
        # Spark cuts a range by the number of tasks that it would run side by side.
        parts = self.session.range(_MOST_PARTITIONS).select(F.spark_partition_id().alias("part"))
        self.parallelism = parts.distinct().count()

    def _connected(self) -> SparkSession:
        target = urlsplit(self.place)
        try:
            socket.create_connection((target.hostname or "", target.port or _PORT), _PATIENCE_SECONDS).close()
        except (OSError, ValueError) as error:
            raise CheckFails("no_server", address=self.place, text=str(error)) from error
        try:
            from pyspark.sql.connect.client.retries import DefaultPolicy
            from pyspark.sql.connect.session import SparkSession as RemoteSession
        except ImportError as error:
            raise CheckFails("other", text=str(error).splitlines()[0]) from error
        os.environ[_CONNECT_MODE] = "1"
        session = RemoteSession.builder.remote(self.place).create()
        # A server that is gone is reported, not waited for (by itself the client tries for ten minutes).
        session.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES)])
        return cast(SparkSession, session)

    @property
    def is_alive(self) -> bool:
        """Whether the server still knows the session."""
        if not self._is_open:
            return False
        try:
            self.session.conf.get("spark.sql.ansi.enabled")
        except Exception:
            return False
        return True

    def jobs(self) -> Jobs:
        return RemoteJobs(self.session)

    def discard(self) -> None:
        """Release the session on the server, if that can be reached."""
        if self._is_open:
            with suppress(Exception):
                self.session.stop()
        self._is_open = False
        if self._client_session is None:
            os.environ.pop(_CONNECT_MODE, None)

    def failure(self, error: Exception) -> CheckFails:
        described = failure_of(error)
        if described.kind == "other" and any(sign in str(error) for sign in _GONE):
            return CheckFails("no_server", address=self.place, text=_line_of(error))
        if described.kind in ("disk_full", "not_writable") and not isinstance(error, OSError):
            return CheckFails("server_storage", address=self.place, text=_line_of(error))
        return described


def _line_of(error: Exception) -> str:
    """The text of an error in one line; transport errors hide it behind a word."""
    text = str(error)
    details = re.search(r'^[ \t]*+details = "(.+)"$', text, re.MULTILINE)
    return (details[1] if details else next(iter(text.splitlines()), ""))[:200]


def running_session() -> SparkSession | None:
    """The session behind a server that the calling program has already; None if it has none."""
    if _CONNECT_MODE not in os.environ:
        return None
    from pyspark.sql.connect.session import SparkSession as RemoteSession

    return cast("SparkSession | None", RemoteSession.getActiveSession() or RemoteSession._get_default_session())
