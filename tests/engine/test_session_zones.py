"""Windows in a session time zone: the rules by their worked examples, and rows of real Flink SQL jobs.

Each line of ``session_zones.jsonl`` (window table functions) and ``group_windows_in_zones.jsonl`` is a scenario and the
rows that Flink 2.3.0 printed for it: random records around a change of the clock, in fifteen zones, through the planner
with ``table.local-time-zone`` in one phase.
"""

import json
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest
from tidemark.simulator import run_rows, run_traced
from tidemark.simulator.engine.trace.events import TimerRegistered, WindowCleaned
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.scenario.zones import session_zone

from tests.each import for_each

JOBS = [
    json.loads(line)
    for file in ("session_zones.jsonl", "group_windows_in_zones.jsonl")
    for line in (Path(__file__).parent / file).read_text().splitlines()
]
HOUR = 3_600_000


OVER_BETWEEN_TWO_POINTS = """
  - {ts: '2021-03-14T15:59:59.999Z', key: a, value: 1}
  - {ts: '2021-03-14T16:00:00Z', key: a, value: 2}
  - {watermark: '2021-03-14T15:59:59.998Z'}
  - {watermark: '2021-03-14T15:59:59.999Z'}
  - {watermark: '2021-03-15T16:00:00Z'}
"""
"""The first day in Shanghai ends at 16:00 UTC, between two days of UTC."""


def named(job: dict[str, Any]) -> str:
    operator = job["scenario"]["operator"]
    return f"{operator['api']}-{operator['session_zone']}-{operator['assigner']['type']}"


@for_each(JOBS, named)
def test_the_rows_are_those_of_a_flink_sql_job(job: dict[str, Any]) -> None:
    scenario = parse(json.dumps({"scenario": 1, "name": "zoned", **job["scenario"]}), "zoned.json", json=True)
    found = [{name: row[name] for name in ("key", "start", "end", "value")} for row in run_rows(scenario)
             if row["row"] == "pane"]  # fmt: skip
    assert sorted(map(json.dumps, found)) == sorted(map(json.dumps, job["rows"]))


def tumbling(zone: str, size: str, stream: str, api: str = "tvf") -> Scenario:
    operator = (
        f"{{type: window, api: {api}, session_zone: {zone}, assigner: {{type: tumbling, size: {size}}}, "
        "function: {call: aggregate, compute: sum}}"
    )
    return parse(
        f"scenario: 1\nname: zoned\noperator: {operator}\nstream:\n{indent(dedent(stream), '  ')}", "zoned.yaml"
    )


def sums(zone: str, size: str, stream: str, api: str = "tvf") -> list[str]:
    """``09:00 = 3``: the local start and the sum of each window."""
    rows = run_rows(tumbling(zone, size, stream, api))
    return [f"{row['start'] // HOUR % 24:02}:00 = {row['value']}" for row in rows if row["row"] == "pane"]


def test_an_hour_that_is_skipped_has_no_window() -> None:
    stream = """
      - {ts: '2021-03-14T09:30:00Z', key: a, value: 1}
      - {ts: '2021-03-14T10:30:00Z', key: a, value: 2}
      - {end: true}
    """
    assert sums("America/Los_Angeles", "1h", stream) == ["01:00 = 1", "03:00 = 2"]


def test_an_hour_that_comes_twice_is_one_window_that_waits_for_the_second() -> None:
    stream = """
      - {ts: '2021-11-07T08:30:00Z', key: a, value: 1}
      - {watermark: '2021-11-07T08:59:59.999Z'}
      - {ts: '2021-11-07T09:30:00Z', key: a, value: 2}
      - {watermark: '2021-11-07T09:59:59.998Z'}
    """
    assert sums("America/Los_Angeles", "1h", stream) == []
    assert sums("America/Los_Angeles", "1h", f"{stream}  - {{watermark: '2021-11-07T09:59:59.999Z'}}") == ["01:00 = 3"]


def test_a_day_that_ends_between_two_points_of_the_grid_of_utc_is_lost() -> None:
    assert sums("Asia/Shanghai", "1d", OVER_BETWEEN_TWO_POINTS) == ["00:00 = 2"]


def test_a_group_window_has_no_buffer_in_which_the_day_could_be_lost() -> None:
    """The same records as above: window table functions lose the first day."""
    assert sums("Asia/Shanghai", "1d", OVER_BETWEEN_TWO_POINTS, api="sql") == ["00:00 = 1", "00:00 = 2"]


