"""Traps in Flink's event-time machinery, one test each: what a plausible implementation gets wrong."""

import pytest
from tidemark.simulator.engine.assigners.table import CumulativeWindowAssigner
from tidemark.simulator.engine.operators import firing
from tidemark.simulator.engine.operators.merging_window_operator import hash_set_order, time_window_hash
from tidemark.simulator.engine.pipeline import Pipeline
from tidemark.simulator.engine.trace.events import CheckpointTaken, ElementSilentlySkipped, WatermarkIgnored
from tidemark.simulator.engine.values.errors import EngineFailure, ScenarioError
from tidemark.simulator.engine.values.time import MAX, MIN, remainder, window_start
from tidemark.simulator.engine.values.window import TimeWindow, sliding_windows
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.stream import items

from tests.engine.transcript import TUMBLING, events, row_lines, scenario_text, trace_of
from tidemark import simulator


def test_a_window_fires_at_its_last_instant_and_every_timer_sees_the_new_watermark() -> None:
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {ts: 6000, key: a, value: 2}
        - {watermark: 4998}
        - {watermark: 9999}
    """
    assert row_lines(TUMBLING, stream) == [
        "watermark 4998",
        "pane a [0, 5000) on-time #0 = 1",
        "pane a [5000, 10000) on-time #0 = 2",
        "watermark 9999",
    ]
    fired = [step for step in trace_of(TUMBLING, stream) if type(step.event).__name__ == "PaneFired"]
    assert [step.watermark for step in fired] == [9999, 9999]


def test_without_lateness_firing_and_cleanup_are_one_timer() -> None:
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {watermark: 5000}
    """
    seen = events(TUMBLING, stream)
    assert seen.count("TimerRegistered") == 1
    assert seen[seen.index("TimerFired") :] == [
        "TimerFired",
        "TriggerEvaluated",
        "PaneFired",
        "WindowCleaned",
        "StateCleared",
        "WatermarkForwarded",
    ]


def test_with_lateness_firing_and_cleanup_are_two_timers() -> None:
    stream = """
        - {ts: 1000, key: a, value: 1}
    """
    assert events(TUMBLING + "allowed_lateness: 1s", stream).count("TimerRegistered") == 2


def test_a_window_is_late_by_its_end_and_a_record_by_its_timestamp() -> None:
    """With slide > size, a record between two windows belongs to none. It is dropped if late; otherwise it vanishes."""
    operator = """
        type: window
        assigner: {type: sliding, size: 2s, slide: 5s}
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {watermark: 4000}
        - {ts: 3000, key: a, value: 1}
        - {ts: 4001, key: a, value: 2}
    """
    assert row_lines(operator, stream) == ["watermark 4000", "dropped a at 3000 = 1"]
    assert events(operator, stream)[-1] == "ElementSilentlySkipped"


def test_a_channel_that_reaches_the_last_watermark_holds_the_others_back_again() -> None:
    """It was idle, and is active again behind what the other one had sent meanwhile. Its next watermark is the same."""
    stream = """
        - {watermark: 5, channel: 1}
        - {status: idle, channel: 1}
        - {watermark: 10, channel: 0}
        - {status: active, channel: 1}
        - {watermark: 10, channel: 1}
        - {watermark: 20, channel: 0}
        - {watermark: 15, channel: 1}
    """
    assert row_lines(TUMBLING, stream, "events: {channels: 2}") == ["watermark 10", "watermark 15"]


def test_in_processing_time_nothing_is_late_not_even_between_windows() -> None:
    operator = """
        type: window
        time: processing
        assigner: {type: sliding, size: 2s, slide: 5s}
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {watermark: 4000}
        - {ts: 3000, key: a, value: 1, at: 3s}
    """
    assert row_lines(operator, stream, kinds="pane dropped late") == []
    *_, last = trace_of(operator, stream)
    skipped = last.event
    assert isinstance(skipped, ElementSilentlySkipped)
    assert (skipped.rule.formula, skipped.rule.holds) == ("is_event_time", False), "no comparison of times"


