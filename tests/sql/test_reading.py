"""Flink SQL as scenarios: every form that is read, every reason to refuse, at its place."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tidemark.simulator import run
from tidemark.simulator.limits import SQL_CHARACTERS, SQL_DEPTH, SQL_VIEWS
from tidemark.simulator.scenario import parse, read_text
from tidemark.simulator.sql import SqlProblem, from_sql
from tidemark.simulator.words import LANGUAGES, section, speaking, words

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
    tried = {query["why"] for query in queries("refused.toml")} | OF_THE_WHOLE_TEXT.keys()
    assert sorted(reasons.keys() ^ tried) == []


@pytest.mark.parametrize("query", queries("refused.toml"), ids=lambda each: each["why"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_scenario_cannot_say_is_refused_at_its_place(query: dict[str, Any], language: str) -> None:
    text = of_query(query["sql"])
    with speaking(language), pytest.raises(SqlProblem) as refusal:
        from_sql(text)
    assert tuple(refusal.value.place) == place_in(text, query), str(refusal.value)
    pattern = words(f"sql.problems.{query['why']}", language=language)
    assert refusal.value.text.startswith(pattern.partition("{")[0]), refusal.value.text


NEXT_STEP = re.compile(r"[:;,.] [^:;.]+|[：；，。].+")


@pytest.mark.parametrize("query", queries("constructs.toml"), ids=lambda each: each["name"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_what_flink_has_and_a_scenario_has_not_is_named_with_a_next_step(query: dict[str, Any], language: str) -> None:
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
