"""A join's window fires with one side empty: the sentences say that there is no pair; a coGroup may send a group."""

import pytest
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.scenario import parse
from tidemark.simulator.timeline import build

from tests.timeline.in_words import in_words
from tidemark import simulator

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
        "The input has ended, so the window's last instant, 4.999, is reached.",
        "The trigger fires window [0, 5) of key b. "
        "The input has ended, so the window's last instant, 4.999, is reached.",
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
        "The watermark is at 4.999, and the window's last instant is 4.999: each late record fires it at once."
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
