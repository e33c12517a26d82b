"""Traps in the table runtime's sessions: what a retired session leaves behind."""

from tests.engine.transcript import row_lines


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
