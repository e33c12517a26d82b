"""What real Flink 2.3.0 operators do at both ends of time: Long.MIN_VALUE as a timestamp, Long.MAX_VALUE reached by a
generator alone, and sessions whose end overflows."""

import pytest
from tidemark.simulator.engine.trace.events import WindowsMerged, WindowTracked
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.scenario import parse

from tests.engine.transcript import row_lines, scenario_text, trace_of
from tidemark import simulator

BY_THE_CLOCK = """
    type: window
    time: processing
    assigner: {type: global}
    trigger: {type: count, max: 2}
    evictor: {type: time, window: 5}
    function: {call: process, compute: collect}
"""
SESSION = """
    type: window
    assigner: {type: session, gap: 5}
    function: {call: process, compute: collect}
"""
DYNAMIC = """
    type: window
    assigner: {type: dynamic-session, gap_field: gap}
    function: {call: aggregate, compute: count}
"""
GENERATORS = ("{generator: monotonous}", "{generator: punctuated, bound: 0}")


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_generator_assigns_a_timestamp_to_every_record(generator: str) -> None:
    """A record without a timestamp gets Long.MIN_VALUE. The evictor removes it beside later records; among records of
    its own kind the cutoff overflows, and the evictor removes them all."""
    inputs = f"events: {{watermark: {generator}}}"
    stream = """
        - {key: a, value: 1}
        - {ts: 10, key: a, value: 2}
        - {key: b, value: 3}
        - {key: b, value: 4}
    """
    assert row_lines(BY_THE_CLOCK, stream, inputs, "pane error") == [
        "pane a global early #0 = [2]",
        "pane b global early #0 = []",
    ]
    alone = ["pane a global early #0 = [1, 2]", "pane b global early #0 = [3, 4]"]
    assert row_lines(BY_THE_CLOCK, stream, kinds="pane error") == alone


def test_only_the_input_with_a_generator_assigns_timestamps() -> None:
    operator = """
        type: window-join
        time: processing
        assigner: {type: global}
        trigger: {type: count, max: 2}
        evictor: {type: time, window: 5, after: true}
    """
    inputs = "right: {watermark: {generator: monotonous}}"
    left, right = "- {in: left, key: a, value: 1}", "- {in: right, key: a, value: 2}"
    more = "- {in: right, ts: 10, key: a, value: 3}\n- {in: right, ts: 10, key: a, value: 4}"
    assert row_lines(operator, f"{left}\n{right}\n{more}", inputs, "joined error") == [
        "joined a 1 with 2",
        *(f"joined a 1 with {value}" for value in (2, 3, 4)),
    ]
    assert row_lines(operator, f"{right}\n{left}", inputs, "joined error") == [
        "joined a 1 with 2",
        "error IllegalStateException",
    ]


def test_a_row_tells_a_missing_timestamp_from_the_lowest_one() -> None:
    operator = """
        type: window-join
        time: processing
        assigner: {type: global}
        trigger: {type: count, max: 2}
    """
    inputs = "left: {watermark: {generator: monotonous}}"
    stream = f"""
        - {{in: left, key: a, value: 1}}
        - {{in: right, ts: {MIN}, key: a, value: 2}}
    """
    (row,) = simulator.run_rows(parse(scenario_text(operator, stream, inputs), "transcript.yaml"))
    assert (row["left"], row["right"]) == ({"ts": None, "value": 1}, {"ts": MIN, "value": 2})


@pytest.mark.parametrize("generator", ["{generator: none}", *GENERATORS])
def test_the_lowest_timestamp_is_valid_when_the_scenario_states_it(generator: str) -> None:
    """With or without a generator. A lone record lies before its own cutoff, which has overflowed."""
    inputs = f"events: {{watermark: {generator}}}"
    operator = SESSION + "    evictor: {type: time, window: 3}\n"
    alone = f"- {{ts: {MIN}, key: a, value: 1}}\n- {{end: true}}"
    assert row_lines(operator, alone, inputs, "pane")[-1] == f"pane a [{MIN}, {MIN + 5}) on-time #0 = []"
    later = f"- {{ts: {MIN}, key: a, value: 1}}\n- {{ts: {MIN + 4}, key: a, value: 2}}\n- {{end: true}}"
    assert row_lines(operator, later, inputs, "pane")[-1] == f"pane a [{MIN}, {MIN + 9}) on-time #0 = [2]"


