"""One process that runs tests again and again, each time with the code as it is on disk by then.

Python, pytest and Spark's Java start once. Of the project nothing is kept between two runs: neither in this process,
whose modules are forgotten, nor in Spark's Python workers, which end with the Spark context of a run. The bridge finds
that context here as one of a program that calls it.

Each line on stdin is a JSON list of arguments for pytest; each line on stdout, ``[exit code, what pytest said]``.
"""

import contextlib
import gc
import importlib
import io
import json
import os
import sys
from collections.abc import Iterator
from typing import Final

import pytest

OF_THE_PROJECT: Final = ("tidemark", "tests")
WITH_SPARK: Final = "--with-spark"
"""The first argument of a run that needs Spark."""

LAST_LINES: Final = 12


@contextlib.contextmanager
def spark_context() -> Iterator[None]:
    """A Spark context for the length of the block, in the Java of the one before."""
    from pyspark.sql import SparkSession
    from tidemark.spark_bridge.spark.java import find_java, java_home

    os.environ |= {"JAVA_HOME": str(java_home(find_java(os.environ))), "PYSPARK_PYTHON": sys.executable}
    os.environ |= {"PYTHONPATH": os.getcwd(), "SPARK_LOCAL_IP": "127.0.0.1"}
    settings = {
        "spark.ui.enabled": "false",
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC -XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.sql.catalogImplementation": "in-memory",
        "spark.buffer.pageSize": "2m",
        "spark.sql.codegen.cache.maxEntries": "500",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    try:
        yield
    finally:
        session.stop()


def ran(arguments: list[str]) -> tuple[int, str]:
    """One run of pytest: its exit code, and the last lines that it printed."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OF_THE_PROJECT]:
        del sys.modules[name]
    gc.unfreeze()  # tests/conftest.py freezes what the run before has left
    gc.collect()
    importlib.invalidate_caches()
    around = contextlib.nullcontext()
    if arguments[0] == WITH_SPARK:
        around, arguments = spark_context(), arguments[1:]
    said = io.StringIO()
    with around, contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = int(pytest.main(arguments))
    return code, "\n".join(said.getvalue().splitlines()[-LAST_LINES:])


def main() -> None:
    """Until stdin ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever Java prints is no answer
    for line in sys.stdin:
        print(json.dumps(ran(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
