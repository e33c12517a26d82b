"""Every step has its sentences at every level, under the same names and with every field filled in."""

import re
from collections import Counter
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import get_args

import pytest
from tidemark.simulator import run_traced
from tidemark.simulator.engine.trace.event import COMPARISONS
from tidemark.simulator.engine.values.items import Item, Record, Watermark
from tidemark.simulator.engine.values.time import MAX, MIN
from tidemark.simulator.engine.values.versions import VERSIONS
from tidemark.simulator.engine.values.window import GLOBAL_WINDOW, TimeWindow
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import (
    EventTimeTrigger,
    Function,
    Generated,
    InputSpec,
    Scenario,
    SqlWatermark,
    Tumbling,
    Window,
)
from tidemark.simulator.timeline import build
from tidemark.simulator.timeline.code.walk import methods, walk
from tidemark.simulator.timeline.explain.fields import DERIVED, KINDS, NUMBER_KINDS, Kind
from tidemark.simulator.timeline.explain.narrator import LEVELS
from tidemark.simulator.timeline.facts import Timeline
from tidemark.simulator.timeline.stops import NOVICE, PRACTITIONER, levels_of, shown_at
from tidemark.simulator.timeline.wording import TimeFormat, Wording, duration, time_format
from tidemark.simulator.words import filled, section, speaking

from tests.timeline.in_words import in_words

ROOT = Path(__file__).parents[2]
FOLDERS = ("tests/golden", "tests/golden_spark", "scenarios")
UNFILLED = re.compile(r"\{\w*\}")
"""A name in braces: no field of its step has it."""

FILES = [file for folder in FOLDERS for file in sorted((ROOT / folder).glob("*.yaml"))]


def test_all_levels_have_the_same_names() -> None:
    texts = section("explain")
    for kind in ("what", "why", "rule"):
        names = {level: set(texts[level][kind]) for level in LEVELS}
        assert names["practitioner"] == names["novice"] == names["source"], kind


def test_a_level_is_not_a_copy_of_another() -> None:
    texts = section("explain")
    for one, other in (("novice", "practitioner"), ("practitioner", "source"), ("novice", "source")):
        same = [name for name, text in texts[one]["what"].items() if texts[other]["what"][name] == text]
        assert same == []


def assert_words_at_every_level(timeline: Timeline) -> None:
    for level in LEVELS:
        for step in in_words(timeline, level=level):
            assert step["what"].endswith(".")
            assert bool(step["why"]) == bool(step["reason"])
            assert not UNFILLED.search(step["what"] + step["why"]), (level, step["story"], step["reason"])


def test_facts_hold_no_words() -> None:
    """A field is a number, a key, a value, a window or a name; it is the same in every language."""
    scenario = load(ROOT / "scenarios" / "late-but-allowed.yaml")
    trace = run_traced(scenario)[1]
    english = build(scenario, trace).tables
    with speaking("zh"):
        assert build(scenario, trace).tables == english
    dropped = next(step for step in english["steps"] if step["event"] == "LateDropped")
    assert dropped["fields"]["record"] == {"key": "b", "ts": 2800, "value": 9}
    assert dropped["fields"]["late"] == [{"start": 0, "end": 5000}]
    assert dropped["fields"]["lateness"] == 3000
    assert dropped["predicate"] == {"kind": "exact", "sides": [5800, 8999], "signs": ["<="]}


def test_the_levels_of_one_step() -> None:
    """The dropped record of the scenario that the documents use as their example."""
    scenario = load(ROOT / "scenarios" / "late-but-allowed.yaml")
    _, trace = run_traced(scenario)
    words = {}
    for level in LEVELS:
        steps = in_words(build(scenario, trace), level=level)
        words[level] = next(step for step in steps if step["event"] == "WindowSkippedLate")
    assert words["novice"]["what"] == "Record #10 is too late for window [0, 5) of key b."
    assert words["practitioner"]["why"] == "Window [0, 5) was cleaned up at max timestamp + allowed lateness 3 s."
    assert words["source"]["what"] == (
        "WindowOperator.isWindowLate(TimeWindow{start=0, end=5000}) is true for element #10."
    )


