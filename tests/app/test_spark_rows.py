"""The rows of a check side by side: rows count as equal only for the very run that was checked."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator.scenario import load
from tidemark.simulator.timeline.wording import CLOCK, TimeFormat
from tidemark.ui.catalogue import Entry
from tidemark.ui.payload.times import TimeStyle
from tidemark.ui.spark import views
from tidemark.ui.spark.html import lateness
from tidemark.ui.spark.jobs import Asked, Difference, Job, Result
from tidemark.ui.spark.views import Small, agreed, rows
from tidemark.ui.spark.views import small as small_of

from tidemark import simulator

ROWS = tuple({"row": "pane", "key": key, "value": value} for key, value in (("a", 1), ("b", 2), ("b", 2)))
OTHER = {"row": "watermark", "ts": 4}


def small() -> Small:
    return Small((*ROWS[:1], OTHER, *ROWS[1:]), {}, {}, ())


def result(panes: int, differing: int, *differences: Difference) -> Result:
    counts = {"simulator": {"pane": panes, "dropped": 0}, "spark": {"pane": panes}}
    return Result("batch", "native", 3, panes, differing, 1.0, "4", "17", counts, differences)


def equal_rows(of: Result) -> list[Any]:
    return list(agreed(of, small()))


def test_all_rows_of_an_equal_run_are_equal() -> None:
    assert equal_rows(result(3, 0)) == list(ROWS)


def test_rows_that_differ_are_left_out() -> None:
    differing = Difference(ROWS[1], {**ROWS[1], "value": 3}, ("value",))
    assert equal_rows(result(3, 1, differing)) == [ROWS[0], ROWS[2]]


def test_no_row_counts_as_equal_if_differences_are_unknown_or_the_run_is_another() -> None:
    assert equal_rows(result(3, 7, Difference(ROWS[1], None, ()))) == []
    assert equal_rows(result(4, 0)) == []
    assert list(agreed(result(3, 0), None)) == []


def test_records_without_event_time_are_called_neither_late_nor_on_time() -> None:
    assert "no timestamp" in lateness({"delays": (), "delay_width": 1}, 2, (), 2)
    assert "<b>2</b> ahead" in lateness({"delays": ((0, 3, 1, 0),), "delay_width": 1}, 5, (), 5)


def test_a_record_behind_the_watermark_does_not_look_like_a_late_one() -> None:
    """Such a record may still be on time for its window, so it does not have the mark of a fate."""
    shown = lateness({"delays": ((0, 6, 3, 1),), "delay_width": 1}, 6, (), 6)
    assert "<i class='tm-fate tm-behind'></i><b>2</b> behind it" in shown
    assert "tm-late" not in shown
    assert "tm-on-time" not in shown


def job(state: str = "done", found: Result | None = None, fault: str | None = None) -> Job:
    asked = Asked("tiny", "Tiny", ("scenario", "tiny"), fault=fault)
    made = Job("1a2b", asked, datetime(2026, 1, 1, tzinfo=UTC), state=state)
    made.result = found
    made.stages = {"session": [0.0, 1.0], "spark": [1.0, None]}
    return made


DIFFERING = result(3, 1, Difference(ROWS[1], {**ROWS[1], "value": 3}, ("value",)))


def everything(of: Job) -> str:
    """The verdict, the stages, the run in the list, and the rows of a run that completed."""
    shown = [views.verdict(of, 0), views.progress(of, ("session", "spark")), views.earlier([of], of, 0)]
    return "".join([*shown, rows(of, None, TimeStyle(TimeFormat(CLOCK, UTC, None)))] if of.result else shown)


def test_finding_a_planted_fault_is_not_a_failure() -> None:
    planted = job(found=DIFFERING, fault="less")
    planted.stages["spark"][1] = 2.0
    shown = everything(planted)
    assert "<h1 aria-live='polite'>The planted fault (a value 1 too low) was found: 1 of 3 rows</h1>" in shown
    assert "with a planted fault: a value 1 too low" in shown
    assert shown.count("tm-planted") == 3
    assert "tm-no" not in shown
    assert "tm-bad" not in shown
    assert "1 row differs" in views.verdict(job(found=DIFFERING), 0)
    assert "tm-no" in views.verdict(job(found=DIFFERING), 0)


@pytest.mark.parametrize("state", ["cancelled", "interrupted"])
def test_a_stopped_run_is_neither_equal_nor_different(state: str) -> None:
    shown = everything(job(state))
    assert shown.count("tm-stopped") == 3
    assert "tm-no" not in shown
    assert "tm-bad" not in shown
    assert "tm-no" in everything(job("failed"))


def test_heading_and_list_call_rows_of_every_kind_rows() -> None:
    found = replace(result(7, 0), counts={side: {"pane": 7, "dropped": 1} for side in ("simulator", "spark")})
    shown = views.verdict(job(found=found), 0) + views.earlier([job(found=found)], job(), 0)
    assert "8 of 8 rows match" in shown
    assert "all 8 rows match" in shown
    assert "panes" not in shown


def test_a_rate_is_shown_only_for_thousands_of_records() -> None:
    assert "records a second" not in views.verdict(job(found=result(3, 0)), 0)
    large = job(found=replace(result(3, 0), events=5_000))
    large.took = 2.5
    assert "2\N{NARROW NO-BREAK SPACE}000 records a second" in views.verdict(large, 0)


def test_heading_progress_and_list_agree_on_the_time_even_after_waiting_for_spark() -> None:
    waited = job(found=replace(result(3, 0), seconds=2.5))
    waited.took = 16.1
    for shown in (views.verdict(waited, 0), views.progress(waited, ["session"]), views.earlier([waited], waited, 0)):
        assert "16.1 s" in shown
        assert "2.5 s" not in shown


def test_the_first_start_of_spark_is_shown_while_it_lasts() -> None:
    running = job("running")
    running.stages = {"session": [0.0, None]}
    assert "10 to 40 s" in views.progress(running, ("session", "spark"))
    running.stages = {"session": [0.0, 0.1], "spark": [0.1, None]}
    assert "10 to 40 s" not in views.progress(running, ("session", "spark"))


def test_rows_that_a_restore_withdraws_are_not_shown() -> None:
    """Every remaining row has its step: that of the run that counts."""
    file = Path(__file__).parents[2] / "scenarios" / "replayed-by-the-clock.yaml"
    scenario = load(file)
    found = small_of(Entry(scenario.name, file, "withdrawn", scenario))
    assert [dict(row) for row in found.rows] == simulator.run_rows(scenario)
    first, second = (found.step_of(row, None) or -1 for row in found.rows)
    assert 0 <= first < second
