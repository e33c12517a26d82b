"""A session that the calling program has already: it is used and left as it was."""

from collections.abc import Callable

from pyspark import SparkContext
from pyspark.sql import SparkSession
from tidemark.spark_bridge.connections.base import settle, ship
from tidemark.spark_bridge.connections.classic import Classic
from tidemark.spark_bridge.failures import CheckFails


def running_master() -> str | None:
    """The master of the Spark context of this process; None if there is none."""
    context = SparkContext._active_spark_context
    return None if context is None or context._jsc is None else context.master


class Existing(Classic):
    """A new session of the running Spark context, with settings and shipped code of its own."""

    def open(self, stopped: Callable[[], bool]) -> None:
        master = running_master()
        if master is None or self.place not in ("", master):
            raise CheckFails("other_master", running=str(master), asked=self.place)
        self._context = SparkContext._active_spark_context
        self.session = (SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()).newSession()
        settle(self.session)
        ship(self.session)
        self.parallelism = self.session.sparkContext.defaultParallelism

    @property
    def is_alive(self) -> bool:
        """A new context in its place makes it another session."""
        return self._context is SparkContext._active_spark_context and running_master() is not None

    def discard(self) -> None:
        """Nothing is ended, as everything belongs to the caller."""
