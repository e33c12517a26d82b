"""The rules in which versions of Flink differ: a scenario for each, in which the last old and the first new one differ.

The rows are those of the operators in the releases 1.18.1, 1.19.3, 1.20.5, 2.0.2, 2.1.3, 2.2.1 and 2.3.0.
"""

import ast
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.versions import CHANGES, NEWEST, NEWEST_RULES, VERSIONS, rules_of
from tidemark.simulator.limits import FIRINGS_OF_A_TIMER
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.scenario.versions import differing_rules
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.words import LANGUAGES, section, speaking

from tests.engine.transcript import TUMBLING, row_lines, scenario_text
from tidemark import simulator


@dataclass(frozen=True)
class Case:
    """``old``: the rows of the last version before the rule; ``new``: those of the first with it."""

    operator: str
    stream: str
    old: tuple[str, ...]
    new: tuple[str, ...]
    inputs: str = ""


CASES = {
    "idleness_counts_records": Case(
        operator="{type: window, api: sql, assigner: {type: tumbling, size: 5s}, "
        "function: {call: aggregate, compute: sum}}",
        inputs="events: {channels: 2, watermark: {generator: sql, bound: 1s, idle_timeout: 3s, emit: 1s}}",
        # Channel 1 is never silent for 3 s, and yet idle when the watermark of channel 0 goes far ahead.
        stream="""
            - {ts: 1000, key: a, value: 1, channel: 1, at: 1900}
            - {ts: 2000, key: a, value: 1, channel: 1, at: 3900}
            - {ts: 20000, key: a, value: 1, channel: 0, at: 4500}
            - {ts: 3000, key: a, value: 1, channel: 1, at: 5100}
            - {advance: 1s}
        """,
        old=("watermark 1000", "pane a [0, 5000) on-time #0 = 2", "watermark 19000", "dropped a at 3000 = 1"),
        new=("watermark 1000", "watermark 2000"),
    ),
    "table_functions_by_clock_ignore_watermarks": Case(
        operator="{type: window, api: tvf, time: processing, assigner: {type: tumbling, size: 5s}, "
        "function: {call: aggregate, compute: sum}}",
        stream="""
            - {ts: 1000, key: a, value: 1, at: 1000}
            - {watermark: 6000}
            - {ts: 2000, key: a, value: 2, at: 2000}
            - {advance: 9s}
        """,
        old=("watermark 6000", "pane a [0, 5000) on-time #0 = 1"),
        new=("watermark 6000", "pane a [0, 5000) on-time #0 = 3"),
    ),
    "continuous_trigger_ends_with_window": Case(
        operator="{type: window, assigner: {type: tumbling, size: 10s}, "
        "trigger: {type: continuous-processing-time, interval: 6s}, function: {call: aggregate, compute: sum}}",
        stream="""
            - {ts: 1000, key: a, value: 1}
            - {advance: 20s}
        """,
        old=(
            *(f"pane a [0, 10000) early #{number} = 1" for number in range(FIRINGS_OF_A_TIMER + 1)),
            "error LimitExceeded",
        ),
        new=("pane a [0, 10000) early #0 = 1", "pane a [0, 10000) early #1 = 1"),
    ),
    "first_row_waits_for_watermark": Case(
        operator="{type: deduplicate, keep: first}",
        stream="""
            - {ts: 2000, key: a, value: 2}
            - {ts: 1000, key: a, value: 1}
            - {watermark: 3000}
        """,
        # What was emitted is taken back, `-U`, and replaced, `+U`.
        old=("emitted a at 2000 = 2", "emitted a at 2000 = 2", "emitted a at 1000 = 1", "watermark 3000"),
        new=("emitted a at 1000 = 1", "watermark 3000"),
    ),
    "all_idle_inputs_send_maximum": Case(
        operator="{type: interval-join, lower: -1s, upper: 1s}",
        stream="""
            - {in: left, watermark: 5000}
            - {in: right, watermark: 3000}
            - {in: left, status: idle}
            - {in: right, status: idle}
        """,
        old=("watermark 3000",),
        new=("watermark 3000", "watermark 5000"),
    ),
    "flushes_lie_on_offset_grid": Case(
        operator="{type: window, api: tvf, assigner: {type: tumbling, size: 5s, offset: 2s}, "
        "function: {call: aggregate, compute: sum}}",
        stream="""
            - {ts: 1000, key: a, value: 1}
            - {watermark: 1500}
            - {watermark: 3000}
            - {watermark: 8000}
        """,
        old=("watermark 1500", "watermark 3000", "watermark 8000"),
        new=("watermark 1500", "pane a [-3000, 2000) on-time #0 = 1", "watermark 3000", "watermark 8000"),
    ),
}


