"""The server's side of the page SQL: a query in, its rows and its stages out, or the scenario that shows one of them.

Every question carries the whole text and its files of records, so nothing is remembered here.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from threading import Lock
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.values.errors import ScenarioError
from tidemark.simulator.limits import SQL_RECORD_BYTES
from tidemark.simulator.sql.syntax import Place
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


# Which part of a text a stage comes from: its SELECT without those within it, or what it joins.

_COMMENT: Final = r"--[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*(?:\*/|\Z)"
_TOKEN: Final = re.compile(
    r"(?P<skip>'[^']*+(?:'|\Z)|`[^`]*+(?:`|\Z))|(?P<blank>" + _COMMENT + r")"
    r"|(?P<within>\(\s*+(?:SELECT|WITH)\b)|(?P<open>\()|(?P<close>\))|(?P<end>;)|(?P<word>\w++)|.",
    re.IGNORECASE | re.DOTALL,
)
_JOINS: Final = frozenset(("INNER", "LEFT", "RIGHT", "FULL", "OUTER", "CROSS"))
_UNITES: Final = frozenset(("UNION", "EXCEPT", "INTERSECT"))
_AFTER_JOIN: Final = _UNITES | {"WHERE", "GROUP", "HAVING", "QUALIFY", "WINDOW", "ORDER", "LIMIT", "SELECT",
                                "JOIN", "INNER", "LEFT", "CROSS"}  # fmt: skip
"""Words that begin what follows a clause."""


class Clause(NamedTuple):
    """``parts``: where its pieces begin and end in the text, as indexes; ``line``: all of it in one line."""

    parts: tuple[tuple[int, int], ...]
    line: str


def clause_at(text: str, place: Place, subqueries: int = 0) -> Clause:
    """The clause that begins at ``place`` of ``text``. What lies within more than ``subqueries`` of these is left out:
    it has a stage of its own, or is no more than the table that the clause reads.

    >>> clause_at("SELECT a FROM (SELECT b FROM t) WHERE a > ';' -- which\\n;", Place(1, 1)).line
    "SELECT a FROM (…) WHERE a > ';'"
    >>> clause_at("SELECT * FROM a LEFT JOIN b ON a.k = b.k WHERE a.v > 0", Place(1, 27)).line
    'LEFT JOIN b ON a.k = b.k'
    """
    start = sum(len(line) + 1 for line in text.split("\n")[: place.line - 1]) + place.column - 1
    join, after = _join_before(text, start), start
    # What is joined may be a subquery itself.
    start, ends = (start, _UNITES) if join is None else (join, _AFTER_JOIN)
    parts = tuple(_parts(text, start, 0 if join is None else after, ends, subqueries))
    pieces = (re.sub(_COMMENT, " ", text[first:last]) for first, last in parts)
    return Clause(parts, " ".join("…".join(pieces).split()).replace("( …", "(…").replace("… )", "…)"))


def _join_before(text: str, start: int) -> int | None:
    """Where the ``LEFT JOIN`` begins whose right side begins at ``start``; None if there is none."""
    end = len(text[:start].rstrip())
    if text[end - 1 : end] == "(":
        end = len(text[: end - 1].rstrip())
    found, words = None, frozenset(("JOIN",))
    while True:
        begin = end
        while begin and text[begin - 1].isalpha():
            begin -= 1
        if text[begin:end].upper() not in words:
            return found
        found, words = begin, _JOINS
        end = len(text[:begin].rstrip())


def _parts(text: str, start: int, after: int, ends: frozenset[str], subqueries: int) -> Iterator[tuple[int, int]]:
    """The pieces from ``start`` on; no word before ``after`` ends the last one."""
    opened: list[bool] = []  # of each parenthesis whether a subquery is in it
    begun, last, out = start, start, 0
    for token in _TOKEN.finditer(text, start):
        kind = token.lastgroup
        if kind in ("open", "within"):
            opened.append(kind == "within")
            if sum(opened) > subqueries and kind == "within" and not out:
                yield begun, token.start() + 1
                out = len(opened)
        elif kind == "close":
            if not opened:
                break
            if len(opened) == out:
                begun, out = token.start(), 0
            opened.pop()
        elif kind == "end" or (kind == "word" and not opened and token.start() >= after and token[0].upper() in ends):
            break
        if kind != "blank" and not token[0].isspace() and not out:
            last = token.end()
    if not out and last > begun:
        yield begun, last
