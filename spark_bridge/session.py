"""The Spark session of this process: one at a time, quiet, local unless told otherwise.

A session in which something failed is not used again: ``discard_session`` ends its Java, and the next one starts anew.

This file and the package ``spark_bridge.execution`` are the only ones of the bridge that import pyspark.
"""

import contextlib
import logging
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from threading import Event, RLock, Thread

from pyspark import SparkContext
from pyspark.find_spark_home import _find_spark_home
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from spark_bridge import machine
from spark_bridge.failures import CheckFails, failure_of
from spark_bridge.java import NoJava, find_java, java_home
from spark_bridge.machine import Machine
from spark_bridge.shipping import archive
from spark_bridge.stages import Cancelled

LOCK = RLock()
"""Held by whoever uses the session: a check of another master may have to replace it."""

DEFAULT_MASTER = "local[*]"
DEFAULT_MEMORY = "1g"


def master_of(asked: str | None) -> str:
    """The master to use: the one asked for, else ``SPARK_MASTER`` of the environment, else ``local[*]``."""
    return asked or os.environ.get("SPARK_MASTER") or DEFAULT_MASTER


_running: SparkSession | None = None
_machine: Machine | None = None
_POLL_SECONDS = 0.1


# Py4J logs what it also raises, with a traceback.
logging.getLogger().addFilter(lambda record: "py4j" not in record.pathname)
logging.getLogger("py4j").setLevel(logging.CRITICAL)


def _never() -> bool:
    return False


