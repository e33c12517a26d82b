"""The rules in which versions of Flink differ: of the scenario of each, our rows are those of every version."""

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.engine.values.versions import CHANGES, NEWEST, NEWEST_RULES, VERSIONS, rules_of
from tidemark.simulator.proof.recordings import compare
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.identity import digest_of
from tidemark.simulator.scenario.versions import differing_rules
from tidemark.simulator.scenario.writing import as_yaml
from tidemark.simulator.words import LANGUAGES, section, speaking

from tests.engine.transcript import TUMBLING, row_lines, scenario_text
from tests.flink.versions import pin
from tests.golden_versions import FILES, recorded, shortened
from tidemark import simulator

BY_NAME = {path.stem.replace("-", "_"): path for path in FILES if path.stem.replace("-", "_") in CHANGES}
"""A scenario for each rule. Others have the name of a rule and a word more: the rule elsewhere."""


def before(since: str) -> str:
    """The version before ``since``."""
    return VERSIONS[VERSIONS.index(since) - 1]


def test_each_rule_has_a_recorded_scenario() -> None:
    assert BY_NAME.keys() == CHANGES.keys()


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_our_rows_are_those_of_each_version(path: Path, version: str) -> None:
    scenario = load(path, flink=version)
    rows, _ = simulator.run_traced(scenario)
    assert rows == simulator.run_rows(scenario)
    found = compare(scenario, shortened(rows, rows), recorded(path, version))
    assert found.first is None
    assert found.same


@pytest.mark.parametrize("name", CHANGES)
def test_the_rule_shows_in_the_last_version_before_it(name: str) -> None:
    path, since = BY_NAME[name], CHANGES[name].since
    assert recorded(path, before(since)) != recorded(path, since) == recorded(path, NEWEST)


@pytest.mark.parametrize("name", CHANGES)
def test_no_other_rule_makes_the_difference(name: str) -> None:
    scenario = load(BY_NAME[name], flink=before(CHANGES[name].since))
    with speaking("en"):
        assert section("versions.rules")[name].format(since=CHANGES[name].since) in differing_rules(scenario)
        assert differing_rules(scenario, scenario.flink) == ()
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


def test_an_interval_join_has_a_side_output_since_1_17() -> None:
    operator = "{type: interval-join, lower: -1s, upper: 1s, late_output: side}"
    stream = "- {in: left, watermark: 5000}\n- {in: right, watermark: 5000}\n- {in: left, ts: 1000, key: a, value: 1}"
    refusal = "since Flink 1.17; write `1.17` or a later version, or `late_output: drop`"
    with speaking("en"), pytest.raises(ScenarioError, match=refusal):
        row_lines(operator, stream, flink="1.16")
    assert row_lines(operator, stream, flink="1.17") == ["watermark 5000", "late a at 1000 = 1"]


def test_the_jars_of_every_version_are_pinned() -> None:
    assert [pin(version)[0].rpartition(".")[0] for version in VERSIONS] == list(VERSIONS)
    assert all("--hash=sha256:" in pin(version)[1] for version in VERSIONS)
