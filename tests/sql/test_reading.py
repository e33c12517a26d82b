"""Flink SQL as scenarios: every form that is read, every reason to refuse, at its place."""

import re
import tomllib
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from tidemark.simulator import run
from tidemark.simulator.limits import SQL_CHARACTERS, SQL_DEPTH, SQL_VIEWS
from tidemark.simulator.scenario import parse, read_text
from tidemark.simulator.sql import SqlProblem, from_sql
from tidemark.simulator.sql.parsing import grammar
from tidemark.simulator.sql.plan_nodes import plan_node
from tidemark.simulator.words import LANGUAGES, section, speaking, words

from tests.each import for_each

HERE = Path(__file__).parent
TABLES = (HERE / "tables.sql").read_text()


def queries(file: str) -> list[dict[str, Any]]:
    return list(tomllib.loads((HERE / file).read_text())["query"])


def of_query(text: str) -> str:
    return TABLES + text


def place_in(text: str, query: dict[str, Any]) -> tuple[int, int]:
    """Line and column of the text at which ``query`` is refused."""
    at = -1
    start = len(TABLES)
    for _ in range(query.get("nth", 1)):
        at = text.index(query["at"], start) if query["at"] else len(text)
        start = at + 1
    return text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


@pytest.mark.parametrize("query", queries("read.toml"), ids=lambda each: each["operator"])
def test_a_query_is_the_operator_that_flink_plans_and_runs(query: dict[str, Any]) -> None:
    text = from_sql(of_query(query["sql"]))
    wanted = parse(f"scenario: 1\nname: x\noperator: {query['operator']}\nstream: []").operator
    scenario, _ = read_text(text)
    assert scenario.operator == wanted
    rows: list[Any] = []
    run(scenario, rows.append)
    assert [row for row in rows if row["row"] not in ("watermark", "dropped")], (
        "the records that are made show something"
    )
    assert not [row for row in rows if row["row"] == "error"]


def test_each_operator_is_a_node_of_the_plan() -> None:
    """Of a temporal join the plan in the file may be that of its versions; ``make flink`` looks at the whole one."""
    read = [(YAML(typ="safe").load(each["operator"]), each["plan"].partition("(")[0]) for each in queries("read.toml")]
    nodes = {(operator["type"], plan_node(operator)[0], plan) for operator, plan in read if plan.isalpha()}
    assert {(node, plan) for kind, node, plan in nodes if kind != "temporal-join" and node != plan} == set()
    assert len({node for _, node, _ in nodes}) >= 7


EVERY_FIVE = "SELECT k, SUM(v) FROM o GROUP BY k, TUMBLE(rt, INTERVAL '5' SECOND)"


@pytest.mark.parametrize(
    ("firing", "trigger"),
    [
        ("", "EventTime.afterEndOfWindow()"),
        ("early 2 s", "EventTime.afterEndOfWindow().withEarlyFirings(ProcessingTime.every(2000))"),
        ("late 0 s", "EventTime.afterEndOfWindow()"),
        ("early 2 s late 0 s", "EventTime.afterEndOfWindow().withEarlyFirings(ProcessingTime.every(2000))"),
        (
            "early 0 s late 1 s",
            "EventTime.afterEndOfWindow().withEarlyFirings(Element.every()).withLateFirings(ProcessingTime.every(1000))",
        ),
    ],
)
def test_a_group_window_has_the_assigner_and_the_trigger_of_flink(firing: str, trigger: str) -> None:
    """``trigger``: what the operator of Flink 2.3 writes for these settings."""
    settings = "".join(
        f"SET 'table.exec.emit.{name}-fire.enabled' = 'true'; SET 'table.exec.emit.{name}-fire.delay' = '{delay}';"
        for name, delay in re.findall(r"(early|late) (\d s)", firing)
    )
    lateness = "SET 'table.exec.emit.allow-lateness' = '5 s';" if "late" in firing else ""
    operator = YAML(typ="safe").load(from_sql(settings + lateness + of_query(EVERY_FIVE)))["operator"]
    assert plan_node(operator) == ("GroupWindowAggregate", "AggregateWindowOperator", "TumblingWindow(5000)", trigger)


