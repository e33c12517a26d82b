"""Rows with columns as Flink SQL: what a program says is read again, and gives the rows of the scenario."""

import ast
import json
import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run_rows
from tidemark.simulator.programs import NotExpressible, program, sql_lines
from tidemark.simulator.scenario import parse
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.sql import from_sql, result_of
from tidemark.simulator.sql.times import time_text

QUERIES = Path(__file__).parents[1] / "sql" / "queries"
NAMES = (
    "filtered-window-gmv",
    "group-window-two-keys-sum-count",
    "lag-of-equal-times",
    "null-values-and-keys",
    "topn-over-window-aggregate",
    "tumble-count-and-avg",
)


def scenario_of(name: str) -> Scenario:
    query = tomllib.loads((QUERIES / f"{name}.toml").read_text())
    files = {table: text.encode() for table, text in query["records"].items()} or None
    return parse(from_sql(query["sql"], name, files, query.get("query"), 1))


def read_again(text: str) -> list[Any]:
    """The rows of a program's query over its records."""
    table = re.search(r"^table\('(.*)', '''\n(.*?)\n'''\)", text, re.M | re.S)
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
    scenario = scenario_of(name)
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


@pytest.mark.parametrize("target", ["pyspark", "flink-java"])
def test_other_engines_say_why_they_do_not(target: str) -> None:
    with pytest.raises(NotExpressible, match="are written in SQL"):
        program(scenario_of("filtered-window-gmv"), target)