def test_the_vocabulary_of_fields_is_closed() -> None:
    """Every kind is the kind of some field, and every field has a kind of the vocabulary."""
    used = {*KINDS.values(), *NUMBER_KINDS.values(), *(each.kind for each in DERIVED.values())}
    assert used | {"exact", "span"} == set(get_args(Kind))


def test_every_comparison_of_a_rule_is_known() -> None:
    """A formula that is missing from ``COMPARISONS`` would be shown without its numbers."""
    literal = re.compile(r'"([a-z_]+(?: [+-] [a-z_0-9]+)* (?:<=|<|>=|>|==|!=) [^".,]+)"')
    files = [file for folder in ("engine", "spark_rules") for file in (ROOT / "simulator" / folder).rglob("*.py")]
    formulas = {text for file in files for text in literal.findall(file.read_text(encoding="utf-8"))}
    assert {formula for formula in formulas if " or " not in formula} == set(COMPARISONS)


# The sentences in Chinese: spacing follows Chinese usage, every field is filled in, and no English is left.

WINDOWS = """
scenario: 1
name: windows
title: Windows
inputs:
  events: {channels: 2, watermark: {generator: bounded-out-of-orderness, bound: 1s}}
operator: {type: window, assigner: {type: tumbling, size: 5s}, allowed_lateness: 2s,
  function: {call: aggregate, compute: sum}}
stream:
  - {ts: 1s, key: 上海, value: 4}
  - {ts: 7s, key: b, value: 2, channel: 1}
  - {ts: 8s, key: b, value: 3}
  - {ts: 3s, key: 上海, value: 1}
  - {ts: 20s, key: b, value: 1, channel: 1}
  - {ts: 21s, key: b, value: 1}
  - {ts: 2s, key: 上海, value: 9}
  - {end: true}
"""

JOIN = """
scenario: 1
name: join
title: Join
inputs:
  left: {watermark: {generator: bounded-out-of-orderness, bound: 1s}}
  right: {watermark: {generator: bounded-out-of-orderness, bound: 1s}}
operator: {type: interval-join, lower: -2s, upper: 2s}
stream:
  - {in: left, ts: 1s, key: a, value: L}
  - {in: right, ts: 2s, key: a, value: R}
  - {in: left, ts: 20s, key: a, value: L}
  - {in: right, ts: 20s, key: a, value: R}
"""


@pytest.mark.parametrize(
    ("text", "fields", "expected"),
    [
        ("{channel} 变为空闲。", {"channel": "通道 0"}, "通道 0 变为空闲。"),
        ("{channel} 变为空闲。", {"channel": "数据源"}, "数据源变为空闲。"),
        ("到达 {channel}：{record}。", {"channel": "数据源", "record": "键 a"}, "到达数据源：键 a。"),
        ("键 {key} 的 {window} 触发", {"key": "a", "window": "窗口 [0, 5)"}, "键 a 的窗口 [0, 5) 触发"),
        ("键 {key} 的 {window} 触发", {"key": "设备 一", "window": "全局窗口"}, "键设备 一的全局窗口触发"),
        ("{compute} {value}", {"compute": "总和", "value": "上海"}, "总和 上海"),
        ("key {key} of {window}", {"key": "上海", "window": "the window"}, "key 上海 of the window"),
    ],
)
def test_a_field_has_spaces_around_it_unless_it_is_chinese_too(text, fields, expected):
    assert filled(text, fields) == expected