def test_the_cleanup_timer_of_a_window_before_1970_stands_at_the_local_time_0() -> None:
    """In UTC it stands at the instant 0. The window has ended before: the timer of its end cleans it up."""
    stream = """
      - {ts: '1970-01-01T03:00:00Z', key: a, value: 1}
      - {watermark: '1970-01-01T04:59:59.999Z'}
      - {ts: '1970-01-01T06:00:00Z', key: a, value: 2}
      - {end: true}
    """
    events = [step.event for step in run_traced(tumbling("America/New_York", "1h", stream, "sql"))[1]]
    cleanups = [each.timestamp for each in events if isinstance(each, TimerRegistered) and each.purpose == "cleanup"]
    assert cleanups == [5 * HOUR]
    assert [each.window.end for each in events if isinstance(each, WindowCleaned)] == [-HOUR, 2 * HOUR]


BY_CLOCK = """scenario: 1
name: zoned
origin: '2021-03-14T00:00:00Z'
operator: {type: window, api: tvf, time: processing, session_zone: Asia/Tokyo, assigner: {type: tumbling, size: 1h},
  function: {call: aggregate, compute: sum}}
stream:
  - {ts: 0, key: a, value: 1, at: '2021-03-14T00:30:00Z'}
  - {watermark: '2021-03-15T00:00:00Z'}
  - {advance: 1h}
  - {ts: 0, key: a, value: 2}
"""


def test_a_watermark_does_not_move_windows_of_the_clock() -> None:
    """``WindowAggOperator.processWatermark`` empties the buffer in event time only; the clock alone does it here."""
    rows = run_rows(parse(f"{BY_CLOCK}  - {{advance: 1h}}\n", "zoned.yaml"))
    assert [row["value"] for row in rows if row["row"] == "pane"] == [1, 2]


def test_a_restore_does_not_bring_the_watermark_back_to_windows_of_the_clock() -> None:
    """``WindowAggProcessorBase.initializeWatermark`` does so in event time only."""
    restore = "  - {checkpoint: c}\n  - {restore: c}\n  - {ts: 0, key: b, value: 4}\n  - {advance: 1h}\n"
    rows = run_rows(parse(f"{BY_CLOCK}{restore}", "zoned.yaml"))
    assert [(row["key"], row["value"]) for row in rows if row["row"] == "pane"] == [("a", 1), ("a", 2), ("b", 4)]


def test_an_allowed_lateness_is_refused_in_a_zone() -> None:
    with pytest.raises(ScenarioError, match="no allowed lateness"):
        parse("""scenario: 1
name: zoned
operator: {type: window, api: sql, session_zone: Asia/Tokyo, assigner: {type: tumbling, size: 1d},
  allowed_lateness: 1h, function: {call: aggregate, compute: sum}}
stream: []
""", "zoned.yaml")  # fmt: skip


def test_half_hours_are_lost_in_the_hour_that_comes_twice() -> None:
    stream = """
      - {watermark: '2021-11-07T08:40:00Z'}
      - {ts: '2021-11-07T09:10:00Z', key: a, value: 1}
      - {watermark: '2021-11-07T09:40:00Z'}
      - {end: true}
    """
    rows, trace = run_traced(tumbling("America/Los_Angeles", "30m", stream))
    assert [row["row"] for row in rows if row["row"] != "watermark"] == []
    assert [type(step.event).__name__ for step in trace if "Str" in type(step.event).__name__] == ["SliceStranded"]


@pytest.mark.parametrize(
    ("zone", "changes"),
    [
        ("America/Los_Angeles", True),
        ("Australia/Lord_Howe", True),
        ("Asia/Shanghai", False),
        ("Africa/Casablanca", False),
    ],
)
def test_a_zone_has_summer_time_if_it_will_have_it_for_ever(zone: str, changes: bool) -> None:
    assert session_zone(zone).changes_clock is changes


def test_beyond_the_calendar_a_zone_shows_what_it_shows_in_a_year_that_repeats() -> None:
    far = 2**62
    zone = session_zone("Europe/Berlin")
    assert zone.to_local(far) - far in (HOUR, 2 * HOUR)
    assert zone.to_instant(zone.to_local(far)) == far
    assert zone.to_local(-far) - (-far) == 3_208_000  # local mean time