def test_the_end_of_input_does_not_emit_the_pending_watermark_of_a_sql_generator() -> None:
    """The generator has reached Long.MAX_VALUE by itself, within one interval of its last watermark. The periodic timer
    emits it later."""
    inputs = "events: {watermark: {generator: sql, bound: 0, emit: 1s}}"
    stream = f"""
        - {{ts: {MAX - 507}, key: a, value: 1}}
        - {{ts: {MAX}, key: a, value: 2}}
        - {{end: true}}
        - {{advance: 1s}}
    """
    rows = simulator.run_rows(parse(scenario_text(SESSION, stream, inputs), "transcript.yaml"))
    assert [(row["row"], row["item"]) for row in rows] == [("watermark", 0), ("pane", 3), ("watermark", 3)]


@pytest.mark.parametrize("generator", ["sql", "punctuated"])
def test_a_generator_does_not_emit_the_final_watermark_twice(generator: str) -> None:
    """If an idle channel loses it, it is lost for good: the end of input only makes the channel active again."""
    inputs = f"events: {{watermark: {{generator: {generator}, bound: 0}}}}"
    stream = f"""
        - {{ts: 3, key: a, value: 1}}
        - {{status: idle}}
        - {{ts: {MAX}, key: a, value: 2}}
        - {{end: true}}
    """
    assert row_lines(SESSION, stream, inputs) == ["watermark 3"]
    assert row_lines(SESSION, stream.replace(str(MAX), "4"), inputs)[-1] == f"watermark {MAX}"


def test_sessions_separated_by_an_overflowed_session_merge_once_it_is_gone() -> None:
    """The overflowed session starts between the two and intersects neither, not even itself. Flink sweeps the sessions
    by start and does not see past it."""
    stream = f"""
        - {{ts: {MAX - 11}, key: a, value: {{gap: 15}}}}
        - {{ts: {MAX - 6}, key: a, value: {{gap: 3}}}}
        - {{ts: {MAX - 15}, key: a, value: {{gap: 9}}}}
        - {{watermark: {MAX - 19}}}
        - {{ts: {MAX - 18}, key: a, value: {{gap: 1}}}}
        - {{watermark: {MAX - 1}}}
    """
    assert row_lines(DYNAMIC, stream, kinds="pane") == [
        f"pane a [{MAX - 11}, {MIN + 3}) on-time #0 = 1",
        f"pane a [{MAX - 18}, {MAX - 17}) on-time #0 = 1",
        f"pane a [{MAX - 15}, {MAX - 3}) on-time #0 = 2",
    ]
    steps = trace_of(DYNAMIC, stream).steps
    merged = [step.event for step in steps if isinstance(step.event, WindowsMerged)]
    assert [(event.result, event.merged) for event in merged] == [
        ((MAX - 15, MAX - 3), ((MAX - 15, MAX - 6), (MAX - 6, MAX - 3)))
    ]
    tracked = [step.event.window for step in steps if isinstance(step.event, WindowTracked)]
    assert tracked[-1] == (MAX - 18, MAX - 17)


def test_java_hash_map_order_decides_which_sessions_with_the_same_start_merge() -> None:
    stream = f"""
        - {{ts: {MAX - 14}, key: b, value: {{gap: 1}}}}
        - {{ts: {MAX - 14}, key: b, value: {{gap: 15}}}}
        - {{ts: {MAX - 14}, key: b, value: {{gap: 4}}}}
        - {{end: true}}
    """
    assert row_lines(DYNAMIC, stream, kinds="pane") == [
        f"pane b [{MAX - 14}, {MAX - 10}) on-time #0 = 2",
        f"pane b [{MAX - 14}, {MIN}) on-time #0 = 1",
    ]


def test_a_record_between_windows_is_late_where_its_timestamp_and_the_lateness_overflow() -> None:
    operator = """
        type: window
        assigner: {type: sliding, size: 2ms, slide: 5ms}
        allowed_lateness: 10ms
        function: {call: aggregate, compute: sum}
    """
    stream = f"""
        - {{watermark: 4000}}
        - {{ts: {MAX - 14}, key: a, value: 1}}
        - {{ts: {MAX - 4}, key: a, value: 2}}
    """
    assert row_lines(operator, stream) == ["watermark 4000", f"dropped a at {MAX - 4} = 2"]
