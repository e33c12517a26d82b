"""A Spark session that the calling program already has: it is used with our settings and left as it was."""

from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.scenario import load
from tidemark.spark_bridge import CheckFails, check

from tests.spark.spark_sides import MASTER

GOLDEN = Path(__file__).parents[1] / "golden"


@pytest.mark.spark
def test_an_existing_session_is_used_and_left_as_it_was(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' own session, forgotten for a while, stands in for the caller's."""
    from tidemark.spark_bridge.spark import session

    scenario = load(GOLDEN / "session-late.yaml")
    monkeypatch.setattr(session, "_current", None)
    spark.conf.set("spark.sql.shuffle.partitions", "7")
    report = check(scenario, master=MASTER)
    assert (report.way, report.equal) == ("keyed", True)
    with pytest.raises(CheckFails, match=r"local\[2\].*local\[3\]") as failed:
        check(scenario, master="local[3]")
    assert failed.value.kind == "other_master"
    assert spark.conf.get("spark.sql.shuffle.partitions") == "7"
    assert spark.range(3).count() == 3
