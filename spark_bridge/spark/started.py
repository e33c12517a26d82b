"""A session in a Java that is started for it, with any master: quiet, in UTC, gone without a trace.

The masters of a standalone cluster (``spark://host:port,host:port``): whether one of them answers.

What PySpark's names mean in Java, looked up once.

Py4J asks Java each time a name is used: two requests for every function of an expression, more than a thousand for one
check. Yet a class and its static methods do not change as long as Java runs.
"""

import contextlib
import logging
import os
import shutil
import socket
import sys
import warnings
from collections.abc import Callable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pyspark import SparkContext
from pyspark.find_spark_home import _find_spark_home
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession
from tidemark.spark_bridge.spark import java
from tidemark.spark_bridge.spark.connection import SETTINGS, Classic, ship
from tidemark.spark_bridge.spark.java import QUICK_ITEMS, JavaProcess, find_java, java_home
from tidemark.spark_bridge.spark.stages import CheckFails, failure_of

DEFAULT_MEMORY = "1g"

# A heap that gives memory back instead of growing to its limit as soon as garbage is made.
_HEAP = "-XX:+UseSerialGC -XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=30 -XX:-UsePerfData"
_QUICK = "-XX:TieredStopAtLevel=1"

# Py4J logs, with a traceback, what it raises as well.
logging.getLogger().addFilter(lambda record: "py4j" not in record.pathname)
logging.getLogger("py4j").setLevel(logging.CRITICAL)


class StartedJava(Classic):
    """A session whose Java ends with it, and removes what it wrote.

    A Java for a check of few items has only the compiler that itself is fast.
    """

    def __init__(self, place: str, items: int) -> None:
        super().__init__(place)
        self._is_quick = items <= QUICK_ITEMS
        self._machine: JavaProcess | None = None

    def open(self, stopped: Callable[[], bool]) -> None:
        if self.place.startswith(SCHEME):
            require_master(self.place)
        self._machine = _started(self.place, self.java_options, stopped)
        # With these in the environment, PySpark would use the Java that runs already, or a Spark Connect server.
        with _environment(
            PYSPARK_GATEWAY_PORT=str(self._machine.port), PYSPARK_GATEWAY_SECRET=self._machine.secret, SPARK_REMOTE=None
        ):
            # A Java that a session of the calling program has left behind is not ours.
            SparkContext._gateway = SparkContext._jvm = None
            SparkContext._ensure_initialized(gateway=launch_gateway())  # type: ignore[no-untyped-call]
            self.session = SparkSession.builder.master(self.place).getOrCreate()
        context = self.session.sparkContext
        remember_lookups(context)
        # It would print a traceback when Java ends; whoever waits for Java gets an error anyway.
        context._accumulatorServer.handle_error = lambda *_: None  # type: ignore[method-assign]
        if not self.place.startswith("local["):
            ship(self.session)
        self.parallelism = context.defaultParallelism

    @property
    def is_alive(self) -> bool:
        return self._machine is not None and self._machine.exit_code is None

    @property
    def java_options(self) -> str:
        """The settings for memory and compilers, whatever its folder."""
        return f"{_HEAP} {_QUICK}" if self._is_quick else _HEAP

    def is_for(self, items: int) -> bool:
        """A Java with all compilers suits few items too, since it is running already."""
        return items <= QUICK_ITEMS or not self._is_quick

    def kill(self) -> None:
        if self._machine is not None:
            self._machine.kill()

    def discard(self) -> None:
        """End Java at once, with all that it started and its temporary files."""
        context, gateway = SparkContext._active_spark_context, SparkContext._gateway
        if self._machine is not None:
            self._machine.end()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Java is meant to be gone
            for close in filter(None, (context and context.stop, gateway and gateway.shutdown)):
                with contextlib.suppress(Exception):
                    close()
        SparkContext._active_spark_context = SparkContext._gateway = SparkContext._jvm = None
        SparkSession._instantiatedSession = SparkSession._activeSession = None
        self._machine = None

    def failure(self, error: Exception) -> CheckFails:
        if self._machine is None:
            return failure_of(error)
        code = self._machine.exit_code_soon() if _lost_connection(error) else self._machine.exit_code
        return failure_of(error, exit_code=code, said=self._machine.said())


def _lost_connection(error: BaseException | None) -> bool:
    """Whether ``error`` comes from a Java that does not answer any more."""
    while error is not None:
        # If Java closed the connection properly, only the name of Py4J's error says so.
        if isinstance(error, ConnectionError) or type(error).__name__ == "Py4JNetworkError":
            return True
        error = error.__cause__ or error.__context__
    return False