def test_a_scenario_says_how_flink_plans_it_in_each_version() -> None:
    group = from_sql(of_query(EVERY_FIVE))
    parts = "AggregateWindowOperator · TumblingWindow(5000) · EventTime.afterEndOfWindow()"
    assert f"# (Flink plans it as GroupWindowAggregate: {parts}.)\n" in group
    session = "TABLE(SESSION(TABLE o PARTITION BY k, DESCRIPTOR(rt), INTERVAL '5' MINUTE))"
    tumble = "TABLE(TUMBLE(TABLE o, DESCRIPTOR(rt), INTERVAL '5' SECOND))"
    before = " (SlicingWindowOperator until 1.18)"
    two = " (or a local and a global one)"
    for function, older in ((session, False), (tumble, True)):
        text = from_sql(of_query(f"SELECT k, SUM(v) FROM {function} GROUP BY k, window_start, window_end"))
        assert f"WindowAggregate{two if older else ''}: WindowAggOperator" in text
        assert (before in text) == older


def views(number: int) -> str:
    """A query by a chain of this many views."""
    chain = [f"CREATE VIEW v{n} AS SELECT * FROM {f'v{n - 1}' if n > 1 else 'o'};" for n in range(1, number + 1)]
    return of_query("\n".join(chain)) + f"SELECT k, COUNT(*) FROM v{number} GROUP BY k, TUMBLE(rt, INTERVAL '5' SECOND)"


OF_THE_WHOLE_TEXT = {
    "too_long": " " * (SQL_CHARACTERS + 1),
    "too_deep": "SELECT " + "(" * (SQL_DEPTH + 1),
    "no_query": TABLES,
    "no_tables": "SELECT k, COUNT(*) FROM o GROUP BY k, TUMBLE(rt, INTERVAL '5' SECOND)",
    "views_too_deep": views(SQL_VIEWS + 1),
}


@pytest.mark.parametrize("why", OF_THE_WHOLE_TEXT)
def test_a_text_that_cannot_be_read_as_a_whole_is_refused(why: str) -> None:
    with pytest.raises(SqlProblem) as refusal:
        from_sql(OF_THE_WHOLE_TEXT[why])
    assert refusal.value.text.startswith(words(f"sql.problems.{why}").partition("{")[0])


def test_views_of_views_have_a_limit() -> None:
    assert parse(from_sql(views(SQL_VIEWS)))


def test_every_reason_to_refuse_has_a_query() -> None:
    """Without its refusal a query may be read as one with other results, and nothing else would notice."""
    reasons = section("sql.problems")
    elsewhere = {"query_number", "stage_number", "job_fails", "late_in_chain", "output_column", "window_rows"}
    tried = {query["why"] for query in queries("refused.toml")} | OF_THE_WHOLE_TEXT.keys() | elsewhere
    assert sorted(reasons.keys() ^ tried) == []


@for_each(enumerate(queries("refused.toml")), lambda each: each[1]["why"])
def test_what_a_scenario_cannot_say_is_refused_at_its_place(numbered: tuple[int, dict[str, Any]]) -> None:
    """In the languages in turn, whose messages have the same fields."""
    number, query = numbered
    text, language = of_query(query["sql"]), LANGUAGES[number % len(LANGUAGES)]
    with speaking(language), pytest.raises(SqlProblem) as refusal:
        from_sql(text)
    assert tuple(refusal.value.place) == place_in(text, query), str(refusal.value)
    pattern = words(f"sql.problems.{query['why']}", language=language)
    assert refusal.value.text.startswith(pattern.partition("{")[0]), refusal.value.text


NEXT_STEP = re.compile(r"[:;,.] [^:;.]+|[：；，。].+")


@for_each(product(LANGUAGES, queries("constructs.toml")), lambda each: each[1]["name"])
def test_what_flink_has_and_a_scenario_has_not_is_named_with_a_next_step(asked: tuple[str, dict[str, Any]]) -> None:
    language, query = asked
    text = of_query(query["sql"])
    with speaking(language), pytest.raises(SqlProblem) as refusal:
        from_sql(text)
    said = refusal.value.text
    assert tuple(refusal.value.place) == place_in(text, query), said
    assert query["name"] in said or (language != "en" and not query["name"].isupper())
    assert NEXT_STEP.search(said), "what to do about it"
    for word in ("unexpected", "reserved_word"):
        tail = words(f"sql.problems.{word}", language=language).rpartition("}")[2]
        assert tail not in said, "that is for what is no SQL of Flink's"


