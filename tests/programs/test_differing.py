"""What the tab Code says: each engine's program or the reason, and what differs between the engines in this run."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from tidemark.simulator.programs import TARGETS, NotExpressible, program
from tidemark.simulator.programs.differing import NotCompared, differing
from tidemark.simulator.proof.side_by_side import side_by_side
from tidemark.simulator.proof.spark_twin import RECORDS_A_BATCH, twin_of
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.scenario.model import Generated, Scenario
from tidemark.simulator.words import speaking
from tidemark.ui.author import desk as author
from tidemark.ui.share.answers import answer_to, answers_about, programs_of

ROOT = Path(__file__).parents[2]

SUM = """
scenario: 1
name: x
inputs: {events: {watermark: {generator: bounded-out-of-orderness, bound: 0s}}}
operator: {type: window, assigner: {type: tumbling, size: 5s}, function: {call: aggregate, compute: sum}}
stream:
  - {ts: 1s, key: a, value: 1}
  - {ts: 7s, key: a, value: 2}
  - {ts: 2s, key: a, value: 4}
  - {ts: 13s, key: a, value: 8}
"""


def library(name: str) -> Scenario:
    return load(ROOT / "scenarios" / f"{name}.yaml")


def told(scenario: Scenario) -> dict[str, dict[str, str]]:
    return {each.title: each.cells for each in differing(scenario)}


def test_a_late_record_that_flink_drops_is_in_the_batch_of_spark() -> None:
    found = told(parse(SUM))
    assert found["Late records"] == {
        "flink-java": "1 dropped", "pyflink-sql": "dropped once their window has fired", "pyspark": "0 dropped",
    }  # fmt: skip
    assert (
        found["Results"]["pyspark"]
        == "with 3 records in a batch: 1 at the same place in the stream, 1 with another value"
    )
    assert "End of the input" not in found, "this stream goes on"


def test_lateness_fires_again_in_one_engine_only() -> None:
    found = told(parse(SUM.replace("size: 5s}", "size: 5s}, allowed_lateness: 10s")))
    assert found["Again, after late records"] == {
        "flink-java": "1 of them", "pyflink-sql": "never: a window emits one result",
        "pyspark": "never: a window emits one result",
    }  # fmt: skip


def test_the_end_of_the_input_fires_what_spark_keeps_open() -> None:
    found = told(parse(f"{SUM}  - {{end: true}}\n"))
    assert found["End of the input"]["flink-java"].startswith("1 of them")
    assert found["End of the input"]["pyspark"].startswith("never:")
    assert found["Results"]["pyflink-sql"] == "3, each as soon as it is due"


def test_results_are_counted_as_on_the_page_compare() -> None:
    scenario = library("late-but-allowed")
    entries = side_by_side(scenario, twin_of(scenario, size=RECORDS_A_BATCH)).entries
    missing = sum(each.verdict == "only-flink" for each in entries)
    assert f"{missing} missing" in told(scenario)["Results"]["pyspark"]


def test_windows_of_sql_are_compared_without_the_datastream_api() -> None:
    cells = told(parse(SUM.replace("type: window,", "type: window, api: tvf,")))["Watermark"]
    assert list(cells) == ["pyflink-sql", "pyspark"]


def test_where_spark_has_no_such_scenario_nothing_is_compared() -> None:
    with pytest.raises(NotCompared, match="Spark has no triggers"):
        differing(parse(SUM.replace("size: 5s}", "size: 5s}, trigger: {type: count, max: 2}")))


def test_reasons_are_listed_as_the_language_lists_them() -> None:
    firing = "size: 5s}, api: sql, trigger: {type: every-element}, updates: true"
    scenario = parse(SUM.replace("size: 5s}", firing))
    for language, between in (("en", "; "), ("zh", "；")):
        with speaking(language), pytest.raises(NotCompared) as refused:
            differing(scenario)
        reasons = str(refused.value).split(between)
        assert len(reasons) == 2
        assert not any(";" in each for each in reasons)


def test_a_long_stream_is_not_compared() -> None:
    short = library("three-hundred")
    assert isinstance(short.stream, Generated)
    assert differing(short)
    with pytest.raises(NotCompared, match="more than 2,000 items"):
        differing(replace(short, stream=replace(short.stream, events=1_000_000)))


def test_the_tab_has_what_the_command_prints() -> None:
    scenario = library("late-but-allowed")
    said, body = answer_to({"kind": "programs"}, answers_about(scenario, bytes, "yaml"))
    assert body == b""
    for each, to in zip(said["programs"], TARGETS, strict=True):
        assert each["to"] == to
        if each["text"]:
            assert each["text"] == program(scenario, to)
        else:
            with pytest.raises(NotExpressible, match=re.escape(each["reason"])):
                program(scenario, to)
    assert [each["file"] for each in said["programs"]] == [
        "Main.java", "late-but-allowed-pyflink-sql.py", "late-but-allowed-pyspark.py",
    ]  # fmt: skip


def test_every_scenario_of_the_library_has_an_answer() -> None:
    for path in sorted((ROOT / "scenarios").glob("*.yaml")):
        said = programs_of(load(path))
        assert all(bool(each["text"]) != bool(each["reason"]) for each in said["programs"]), path
        assert all(set(row["cells"]) <= set(TARGETS) for row in said["differing"]), path
        assert bool(said["differing"]) != bool(said["not_compared"]), path


def test_a_draft_has_programs_and_a_broken_one_the_reason() -> None:
    assert author._command({"name": "programs"}, SUM)["programs"][0]["text"].startswith("/*")
    reply = author._answer({"text": "scenario: 1\n", "command": {"name": "programs"}})
    assert reply["told"]["problem"]