def _started(master: str, java_options: str, stopped: Callable[[], bool]) -> JavaProcess:
    # PySpark reads the Python for its workers from this process's environment.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    own = {"JAVA_HOME": str(java_home(find_java(os.environ)))}
    folder = java.folder_for_temporary_files()
    try:
        # Set here, since the script that starts Java would start a Python to find it.
        own["SPARK_HOME"] = home = _find_spark_home()
        if master.startswith("local"):
            own["SPARK_LOCAL_IP"] = os.environ.get("SPARK_LOCAL_IP", "127.0.0.1")
        if master.startswith("local["):
            # The workers are on this host: they find the code where this process does.
            own["PYTHONPATH"] = os.pathsep.join(filter(None, map(os.path.abspath, sys.path)))
        if master.startswith("local-cluster["):
            # Its workers keep their files in Spark's own folder.
            own["SPARK_HOME"] = home = str(_stand_in(Path(home), folder / "spark"))
        # The folder lies in one of SPARK_LOCAL_DIRS, and is removed with Java; there it would be these themselves.
        without = {"SPARK_REMOTE", "SPARK_LOCAL_DIRS"} if master.startswith("local") else {"SPARK_REMOTE"}
        environment = {name: value for name, value in os.environ.items() if name not in without}
        return java.start(home, _settings(master, java_options, folder), folder, environment | own, stopped)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


@contextlib.contextmanager
def _environment(**wanted: str | None) -> Iterator[None]:
    """This process's environment with these variables (None: without it) for the length of the block."""
    before = {name: os.environ.get(name) for name in wanted}
    _set_all(wanted)
    try:
        yield
    finally:
        _set_all(before)


def _set_all(wanted: dict[str, str | None]) -> None:
    for name, value in wanted.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _stand_in(home: Path, folder: Path) -> Path:
    """A folder with all that is in Spark's own; what is added to it goes with it."""
    folder.mkdir()
    for each in home.iterdir():
        if each.name != "work":
            (folder / each.name).symlink_to(each)
    return folder


def _settings(master: str, java_options: str, folder: Path) -> dict[str, str]:
    quiet = files("tidemark.spark_bridge.spark").joinpath("log4j2.properties")
    options = f"-Duser.timezone=UTC -Dlog4j2.configurationFile=file:{quiet} -Djava.io.tmpdir={folder} {java_options}"
    settings = {
        "spark.app.name": "tidemark",
        "spark.driver.memory": os.environ.get("SPARK_DRIVER_MEMORY", DEFAULT_MEMORY),
        "spark.driver.extraJavaOptions": options,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # The history that Spark's UI would show: an app that runs for days must not keep it.
        "spark.ui.retainedJobs": "50",
        "spark.ui.retainedStages": "200",
        "spark.sql.ui.retainedExecutions": "5",
        # How often running tasks report their progress.
        "spark.executor.heartbeatInterval": "1s",
        "spark.sql.catalogImplementation": "in-memory",
        # Each step of each task begins by taking a page. At Spark's own size, 16 MB in such a heap, pages fill the
        # heap, and Java collects garbage again and again.
        "spark.buffer.pageSize": "2m",
        # One run makes more classes than the hundred that Spark caches: it would compile all of them each time.
        "spark.sql.codegen.cache.maxEntries": "500",
        # Otherwise each column asks the driver several times for the line of code that it comes from, and Java for the
        # line of its own.
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.sql.dataFrameQueryContext.enabled": "false",
        **SETTINGS,
    }
    return settings | ({"spark.local.dir": str(folder)} if master.startswith("local") else {})


SCHEME: Final = "spark://"
_PORT: Final = 7077
_PATIENCE_SECONDS: Final = 5.0


def require_master(place: str) -> None:
    """Raise ``CheckFails`` if none answers; Spark itself would try for a minute, after Java has started."""
    error_text = ""
    for address in place.removeprefix(SCHEME).split(","):
        try:
            target = urlsplit(f"{SCHEME}{address}")
            socket.create_connection((target.hostname or "", target.port or _PORT), _PATIENCE_SECONDS).close()
        except (OSError, ValueError) as error:
            error_text = str(error)
        else:
            return
    raise CheckFails("no_master", master=place, text=error_text)


_FREQUENT = ("functions", "org.apache.spark.sql.functions", "PythonUtils")
"""The classes by the names that PySpark uses."""


class Known:
    """A class of Java that remembers the static methods it was asked for."""

    def __init__(self, java_class: Any) -> None:
        self._java_class = java_class

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._java_class, name)
        setattr(self, name, found)
        return found


def remember_lookups(context: SparkContext) -> None:
    """Make PySpark look up its most frequent names only once for this Java."""
    for name in _FREQUENT:
        setattr(context._jvm, name, Known(getattr(context._jvm, name)))
