"""The rows of a check beside one another: equal ones are told only of the very run that was checked."""

from pathlib import Path
from typing import Any

import pytest

import simulator
from simulator.scenario import load
from ui.catalogue import Entry
from ui.spark.kept import Difference, Result
from ui.spark.rows import agreed
from ui.spark.shapes import lateness
from ui.spark.small import Small
from ui.spark.small import small as small_of

pytestmark = pytest.mark.app

ROWS = tuple({"row": "pane", "key": key, "value": value} for key, value in (("a", 1), ("b", 2), ("b", 2)))
OTHER = {"row": "watermark", "ts": 4}


def small() -> Small:
    return Small((*ROWS[:1], OTHER, *ROWS[1:]), {}, {}, ())


def result(panes: int, differing: int, *differences: Difference) -> Result:
    counts = {"simulator": {"pane": panes, "dropped": 0}, "spark": {"pane": panes}}
    return Result("batch", "native", 3, panes, differing, 1.0, "4", "17", counts, differences)


def told(of: Result) -> list[Any]:
    return list(agreed(of, small()))


def test_all_rows_of_an_equal_run() -> None:
    assert told(result(3, 0)) == list(ROWS)


def test_without_those_that_differ() -> None:
    differing = Difference(ROWS[1], {**ROWS[1], "value": 3}, ("value",))
    assert told(result(3, 1, differing)) == [ROWS[0], ROWS[2]]


def test_none_where_not_every_difference_is_known_or_the_run_is_another() -> None:
    assert told(result(3, 7, Difference(ROWS[1], None, ()))) == []
    assert told(result(4, 0)) == []
    assert list(agreed(result(3, 0), None)) == []


def test_records_without_a_time_of_their_own_are_not_called_late_or_not() -> None:
    assert "no time of their own" in lateness({"delays": (), "delay_width": 1}, 2, (), 2)
    assert "<b>2</b> ahead" in lateness({"delays": ((0, 3, 1, 0),), "delay_width": 1}, 5, (), 5)


def test_what_a_restore_takes_back_is_not_told() -> None:
    """Every row that stays has its step, that of the run that counts."""
    file = Path(__file__).parents[2] / "scenarios" / "replayed-by-the-clock.yaml"
    scenario = load(file)
    found = small_of(Entry(scenario.name, file, "withdrawn", scenario))
    assert [dict(row) for row in found.rows] == simulator.run_rows(scenario)
    first, second = (found.step_of(row, None) or -1 for row in found.rows)
    assert 0 <= first < second