def test_a_record_behind_the_watermark_is_not_late_while_its_window_is_open() -> None:
    stream = """
        - {watermark: 3000}
        - {ts: 1000, key: a, value: 1}
        - {end: true}
    """
    assert row_lines(TUMBLING, stream, kinds="pane dropped") == ["pane a [0, 5000) on-time #0 = 1"]


def test_a_late_record_goes_to_the_side_output_or_is_counted_never_both() -> None:
    stream = """
        - {watermark: 5000}
        - {ts: 1000, key: a, value: 1}
    """
    assert row_lines(TUMBLING, stream) == ["watermark 5000", "dropped a at 1000 = 1"]
    assert row_lines(TUMBLING + "late_output: side", stream) == ["watermark 5000", "late a at 1000 = 1"]


def test_sessions_that_only_touch_merge() -> None:
    operator = """
        type: window
        assigner: {type: session, gap: 1s}
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {ts: 0, key: a, value: 1}
        - {ts: 1000, key: a, value: 2}
        - {ts: 2001, key: a, value: 4}
        - {end: true}
    """
    assert row_lines(operator, stream, kinds="pane") == [
        "pane a [0, 2000) on-time #0 = 3",
        "pane a [2001, 3001) on-time #0 = 4",
    ]


def test_sliding_windows_are_visited_newest_first() -> None:
    operator = """
        type: window
        assigner: {type: sliding, size: 4s, slide: 2s}
        trigger: {type: count, max: 1}
        function: {call: aggregate, compute: sum}
    """
    assert row_lines(operator, "- {ts: 5000, key: a, value: 1}") == [
        "pane a [4000, 8000) early #0 = 1",
        "pane a [2000, 6000) early #0 = 1",
    ]


