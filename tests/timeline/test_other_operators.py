"""The timeline of sessions, joins, the event-time sort, retractions and a restore."""

from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run_traced
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.items import DELETE, Advance, Checkpoint, Item, Record, Restore, Watermark
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import (
    AfterEndOfWindow,
    CountEvictor,
    CountTrigger,
    Deduplicate,
    DeltaTrigger,
    DynamicSession,
    EventTimeTrigger,
    EveryElement,
    Frame,
    Function,
    Global,
    InputSpec,
    IntervalJoin,
    Operator,
    Over,
    Process,
    ProcessingTimeTrigger,
    Scenario,
    Session,
    Sliding,
    TemporalJoin,
    Tumbling,
    Window,
)
from tidemark.simulator.timeline import Timeline, build
from tidemark.simulator.timeline.facts import Row

from tests.timeline.in_words import in_words
from tidemark import simulator

SUM = Function("aggregate", "sum")
GOLDEN = Path(__file__).parents[1] / "golden"


def timeline_of(operator: Operator, *items: Item, inputs: tuple[str, ...] = ("events",)) -> Timeline:
    scenario = Scenario("one", operator, items, tuple(InputSpec(name) for name in inputs))
    return build(scenario, run_traced(scenario)[1])


def after(timeline: Timeline, item: int, table: str) -> list[Row]:
    """The facts that hold after the last step of ``item``."""
    step = max(row["step"] for row in timeline.tables["steps"] if row["item"] == item)
    return timeline.at(step, table)[table]


def sentences(timeline: Timeline, event: str) -> list[tuple[str, str]]:
    return [(step["what"], step["why"]) for step in in_words(timeline) if step["event"] == event]


