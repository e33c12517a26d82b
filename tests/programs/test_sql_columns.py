"""Rows with columns as Flink SQL: what a program says is read again, and gives the rows of the scenario."""

import ast
import json
import re
from collections import Counter
from typing import Any

import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.programs import NotExpressible, program, sql_lines
from tidemark.simulator.programs.java_text import string
from tidemark.simulator.scenario import load, parse
from tidemark.simulator.sql import result_of
from tidemark.simulator.sql.times import time_text

from tests.programs.comparing import ROOT, first_stage
from tests.programs.test_flink_java import code_of
from tests.programs.test_python_programs import COLUMNS

NAMES = (
    "filtered-window-gmv",
    "group-window-two-keys-sum-count",
    "lag-of-equal-times",
    "null-values-and-keys",
    "topn-over-window-aggregate",
    "tumble-count-and-avg",
)


def read_again(text: str) -> list[Any]:
    """The rows of a program's query over its records."""
    table = re.search(r'^table\(\'(.*)\', """\n(.*?)\n"""\)', text, re.M | re.S)
    view = re.search(r"^flink.execute_sql\(('CREATE VIEW.*|\"CREATE VIEW.*)\)$", text, re.M)
    query = re.search(r'^QUERY = """\n(.*?)\n"""', text, re.M | re.S)
    records = re.search(r"^RECORDS = (\{.*?^\})", text, re.M | re.S)
    assert table
    assert view
    assert query
    assert records
    sql = f"CREATE TABLE `{table[1]}` (\n{table[2]}\n);\n{ast.literal_eval(view[1])};\n{query[1]};"
    rows = [{**row["columns"], "rt": time_text(row["ts"])} for row in ast.literal_eval(records[1])[table[1]]]
    return list(result_of(sql, {"": "\n".join(map(json.dumps, rows)).encode()}).rows)


def marked(values: dict[str, Any], start: Any) -> str:
    return json.dumps([{name: values[name] for name in sorted(values)}, start], default=str)


@pytest.mark.parametrize("name", NAMES)
def test_a_query_becomes_a_scenario_and_a_query_again_with_the_same_rows(name: str) -> None:
    scenario = first_stage(name)
    ours = [row for row in run_rows(scenario) if row["row"] in ("pane", "emitted")]
    names = [each for each, _ in scenario.operator.function.columns]  # type: ignore[union-attr]
    expected = Counter(marked(row["value"], time_text(row["start"]) if "start" in row else row["ts"]) for row in ours)
    rows = [each.row for each in read_again(program(scenario, "pyflink-sql"))]
    assert len(rows) == len(ours) > 0
    found = Counter(
        marked({each: row[each] for each in names}, row["window_start"] if "window_start" in row else _ms(row["rt"]))
        for row in rows
    )
    assert found == expected


def _ms(text: str) -> int:
    from tidemark.simulator.engine.values.duration import parse_instant

    return parse_instant(text.replace(" ", "T") + "Z") or 0


def test_the_filter_stands_behind_the_watermark_and_computed_columns_are_put_into_one_another() -> None:
    scenario = parse("""
scenario: 1
name: x
inputs:
  events:
    watermark: {generator: sql, bound: 1s}
    columns: {account: STRING, cents: BIGINT}
    select: {euros: cents / 100, doubled: euros * 2}
    where: doubled > 2
    key: [account]
operator:
  type: window
  api: tvf
  assigner: {type: tumbling, size: 5s}
  function: {call: aggregate, compute: {total: SUM(doubled)}}
stream:
  - {ts: 1s, value: {account: a, cents: 500}}
  - {end: true}
""")
    lines = sql_lines(scenario)
    assert lines[:2] == ["CREATE TABLE events (…,", "  WATERMARK FOR rt AS rt - INTERVAL '1' SECOND)"]
    assert lines[3:6] == [
        "SELECT `account`, `cents`, cents / 100 AS `euros`, cents / 100 * 2 AS `doubled`, rt",
        "FROM `events`",
        "WHERE cents / 100 * 2 > 2",
    ]
    (row,) = read_again(program(scenario, "pyflink-sql"))
    assert row.row["total"] == 10


