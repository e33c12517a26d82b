"""The Spark session of this process: one at a time, quiet, local unless told otherwise.

This file and the package ``spark_bridge.execution`` are the only ones of the bridge that import pyspark.
"""

import logging
import os
import sys
from importlib.resources import files
from threading import RLock

from pyspark.sql import SparkSession

from spark_bridge.java import find_java, java_home

LOCK = RLock()
"""Held by whoever uses the session: a check of another master may have to replace it."""

DEFAULT_MASTER = "local[*]"
DEFAULT_MEMORY = "1g"


def master_of(asked: str | None) -> str:
    """The master to use: the one asked for, else ``SPARK_MASTER`` of the environment, else ``local[*]``."""
    return asked or os.environ.get("SPARK_MASTER") or DEFAULT_MASTER


_running: SparkSession | None = None


def open_session(master: str | None = None) -> SparkSession:
    """The session on ``master``; a running one on the same master is used again, one on another is stopped first.

    Raises ``NoJava``. The caller holds ``LOCK``.
    """
    global _running
    wanted = master_of(master)
    if _running is not None and _running.conf.get("spark.master") != wanted:
        close_session()
    if _running is None:
        _prepare_environment(wanted)
        _running = _builder(wanted).getOrCreate()
        # What fails is told by the exception; these loggers would print the same again, as JSON on stderr.
        for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    return _running


def close_session() -> None:
    """Stop the session, if there is one. The caller holds ``LOCK``."""
    global _running
    if _running is not None:
        _running.stop()
        _running = None


def java_release(session: SparkSession) -> str:
    """The version of the Java that the session's driver runs on."""
    row = session.sql("SELECT java_method('java.lang.System', 'getProperty', 'java.version')").first()
    assert row is not None
    version: str = row[0]
    return version


def _prepare_environment(master: str) -> None:
    os.environ["JAVA_HOME"] = str(java_home(find_java(os.environ)))
    os.environ["PYSPARK_PYTHON"] = sys.executable
    if master.startswith("local"):
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def _builder(master: str) -> SparkSession.Builder:
    memory = os.environ.get("SPARK_DRIVER_MEMORY", DEFAULT_MEMORY)
    quiet = files("spark_bridge").joinpath("log4j2.properties")
    options = f"-Duser.timezone=UTC -Dlog4j2.configurationFile=file:{quiet} {_HEAP}"
    settings = {
        "spark.app.name": "tidemark",
        "spark.driver.memory": memory,
        "spark.driver.extraJavaOptions": options,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.catalogImplementation": "in-memory",
        # Times are Java longs that wrap; where a sum could, the bridge refuses the scenario beforehand.
        "spark.sql.ansi.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder


# A heap that gives memory back instead of growing to its limit as soon as garbage is made.
_HEAP = "-XX:+UseSerialGC -XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=30"