def test_a_view_does_not_see_the_tables_of_a_with() -> None:
    view = "CREATE VIEW q AS SELECT k, rt FROM o;"
    query = "WITH o AS (SELECT k, rt FROM e) SELECT k, COUNT(*) FROM q GROUP BY k, TUMBLE(rt, INTERVAL '5' SECOND)"
    assert "bound: 5s" in from_sql(of_query(view + query)), "the watermark of the table o, as Flink plans it"


def test_of_two_tables_of_a_with_the_later_one_counts() -> None:
    query = """WITH a AS (SELECT k, rt FROM o), a AS (SELECT k, rt FROM r)
        SELECT k, COUNT(*) FROM a GROUP BY k, TUMBLE(rt, INTERVAL '5' SECOND)"""
    assert "bound: 2s" in from_sql(of_query(query))


def test_a_quoted_name_at_a_wrong_place_is_shown_in_one_pair_of_backticks() -> None:
    with pytest.raises(SqlProblem) as refusal:
        from_sql(of_query("SELECT v `n` `k` FROM o"))
    assert refusal.value.text == "`k` does not belong here"


# SQL that nobody means: whatever it is, there is a scenario or one refusal, soon.

QUERIES = [of_query(each["sql"]) for each in queries("read.toml")]
PIECES = st.sampled_from([
    "(", ")", ",", ";", "'", "`", "*", ".", "--", "/*", "*/", "=>", "=", "<=", "NULL", "SELECT", "FROM", "OVER",
    "TABLE", "INTERVAL '5' SECOND", "INTERVAL '99999999999' DAY", "GROUP BY", "window_start", "ROW_NUMBER()", "k", "rt",
    "1", "-1", "é", "键", "\x00", "\n", "🙂", "JOIN r ON", "WATERMARK FOR rt AS rt", "UNION ALL SELECT 1",
    "CASE WHEN k THEN v END",
])  # fmt: skip


@settings(max_examples=150)
@given(
    st.sampled_from(QUERIES), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 30), PIECES), min_size=1, max_size=4)
)
def test_a_changed_text_is_read_or_refused(text: str, changes: list[tuple[float, int, str]]) -> None:
    for place, length, piece in changes:
        at = int(place * len(text))
        text = text[:at] + piece + text[at + length :]
    refused = None
    try:
        parse(from_sql(text))
    except SqlProblem as problem:
        refused = problem
    if refused is not None:
        line, column = refused.place
        assert 1 <= line <= text.count("\n") + 1
        assert column >= 1
        assert refused.text


@pytest.mark.parametrize(
    "text",
    [
        "", ";;;", "SELECT " + "(" * 5000, "SELECT " + "1+" * 20000 + "1 FROM o", "x" * 1_000_000, "/*" * 30000,
        "SELECT '" + "a" * 60000, "CREATE TABLE t (" + ", ".join(f"c{n} INT" for n in range(5000)) + ")",
        "WITH " + ", ".join(f"v{n} AS (SELECT * FROM v{n + 1})" for n in range(500)) + " SELECT k FROM v0",
        "CREATE VIEW v AS SELECT * FROM v; SELECT k FROM v", "SELECT k FROM o " + "UNION ALL SELECT k FROM o " * 2000,
        "\ufeffSELECT 1", "SELECT `" + "键" * 1000 + "` FROM o", "EXPLAIN SELECT 1", "{scenario: 1}",
    ],
    ids=range(15),
)  # fmt: skip
def test_a_strange_text_is_one_refusal(text: str) -> None:
    with pytest.raises(SqlProblem):
        from_sql(text)


def test_what_is_typed_ends_no_line_of_the_scenario() -> None:
    assert parse(from_sql(QUERIES[0] + "\n-- name: evil\n/* stream: [] */")).name == "from-sql"
    with pytest.raises(SqlProblem, match=r"U\+2028"):
        from_sql(QUERIES[0] + " -- \u2028 {stream: []}")


def test_the_grammar_is_ready_soon() -> None:
    """A browser's Python takes four times as long to make the tables; they grow with the rules that Lark writes out."""
    written_out = Counter(str(rule.origin.name) for rule in grammar().rules)
    assert max(written_out.values()) < 50, written_out.most_common(3)
