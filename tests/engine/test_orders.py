"""The order in which contents are kept and merged; sums of doubles and lists show it."""

from tests.engine.transcript import row_lines

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
