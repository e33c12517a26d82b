"""The server's side of the page SQL: a query in, its rows and its stages out, or the scenario that shows one of them.

Every question carries the whole text and its files of records, so nothing is remembered here.
"""

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from threading import Lock
from typing import Any, Final

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.limits import SQL_RECORD_BYTES
from tidemark.simulator.words import section, words
from tidemark.ui.author.from_sql import Files, SqlRefused, read_sql
from tidemark.ui.author.rows import EditRefused
from tidemark.ui.server.memory import UNCOLLECTED
from tidemark.ui.share import links as own
from tidemark.ui.share.links import LinkError

Row = dict[str, Any]

EXAMPLE: Final = """\
CREATE TABLE orders (
  shop STRING,
  price DECIMAL(10, 2),
  state STRING,
  order_time TIMESTAMP(3),
  WATERMARK FOR order_time AS order_time - INTERVAL '2' SECOND
);

INSERT INTO orders VALUES
  ('north', 12.50, 'paid', TIMESTAMP '2026-01-01 12:00:01'),
  ('south', 20.00, 'paid', TIMESTAMP '2026-01-01 12:00:04'),
  ('north',  9.90, 'paid', TIMESTAMP '2026-01-01 12:00:07'),
  ('south', 99.00, 'void', TIMESTAMP '2026-01-01 12:00:13'),
  ('south',  4.00, 'paid', TIMESTAMP '2026-01-01 12:00:09'),
  ('north',  7.25, 'paid', TIMESTAMP '2026-01-01 12:00:15'),
  ('south',  3.00, 'paid', TIMESTAMP '2026-01-01 12:00:22');

CREATE VIEW totals AS
SELECT window_start, window_end, shop,
       COUNT(*) AS orders, SUM(price) AS total, MAX(price) AS highest
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(order_time), INTERVAL '10' SECOND))
WHERE state <> 'void'
GROUP BY window_start, window_end, shop;

SELECT window_start, shop, orders, total, highest
FROM (
  SELECT *, ROW_NUMBER() OVER (
    PARTITION BY window_start, window_end ORDER BY total DESC) AS place
  FROM totals)
WHERE place <= 1;
"""

SHOWN: Final = 500
"""The most rows that the page shows; all of them are counted."""

LARGE: Final = 64 * 1024
"""Characters of records from which questions are answered one after another."""

_one_at_a_time = Lock()


def first() -> Row:
    """What the page needs before its first question."""
    return {"words": section("pages.sql"), "example": EXAMPLE, "most_bytes": SQL_RECORD_BYTES}


def reply(question: Mapping[str, Any]) -> Row:
    """The answer to {number, ask, sql, records, query, stage}, with the same ``number``.

    ``run``: {ran, queries, query}, the lines of all queries and which one was run; ``open``: {address}, the part of an
    address that opens the stage, among the operators of one scenario where that can have them all. {problem, place} if
    it is refused, nothing else to what makes no sense.
    """
    asks: Mapping[str, Callable[[Mapping[str, Any]], Row]] = {"run": _run, "open": _open}
    make = asks.get(str(question.get("ask")))
    number = question.get("number")
    is_large = len(str(question.get("records"))) > LARGE
    with _one_at_a_time if is_large else nullcontext(), UNCOLLECTED.answering():
        said = {} if make is None else _refusing(make, question)
    return {"number": number if type(number) is int else 0, **said}


def _refusing(make: Callable[[Mapping[str, Any]], Row], question: Mapping[str, Any]) -> Row:
    try:
        return make(question)
    except (EditRefused, LinkError, ScenarioError) as error:
        return {"problem": str(error), "place": list(error.place or ()) if isinstance(error, SqlRefused) else []}


def _run(question: Mapping[str, Any]) -> Row:
    from tidemark.simulator.sql import queries_of

    queries = read_sql(question, lambda text, files: queries_of(text))
    given = question.get("query")
    number = given if type(given) is int and 1 <= given <= len(queries) else 1
    said = _refusing(_rows, {**question, "query": number})
    return {"queries": [place.line for place in queries], "query": number, **said}


def _rows(question: Mapping[str, Any]) -> Row:
    """The rows as text, and the chain of stages."""
    from tidemark.simulator.sql import result_of
    from tidemark.simulator.sql.clauses import clause_at
    from tidemark.simulator.sql.output import cell, is_number
    from tidemark.simulator.sql.plan_nodes import plan_note

    def run(text: str, files: Files | None) -> Row:
        result = result_of(text, files, question["query"])
        stages = []
        for each in result.stages:
            clause = clause_at(text, each.stage.place, each.stage.ranks)
            parts = [[_units(text[:start]), _units(text[:end])] for start, end in clause.parts]
            kind = words(f"form.choices.operator.{each.stage.operator['type']}")
            stages.append({"name": each.name, "kind": kind, "sources": list(each.sources), "clause": clause.line,
                           "plan": plan_note(each.stage.operator), "parts": parts, "taken": each.taken,
                           "emitted": each.emitted})  # fmt: skip
        return {
            "columns": [{"name": name, "type": of, "number": is_number(of)} for name, of in result.types.items()],
            "rows": [[each.op, *map(cell, each.row.values())] for each in result.rows[:SHOWN]],
            "count": len(result.rows),
            "stages": stages,
            "unshown": [words(f"pages.sql.{each}") for each in dict.fromkeys(map(_unshown, result.unshown))],
            "late": result.late,
            "made_up": result.made_up,
        }

    return {"ran": read_sql(question, run)}


def _unshown(operator: str) -> str:
    """The word for what no scenario shows."""
    return "sorts" if operator == "sort" else "updates"


def _open(question: Mapping[str, Any]) -> Row:
    from tidemark.simulator.sql import from_sql

    def open_stage(stage: int | None) -> own.Own:
        text = read_sql(question, lambda text, files: from_sql(text, "sql", files, query, stage))
        return own.of_file(words("pages.sql.called"), text)

    query, stage = (each if type(each) is int else None for each in (question.get("query"), question.get("stage")))
    whole = open_stage(None)
    addresses = whole.entry.addresses
    if stage is None or 1 <= stage <= len(addresses):
        return {"address": list(whole.address if stage is None else addresses[stage - 1])}
    return {"address": list(open_stage(stage).address)}


def _units(text: str) -> int:
    """How long ``text`` is in a browser."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
