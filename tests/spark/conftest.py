"""One Spark session for all tests of the bridge."""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.proof import spark_checks
from tidemark.simulator.scenario.model import Scenario
from tidemark.spark_bridge.plan.batch import BatchPlan, plan_of
from tidemark.spark_bridge.spark.java import NoJava, find_java

from tests.spark.spark_sides import MASTER, Rows, collected


@pytest.fixture(scope="session")
def java() -> Iterator[None]:
    """Ends Spark's Java, which all tests share, after the last test."""
    try:
        find_java(os.environ)
    except NoJava as error:
        pytest.skip(str(error))
    from tidemark.spark_bridge.spark import session

    yield
    with session.LOCK:
        session.discard_session()


@pytest.fixture
def spark(java: None) -> Any:
    """The session that every check in this process uses; a new one only after a test has ended it."""
    from tidemark.spark_bridge.spark import session

    with session.LOCK:
        return session.open_session(MASTER)


@pytest.fixture(autouse=True)
def kept_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the command line stores its results during tests, instead of the project's own."""
    folder = tmp_path / "spark-checks"
    monkeypatch.setattr(spark_checks, "FOLDER", folder)
    return folder


@pytest.fixture
def rows_together(spark: Any) -> Callable[[Mapping[str, BatchPlan]], dict[str, Rows]]:
    """A function that runs plans in the batch engine, by name, as one action."""
    from tidemark.spark_bridge.execution.engine import Execution

    def rows_of(plans: Mapping[str, BatchPlan]) -> dict[str, Rows]:
        with ExitStack() as stack:
            tables = {name: stack.enter_context(Execution(spark, plan)).rows() for name, plan in plans.items()}
            return {name: Counter(rows) for name, rows in collected(tables).items()}

    return rows_of


@pytest.fixture
def spark_rows(rows_together: Callable[[Mapping[str, BatchPlan]], dict[str, Rows]]) -> Callable[[Scenario], Rows]:
    """A function that runs a scenario in the batch engine."""
    return lambda scenario: rows_together({"": plan_of(scenario)})[""]
