"""The sentences in Chinese: spacing follows Chinese usage, every field is filled in, and no English is left."""

import re

import pytest
from tidemark.simulator import run_traced
from tidemark.simulator.scenario import parse
from tidemark.simulator.timeline import build
from tidemark.simulator.timeline.explain.narrator import LEVELS
from tidemark.simulator.words import filled, speaking

from tests.timeline.in_words import in_words

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
