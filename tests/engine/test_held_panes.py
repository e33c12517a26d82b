"""Windows of thousands of panes: only the panes that hold state are looked up, and the rows stay the same."""

from random import Random
from unittest.mock import patch

import pytest
from tidemark.simulator.engine.assigners.table import CumulativeWindowAssigner, SlidingWindowAssigner
from tidemark.simulator.engine.operators.group_window_functions import HeldPanes
from tidemark.simulator.engine.state import AggregatingState, StateTable
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.window import TimeWindow
from tidemark.simulator.scenario import parse

from tests.engine.transcript import row_lines, scenario_text
from tidemark import simulator

PANES = """
    type: window
    api: sql
    assigner: {type: %s}
    function: {call: aggregate, compute: sum}
"""


@pytest.mark.parametrize(
    "assigner",
    [
        "cumulative, max_size: 10s, step: 1ms",
        "sliding, size: 10s, slide: 1ms",
        "sliding, size: 69999ms, slide: 7ms",
    ],
)
def test_a_row_in_ten_thousand_windows_is_looked_up_once_or_twice_in_each(assigner: str) -> None:
    """Not once for every pane that a window could have: that would take 10^8 lookups, or more with panes of 1 ms."""
    stream = "- {ts: 1, key: a, value: 5}\n- {ts: 1, key: a, value: 6}\n- {end: true}"
    scenario = parse(scenario_text(PANES % assigner, stream), "transcript.yaml")
    with patch.object(AggregatingState, "get", autospec=True, side_effect=AggregatingState.get) as get:
        rows = [row for row in simulator.run_rows(scenario) if row["row"] == "pane"]
    assert len(rows) >= 9_999
    assert {row["value"] for row in rows} == {11}
    assert get.call_count <= 2 * len(rows)


def test_a_restore_brings_back_cleaned_up_panes() -> None:
    operator = PANES % "cumulative, max_size: 6, step: 2"
    stream = """
        - {ts: 1, key: a, value: 1}
        - {ts: 4, key: a, value: 2}
        - {checkpoint: c}
        - {ts: 3, key: a, value: 4}
        - {ts: 2, key: b, value: 9}
        - {watermark: 9}
        - {restore: c}
    """
    assert row_lines(operator, stream, kinds="pane") == [
        "pane a [0, 2) on-time #0 = 1",
        "pane a [0, 4) on-time #0 = 5",
        "pane b [0, 4) on-time #0 = 9",
        "pane a [0, 6) on-time #0 = 7",
        "pane b [0, 6) on-time #0 = 9",
    ]


@pytest.mark.parametrize("offset", [0, -3, MAX - 1, MIN + 4])
@pytest.mark.parametrize("make", [SlidingWindowAssigner, CumulativeWindowAssigner])
def test_held_panes_agree_with_a_search_through_all_panes(
    make: type[SlidingWindowAssigner | CumulativeWindowAssigner], offset: int
) -> None:
    """Even where an offset near the limits of 64 bits puts a pane off the grid of the windows."""
    random, assigner, table = Random(offset), make(15, 5, offset), StateTable("window-aggs")
    held = HeldPanes(table)
    for number in range(600):
        time = random.choice((random.randrange(-60, 60), random.randrange(MAX - 90, MAX - 30), 2 - offset))
        pane = assigner.assign_pane(time)
        if ("a", pane) not in table.entries:
            table.put(("a", pane), 1)
            held.add("a", pane)
        elif random.random() < 0.4:
            table.remove(("a", pane))
            held.remove("a", pane)
        if number == 300:
            table.restore(table.snapshot())
        for window in assigner.assign_windows(time):
            assert isinstance(window, TimeWindow)
            panes = [each for each in assigner.split_into_panes(window) if ("a", each) in table.entries]
            if window.end > window.start:
                assert held.within("a", window, assigner.pane_size) == panes
