"""The rows of queries: those that Flink 2.3 emits, in whatever order it emits those of one moment."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run
from tidemark.simulator.commands import main
from tidemark.simulator.scenario import read_text
from tidemark.simulator.sql import SqlProblem, from_sql, result_of
from tidemark.simulator.sql.output import lines_of
from tidemark.simulator.sql.translation import planned_query, stages_of
from tidemark.simulator.words import words

HERE = Path(__file__).parent
TABLES = (HERE / "tables.sql").read_text()
QUERIES = {each.stem: tomllib.loads(each.read_text()) for each in sorted((HERE / "queries").glob("*.toml"))}
JOIN = "SELECT o.v FROM o JOIN r ON o.k = r.k AND o.v = r.v AND r.rt BETWEEN o.rt - INTERVAL '5' SECOND AND o.rt"
COUNTS = "SELECT k, COUNT(*) AS n FROM o GROUP BY k, TUMBLE(rt, INTERVAL '5' SECOND)"
NOT_WHOLE = {
    "interval-join-left-counted",  # Flink's SQL join holds its watermark back, and pads rows without a partner
    "interval-join-left-then-window",
    "interval-join-then-window-of-older-time",
    "interval-join-then-window-of-right-time",
    "topn-of-raw-sessions",  # a window's result is one record downstream, and no row for each of its records
    "window-join-left-then-aggregate",  # a coGroup's result is one record downstream, and no row for each pair
}
"""Queries of several stages that no single scenario says; of others ``from_sql`` has checked that it does."""


def files_of(query: dict[str, Any]) -> dict[str, bytes] | None:
    return {table: text.encode() for table, text in query["records"].items()} or None


@pytest.mark.parametrize("name", QUERIES)
def test_a_query_emits_the_rows_of_flink(name: str) -> None:
    query = QUERIES[name]
    rows = list(lines_of(result_of(query["sql"], files_of(query), query.get("query")), "rows"))
    assert sorted(rows) == sorted(query["rows"].strip().split("\n"))


@pytest.mark.parametrize("name", QUERIES)
def test_every_stage_of_a_query_is_a_scenario_that_runs(name: str) -> None:
    """With its records, and with those that are made up for a query without any."""
    query = QUERIES[name]
    every = stages_of(planned_query(query["sql"], query.get("query")).relation)
    stages = [each for each in every if each.problem is None]  # the others are refused, each by a test of its own
    for number, _ in enumerate(stages, 1):
        rows: list[Any] = []
        run(read_text(from_sql(query["sql"], "x", files_of(query), query.get("query"), number))[0], rows.append)
        assert any(row["row"] not in ("watermark", "error") for row in rows), (name, number)
    if len(stages) > 1 and stages == every:
        chain = read_text(from_sql(query["sql"], "x", files_of(query), query.get("query")))[0].chain
        assert (chain is None) == (name in NOT_WHOLE)
        assert chain is None or len(chain.parts) == len(stages)
    for number in ((1, None) if stages == every else (1,)) if stages else ():
        rows = []
        run(read_text(from_sql(query["sql"], "x", None, query.get("query"), number))[0], rows.append)
        assert not [row for row in rows if row["row"] == "error"]
        assert number is None or any(row["row"] not in ("watermark", "dropped") for row in rows)


def test_rows_are_written_as_a_table_as_objects_and_as_arrays() -> None:
    rows = (
        "INSERT INTO o (k, v, rt) VALUES ('a', 1, TIMESTAMP '2026-01-01 00:00:01'),"
        " ('b', 2, TIMESTAMP '2026-01-01 00:00:02');"
    )
    result = result_of(f"{TABLES}{rows}{COUNTS.replace('k,', 'k, SUM(m) AS m,', 1)}")
    assert list(lines_of(result, "jsonl")) == [
        '{"op": "+I", "k": "a", "m": null, "n": 1}', '{"op": "+I", "k": "b", "m": null, "n": 1}'
    ]  # fmt: skip
    assert json.loads(next(iter(lines_of(result, "rows")))) == ["+I", "a", None, 1]
    assert list(lines_of(result, "table")) == [
        "+----+---+--------+---+",
        "| op | k |      m | n |",
        "+----+---+--------+---+",
        "| +I | a | <NULL> | 1 |",
        "| +I | b | <NULL> | 1 |",
        "+----+---+--------+---+",
    ]


@pytest.mark.parametrize(
    ("why", "sql"),
    [
        ("job_fails", "INSERT INTO o (k, v, rt) VALUES ('a', 0, TIMESTAMP '2026-01-01 00:00:00');"
         "SELECT k, SUM(1 / v) FROM o GROUP BY k, TUMBLE(rt, INTERVAL '5' SECOND)"),
        ("output_column", "CREATE TABLE c (k STRING, x ROW<y INT>, rt TIMESTAMP(3), WATERMARK FOR rt AS rt);"
         "SELECT x FROM c"),
        ("window_rows", "SELECT * FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(proc), INTERVAL '5' SECOND))"),
    ],
)  # fmt: skip
def test_what_only_the_rows_show_is_refused(why: str, sql: str) -> None:
    with pytest.raises(SqlProblem) as refusal:
        result_of(TABLES + sql)
    assert words(f"sql.problems.{why}").rpartition("}")[2] in refusal.value.text


def test_a_condition_on_a_member_of_a_map_runs_over_rows_that_are_made_up() -> None:
    table = "CREATE TABLE c (m MAP<STRING, STRING>, rt TIMESTAMP(3), WATERMARK FOR rt AS rt);"
    count = "SELECT COUNT(*) FILTER (WHERE m['x'] IS NULL) AS n FROM c GROUP BY TUMBLE(rt, INTERVAL '5' SECOND)"
    assert [change.row for change in result_of(table + count).rows] == [{"n": 4}, {"n": 2}]


def test_a_late_row_of_an_interval_join_is_refused() -> None:
    hours = [{"k": "a", "v": 1, "rt": f"2026-01-01 0{hour}:00:00", "arrived_at": f"2026-01-01 10:00:0{at}"}
             for at, hour in enumerate((1, 2, 1))]  # fmt: skip
    late = "\n".join(map(json.dumps, hours))
    with pytest.raises(SqlProblem, match="late for this interval join"):
        result_of(TABLES + JOIN, {"o": late.encode(), "r": late.encode()})


def test_a_stage_that_is_not_there_is_refused() -> None:
    with pytest.raises(SqlProblem, match="there is no stage 2; the query has 1"):
        from_sql(TABLES + COUNTS, stage_number=2)


def test_the_command_prints_the_rows_and_counts_those_that_were_late(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    query, rows = tmp_path / "counts.sql", tmp_path / "rows.csv"
    query.write_text(TABLES + COUNTS)
    rows.write_text("k,rt\na,2026-01-01 10:00:01\na,2026-01-01 10:00:20\na,2026-01-01 10:00:02\n")
    assert main(["sql", str(query), "--records", str(rows), "--format", "rows"]) == 0
    printed = capsys.readouterr()
    assert printed.out == '["+I", "a", 1]\n["+I", "a", 1]\n'
    assert printed.err == "rows dropped as late: 1\n"


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, COUNT(*) FROM o GROUP BY k",
        "SELECT DISTINCT k FROM o",
        "SELECT rt, k FROM o ORDER BY rt",
        "SELECT o.k, r.v FROM o JOIN r ON o.k = r.k",
        "SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS n FROM o) WHERE n <= 2",
    ],
)
def test_what_no_scenario_has_runs_over_a_few_records_too(query: str) -> None:
    assert result_of(f"{TABLES}{query}").rows