def test_a_firing_purges_only_with_a_purging_trigger() -> None:
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {watermark: 4999}
        - {ts: 2000, key: a, value: 2}
    """
    late = TUMBLING + "allowed_lateness: 5s\n"
    assert row_lines(late, stream, kinds="pane")[-1] == "pane a [0, 5000) late #1 = 3"
    purging = late + "trigger: {type: purging, inner: {type: event-time}}"
    assert row_lines(purging, stream, kinds="pane")[-1] == "pane a [0, 5000) late #1 = 2"


def test_sql_watermarks_start_at_zero_so_the_first_is_at_least_one() -> None:
    inputs = "events: {watermark: {generator: sql, bound: 0}}"
    stream = """
        - {ts: -5000, key: a, value: 1}
        - {ts: 0, key: a, value: 1}
        - {ts: 1, key: a, value: 1}
    """
    operator = TUMBLING + "api: sql"
    assert row_lines(operator, stream, inputs, kinds="watermark") == ["watermark 1"]


def test_a_later_merge_does_not_change_a_checkpoint() -> None:
    """The checkpoint also holds the list of a session merged into an empty one; the replay must not find it twice."""
    operator = """
        type: window
        assigner: {type: session, gap: 10}
        trigger: {type: purging, inner: {type: count, max: 2}}
        function: {call: process, compute: collect}
    """
    stream = """
        - {ts: 2, key: a, value: 1}
        - {ts: 2, key: a, value: 2}
        - {ts: 22, key: a, value: 3}
        - {checkpoint: c}
        - {ts: 12, key: a, value: 4}
        - {restore: c}
    """
    assert row_lines(operator, stream) == ["pane a [2, 12) early #0 = [1, 2]", "pane a [2, 32) early #0 = [3, 4]"]


def test_a_time_evictor_checks_only_the_first_record_for_a_timestamp() -> None:
    operator = """
        type: window
        time: processing
        assigner: {type: global}
        trigger: {type: count, max: 2}
        evictor: {type: time, window: 5}
        function: {call: process, compute: collect}
    """
    with_time, without = "- {ts: 10, key: a, value: 1}", "- {key: a, value: 2}"
    assert row_lines(operator, f"{without}\n{with_time}") == ["pane a global early #0 = [2, 1]"]
    assert row_lines(operator, f"{with_time}\n{without}") == ["error IllegalStateException"]


def test_sliding_windows_whose_starts_underflow_never_end() -> None:
    with pytest.raises(EngineFailure, match="have no end"):
        sliding_windows(MIN + 500, 100, 5000, 0)
    with pytest.raises(EngineFailure, match="have no end"):
        sliding_windows(MIN + 5, 5, 2, 1)
    assert len(sliding_windows(MIN + 5000, 5, 2, 1)) == 2
    assert CumulativeWindowAssigner(10, 5).assign_windows(MAX - 3) == []


def test_a_sql_watermark_still_pending_when_its_channel_turns_idle_is_lost() -> None:
    """The timer emits it without making the channel active, and the valve ignores watermarks from idle channels."""
    inputs = "events: {watermark: {generator: sql, bound: 0, emit: 1s, idle_timeout: 100ms}}"
    stream = """
        - {ts: 500, key: a, value: 1, at: 0}
        - {advance: 2s}
        - {ts: 400, key: a, value: 2}
        - {end: true}
    """
    sort = "{type: process, function: {call: event-sort}}"
    assert row_lines(sort, stream, inputs) == ["emitted a at 400 = 2", "emitted a at 500 = 1", f"watermark {MAX}"]
    ignored = [step.event for step in trace_of(sort, stream, inputs) if isinstance(step.event, WatermarkIgnored)]
    assert [(each.ts, each.reason) for each in ignored] == [(500, "idle")]


def test_a_row_without_a_timestamp_fails_a_sql_job() -> None:
    inputs = "events: {watermark: {generator: sql, bound: 1s}}"
    operator = TUMBLING + "api: sql\ntime: processing"
    assert row_lines(operator, "- {key: a, value: 1}", inputs) == ["error RuntimeException"]


def test_a_bounded_watermark_is_a_millisecond_below_the_bound() -> None:
    inputs = "events: {watermark: {generator: bounded-out-of-orderness, bound: 2s}}"
    assert row_lines(TUMBLING, "- {ts: 9000, key: a, value: 1}", inputs) == ["watermark 6999"]


def test_window_starts_round_negative_timestamps_down() -> None:
    assert [window_start(ts, 0, 5) for ts in (-1, -5, -6, 0, 4, 5)] == [-5, -5, -10, 0, 0, 5]
    assert remainder(-1, 5) == -1


def test_java_arithmetic_wraps_at_the_ends_of_time() -> None:
    assert TimeWindow(0, MIN).max_timestamp == MAX
    operator = TUMBLING + "allowed_lateness: 9223372036854775807ms"
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {watermark: 9223372036854775806}
        - {ts: 1000, key: a, value: 2}
    """
    # The cleanup time overflows, so the window is kept forever and the record is not late.
    assert row_lines(operator, stream, kinds="pane dropped") == [
        "pane a [0, 5000) on-time #0 = 1",
        "pane a [0, 5000) late #1 = 3",
    ]


def test_a_purged_window_is_still_cleaned_up() -> None:
    operator = """
        type: window
        assigner: {type: tumbling, size: 5s}
        trigger: {type: purging, inner: {type: count, max: 1}}
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {watermark: 4999}
    """
    assert "WindowCleaned" in events(operator, stream)


def test_merged_windows_come_in_the_order_of_a_java_hash_set() -> None:
    """The state window of a merge is the first in Java's iteration order."""
    windows = [TimeWindow(1000, 3500), TimeWindow(3400, 5900), TimeWindow(5800, 8300)]
    order = hash_set_order(windows)
    buckets = [(time_window_hash(each) ^ (time_window_hash(each) >> 16)) & 15 for each in order]
    assert buckets == sorted(buckets)
    assert set(order) == set(windows)