def test_java_runs_the_same_query_over_the_same_tables() -> None:
    scenario = first_stage("group-window-two-keys-sum-count")
    python, java = (program(scenario, target) for target in ("pyflink-sql", "flink-java"))
    assert "TableEnvironment.create(EnvironmentSettings.inStreamingMode())" in java
    for line in sql_lines(scenario)[2:]:
        assert line in python
        assert string(line) in java
    assert '"value", object("revenue", plain(row.getField(3)), "orderCnt", plain(row.getField(4))),' in java
    assert r'"{\"currency\": \"a\", \"totalprice\": 3.0, \"rt\": \"2024-03-01 00:00:00.000\"}",' in java


def test_operators_of_the_table_runtime_are_sql_in_java_too() -> None:
    java = program(load(ROOT / "scenarios" / "versions-by-event-time.yaml"), "flink-java")
    assert "JOIN `right` FOR SYSTEM_TIME AS OF l.rt AS r ON l.k = r.k" in java
    assert 'row.getField(3) == null ? null : object("ts", ms(row.getField(3)), ' in java
    day = program(load(ROOT / "scenarios" / "a-day-of-its-own-length.yaml"), "flink-java")
    assert 'flink.getConfig().set("table.local-time-zone", "Europe/Berlin");' in day
    assert r"\"rt\": \"2026-03-28 22:30:00.000Z\"" in day


def test_a_column_of_a_name_that_the_program_needs_is_refused() -> None:
    with pytest.raises(NotExpressible, match="called `window_start`"):
        program(first_stage("window-start-in-an-aggregate"), "pyflink-sql")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("window-join-full", "a join of rows with columns"),
        ("lag-of-equal-times", "`over` has no counterpart"),
        ("rows-of-sessions", "another order in Flink than that of arrival"),
        ("windows-before-1970", "Spark emits other rows"),
        ("tumble-count-and-avg", "no watermark that Spark could make"),
    ],
)
def test_spark_says_why_it_does_not(name: str, reason: str) -> None:
    with pytest.raises(NotExpressible, match=reason):
        program(first_stage(name), "pyspark")


@pytest.mark.parametrize(
    ("compute", "what"),
    [("SUM(DISTINCT item)", "DISTINCT"), ("STDDEV_POP(item)", "STDDEV_POP"), ("MAX(POWER(item, 2))", "POWER")],
)
def test_what_spark_computes_otherwise_is_named(compute: str, what: str) -> None:
    text = COLUMNS.replace("total: SUM(net)", f"total: {compute}")
    with pytest.raises(NotExpressible, match=f"Spark has no `{what}"):
        program(parse(text), "pyspark")


@pytest.mark.parametrize("evil", ["''' + evil() + '''", '""" + evil() + """', "\\", '"); evil(); //', "`"])
def test_names_and_texts_of_a_scenario_stay_texts(evil: str) -> None:
    name = f"`{evil.replace('`', '``')}`"
    text = f"""
scenario: 1
name: x
inputs:
  {json.dumps(evil)}:
    watermark: {{generator: sql, bound: 1s}}
    columns: {{{json.dumps(evil)}: STRING}}
    where: {json.dumps(f"{name} <> '{evil.replace(chr(39), chr(39) * 2)}'")}
    key: [{json.dumps(name)}]
operator: {{type: window, api: tvf, assigner: {{type: tumbling, size: 5s}}, function: {{
    call: aggregate, compute: {{{json.dumps(evil)}: {json.dumps(f"MAX({name})")}}}}}}}
stream:
  - {{ts: 1s, value: {{{json.dumps(evil)}: {json.dumps(evil + "!")}}}}}
  - {{end: true}}
"""
    python = program(parse(text), "pyflink-sql")
    assert "evil" not in compile(python, "x", "exec").co_names
    assert "evil" not in compile(program(parse(text), "pyspark"), "x", "exec").co_names
    assert "evil" not in code_of(program(parse(text), "flink-java"))