def columns(rows: list[Row], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def test_a_record_between_two_sessions_merges_them_and_their_contents() -> None:
    timeline = timeline_of(
        Window(Session(2000), EventTimeTrigger(), Function("process", "sum")),
        Record("a", 1000, 1),
        Record("a", 4000, 2),
        Record("a", 2500, 4),
    )
    assert columns(after(timeline, 1, "windows"), "start", "end", "status", "result") == [
        (1000, 3000, "open", 1),
        (4000, 6000, "open", 2),
    ]
    *parts, merged = after(timeline, 2, "windows")
    assert {part["merged_into"] for part in parts} == {merged["id"]}
    assert (merged["start"], merged["end"], merged["result"], merged["records"]) == (1000, 6000, 7, 3)
    contents = sorted(after(timeline, 2, "contents"), key=lambda row: row["order"])
    assert {row["holder"] for row in contents} == {merged["holder"]}
    assert contents[-1]["value"] == 4
    assert len({row["order"] for row in contents}) == 3
    assert sentences(timeline, "WindowsMerged") == [
        (
            "The sessions [1, 3) and [4, 6) of key a become one: [1, 6).",
            "Sessions of the same key that touch or overlap become one.",
        )
    ]


def test_a_session_that_comes_too_late_leaves_no_window() -> None:
    timeline = timeline_of(Window(Session(2000), EventTimeTrigger(), SUM), Watermark(9000), Record("a", 1000, 1))
    assert after(timeline, 1, "windows") == []
    assert sentences(timeline, "LateDropped") == [
        (
            "Record #1 is dropped: key a, 1.0 s, value 1.",
            "Its window [1, 3) has ended: the watermark had passed its end.",
        )
    ]


def test_keys_of_different_kinds_are_different_windows() -> None:
    operator = Window(Tumbling(5000), EventTimeTrigger(), SUM)
    timeline = timeline_of(operator, Record(1, 0, 1), Record("1", 0, 2), Record(True, 0, 4))
    assert columns(after(timeline, 2, "windows"), "result") == [(1,), (2,), (4,)]


def test_an_evicted_record_leaves_the_contents() -> None:
    operator = Window(Tumbling(5000), CountTrigger(3), Function("process", "collect"), evictor=CountEvictor(1))
    timeline = timeline_of(operator, Record("a", 1, 7), Record("a", 2, 7), Record("a", 3, 8))
    assert columns(after(timeline, 2, "contents"), "item") == [(2,)]
    assert sentences(timeline, "ElementsEvicted") == [
        (
            "The evictor removes 7 and 7 from window [0, 5) of key a; 1 stay.",
            "The evictor runs before the result is computed.",
        )
    ]


def test_windows_made_of_panes_still_show_their_records() -> None:
    operator = Window(Sliding(4000, 2000), AfterEndOfWindow(), SUM, api="sql")
    timeline = timeline_of(operator, Record("a", 1000, 3), Record("a", 3000, 4))
    windows = {row["start"]: row for row in after(timeline, 1, "windows")}
    assert {start: row["result"] for start, row in windows.items()} == {-2000: 3, 0: 7, 2000: 4}
    items = [row["item"] for row in after(timeline, 1, "contents") if row["holder"] == windows[0]["holder"]]
    assert items == [0, 1]


def test_a_retraction_is_an_output_but_not_a_firing() -> None:
    operator = Window(Tumbling(5000), AfterEndOfWindow(EveryElement()), SUM, api="sql", updates=True)
    timeline = timeline_of(operator, Record("a", 1, 3), Record("a", 2, 4))
    changes = [row["row"]["change"] for row in after(timeline, 1, "outputs")]
    assert changes == ["+I", "-U", "+U"]
    assert columns(after(timeline, 1, "windows"), "firings") == [(2,)]
    early = "The trigger fires at every record, even before the end of the window."
    assert sentences(timeline, "PaneFired") == [
        ("Window [0, 5) of key a fires early: result 3.", early),
        (
            "Window [0, 5) of key a retracts its last result: 3.",
            "Before a changed result is sent, the previous one is retracted.",
        ),
        ("Window [0, 5) of key a fires early: result 7.", early),
    ]


def test_a_firing_without_a_row_says_why() -> None:
    repeated = Window(Tumbling(5000), AfterEndOfWindow(EveryElement()), SUM, api="sql", updates=True)
    timeline = timeline_of(repeated, Record("a", 1, 3), Record("a", 2, 0))
    assert [why for _, why in sentences(timeline, "TriggerEvaluated")] == [
        "The trigger fires at every record, even before the end of the window.",
        "The result is still 3, the same as the last one sent: nothing is sent.",
    ]
    emptied = load(GOLDEN / "purging-continuous.yaml")
    timeline = build(emptied, run_traced(emptied)[1])
    fires = [(why, fired) for what, why, fired in _trigger_answers(timeline) if "trigger fires" in what]
    assert len({fired for _, fired in fires}) == 2, "one with a row, one without"
    assert all((why == "The window is empty, so nothing is sent.") != fired for why, fired in fires), fires


def _trigger_answers(timeline: Timeline) -> list[tuple[str, str, bool]]:
    """Sentence and reason of each answer of a trigger, and whether a row follows before the next answer."""
    steps = in_words(timeline)
    evaluated = [n for n, step in enumerate(steps) if step["event"] == "TriggerEvaluated"]
    ends = [*evaluated[1:], len(steps)]
    return [
        (steps[n]["what"], steps[n]["why"], any(step["event"] == "PaneFired" for step in steps[n:end]))
        for n, end in zip(evaluated, ends, strict=True)
    ]


def test_windows_made_of_panes_are_cleared_pane_by_pane() -> None:
    operator = Window(Sliding(4000, 2000), AfterEndOfWindow(), SUM, api="sql")
    timeline = timeline_of(operator, Record("a", 3000, 4), Watermark(9999))
    assert sentences(timeline, "StateCleared") == [
        (
            "The contents of the slice of window [2, 4) of key a are removed.",
            "A window is cleaned up, and no later one needs this slice.",
        )
    ]


def test_a_delta_names_the_value_of_the_record_and_the_value_it_is_compared_with() -> None:
    timeline = timeline_of(
        Window(Global(), DeltaTrigger(5), Function("process", "collect")),
        *(Record("a", 1000 * n, value) for n, value in enumerate((10, 15, 16, 22), 1)),
    )
    assert [why for _, why in sentences(timeline, "PaneFired")] == [
        "16 is more than 5 above 10, the first record’s value.",
        "22 is more than 5 above 16, the value at the last firing.",
    ]
    assert "15 is not more than 5 above 10, the first record’s value." in [
        why for _, why in sentences(timeline, "TriggerEvaluated")
    ]


def test_only_rows_count_as_withdrawn_and_the_replay_may_send_others() -> None:
    operator = Window(Tumbling(5000), EventTimeTrigger(), SUM)
    start = (Record("a", 1000, 1), Checkpoint("c"))
    rows = sentences(timeline_of(operator, *start, Watermark(4999), Restore("c")), "RowsWithdrawn")
    assert rows == [
        (
            "Rows emitted since the checkpoint are withdrawn: 1.",
            "They were not final yet. The replay computes the results again: the same rows, or others.",
        )
    ]
    only_watermarks = sentences(timeline_of(operator, *start, Watermark(3999), Restore("c")), "RowsWithdrawn")
    assert only_watermarks == [("Only watermarks were emitted since the checkpoint, so no row is withdrawn.", "")]


def test_the_event_sort_queues_by_time_and_drops_records_behind_the_watermark() -> None:
    operator = Process(Function("event-sort"))
    timeline = timeline_of(operator, Record("a", 3000, "x"), Record("a", 1000, "y"), Watermark(2000), Record("a", 1500))
    assert columns(after(timeline, 1, "queue"), "ts", "item") == [(3000, 0), (1000, 1)]
    assert columns(after(timeline, 2, "queue"), "ts") == [(3000,)]
    assert sentences(timeline, "QueuePopped") == [
        (
            "Record #1 leaves the queue in order: key a, 1.0 s, value y.",
            "The watermark is at 2.000: no earlier record is expected.",
        )
    ]
    assert columns(after(timeline, 3, "records"), "fate") == [("on-time",), ("on-time",), ("dropped",)]


def test_an_interval_join_keeps_records_until_no_partner_can_come() -> None:
    timeline = timeline_of(
        IntervalJoin(-1000, 2000),
        Record("a", 1000, "order", "left"),
        Record("a", 2500, "pay", "right"),
        Watermark(4000, "left"),
        Watermark(4000, "right"),
        inputs=("left", "right"),
    )
    assert columns(after(timeline, 1, "buffers"), "side", "value", "kept_until") == [
        ("left", "order", 3000),
        ("right", "pay", 3500),
    ]
    assert after(timeline, 3, "buffers") == []
    (matched,) = [step for step in in_words(timeline) if step["event"] == "JoinMatched"]
    assert matched["predicate"] == "0.000 <= 2.500 <= 3.000"
    assert matched["what"] == "A pair for key a: left order at 1.0 s with right pay at 2.5 s."


def test_a_restore_withdraws_rows_and_replays_the_records() -> None:
    timeline = timeline_of(
        Window(Tumbling(5000), EventTimeTrigger(), SUM),
        Record("a", 1000, 1),
        Checkpoint("c"),
        Record("a", 2000, 2),
        Watermark(4999),
        Restore("c"),
    )
    (restored,) = [step["step"] for step in timeline.tables["steps"] if step["event"] == "Restored"]
    before, then = timeline.at(restored - 1), timeline.at(restored)
    assert columns(before["records"], "fate") == [("on-time",), ("on-time",)]
    assert columns(then["records"], "fate") == [("on-time",), ("ahead",)]
    assert columns(before["windows"], "status") == [("cleared",)]
    assert columns(then["windows"], "status", "result") == [("open", 1)]
    assert [len(timeline.at(step, "outputs")["outputs"]) for step in (restored, restored + 1)] == [2, 0]
    end = timeline.at(timeline.number_of_steps - 1)
    assert [row["row"]["value"] for row in end["outputs"] if row["row"]["row"] == "pane"] == [3]
    assert columns(end["records"], "fate") == [("on-time",), ("on-time",)]


def test_a_failure_ends_the_run_with_an_error_row() -> None:
    operator = Window(Tumbling(5000), EventTimeTrigger(), Function("process", "sum"))
    timeline = timeline_of(
        operator, Record("a", 1, 2**63 - 1), Record("a", 2, 1), Watermark(4999), Record("a", 9000, 1)
    )
    assert columns(after(timeline, 0, "windows"), "result") == [(2**63 - 1,)]
    assert columns(after(timeline, 1, "windows"), "result") == [(None,)], "a firing would fail"
    assert sentences(timeline, "OperatorFailed") == [
        ("The operator fails: ArithmeticException.", "Flink itself fails here as well: long overflow.")
    ]
    error = timeline.at(timeline.number_of_steps - 1, "outputs")["outputs"][-1]["row"]
    assert (error["row"], error["type"], error["item"]) == ("error", "ArithmeticException", 2)


def test_a_window_that_ends_by_the_clock_is_never_late() -> None:
    operator = Window(Tumbling(5000), ProcessingTimeTrigger(), SUM, time="processing")
    timeline = timeline_of(operator, Watermark(90000), Record("a", 1, 2), Advance(6000))
    assert columns(after(timeline, 1, "records"), "fate") == [("on-time",)]
    assert sentences(timeline, "PaneFired") == [
        ("Window [0, 5) of key a fires: result 2.", "The clock has passed the timer's time.")
    ]


def test_a_timer_of_the_clock_is_due_when_the_clock_has_passed_its_time() -> None:
    operator = Window(Tumbling(5000), ProcessingTimeTrigger(), SUM, time="processing")
    timeline = timeline_of(operator, Record("a", 1, 2), Checkpoint("c"), Advance(4999), Restore("c"), Advance(1))
    there = [columns(after(timeline, item, "timers"), "timestamp", "status") for item in range(5)]
    assert there == [[(4999, "waiting")]] * 4 + [[]]
    (due,) = [row["from_step"] for row in timeline.tables["timers"] if row["status"] == "due"]
    assert due == max(row["step"] for row in timeline.tables["steps"] if row["event"] == "ClockAdvanced")
    assert not [row for row in timeline.tables["timers"] if row["status"] == "past"], "also after the restore"
    at_the_end = timeline_of(operator, Advance(4999), Record("a", 1, 2), Advance(1))
    assert columns(after(at_the_end, 1, "timers"), "timestamp", "status") == [(4999, "waiting")]


def test_a_value_with_fields_is_described_field_by_field() -> None:
    operator = Window(DynamicSession("gap"), EventTimeTrigger(), Function("aggregate", "count"))
    timeline = timeline_of(operator, Record("a", 1000, {"gap": 2000, "speed": 55}))
    assert sentences(timeline, "RecordArrived") == [("Record #0 arrives: key a, 1.0 s, gap 2 s, speed 55.", "")]
    assert sentences(timeline, "StateAdded") == [
        (
            "Record #0 goes into window [1, 3) of key a: count 1 so far.",
            "A session lasts as long as the gap that each record carries. A session starts: window [1, 3) of key a.",
        )
    ]


def test_a_record_goes_into_the_merged_session_not_its_state_window() -> None:
    operator = Window(Session(2000), EventTimeTrigger(), Function("process", "sum"))
    timeline = timeline_of(operator, Record("a", 1000, 1), Record("a", 4000, 2), Record("a", 2500, 4))
    assert [what for what, _ in sentences(timeline, "StateMerged")] == [
        "The merged sessions share their contents in window [1, 6) of key a, which holds 2."
    ]
    assert sentences(timeline, "StateAdded")[-1][0] == "Record #2 goes into window [1, 6) of key a, which now holds 3."


def test_after_a_restore_order_is_judged_by_the_records_that_count() -> None:
    operator = Window(Tumbling(5000), EventTimeTrigger(), SUM)
    timeline = timeline_of(
        operator, Record("a", 2000, 1), Checkpoint("c"), Record("a", 1000, 2), Record("a", 4000, 4), Restore("c")
    )
    behind = "It is out of order: a record with timestamp 2.0 s arrived before it."
    assert [why for _, why in sentences(timeline, "RecordArrived")] == ["", behind, "", behind, ""]


# What a timeline shows of a temporal join, OVER and a deduplication: rows, versions, frames, sentences.

BOTH = ("left", "right")


def test_versions_follow_one_another_and_a_left_row_meets_the_one_of_its_time() -> None:
    timeline = timeline_of(
        TemporalJoin("left"),
        Record("a", 1000, "old", "right"),
        Record("a", 3000, None, "right", op=DELETE),
        Record("a", 2999, "order", "left"),
        Record("a", 3000, "late order", "left"),
        Watermark(9000, "left"),
        Watermark(3000, "right"),
        inputs=BOTH,
    )
    found = columns(after(timeline, 1, "versions"), "ts", "until", "op")
    assert sorted(found) == [(1000, 3000, "upsert"), (3000, None, DELETE)]
    assert columns(after(timeline, 4, "queue"), "ts", "item") == [(2999, 2), (3000, 3)], "one side has no watermark"
    assert sentences(timeline, "LeftRowJoined") == [
        (
            "Left record #2 of key a, order at 2.999 s, meets the version old at 1.0 s.",
            "The version from 1.000 is the last one that begins at or before 2.999.",
        ),
        (
            "Left record #3 of key a, late order at 3.0 s, meets no version and is emitted without one.",
            "The version had ended at 3.000, and none has begun by 3.000.",
        ),
    ]
    assert columns(after(timeline, 5, "versions"), "ts") == [(3000,)]
    assert after(timeline, 5, "queue") == []


def test_a_row_at_the_watermark_is_late_and_joined_all_the_same() -> None:
    timeline = timeline_of(
        TemporalJoin("left"),
        Watermark(3000, "left"),
        Watermark(3000, "right"),
        Record("a", 3000, "late", "left"),
        Record("a", 3001, "in time", "left"),
        Watermark(9000, "left"),
        Watermark(9000, "right"),
        inputs=BOTH,
    )
    assert columns(after(timeline, 3, "records"), "ts", "fate") == [(3000, "late-accepted"), (3001, "on-time")]
    assert len(sentences(timeline, "LeftRowUnmatched")) + len(sentences(timeline, "LeftRowJoined")) == 2


def test_a_row_moves_from_those_that_wait_into_the_frame_and_out_of_it() -> None:
    timeline = timeline_of(
        Over(Frame(range=1000), SUM),
        Record("a", 2500, 4),
        Record("a", 1000, 1),
        Watermark(1999),
        Record("a", 2000, 2),
        Watermark(2500),
    )
    assert columns(after(timeline, 2, "frames"), "ts") == [(1000,)]
    assert columns(after(timeline, 3, "queue"), "ts", "item") == [(2500, 0), (2000, 3)]
    assert columns(after(timeline, 4, "frames"), "ts", "item") == [(2000, 3), (2500, 0)]
    assert sentences(timeline, "FrameMoved")[-1] == (
        "The frame of key a now includes 4 and no longer 1: sum 6.",
        "The frame holds the records from 1.500 on.",
    )
    assert sentences(timeline, "OverEmitted")[-1][0] == "Record #0 gets the sum of its frame, 6: key a, 2.5 s, value 4."


def test_the_first_row_so_far_waits_and_gives_way_to_an_earlier_one() -> None:
    timeline = timeline_of(Deduplicate("first"), Record("a", 2000, 1), Record("a", 1000, 2), Watermark(1000))
    assert columns(after(timeline, 1, "queue"), "ts", "item") == [(1000, 1)]
    assert sentences(timeline, "RowDisplaced") == [
        (
            "Record #0 is no longer the first of its key: key a, 2.0 s, value 1.",
            "1.000 is earlier than 2.000, the record that waits.",
        )
    ]
    assert columns(after(timeline, 2, "records"), "fate") == [("on-time",), ("on-time",)]


def test_rows_of_a_boolean_key_are_found_again_after_a_restore() -> None:
    timeline = timeline_of(
        Over(Frame(range=0), SUM),
        Record(True, 100, 1),
        Checkpoint("c1"),
        Record("a", 200, 2),
        Restore("c1"),
        Watermark(100),
    )
    assert columns(after(timeline, 1, "queue"), "key") == [(True,)]
    assert columns(after(timeline, 4, "queue"), "key") == [("a",)]


# A join's window fires with one side empty: the sentences say that there is no pair; a coGroup may send a group.

HEAD = (
    "scenario: 1\nname: one-sided\noperator: {{type: {kind}, assigner: {{type: tumbling, size: 5s}}{more}}}\nstream:\n"
)
STREAM = """
  - {in: left, ts: 1s, key: a, value: 1}
  - {in: left, ts: 2s, key: b, value: 2}
  - {in: right, ts: 3s, key: b, value: 20}
  - {end: true}
"""


def answers(kind: str, more: str = "", stream: str = STREAM, level: str = "novice", language: str = "en") -> list[str]:
    """The sentences about each firing, about the evictor, and about what was sent."""
    scenario = parse(HEAD.format(kind=kind, more=more) + stream.lstrip("\n"))
    trace = Trace()
    simulator.run(scenario, lambda row: None, trace)
    timeline = build(scenario, trace)
    events = ("TriggerEvaluated", "ElementsEvicted", "JoinMatched", "GroupFired")
    steps = [
        row
        for row in in_words(timeline, level=level, language=language)
        if row["event"] in events and "CONTINUE" not in row["live"]
    ]
    return [f"{row['what']} {row['why']}" for row in steps]


def test_an_inner_join_fires_and_says_that_there_is_no_pair() -> None:
    assert answers("window-join") == [
        "Window [0, 5) of key a fires, but its right side is empty: no pair. "
        "The input has ended, so the end of the window, 4.999, is reached.",
        "The trigger fires window [0, 5) of key b. The input has ended, so the end of the window, 4.999, is reached.",
        "A pair for key b: left 2 at 2.0 s with right 20 at 3.0 s. Both are in window [0, 5) of key b.",
    ]


@pytest.mark.parametrize(
    ("level", "language", "expected"),
    [
        ("practitioner", "en", "EventTimeTrigger: FIRE for window [0, 5) of key a; its right side is empty: no pair."),
        ("source", "en", "EventTimeTrigger.onEventTime returns TriggerResult.FIRE for TimeWindow{start=0, end=5000}; "
                         "the right list is empty: no collect."),
        ("novice", "zh", "键 a 的窗口 [0, 5) 触发了，但它的右侧是空的：没有配对。"),
        ("practitioner", "zh", "EventTimeTrigger：对键 a 的窗口 [0, 5) 返回 FIRE；它的右侧是空的：没有配对。"),
        ("source", "zh", "EventTimeTrigger.onEventTime 返回 TriggerResult.FIRE，TimeWindow{start=0, end=5000}；"
                         "右侧的列表为空：不调用 collect。"),
    ],
)  # fmt: skip
def test_the_same_is_said_at_every_level_and_in_both_languages(level: str, language: str, expected: str) -> None:
    assert answers("window-join", level=level, language=language)[0].startswith(expected)


@pytest.mark.parametrize(
    ("join", "expected"),
    [
        ("inner", ["Window [0, 5) of key a fires, but its right side is empty: no group."]),
        ("right", ["Window [0, 5) of key a fires, but its right side is empty: no group."]),
        ("left", ["The trigger fires window [0, 5) of key a.",
                  "Window [0, 5) of key a produces its groups: left [1], right []."]),
        ("full", ["The trigger fires window [0, 5) of key a.",
                  "Window [0, 5) of key a produces its groups: left [1], right []."]),
    ],
)  # fmt: skip
def test_a_co_group_says_so_only_if_it_sends_nothing(join: str, expected: list[str]) -> None:
    of_a = [each for each in answers("co-group", f", join: {join}") if "key a" in each]
    assert [each.split(". ")[0].rstrip(".") + "." for each in of_a] == expected


def test_a_late_record_without_a_partner_fires_for_nothing() -> None:
    stream = """
  - {in: left, watermark: 4999}
  - {in: right, watermark: 4999}
  - {in: left, ts: 1s, key: a, value: 1}
  - {in: right, ts: 3s, key: a, value: 20}
  - {end: true}
"""
    assert answers("window-join", ", allowed_lateness: 5s", stream)[0] == (
        "Window [0, 5) of key a fires, but its right side is empty: no pair. "
        "The watermark is at 4.999, and the window reaches up to 4.999: each late record fires it at once."
    )


def test_one_side_left_by_an_evictor_makes_no_pair() -> None:
    stream = """
  - {in: left, ts: 1s, key: a, value: 1}
  - {in: right, ts: 2s, key: a, value: 10}
  - {end: true}
"""
    assert answers("window-join", ", evictor: {type: count, max: 1}", stream)[1] == (
        "The evictor removes 1 from window [0, 5) of key a; 1 stay. "
        "The evictor runs before the result is computed and leaves the left side empty: no pair."
    )


def test_an_empty_window_sends_nothing() -> None:
    """A purging trigger has emptied the window: at the end of input both sides are empty."""
    trigger = ", trigger: {type: purging, inner: {type: continuous-event-time, interval: 1s}}"
    stream = """
  - {in: left, ts: 1s, key: a, value: 1}
  - {end: true}
"""
    found = answers("window-join", trigger, stream)
    assert found[-1].endswith("The window is empty, so nothing is sent.")