def test_extending_a_sql_session_resets_the_count_of_its_early_trigger() -> None:
    operator = """
        type: window
        api: sql
        assigner: {type: session, gap: 5s}
        trigger: {type: after-end-of-window, early: {type: count, max: 2}}
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {ts: 2000, key: a, value: 2}
        - {ts: 3000, key: a, value: 4}
    """
    assert row_lines(operator, stream, kinds="pane") == []
    datastream = """
        type: window
        assigner: {type: session, gap: 5s}
        trigger: {type: count, max: 2}
        function: {call: aggregate, compute: sum}
    """
    assert row_lines(datastream, stream, kinds="pane") == ["pane a [1000, 7000) early #0 = 3"]


def test_an_interval_join_accepts_a_record_at_the_watermark() -> None:
    operator = """
        type: interval-join
        lower: -1s
        upper: 1s
    """
    stream = """
        - {in: left, watermark: 5000}
        - {in: right, watermark: 5000}
        - {in: left, ts: 4999, key: a, value: 1}
        - {in: left, ts: 5000, key: a, value: 2}
        - {in: right, ts: 5000, key: a, value: 3}
    """
    assert row_lines(operator, stream, kinds="dropped joined") == ["dropped a at 4999 = 1", "joined a 2 with 3"]


def test_an_event_time_timer_set_in_the_past_waits_for_the_next_watermark() -> None:
    """In the table runtime, a merge within the lateness sets a timer in the past: the next watermark fires it again."""
    operator = """
        type: window
        api: sql
        assigner: {type: session, gap: 1s}
        allowed_lateness: 9s
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {watermark: 6000}
        - {ts: 1500, key: a, value: 2}
        - {watermark: 6001}
    """
    assert row_lines(operator, stream, kinds="pane") == [
        "pane a [1000, 2000) on-time #0 = 1",
        "pane a [1000, 2500) on-time #0 = 3",
        "pane a [1000, 2500) late #1 = 3",
    ]


def test_a_trigger_that_fires_forever_stops_at_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(firing, "FIRINGS_WITHIN_AN_ITEM", 1_000)
    operator = """
        type: window
        assigner: {type: global}
        trigger: {type: continuous-processing-time, interval: 1ms}
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {ts: 0, key: a, value: 1}
        - {advance: 5000}
    """
    seen = row_lines(operator, stream)
    assert seen[-1] == "error LimitExceeded"
    assert len(seen) == 1_001


def test_a_trace_with_too_many_micro_steps_is_refused_with_its_position(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulator, "TRACE_STEPS", 10)
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {ts: 2000, key: a, value: 1}
        - {ts: 3000, key: a, value: 1}
    """
    with pytest.raises(ScenarioError, match=r"transcript.yaml:8:3: the run has more than 10 micro-steps"):
        trace_of(TUMBLING, stream)


def test_a_checkpoint_that_nothing_restores_is_traced_but_not_kept() -> None:
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {ts: 6000, key: b, value: 1}
        - {checkpoint: kept}
        - {checkpoint: unused}
        - {restore: kept}
        - {checkpoint: unused}
    """
    scenario = parse(scenario_text(TUMBLING, stream), "transcript.yaml")
    trace = simulator.Trace()
    pipeline = simulator.pipeline_of(scenario, lambda row: None, trace)
    assert isinstance(pipeline, Pipeline)
    taken = []
    pipeline.run(items(scenario), lambda _: taken.append(sorted(pipeline._snapshots)))
    assert taken[2:] == [["kept"]] * 4
    seen = [step.event for step in trace if isinstance(step.event, CheckpointTaken)]
    assert [(event.name, event.entries, event.timers) for event in seen] == [
        (name, 2, 2) for name in ("kept", "unused", "unused")
    ]


# Traps in the table runtime's sessions: what a retired session leaves behind.


