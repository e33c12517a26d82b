"""What hardly any stream meets: records that are refused, timers without a purpose, windows without contents."""

import pickle

import pytest
from tidemark.simulator.engine.operators.merging_window_operator import hash_set_order
from tidemark.simulator.engine.trace.event import TraceEvent
from tidemark.simulator.engine.triggers.base import count_way
from tidemark.simulator.engine.triggers.datastream import CountTrigger, DeltaTrigger, EventTimeTrigger, PurgingTrigger
from tidemark.simulator.engine.values.errors import SHOWN, EngineFailure, Problem, ScenarioError, shown_in_message
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.engine.values.time import MAX, MIN, subtract
from tidemark.simulator.engine.values.window import MOST_CELLS, Grid, TimeWindow, tumbling_windows
from tidemark.simulator.scenario.zones import session_zone

from tests.engine.transcript import TUMBLING, row_lines

# --- the operators -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("operator", "record", "error"),
    [
        (TUMBLING, f"{{ts: {MIN}, key: a, value: 1}}", "RuntimeException"),
        (
            "{type: interval-join, lower: -5s, upper: 5s}",
            f"{{ts: {MIN}, in: left, key: a, value: 1}}",
            "FlinkException",
        ),
        (
            TUMBLING.replace("tumbling, size: 5s", "dynamic-session, gap_field: gap").replace("sum", "count"),
            "{ts: 1, key: a, value: {gap: 0}}",
            "IllegalArgumentException",
        ),
    ],
)
def test_a_record_that_the_operator_refuses_ends_the_run(operator: str, record: str, error: str) -> None:
    assert row_lines(operator, f"- {record}\n- {{end: true}}") == [f"error {error}"]


@pytest.mark.parametrize("api", ["datastream", "sql"])
def test_a_session_that_is_kept_for_ever_merges(api: str) -> None:
    operator = f"""
        type: window
        api: {api}
        assigner: {{type: session, gap: 10}}
        allowed_lateness: {MAX}ms
        function: {{call: aggregate, compute: count}}
    """
    stream = """
        - {ts: 5, key: a, value: 1}
        - {ts: 12, key: a, value: 1}
        - {watermark: 50}
    """
    assert row_lines(operator, stream) == ["pane a [5, 22) on-time #0 = 2", "watermark 50"]


def test_a_window_that_fired_early_goes_by_its_late_trigger_and_ignores_the_early_timer() -> None:
    operator = """
        type: window
        api: sql
        assigner: {type: tumbling, size: 5s}
        trigger:
          type: after-end-of-window
          early: {type: processing-time-every, interval: 1s}
          late: {type: processing-time-every, interval: 2s}
        allowed_lateness: 20s
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {ts: 0, key: a, value: 1, at: 0}
        - {watermark: 4999}
        - {advance: 1s}
        - {ts: 1, key: a, value: 1}
        - {advance: 3s}
    """
    assert row_lines(operator, stream) == [
        "pane a [0, 5000) on-time #0 = 1",
        "watermark 4999",
        "pane a [0, 5000) late #1 = 2",
    ]


def test_early_results_by_the_clock_go_on_when_a_session_grows() -> None:
    operator = """
        type: window
        api: sql
        time: processing
        assigner: {type: session, gap: 5s}
        trigger: {type: after-end-of-window, early: {type: processing-time-every, interval: 2s}}
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {key: a, value: 1, at: 0}
        - {key: a, value: 1, at: 3s}
        - {advance: 10s}
    """
    assert row_lines(operator, stream, kinds="pane") == [
        "pane a [0, 5000) early #0 = 1",
        "pane a [0, 8000) early #0 = 2",
        "pane a [0, 8000) early #1 = 2",
        "pane a [0, 8000) on-time #2 = 2",
    ]


@pytest.mark.parametrize("clock", ["event", "processing"])
def test_the_delta_trigger_forgets_its_last_value_with_the_window(clock: str) -> None:
    operator = f"""
        type: window
        time: {clock}
        assigner: {{type: tumbling, size: 5s}}
        trigger: {{type: delta, threshold: 1}}
        function: {{call: aggregate, compute: sum}}
    """
    stream = """
        - {ts: 1s, key: a, value: 0, at: 1s}
        - {advance: 5s}
        - {watermark: 4999}
        - {ts: 6s, key: a, value: 7, at: 6s}
        - {ts: 7s, key: a, value: 9, at: 7s}
    """
    assert row_lines(operator, stream, kinds="pane") == ["pane a [5000, 10000) early #0 = 16"]