@pytest.mark.parametrize("text", [WINDOWS, JOIN], ids=["windows", "join"])
@pytest.mark.parametrize("level", LEVELS)
def test_no_sentence_has_a_space_between_chinese_words_or_english_left_over(text, level):
    scenario = parse(text)
    with speaking("zh"):
        steps = in_words(build(scenario, run_traced(scenario)[1]), level=level)
    for step in steps:
        for sentence in (step["what"], step["why"]):
            assert not re.search("[\u4e00-\u9fff] [\u4e00-\u9fff]|[，。：；] | [，。：；]|[{}] ", sentence), sentence
            assert not sentence or sentence.endswith("。"), sentence
            if level == "novice":
                assert not re.search("[a-zA-Z]{3,}", sentence), sentence


# Which steps matter to whom, and that a longer step loses no sentence.


def told(name: str, level: str, items: range) -> list[str]:
    """What readers of ``level`` read at their stops in ``items``."""
    scenario = load(ROOT / "scenarios" / f"{name}.yaml")
    steps = build(scenario, run_traced(scenario)[1]).tables["steps"]
    wording, levels = Wording(scenario, steps, level=level), levels_of(steps)
    shown = [row for row in steps if row["item"] in items and shown_at(level, levels[row["step"]])]
    return [f"{wording.what(row)} {wording.why(row)}".strip() for row in shown]


def test_a_record_is_three_steps_for_a_novice() -> None:
    assert told("late-but-allowed", "novice", range(3, 4)) == [
        "Record #3 arrives on channel 0: key a, 6.2 s, value 1.",
        "Record #3 goes into window [5, 10) of key a: sum 1 so far. Windows are 5 s long and follow one another. "
        "A window includes its start but not its end.",
        "The watermark moves from 1.399 to 2.699. Channel 0 sends watermark 4.199. It is the largest timestamp seen, "
        "6.200, minus the bound of 2 s, minus 1 ms. The slowest channel decides: channel 1.",
    ]


def test_a_practitioner_reads_the_watermark_of_the_channel_at_a_step_of_its_own() -> None:
    steps = told("late-but-allowed", "practitioner", range(3, 4))
    assert [each.split(" ", 1)[0] for each in steps].count("Timer") == 2
    assert not any("4.199" in each for each in steps if "2.699" in each)


def test_a_channel_that_is_held_back_by_another_matters() -> None:
    assert told("late-but-allowed", "novice", range(1, 2))[-1].startswith("The watermark of channel 0 is now 1.399.")


def test_a_record_in_many_windows_counts_once() -> None:
    arrived, counted = told("sliding-copies", "novice", range(1))[:2]
    assert arrived.startswith("Record #0 arrives")
    assert counted.count("Record #0 goes into window") == 1
    assert "Record #0 belongs to window [10, 20), window [8, 18)" in counted


def assert_every_item_has_a_stop_and_a_level_has_all_of_the_one_before(timeline: Timeline) -> None:
    steps = timeline.tables["steps"]
    levels = levels_of(steps)
    for _, group in groupby(range(len(steps)), key=lambda step: steps[step]["item"]):
        assert any(shown_at("novice", levels[step]) for step in group)
    shown = [{step for step, each in enumerate(levels) if shown_at(level, each)} for level in LEVELS]
    assert shown[0] <= shown[1] <= shown[2] == set(range(len(steps)))
    assert all(earlier < step for step, each in enumerate(levels) for earlier, _ in each["since"])


def test_what_matters_is_something_that_happens() -> None:
    known = section("explain")["novice"]["what"]
    assert known.keys() >= (NOVICE | PRACTITIONER)
    assert not NOVICE & PRACTITIONER


# Every micro-step belongs to a line of the listings that its scenario walks through.

WIDEST = 52


def lines_of(scenario: Scenario) -> Counter[str]:
    """How often each line id appears in the scenario's walk."""
    return Counter(line.id for part in walk(scenario) for method in part.methods for line in method.lines if line.id)


