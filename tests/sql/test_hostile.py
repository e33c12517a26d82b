"""SQL that nobody means: whatever it is, there is a scenario or one refusal, soon."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidemark.simulator.scenario import parse
from tidemark.simulator.sql import SqlProblem, from_sql
from tidemark.simulator.sql.parsing import grammar

from tests.sql.test_reading import of_query, queries

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