def test_a_merged_session_whose_end_the_clock_has_passed_waits_for_nothing() -> None:
    operator = """
        type: window
        assigner: {type: session, gap: 5s}
        trigger: {type: processing-time}
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {ts: 0s, key: a, value: 1, at: 100s}
        - {ts: 3s, key: a, value: 1}
    """
    assert row_lines(operator, stream) == ["pane a [0, 5000) early #0 = 1", "pane a [0, 8000) early #0 = 2"]


def test_sessions_without_contents_merge() -> None:
    operator = """
        type: window
        assigner: {type: session, gap: 5s}
        trigger: {type: purging, inner: {type: count, max: 1}}
        function: {call: aggregate, compute: sum}
    """
    stream = """
        - {ts: 0s, key: a, value: 1}
        - {ts: 8s, key: a, value: 1}
        - {ts: 4s, key: a, value: 2}
    """
    assert row_lines(operator, stream)[-1] == "pane a [0, 13000) early #0 = 2"


def test_of_equal_rows_the_last_may_rank_first() -> None:
    operator = "{type: window-top-n, assigner: {type: tumbling, size: 5s}, n: 1, order: asc, ties: last}"
    stream = """
        - {ts: 1, key: a, value: 3}
        - {ts: 2, key: a, value: 3}
        - {watermark: 4999}
    """
    assert row_lines(operator, stream) == ["ranked a [0, 5000) 1. = 3 at 2", "watermark 4999"]


def test_a_row_between_the_windows_is_ranked_nowhere() -> None:
    operator = "{type: window-top-n, assigner: {type: sliding, size: 2s, slide: 5s}, n: 1, order: asc}"
    stream = """
        - {ts: 3s, key: a, value: 3}
        - {ts: 1s, key: a, value: 1}
        - {watermark: 4999}
    """
    assert row_lines(operator, stream) == ["ranked a [0, 2000) 1. = 1 at 1000", "watermark 4999"]


def test_a_java_hash_set_doubles_its_buckets_when_it_is_three_quarters_full() -> None:
    windows = [TimeWindow(number, 0) for number in range(13)]
    codes = {window: 31 - window.start * 2 for window in windows}
    assert hash_set_order(windows[:12], codes.__getitem__) == sorted(windows[:12], key=lambda each: codes[each] % 16)
    assert hash_set_order(windows, codes.__getitem__) == windows[::-1]


# --- what a trigger says of itself -------------------------------------------------------------------------------


def test_the_values_of_the_records_that_fire_a_window() -> None:
    count = CountTrigger(3)
    assert list(count.values_that_fire(count_way(3, 1))) == [None, None]
    delta = DeltaTrigger(2)
    assert list(delta.values_that_fire(delta.fires_by_record({}, ended=False))) == [0, 3]
    around = PurgingTrigger(delta)
    assert list(around.values_that_fire(delta.fires_by_record({"last-element": 5}, ended=False))) == [8]
    assert list(EventTimeTrigger().values_that_fire(delta.fires_by_record({}, ended=False))) == []


# --- values ------------------------------------------------------------------------------------------------------


def test_the_difference_of_longs_may_leave_64_bits() -> None:
    assert subtract(MIN + 1, 1) == MIN
    with pytest.raises(EngineFailure, match="long overflow"):
        subtract(MIN, 1)


def test_never_is_never_in_every_zone() -> None:
    assert session_zone("Europe/Berlin").timer_time(MAX) == MAX


def test_a_grid_remembers_a_bounded_number_of_cells() -> None:
    grid = Grid(1, 1, 0)
    for instant in range(MOST_CELLS + 1):
        assert grid.windows_of(instant) == tumbling_windows(instant, 1, 0)
    assert len(grid.known) == 1


def test_doubles_without_a_number_are_texts_in_json_at_any_depth() -> None:
    nan, inf = float("nan"), float("inf")
    assert (
        json_text({"value": [1, (nan, inf), {"x": -inf}]}) == '{"value": [1, ["NaN", "Infinity"], {"x": "-Infinity"}]}'
    )


def test_a_message_shows_the_beginning_of_a_text_on_one_line() -> None:
    assert shown_in_message("a" * 1_000) == "a" * SHOWN + "…"
    assert shown_in_message("a\n") == "a\\n"


def test_a_refusal_arrives_whole_from_another_process() -> None:
    problem = Problem("a.yaml", 3, 1, "this is wrong")
    assert pickle.loads(pickle.dumps(ScenarioError([problem]))).problems == [problem]


def test_an_event_stands_at_no_line_unless_it_says_so() -> None:
    assert TraceEvent("").line == ""
