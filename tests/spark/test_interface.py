"""``tidemark.spark``, in a program that has a session of its own: it is used, and goes on afterwards."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tidemark.spark_bridge.spark.java import find_java, java_home

ROOT = Path(__file__).parents[2]

PROGRAM = """
import doctest, inspect
from pyspark.sql import SparkSession
import tidemark, tidemark.spark

spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
spark.conf.set("spark.sql.ansi.enabled", "true")
rows = "(1000L, 1000L, 'x'), (9000L, 2000L, 'y'), (20000L, 3000L, 'x'), (1500L, 4000L, 'y')"
df = spark.sql(f"SELECT * FROM VALUES {rows} AS t(ts, at, p)")
for name in tidemark.spark.PUBLIC:
    text = inspect.getdoc(getattr(tidemark.spark, name))
    assert ">>> " in text, name
    test = doctest.DocTestParser().get_doctest(text, {"df": df, "spark": spark}, name, None, 0)
    assert doctest.DocTestRunner().run(test).failed == 0

try: tidemark.spark.verify(tidemark.load("late-and-dropped"), "local[2]")
except tidemark.InputError as error: print(error)
for call in (lambda: tidemark.spark.profile([1], "ts"), lambda: tidemark.spark.profile(df, "when"),
             lambda: tidemark.spark.profile(df.select("ts", "ts"), "ts"), lambda: tidemark.scenario(df, "ts")):
    try: call()
    except tidemark.InputError as error: print(error)
print(df.count(), spark.conf.get("spark.sql.ansi.enabled"), spark.sql("SHOW VIEWS IN global_temp").count())
"""


@pytest.mark.alone
@pytest.mark.spark
@pytest.mark.time_limit(300)
def test_a_session_that_exists_is_used_and_goes_on(java: None) -> None:
    environment = os.environ | {
        "JAVA_HOME": str(java_home(find_java(os.environ))),
        "PYSPARK_PYTHON": sys.executable,
    }
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines() == [
        "spark is a session of Spark, not str.",
        "This takes a DataFrame of Spark, not list. Make one with spark.createDataFrame(…).",
        "The DataFrame has no column when. Its columns are ts, at, p.",
        "The DataFrame has 2 columns called ts. Rename all but one of them.",
        "This is a DataFrame of Spark. Profile it with tidemark.spark.profile, "
        "or take its first rows with limit(…).toPandas().",
        "4 true 0",
    ]