def assert_every_step_has_a_line(timeline: Timeline) -> None:
    ids, steps = lines_of(timeline.scenario), timeline.tables["steps"]
    wording = Wording(timeline.scenario, steps)
    for step in steps:
        assert step["lines"], f"no line for {step['event']} (step {step['step']})"
        assert len(step["lines"]) == len(wording.live(step))
        assert set(step["lines"]) <= set(ids)


def test_listings_fit_the_panel_and_name_their_place_in_flink() -> None:
    for name, method in methods().items():
        assert "." in method.flink or "Service" in method.flink, name
        assert 2 <= len(method.lines) <= 18, name
        assert all(len(line.text) <= WIDEST and line.text.strip() for line in method.lines), name


def test_every_listing_is_used_by_some_run() -> None:
    oldest = load(ROOT / "tests/golden/deduplicate-first-late.yaml", flink=VERSIONS[0])
    scenarios = (*map(load, FILES), oldest)
    seen = {method for scenario in scenarios for part in walk(scenario) for method in part.methods}
    # No file reaches these; random runs do.
    rare = {"NeverTrigger.element", "source.sql_idle"}
    missing = {name for name, method in methods().items() if method not in seen} - rare
    assert missing == set()


def test_the_lines_of_a_dropped_record() -> None:
    scenario = load(ROOT / "scenarios" / "late-but-allowed.yaml")
    steps = in_words(build(scenario, run_traced(scenario)[1]))
    dropped = next(step for step in steps if step["event"] == "LateDropped")
    before = steps[dropped["step"] - 1]
    assert list(zip(before["lines"], before["live"], strict=True)) == [("window_late", "7.999 <= 8.999")]
    assert list(zip(dropped["lines"], dropped["live"], strict=True)) == [
        ("if.late", "5.800 <= 8.999"),
        ("drop", "dropped 0 → 1"),
    ]


def test_the_same_call_has_another_line_when_it_is_part_of_a_cleanup_or_a_merge() -> None:
    scenario = load(ROOT / "tests" / "golden" / "session-bridge-three.yaml")
    steps = build(scenario, run_traced(scenario)[1]).tables["steps"]
    places = {step["lines"][-1] for step in steps if step["event"] == "TimerDeleted"}
    assert places == {"merge.clear"}, "with a lateness of 0 the trigger's timer is also the cleanup timer"
    retired = {step["lines"][-1] for step in steps if step["event"] == "WindowRetired"}
    assert retired == {"retire.cleanup"}


def test_the_result_that_a_merged_session_emitted_last_is_forgotten_at_the_merge() -> None:
    scenario = parse("""
scenario: 1
name: merged-after-an-update
operator:
  type: window
  api: sql
  assigner: {type: session, gap: 1s}
  trigger: {type: after-end-of-window, early: {type: every-element}}
  function: {call: aggregate, compute: sum}
  updates: true
stream:
  - {ts: 0, key: a, value: 1}
  - {ts: 2000, key: a, value: 2}
  - {ts: 1000, key: a, value: 3}
""")
    timeline = build(scenario, run_traced(scenario)[1])
    assert_every_step_has_a_line(timeline)
    steps = timeline.tables["steps"]
    assert [step["lines"][-1] for step in steps if step["event"] == "StateCleared"] == ["clear.previous"]


# How times are written: in seconds near the epoch, as local date and time elsewhere.

OPERATOR = Window(Tumbling(5000), EventTimeTrigger(), Function("aggregate", "sum"))
NINE = 1484902800000
"""2017-01-20T09:00:00Z"""


def format_of(*items: Item, zone: str = "UTC", origin: int = 0) -> TimeFormat:
    return time_format(Scenario("times", OPERATOR, items, zone=zone, origin=origin))


SECONDS = format_of(Record("a", 2800), Watermark(MAX))


