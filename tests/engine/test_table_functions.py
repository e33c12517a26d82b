"""Window table functions and window Top-N: the numbers of the rule book, each as real Flink 2.3 operators gave it."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tidemark.simulator.scenario import model

from tests.engine.transcript import events, row_lines
from tests.examples import examples
from tests.random_scenarios.flink import Uses, scenarios
from tests.random_scenarios.operators import table_functions, table_windows
from tidemark import simulator

TUMBLE = "{type: tumbling, size: 5s}"
HOP = "{type: sliding, size: 10s, slide: 5s}"
CUMULATE = "{type: cumulative, max_size: 6s, step: 2s}"
SESSION = "{type: session, gap: 3s}"


def tvf(assigner: str, stream: str, *, compute: str = "sum", time: str = "event", kinds: str = "pane dropped") -> list:
    """The rows of a window table function, ``pane`` rows without what is the same in all of them."""
    operator = f"""
        type: window
        api: tvf
        time: {time}
        assigner: {assigner}
        function: {{call: aggregate, compute: {compute}}}
    """
    return [each.replace(" on-time #0", "") for each in row_lines(operator, stream, kinds=kinds)]


def top_n(assigner: str, stream: str, n: int = 2, order: str = "desc") -> list:
    operator = f"{{type: window-top-n, assigner: {assigner}, n: {n}, order: {order}}}"
    return row_lines(operator, stream, kinds="ranked dropped")


# --- aggregation over slices ---------------------------------------------------------------------------------------


def test_a_late_record_of_a_hop_counts_in_the_windows_to_come() -> None:
    stream = """
        - {ts: 1s, key: a, value: 1}
        - {watermark: 4999}
        - {ts: 2s, key: a, value: 2}   # its first window has fired, the next one has not
        - {ts: 2s, key: b, value: 4}   # the first of its key: there never is a [-5000, 5000) of b
        - {watermark: 9998}
        - {ts: 3s, key: a, value: 8}
        - {watermark: 9999}
        - {ts: 4s, key: a, value: 16}  # now the last window is over too
        - {ts: 6s, key: a, value: 32}
        - {end: true}
    """
    assert tvf(HOP, stream) == [
        "pane a [-5000, 5000) = 1",
        "pane a [0, 10000) = 11",
        "pane b [0, 10000) = 4",
        "dropped a at 4000 = 16",
        "pane a [5000, 15000) = 32",
    ]


def test_cumulate_emits_at_every_step_and_keeps_late_records_in_its_first_slice() -> None:
    stream = """
        - {ts: 1s, key: a, value: 1}
        - {watermark: 1999}
        - {ts: 1s, key: a, value: 2}
        - {watermark: 3999}
        - {ts: 1s, key: b, value: 4}
        - {ts: 3s, key: b, value: 8}
        - {ts: 3s, key: a, value: 16}
        - {watermark: 5999}
        - {ts: 5s, key: a, value: 32}
    """
    assert tvf(CUMULATE, stream) == [
        "pane a [0, 2000) = 1",
        "pane a [0, 4000) = 3",
        "pane a [0, 6000) = 19",
        "pane b [0, 6000) = 12",
        "dropped a at 5000 = 32",
    ]


def test_cumulate_begins_with_the_step_of_the_first_record() -> None:
    end = "\n- {end: true}"
    assert tvf(CUMULATE, "- {ts: 5s, key: a, value: 1}" + end) == ["pane a [0, 6000) = 1"]
    alike = [f"pane a [0, {end}) = 1" for end in (2000, 4000, 6000)]
    assert tvf(CUMULATE, "- {ts: 1s, key: a, value: 1}" + end) == alike


def test_a_tumbling_window_that_is_over_drops() -> None:
    stream = """
        - {watermark: 4998}
        - {ts: 2s, key: a, value: 1}
        - {watermark: 4999}
        - {ts: 3s, key: a, value: 2}
        - {ts: 5s, key: a, value: 4}
        - {end: true}
    """
    assert tvf(TUMBLE, stream) == ["pane a [0, 5000) = 1", "dropped a at 3000 = 2", "pane a [5000, 10000) = 4"]


def test_before_the_epoch_and_with_an_offset() -> None:
    stream = "- {ts: -1, key: a, value: 1}\n- {ts: -5001, key: a, value: 2}\n- {end: true}"
    assert tvf(TUMBLE, stream) == ["pane a [-10000, -5000) = 2", "pane a [-5000, 0) = 1"]
    stream = "- {ts: 999, key: a, value: 1}\n- {ts: 1000, key: a, value: 2}\n- {end: true}"
    shifted = "{type: tumbling, size: 5s, offset: 1s}"
    assert tvf(shifted, stream) == ["pane a [-4000, 1000) = 1", "pane a [1000, 6000) = 2"]


@pytest.mark.parametrize("offset", ["7s", "-17s"])
def test_the_offset_of_a_hop_may_be_longer_than_its_slide(offset: str) -> None:
    hop = f"{{type: sliding, size: 4s, slide: 2s, offset: {offset}}}"
    rows = tvf(hop, "- {ts: 0, key: a, value: 1}\n- {end: true}")
    assert rows == ["pane a [-3000, 1000) = 1", "pane a [-1000, 3000) = 1"]


def test_a_sum_of_64_bits_fails_where_flink_flushes_its_buffer_not_at_the_record() -> None:
    stream = """
        - {ts: 1s, key: a, value: 9223372036854775807}
        - {ts: 7s, key: b, value: 1}
        - {ts: 2s, key: a, value: 1}
        - {ts: 8s, key: b, value: 1}
        - {watermark: 4998}
        - {watermark: 5s}
    """
    kinds = "pane watermark error"
    assert tvf(TUMBLE, stream, kinds=kinds) == ["watermark 4998", "error ArithmeticException"]
    at_checkpoint = stream.replace("- {watermark: 4998}", "- {watermark: 4998}\n        - {checkpoint: c}")
    assert tvf(TUMBLE, at_checkpoint, kinds=kinds) == ["watermark 4998", "error ArithmeticException"]


# --- sessions ------------------------------------------------------------------------------------------------------


def test_a_session_takes_a_late_record_that_meets_an_open_one() -> None:
    stream = """
        - {ts: 1000, key: a, value: 1}
        - {watermark: 3500}
        - {ts: 500, key: a, value: 2}
        - {ts: 501, key: b, value: 4}
        - {watermark: 3999}
        - {ts: 1000, key: a, value: 8}
        - {ts: 1001, key: a, value: 16}
        - {end: true}
    """
    assert tvf(SESSION, stream) == [
        "dropped b at 501 = 4",
        "pane a [500, 4000) = 3",
        "dropped a at 1000 = 8",
        "pane a [1001, 4001) = 16",
    ]


# --- checkpoints ---------------------------------------------------------------------------------------------------


def test_the_watermark_comes_back_with_the_checkpoint() -> None:
    stream = """
        - {watermark: 5s}
        - {checkpoint: c}
        - {restore: c}
        - {ts: 2s, key: a, value: 1}
        - {watermark: 4999}
        - {watermark: 5001}
    """
    for assigner in (TUMBLE, SESSION):
        rows = tvf(assigner, stream, kinds="dropped watermark")
        assert rows == ["watermark 5000", "dropped a at 2000 = 1", "watermark 5000", "watermark 5001"]
    operator = f"{{type: window-top-n, assigner: {TUMBLE}, n: 1}}"
    assert "WatermarkRestored" in events(operator, stream)
    assert events(operator, stream).count("WatermarkBehindRestored") == 1


def test_no_other_operator_keeps_its_watermark() -> None:
    stream = "- {watermark: 5s}\n- {checkpoint: c}\n- {restore: c}\n- {ts: 2s, key: a, value: 1}\n- {watermark: 4s}"
    operator = f"""
        type: window
        api: sql
        assigner: {TUMBLE}
        function: {{call: aggregate, compute: sum}}
    """
    assert row_lines(operator, stream, kinds="dropped watermark") == ["watermark 5000", "watermark 4000"]


# --- processing time -----------------------------------------------------------------------------------------------


def test_in_processing_time_nothing_is_late_and_watermarks_do_nothing() -> None:
    stream = """
        - {key: a, value: 1, at: 1s}
        - {watermark: 100s}
        - {key: a, value: 2, at: 3s}
        - {advance: 10s}
    """
    rows = tvf(CUMULATE, stream, time="processing")
    assert rows == ["pane a [0, 2000) = 1", "pane a [0, 4000) = 3", "pane a [0, 6000) = 3"]


# --- Top-N ---------------------------------------------------------------------------------------------------------


def test_equal_values_keep_their_order_of_arrival() -> None:
    pairs = [(3, 5), (2, 5), (1, 5), (4, 4), (0, 5), (0, 6)]
    stream = "\n".join(f"- {{ts: {ts}, key: a, value: {value}}}" for ts, value in pairs) + "\n- {end: true}"
    assert top_n(TUMBLE, stream) == ["ranked a [0, 5000) 1. = 6 at 0", "ranked a [0, 5000) 2. = 5 at 3"]
    assert top_n(TUMBLE, stream, order="asc") == ["ranked a [0, 5000) 1. = 4 at 4", "ranked a [0, 5000) 2. = 5 at 3"]


def test_top_n_drops_from_each_window_that_is_over() -> None:
    stream = "- {watermark: 4999}\n- {ts: 2s, key: a, value: 1}\n- {end: true}"
    assert top_n(HOP, stream) == ["dropped a at 2000 = 1 from [-5000, 5000)", "ranked a [0, 10000) 1. = 1 at 2000"]


def test_the_size_of_a_hop_of_top_n_need_not_be_a_multiple() -> None:
    rows = top_n("{type: sliding, size: 10s, slide: 4s}", "- {ts: 1s, key: a, value: 1}\n- {end: true}")
    windows = ("[-8000, 2000)", "[-4000, 6000)", "[0, 10000)")
    assert rows == [f"ranked a {window} 1. = 1 at 1000" for window in windows]


# Window table functions against the group windows of SQL.

LAWS = settings(max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@LAWS
@given(scenarios(table_functions(times=("event",)), uses=Uses(restores=0)))
def test_without_a_restore_the_rows_are_those_of_group_windows(scenario: model.Scenario) -> None:
    assert isinstance(scenario.operator, model.Window)
    group_windows = replace(scenario, operator=replace(scenario.operator, api="sql"))
    assert comparable(scenario) == comparable(group_windows)


@LAWS
@given(scenarios(table_windows(zones=("UTC",))))
def test_group_windows_in_the_local_time_of_utc_are_those_without_a_zone(scenario: model.Scenario) -> None:
    """The one takes the way of instants and local times, the other knows one time only."""
    assert isinstance(scenario.operator, model.Window)
    plain = replace(scenario, operator=replace(scenario.operator, session_zone=None))
    assert simulator.run_rows(scenario) == simulator.run_rows(plain)


def comparable(scenario: model.Scenario) -> list[str]:
    """Rows of one item as a multiset, numbers without their last digits: slices add doubles in another order."""
    rows = simulator.run_rows(scenario)
    return sorted(str((row["item"], sorted({**row, "value": _rounded(row.get("value"))}.items()))) for row in rows)


def _rounded(value: Any) -> Any:
    return round(value, 6) + 0.0 if isinstance(value, int | float) else value