def before(since: str) -> str:
    """The version before ``since``."""
    return VERSIONS[VERSIONS.index(since) - 1]


def rows(case: Case, flink: str) -> tuple[str, ...]:
    return tuple(row_lines(case.operator, case.stream, case.inputs, flink=flink))


@pytest.mark.parametrize("name", CHANGES)
def test_the_rule_shows_in_the_last_version_before_it_and_in_the_first_with_it(name: str) -> None:
    case, since = CASES[name], CHANGES[name].since
    assert rows(case, before(since)) == case.old
    assert rows(case, since) == rows(case, NEWEST) == case.new


@pytest.mark.parametrize("name", CHANGES)
def test_no_other_rule_makes_the_difference(name: str) -> None:
    case = CASES[name]
    scenario = parse(scenario_text(case.operator, case.stream, case.inputs, VERSIONS[0]))
    with speaking("en"):
        assert differing_rules(scenario) == (section("versions.rules")[name].format(since=CHANGES[name].since),)
        assert differing_rules(scenario, VERSIONS[0]) == ()
    plain = parse(scenario_text(TUMBLING, "- {ts: 1000, key: a, value: 1}", flink=VERSIONS[0]))
    assert differing_rules(plain) == ()


def test_each_rule_is_asked_for_in_one_place_of_the_simulator() -> None:
    asked = Counter(
        node.attr
        for path in Path(simulator.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in CHANGES
    )
    assert asked == dict.fromkeys(CHANGES, 1)


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_rule_has_its_sentence(language: str) -> None:
    with speaking(language):
        assert list(section("versions.rules")) == list(CHANGES)


def test_the_newest_version_is_what_a_scenario_follows_that_names_none() -> None:
    unnamed = parse(scenario_text(TUMBLING, "- {ts: 1000, key: a, value: 1}"))
    assert rules_of(unnamed.flink) == NEWEST_RULES
    assert digest_of(unnamed) == digest_of(replace(unnamed, flink=NEWEST))
    others = {digest_of(replace(unnamed, flink=version)) for version in VERSIONS}
    assert len(others) == len(VERSIONS)


@pytest.mark.parametrize("written", ['"1.20"', "1.20", "'1.20'"])
def test_a_version_is_read_as_it_is_written(written: str) -> None:
    text = scenario_text(TUMBLING, "- {ts: 1000, key: a, value: 1}", flink="1.20").replace('"1.20"', written)
    scenario = parse(text)
    assert scenario.flink == parse(as_yaml(scenario)).flink == "1.20"
    assert 'flink: "1.20"' in as_yaml(scenario)


def test_sessions_are_a_table_function_since_1_19() -> None:
    operator = "{type: window, api: tvf, assigner: {type: session, gap: 5s}, function: {call: aggregate, compute: sum}}"
    stream = "- {ts: 1000, key: a, value: 1}"
    with speaking("en"), pytest.raises(ScenarioError, match=r"transcript.yaml:3:8: .* since 1.19; write `1.19` or"):
        row_lines(operator, stream, flink="1.18")
    assert row_lines(operator, stream, flink="1.19") == row_lines(operator, stream)
