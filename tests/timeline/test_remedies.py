"""What a condition says would fire a window does fire it; one millisecond less does not."""

from dataclasses import replace

from hypothesis import example, given, settings
from tidemark.simulator.engine.values.items import Advance, Watermark
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.generated import asked_every
from tidemark.simulator.scenario.model import Scenario

from tests.examples import examples
from tests.random_scenarios.flink import SHORT, Uses, scenarios
from tests.timeline.remedies import Standing

NO_TICKS = Uses(items=16, ticks=False)
"""Without ticks, because an advancing clock would also move the watermark."""


@settings(max_examples=examples(120), deadline=None)
@given(scenarios(uses=NO_TICKS))
def test_the_clock_that_a_window_needs_fires_it(scenario: Scenario) -> None:
    standing = Standing(scenario)
    for window, needs in standing.nearest("clock").items():
        away = needs - standing.clock
        assert standing.fires(window, [Advance(away)], "on_processing_time"), (window, needs)
        assert not standing.fires(window, [Advance(away - 1)], "on_processing_time"), (window, needs)


PAST = """scenario: 1
name: an-interval-of-the-past
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 0s}}}
operator:
  type: window
  assigner: {type: tumbling, size: 5s}
  trigger: {type: continuous-event-time, interval: 1s}
  function: {call: aggregate, compute: count}
stream: [{ts: 2s, key: a, value: 1}, {ts: 0s, key: b, value: 1}]
"""
"""The window of b sets its first interval, 1 s, when the watermark is 1.999 s already."""


FLUSHED_LATE = """scenario: 1
name: a-day-in-shanghai
operator:
  type: window
  api: tvf
  session_zone: Asia/Shanghai
  assigner: {type: tumbling, size: 1d}
  function: {call: aggregate, compute: count}
stream: [{watermark: '2026-03-02T10:00:00Z'}, {ts: '2026-03-02T11:00:00Z', key: a, value: 1}]
"""
"""The day ends at 16:00 in UTC, and the buffer is not emptied before midnight in UTC."""


@settings(max_examples=examples(60), deadline=None)
@given(scenarios(uses=SHORT))
@example(parse(PAST))
@example(parse(FLUSHED_LATE))
def test_the_watermark_that_a_window_needs_on_every_channel_fires_it(scenario: Scenario) -> None:
    standing = Standing(scenario)
    active = [row for row in standing.now("channels") if row["status"] == "active"]
    for window, needs in standing.nearest("watermark").items() if active else ():
        enough, almost = ([Watermark(ts, row["input"], row["channel"]) for row in active] for ts in (needs, needs - 1))
        assert standing.fires(window, enough, "on_event_time"), (window, needs)
        assert not standing.fires(window, almost, "on_event_time"), (window, needs)


BETWEEN_TICKS = """scenario: 1
name: an-interval-between-ticks
inputs: {events: {watermark: {generator: sql, bound: 0s, emit: 1001ms, idle_timeout: 500ms}}}
operator: {type: process, function: {call: event-sort}}
stream: []
"""
"""The ticks, every 100 ms, suit interval and timeout: the watermark is emitted after 1100 ms."""


@settings(max_examples=examples(40), deadline=None)
@given(scenarios(uses=SHORT))
@example(parse(BETWEEN_TICKS))
def test_a_lead_names_the_record_that_produces_a_watermark(scenario: Scenario) -> None:
    standing = Standing(scenario)
    for each in scenario.inputs:
        spec = each.watermark
        if not spec.makes_watermarks or standing.failed:
            continue
        for channel in (row for row in standing.now("channels") if row["input"] == each.name):
            seen = channel["max_timestamp"]
            due = None if seen is None else seen - spec.ahead
            known = [low for low in (spec.floor, channel["watermark"], channel["emitted"], due) if low is not None]
            wanted = max([*known, 0]) + 1000
            record = standing.record(each.name, channel["channel"], wanted + spec.ahead)
            after = Standing(_with(standing.scenario, record, asked_every(spec)))
            sent = next(row["emitted"] for row in after.now("channels") if row["id"] == channel["id"])
            assert sent == wanted or after.failed


def _with(scenario: Scenario, *more: object) -> Scenario:
    items = [Advance(each) if isinstance(each, int) else each for each in more if each != 0]
    return replace(scenario, stream=(*scenario.stream, *items))  # type: ignore[misc, arg-type]


def test_a_day_whose_rows_are_still_buffered_fires_at_the_next_flush_or_never() -> None:
    scenario = parse(FLUSHED_LATE)
    (waiting,) = Standing(scenario).conditions
    midnight = 1_772_496_000_000
    assert (waiting["kind"], waiting["reason"], waiting["needs"]) == ("watermark", "flush", midnight - 1)
    (stranded,) = Standing(_with(scenario, Watermark(midnight - 2))).conditions
    assert (stranded["kind"], stranded["reason"]) == ("never", "stranded")
