"""Scripts as they come: what stands around queries, several of them, and rows that a text brings itself."""

from typing import Any

import pytest
from tidemark.simulator import run
from tidemark.simulator.__main__ import main
from tidemark.simulator.scenario import read_text
from tidemark.simulator.scenario.model import Scenario
from tidemark.simulator.sql import SqlProblem, from_sql

TABLE = """CREATE TABLE o (k STRING, v DOUBLE, rt TIMESTAMP(3), WATERMARK FOR rt AS rt - INTERVAL '1' SECOND)
    WITH ('connector' = 'kafka');
"""
COUNT = "SELECT k, COUNT(*) FROM o GROUP BY k, TUMBLE(rt, INTERVAL '5' SECOND)"
SUM = """SELECT k, SUM(v) FROM TABLE(TUMBLE(TABLE o, DESCRIPTOR(rt), INTERVAL '9' SECOND))
    GROUP BY k, window_start, window_end"""


def scenario_of(text: str, query: int | None = None) -> Scenario:
    return read_text(from_sql(TABLE + text, query_number=query))[0]


SAME = {
    "printed": f"SHOW TABLES; USE CATALOG hive; use modules a, `b`; HELP; CLEAR ; {COUNT}; SHOW JOBS",
    "explained": f"EXPLAIN {COUNT}",
    "plan": f"EXPLAIN PLAN FOR {COUNT}",
    "details": f"explain estimated_cost, CHANGELOG_MODE\n{COUNT};",
    "set": f"EXECUTE STATEMENT SET BEGIN INSERT INTO s {COUNT}; END;",
    "old set": f"BEGIN STATEMENT SET; -- of one\n INSERT INTO s {COUNT}; END",
    "explained set": f"EXPLAIN STATEMENT SET BEGIN INSERT INTO s {COUNT}; END",
    "dropped": f"DROP TABLE IF EXISTS s; CREATE VIEW s AS SELECT k FROM o; DROP VIEW s; CREATE VIEW s AS {SUM};{COUNT}",
    "made": f"CREATE TABLE s WITH ('connector' = 'print') AS {COUNT}",
    "view at the end": f"CREATE VIEW a AS SELECT k FROM o; CREATE VIEW s AS {COUNT};",
    "plain settings": f"SET parallelism.default = 1; set table.local-time-zone='UTC'; {COUNT}",
}


@pytest.mark.parametrize("text", SAME.values(), ids=SAME)
def test_what_stands_around_a_query_changes_nothing(text: str) -> None:
    assert scenario_of(text).operator == scenario_of(COUNT).operator


@pytest.mark.parametrize(
    "text",
    [
        "USE;", "SHOW FULL;", "SHOW CREATE NONSENSE;", "DESCRIBE nix;", "HELP me;",
        "EXECUTE STATEMENT SET BEGIN END;", "CREATE VIEW w AS SELECT k FROM o; DROP TABLE w;", "DROP VIEW o;",
        "DROP TABLE IF EXISTS w; DROP VIEW w;", "END;", "EXPLAIN SHOW TABLES;",
    ],
)  # fmt: skip
def test_what_flink_refuses_is_not_skipped(text: str) -> None:
    with pytest.raises(SqlProblem):
        scenario_of(text + COUNT)


def test_what_is_skipped_keeps_the_places_of_what_follows() -> None:
    with pytest.raises(SqlProblem) as refusal:
        from_sql(f"{TABLE}SHOW\n TABLES; EXPLAIN\n  {COUNT.replace('k, C', 'x, C')}")
    assert tuple(refusal.value.place) == (5, 10)


def test_one_of_several_queries_is_chosen(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    text = f"EXECUTE STATEMENT SET BEGIN INSERT INTO a {COUNT}; INSERT INTO b {SUM}; END;"
    assert scenario_of(text, 1).operator == scenario_of(COUNT).operator
    assert scenario_of(text, 2).operator == scenario_of(SUM).operator
    (tmp_path / "q.sql").write_text(TABLE + text)
    assert main(["from-sql", str(tmp_path / "q.sql"), "--query", "2"]) == 0
    assert "size: 9s" in capsys.readouterr().out
    assert main(["from-sql", str(tmp_path / "q.sql"), "--query", "3"]) == 2
    assert "there is no query 3; the text has 2" in capsys.readouterr().err


def test_a_query_sees_the_tables_that_there_are_then() -> None:
    text = f"{COUNT}; DROP TABLE o; {SUM}"
    assert scenario_of(text, 1)
    with pytest.raises(SqlProblem, match="no table `o`"):
        scenario_of(text, 2)


def test_inserted_rows_are_the_stream() -> None:
    """Columns in the order of the table, or as the text names them; what is not named is NULL."""
    rows: list[Any] = []
    rows_of = """INSERT INTO o VALUES ('a', 1, TIMESTAMP '2026-01-01 00:00:01'),
        ('a', -2.5, TO_TIMESTAMP('2026-01-01 00:00:02.5'));
        INSERT INTO o (rt, k, v) VALUES (CAST('2026-01-01 00:00:12' AS TIMESTAMP(3)), 'b', 1e1);"""
    run(scenario_of(rows_of + SUM), rows.append)
    assert [(row["key"], row["value"]) for row in rows if row["row"] == "pane"] == [("a", -1.5), ("b", 10.0)]


def test_rows_of_one_side_alone_are_no_stream_of_a_join() -> None:
    other = TABLE.replace("TABLE o", "TABLE p")
    join = "SELECT o.k FROM o, p WHERE o.k = p.k AND p.rt BETWEEN o.rt - INTERVAL '3' SECOND AND o.rt"
    insert = "INSERT INTO {} VALUES ('z', 1, TIMESTAMP '2026-01-01 00:00:01');"
    one = scenario_of(other + insert.format("o") + join)
    both = scenario_of(other + insert.format("o") + insert.format("p") + join)
    assert ["z" in {getattr(each, "key", None) for each in scenario.stream} for scenario in (one, both)] == [
        False,
        True,
    ]


def test_proctime_in_a_view_is_the_clock() -> None:
    view = "CREATE VIEW w AS SELECT *, PROCTIME() AS p FROM o;"
    assert scenario_of(view + COUNT.replace("FROM o", "FROM w").replace("(rt", "(p")).operator.time == "processing"


def test_an_offset_of_whole_hours_and_the_idle_timeout_of_a_table() -> None:
    local = TABLE.replace("TIMESTAMP(3)", "TIMESTAMP_LTZ(3)").replace(
        "'kafka'", "'kafka', 'scan.watermark.idle-timeout' = '5 s'"
    )
    settings = "SET 'table.local-time-zone' = 'GMT+08:00'; SET 'table.exec.source.idle-timeout' = '9 s';"
    scenario, _ = read_text(from_sql(settings + local + SUM))
    assert scenario.operator.session_zone == "Etc/GMT-8"
    assert scenario.inputs[0].watermark.idle_timeout == 5000