@pytest.mark.parametrize(
    ("ms", "record", "exact"),
    [
        (0, "0.0 s", "0.000"),
        (2800, "2.8 s", "2.800"),
        (8999, "8.999 s", "8.999"),
        (-1, "−0.001 s", "−0.001"),
        (-1500, "−1.5 s", "−1.500"),
    ],
)
def test_records_have_few_decimals_and_watermarks_three(ms: int, record: str, exact: str) -> None:
    assert SECONDS.record(ms) == record
    assert SECONDS.exact(ms) == exact


def test_the_ends_of_time_are_infinite() -> None:
    assert SECONDS.exact(MAX) == "+∞"
    assert SECONDS.exact(MIN) == "−∞"


@pytest.mark.parametrize(
    ("item", "is_exact"),
    [
        (Record("a", 4990), False),
        (Record("a", 4999), True),
        (Record("a", 5000, at=5001), True),
        (Watermark(4999), False),
        (Watermark(4998), True),
        (Record("a", MAX), False),
    ],
)
def test_nothing_is_rounded_where_the_stream_has_milliseconds(item: Item, is_exact: bool) -> None:
    assert format_of(Record("a", 0), item).milliseconds is is_exact


def test_nothing_is_rounded_where_a_setting_has_milliseconds() -> None:
    stream, bound = (Record("a", 0),), InputSpec("events", watermark=SqlWatermark(bound=1))
    assert time_format(Scenario("times", OPERATOR, stream, (bound,))).milliseconds
    assert time_format(Scenario("times", replace(OPERATOR, allowed_lateness=1), stream)).milliseconds
    assert time_format(Scenario("times", OPERATOR, Generated(10, 7, 2, 100, disorder=300))).milliseconds
    assert not time_format(Scenario("times", OPERATOR, Generated(10, 7, 2, 100))).milliseconds


def test_windows_are_half_open_and_the_global_one_has_no_bounds() -> None:
    assert SECONDS.window(TimeWindow(0, 5000)) == "[0, 5)"
    assert SECONDS.window(TimeWindow(-500, 1250)) == "[−0.5, 1.25)"
    assert SECONDS.window(GLOBAL_WINDOW) == ""


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        (0, "0 s"),
        (200, "200 ms"),
        (2000, "2 s"),
        (2500, "2.5 s"),
        (-60000, "−1 min"),
        (90000, "1 min 30 s"),
        (60250, "1 min 250 ms"),
        (600000, "10 min"),
        (8 * 3600000, "8 h"),
        (86400000, "1 d"),
    ],
)
def test_durations_are_split_by_their_units(ms: int, text: str) -> None:
    assert duration(ms) == text


def test_real_dates_are_written_in_local_time() -> None:
    times = format_of(Record("a", NINE + 2800), zone="Asia/Shanghai")
    assert times.record(NINE + 2800) == "17:00:02.8"
    assert times.exact(NINE + 8999) == "17:00:08.999"
    assert times.window(TimeWindow(NINE, NINE + 3600000)) == "[17:00, 18:00)"
    assert times.window(TimeWindow(NINE, NINE + 5000)) == "[17:00, 17:00:05)"


def test_the_date_is_written_only_if_there_are_several() -> None:
    one_day = format_of(Record("a", NINE))
    several = format_of(Record("a", NINE), Record("a", NINE + 86400000))
    assert one_day.record(NINE) == "09:00:00"
    assert one_day.record(NINE + 86400000) == "01-21 09:00:00"
    assert several.record(NINE) == "01-20 09:00:00"


def test_a_time_zone_or_a_late_origin_selects_local_time() -> None:
    assert format_of(Record("a", 0), zone="Europe/Berlin").record(0) == "01:00:00"
    generated = Scenario("generated", OPERATOR, Generated(10, 7, 2, 100), origin=NINE)
    assert time_format(generated).record(NINE) == "09:00:00"


def test_a_time_outside_the_calendar_is_still_written() -> None:
    assert format_of(Record("a", 2**62)).record(2**62) == "4611686018427387.904 s"


def test_a_stream_without_times_uses_seconds() -> None:
    assert format_of().style == "seconds"