def test_a_merged_sql_session_that_reappears_has_no_previous_result() -> None:
    operator = """
        type: window
        api: sql
        assigner: {type: session, gap: 5}
        trigger: {type: after-end-of-window, early: {type: every-element}}
        updates: true
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {ts: 0, key: a, value: 1}
        - {ts: 7, key: a, value: 2}
        - {ts: 4, key: a, value: 3}
        - {watermark: 50}
        - {checkpoint: c}
        - {restore: c}
        - {ts: 7, key: a, value: 9}
    """
    assert row_lines(operator, stream, kinds="pane")[-2:] == [
        "pane a [0, 12) early #0 +I = 6",
        "pane a [7, 12) early #1 +I = 9",
    ]


def test_a_periodic_timer_of_a_retired_sql_session_fails() -> None:
    """Before 1970 a session with allowed lateness is never cleaned up. A late row retires it, but its timer remains."""
    operator = """
        type: window
        api: sql
        assigner: {type: session, gap: 5}
        allowed_lateness: 2
        trigger: {type: after-end-of-window, early: {type: processing-time-every, interval: 10}}
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {ts: -20, key: a, value: 1}
        - {watermark: -14}
        - {ts: -20, key: a, value: 1}
        - {advance: 11}
    """
    assert row_lines(operator, stream, kinds="dropped error") == ["dropped a at -20 = 1", "error NullPointerException"]


# The order in which contents are kept and merged; sums of doubles and lists show it.

TENTHS = """
    - {ts: 0, key: a, value: 0.1}
    - {ts: 1000, key: a, value: 0.2}
    - {ts: 2000, key: a, value: 0.3}
    - {watermark: 2999}
"""


def test_a_co_group_lists_each_side_in_order_of_arrival() -> None:
    operator = "{type: co-group, assigner: {type: tumbling, size: 5s}}"
    stream = """
        - {in: left, ts: 2000, key: a, value: 1}
        - {in: right, ts: 3000, key: a, value: 2}
        - {in: right, ts: 1000, key: a, value: 3}
        - {in: left, ts: 1000, key: a, value: 4}
        - {end: true}
    """
    assert row_lines(operator, stream, kinds="group") == ["group a [1, 4] | [2, 3]"]


def sum_of_tenths(api: str) -> str:
    operator = f"""
        type: window
        api: {api}
        assigner: {{type: sliding, size: 3s, slide: 1s}}
        function: {{call: aggregate, compute: sum}}
    """
    (line,) = (line for line in row_lines(operator, TENTHS, kinds="pane") if "[0, 3000)" in line)
    return line.rpartition(" = ")[2]


def test_slices_are_merged_the_newest_first() -> None:
    """Source: ``HoppingSlicesIterable``."""
    assert sum_of_tenths("tvf") == str(0.3 + 0.2 + 0.1) == "0.6"


def test_panes_are_merged_the_oldest_first() -> None:
    """Source: ``PanedWindowProcessFunction.prepareAggregateAccumulatorForEmit``."""
    assert sum_of_tenths("sql") == str(0.1 + 0.2 + 0.3) == "0.6000000000000001"


def test_periods_begin_with_the_first_row_of_a_window() -> None:
    operator = """
        type: window
        api: sql
        assigner: {type: tumbling, size: 10s}
        trigger: {type: after-end-of-window, early: {type: processing-time-every, interval: 1s}}
        function: {call: aggregate, compute: count}
    """
    stream = """
        - {ts: 1000, key: a, value: 1, at: 300}
        - {ts: 1000, key: a, value: 1, at: 1200}
        - {ts: 1000, key: a, value: 1, at: 1301}
        - {ts: 1000, key: a, value: 1, at: 2302}
    """
    assert row_lines(operator, stream, kinds="pane") == [
        "pane a [0, 10000) early #0 = 2",
        "pane a [0, 10000) early #1 = 3",
    ]
