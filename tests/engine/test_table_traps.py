"""The traps of the table runtime's sessions: what is left of one that is gone."""

from tests.engine.transcript import told


def test_a_sql_session_that_went_into_another_has_emitted_nothing_when_it_comes_again() -> None:
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
    assert told(operator, stream, kinds="pane")[-2:] == [
        "pane a [0, 12) early #0 +I = 6",
        "pane a [7, 12) early #1 +I = 9",
    ]


def test_a_periodic_timer_of_a_retired_sql_session_fails() -> None:
    """Before 1970, with lateness, a session is never cleaned up; a late row retires it, and its timer stays."""
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
    assert told(operator, stream, kinds="dropped error") == ["dropped a at -20 = 1", "error NullPointerException"]
