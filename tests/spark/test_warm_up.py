"""Spark is started before the first check: with few records, and never on a remote cluster."""

import sys
from dataclasses import replace
from threading import Event
from typing import Any

import pytest
from tidemark.simulator.engine.values.items import Record
from tidemark.simulator.scenario.data.described import Columns, Found
from tidemark.simulator.scenario.data.stream import Data
from tidemark.simulator.scenario.model import EventTimeTrigger, Function, Generated, Scenario, Tumbling, Window
from tidemark.spark_bridge import is_long, warm_up
from tidemark.spark_bridge.spark.java import QUICK_ITEMS

LIST = Scenario("few", Window(Tumbling(1000), EventTimeTrigger(), Function("aggregate", "sum")), (Record("a", 1, 5),))
LONG = replace(LIST, stream=Generated(100_000_000, 7, 4, 100))


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The checks that a warm-up has run: scenario, number of records, engine."""
    found: list[Any] = []

    def check(scenario: Scenario, events: int | None, *, engine: str, **_: Any) -> None:
        found.append((scenario, events, engine))

    for name in ("SPARK_MASTER", "SPARK_REMOTE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys.modules["tidemark.spark_bridge.check"], "check", check)
    return found


def test_a_warm_up_checks_few_records(checks: list[Any]) -> None:
    warm_up(LIST, "batch", Event())
    warm_up(LONG, "batch", Event())
    assert checks == [(LIST, None, "batch"), (LONG, 500, "batch")]


def test_a_warm_up_is_no_use_to_a_long_check() -> None:
    assert [is_long(LONG, events) for events in (None, QUICK_ITEMS, QUICK_ITEMS + 1)] == [True, False, True]
    file = Data("day.csv", Columns("ts"))
    of_file = [replace(file, found=found) for found in (None, Found(QUICK_ITEMS), Found(QUICK_ITEMS + 1))]
    told = [is_long(replace(LIST, stream=each), None) for each in of_file]
    assert told == [True, False, True], "of a file that only Spark can read nobody knows how long it is"
    assert not is_long(LIST, None)


@pytest.mark.parametrize("name", ["SPARK_MASTER", "SPARK_REMOTE"])
def test_a_remote_spark_is_not_warmed_up(name: str, checks: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "spark://host:7077")
    warm_up(LIST, "batch", Event())
    assert checks == []