def open_session(master: str | None = None, stopped: Callable[[], bool] = _never) -> SparkSession:
    """The session on ``master``; a running one on the same master is used again, one on another is stopped first.

    One whose Java is gone is replaced. Raises ``NoJava``, ``CheckFails``, and ``Cancelled`` as soon as ``stopped()``.
    The caller holds ``LOCK``.
    """
    global _running
    wanted = master_of(master)
    if _running is not None and not is_alive():
        discard_session()
    if _running is not None and _running.conf.get("spark.master") != wanted:
        close_session()
    if _running is None:
        with _clean_when_it_fails(stopped):
            _running = _started(wanted, stopped)
        # What fails is told by the exception; these loggers would print the same again, as JSON on stderr.
        for name in ("DataFrameQueryContextLogger", "SQLQueryContextLogger"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    return _running


def close_session() -> None:
    """Stop the session, if there is one; its Java stays for the next one. The caller holds ``LOCK``."""
    global _running
    if _running is not None:
        _running.stop()
        _running = None


def discard_session() -> None:
    """End the session's Java at once, with all that it started and its temporary files. The caller holds ``LOCK``."""
    global _running, _machine
    context, gateway = SparkContext._active_spark_context, SparkContext._gateway
    if _machine is not None:
        _machine.end()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that Java is gone is what was wanted
        for close in filter(None, (context and context.stop, gateway and gateway.shutdown)):
            with contextlib.suppress(Exception):
                close()
    SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None
    SparkSession._instantiatedSession = SparkSession._activeSession = None
    _running = _machine = None


def is_alive() -> bool:
    """Whether the session's Java runs."""
    return _machine is not None and _machine.exit_code is None


def kill_java() -> None:
    """End the session's Java, from any thread: whoever waits for it gets an error, and discards the session."""
    if _machine is not None:
        _machine.kill()


def failure(error: Exception) -> CheckFails:
    """``error``, met while using the session, in words for people."""
    if _machine is None:
        return failure_of(error)
    code = _machine.exit_code_soon() if _lost_connection(error) else _machine.exit_code
    return failure_of(error, exit_code=code, said=_machine.said())


def _lost_connection(error: BaseException | None) -> bool:
    """Whether ``error`` comes from a Java that does not answer any more."""
    while error is not None:
        # Py4J's own error says so by its name alone where Java closed the connection in order.
        if isinstance(error, ConnectionError) or type(error).__name__ == "Py4JNetworkError":
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def _clean_when_it_fails(stopped: Callable[[], bool]) -> Iterator[None]:
    """Ends Java as soon as ``stopped()``; whatever is raised in the block is told, and leaves nothing behind."""
    done = Event()

    def watch() -> None:
        while not done.wait(_POLL_SECONDS):
            if stopped():
                kill_java()

    watcher = Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    except BaseException as error:
        told = failure(error) if isinstance(error, Exception) else None
        discard_session()
        if stopped():
            raise Cancelled from error
        if told is None or isinstance(error, (NoJava, Cancelled)):
            raise
        raise told from error
    finally:
        done.set()
        watcher.join()


def _started(master: str, stopped: Callable[[], bool]) -> SparkSession:
    global _machine
    # PySpark asks this process's environment which Python the workers are to be.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    if _machine is None:
        environment = _environment(master)
        folder = machine.folder_for_temporary_files()
        try:
            home = _find_spark_home()
            if master.startswith("local-cluster["):
                # Its workers keep their files in Spark's own folder.
                environment["SPARK_HOME"] = home = str(_stand_in(Path(home), folder / "spark"))
            _machine = machine.start(home, _settings(master, folder), folder, environment, stopped)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        found = {"PYSPARK_GATEWAY_PORT": str(_machine.port), "PYSPARK_GATEWAY_SECRET": _machine.secret}
        os.environ.update(found)
        try:
            SparkContext._ensure_initialized(gateway=launch_gateway())  # type: ignore[no-untyped-call]
        finally:
            for name in found:
                del os.environ[name]
    session = SparkSession.builder.master(master).getOrCreate()
    # It would print a traceback when Java ends; whoever waits for Java is told anyway.
    session.sparkContext._accumulatorServer.handle_error = lambda *_: None  # type: ignore[method-assign]
    if not master.startswith("local["):
        # The workers may run on hosts that have no copy of this code; they fetch it as long as the session lasts.
        session.addArtifact(str(archive(Path(_machine.folder) / "tidemark.zip")), pyfile=True)
    return session


def _stand_in(home: Path, folder: Path) -> Path:
    """A folder with all that is in Spark's own; what is added to it goes with it."""
    folder.mkdir()
    for each in home.iterdir():
        if each.name != "work":
            (folder / each.name).symlink_to(each)
    return folder


def java_release(session: SparkSession) -> str:
    """The version of the Java that the session's driver runs on."""
    row = session.sql("SELECT java_method('java.lang.System', 'getProperty', 'java.version')").first()
    assert row is not None
    version: str = row[0]
    return version


def _environment(master: str) -> dict[str, str]:
    """What Java is started with: this process's environment keeps its own ``JAVA_HOME``."""
    own = {"JAVA_HOME": str(java_home(find_java(os.environ)))}
    if master.startswith("local"):
        own["SPARK_LOCAL_IP"] = os.environ.get("SPARK_LOCAL_IP", "127.0.0.1")
    return {**os.environ, **own}


def _settings(master: str, folder: Path) -> dict[str, str]:
    memory = os.environ.get("SPARK_DRIVER_MEMORY", DEFAULT_MEMORY)
    quiet = files("spark_bridge").joinpath("log4j2.properties")
    options = f"-Duser.timezone=UTC -Dlog4j2.configurationFile=file:{quiet} -Djava.io.tmpdir={folder} {_HEAP}"
    settings = {
        "spark.app.name": "tidemark",
        "spark.driver.memory": memory,
        "spark.driver.extraJavaOptions": options,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # What a page could show of the past: an app that runs for days must not keep it.
        "spark.ui.retainedJobs": "50",
        "spark.ui.retainedStages": "200",
        "spark.sql.ui.retainedExecutions": "5",
        # So often do running tasks tell how far they are.
        "spark.executor.heartbeatInterval": "1s",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.catalogImplementation": "in-memory",
        # Times are Java longs that wrap; where a sum could, the bridge refuses the scenario beforehand.
        "spark.sql.ansi.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        # Otherwise each column asks the driver several times for the line of code that it comes from.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
    }
    return settings | ({"spark.local.dir": str(folder)} if master.startswith("local") else {})


# A heap that gives memory back instead of growing to its limit as soon as garbage is made.
_HEAP = "-XX:+UseSerialGC -XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=30 -XX:-UsePerfData"
