"""A script as it comes: what stands between and around its queries, and which part of it the grammar reads."""

import re
from typing import Final

from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.limits import SQL_DEPTH
from tidemark.simulator.sql import syntax

_STATEMENT: Final = re.compile(
    r"(?P<around>EXPLAIN|COMPILE(?:\s+AND\s+EXECUTE)?\s+PLAN)\b"
    r"|(?P<other>(?:EXECUTE\s+PLAN|DROP(?!\s+(?:TEMPORARY\s+)?(?:TABLE|VIEW)\b)|ALTER|USE|SHOW|DESCRIBE|DESC|ANALYZE|ADD|REMOVE|LOAD|UNLOAD"
    r"|RESET|CALL|EXECUTE|BEGIN|END|UPDATE|DELETE|TRUNCATE|MERGE|COMPILE|STOP|QUIT|EXIT|GRANT|REVOKE)\b)"
    r"|(?P<create>CREATE(?:\s+OR\s+(?:REPLACE|ALTER))?)(?:\s+TEMPORARY)?(?:\s+SYSTEM)?\s+(?P<kind>MATERIALIZED\s+TABLE|\w+)",
    re.IGNORECASE | re.ASCII,
)
"""How a statement begins that is none of a scenario's, but perhaps ``create``: of that the ``kind`` decides."""

_CONSTRUCT: Final = re.compile(
    r"(?:MATCH_RECOGNIZE|TABLESAMPLE|UNPIVOT|PIVOT|UNNEST|RECURSIVE|(?:SEMI|ANTI)\s+JOIN)\b",
    re.IGNORECASE,
)
"""Constructs with a grammar of their own, which are named and not parsed. None of these words can be a name."""

_WORD: Final = re.compile(r"[^\W\d]\w*")

_PRINTS: Final = re.compile(
    r"(?:HELP|CLEAR|USE(?:\s+(?:CATALOG|MODULES))?\s+[\w`.]+(?:\s*,\s*[\w`.]+)*"
    r"|SHOW\s+(?:TABLES|VIEWS|CATALOGS|DATABASES|(?:USER\s+)?FUNCTIONS|(?:FULL\s+)?MODULES|JARS|JOBS"
    r"|CURRENT\s+(?:CATALOG|DATABASE)))\s*(?=;|\Z)",
    re.IGNORECASE | re.ASCII,
)
"""A whole statement that prints something, or says where names are looked for: no result changes by it."""

_DETAIL: Final = r"(?:ESTIMATED_COST|CHANGELOG_MODE|JSON_EXECUTION_PLAN|PLAN_ADVICE)"
_EXPLAIN: Final = re.compile(
    rf"EXPLAIN(?:\s+PLAN\s+FOR|\s+{_DETAIL}(?:\s*,\s*{_DETAIL})*)?"
    r"(?:(?P<set>\s+STATEMENT\s+SET\s+BEGIN\b)|(?=\s+(?:SELECT|INSERT|WITH)\b))",
    re.IGNORECASE | re.ASCII,
)
"""EXPLAIN before a query, or before a set of statements."""

_SET: Final = re.compile(
    r"(?:EXECUTE\s+STATEMENT\s+SET\s+BEGIN\b|BEGIN\s+STATEMENT\s+SET\s*;)", re.IGNORECASE | re.ASCII
)
_END: Final = re.compile(r"END\s*(?=;|\Z)", re.IGNORECASE)


def readable_part(text: str, *, is_script: bool = True) -> tuple[str, syntax.SqlProblem | None]:
    """What the grammar reads of ``text``, with each character at its place, and what to say of what follows.

    Statements that print, EXPLAIN, and what makes several queries one set become spaces. The part ends before the first
    statement or construct that is named and not parsed; without ``is_script`` no statement begins where it does. Looks
    through ``text`` once. Raises ``SqlProblem`` for what the grammar cannot name: hints, comments in comments, open
    quotes, too many parentheses.
    """
    at, line, start, depth, begins = 0, 1, 0, 0, is_script
    skipped: list[tuple[int, int]] = []
    set_place: syntax.Place | None = None  # where a set of statements begins that has not ended
    is_filled = False  # whether that has a statement
    found: tuple[int, syntax.SqlProblem] | None = None
    ends = {"'": "'", "`": "`", "/*": "*/", "--": "\n", "//": "\n"}
    while at < len(text):
        two = text[at : at + 2]
        opened = two if two in ends else text[at]
        place = syntax.Place(line, at - start + 1)
        if opened in ends:
            if text.startswith("/*+", at):
                raise syntax.SqlProblem("hint", place)
            end = text.find(ends[opened], at + len(opened))
            if end < 0 and opened not in ("--", "//"):
                raise syntax.SqlProblem("never_closed", place, opened=opened)
            end = len(text) if end < 0 else end
            if opened == "/*" and "/*" in text[at + 2 : end]:
                raise syntax.SqlProblem("nested_comment", place)
            closed = end + len(ends[opened]) if opened not in ("--", "//") else end
            breaks = text.count("\n", at, closed)
            if breaks:
                line, start = line + breaks, text.rindex("\n", at, closed) + 1
            at = closed
            continue
        if begins and found is None and (around := _around(text, at, set_place is not None, is_filled)):
            end, set_place, is_filled = around[0], place if around[1] else None, False
            skipped.append((at, end))
            breaks = text.count("\n", at, end)
            if breaks:
                line, start = line + breaks, text.rindex("\n", at, end) + 1
            at = end
            continue
        if matched := _WORD.match(text, at):
            problem = None
            if begins:
                problem = _statement(text, at, place)
                if problem is None and set_place is not None and matched[0].upper() != "INSERT":
                    problem = syntax.SqlProblem("set_of_inserts", place)
                is_filled = True
            problem = problem or _construct(text, at, place)
            if problem is not None:
                found = found or (at, problem)
            begins, at = False, matched.end()
            continue
        begins = opened == ";" or (begins and opened.isspace())
        depth += (opened == "(") - (opened == ")")
        if depth > SQL_DEPTH:
            raise syntax.SqlProblem("too_deep", place, limit=SQL_DEPTH)
        if opened == "\n":
            line, start = line + 1, at + 1
        at += 1
    if found is None and set_place is not None:
        found = len(text), syntax.SqlProblem("set_without_end", set_place)
    kept = text if found is None else text[: found[0]]
    for begin, end in skipped:
        kept = kept[:begin] + "".join("\n" if each == "\n" else " " for each in kept[begin:end]) + kept[end:]
    return kept, None if found is None else found[1]


def _around(text: str, at: int, is_in_set: bool, is_filled: bool) -> tuple[int, bool] | None:
    """Where what stands ``at`` between or around queries ends, and whether a set of statements is open then; None for
    no such. A set without a statement has no end: Flink refuses it."""
    if is_in_set:
        ends = _END.match(text, at) if is_filled else None
        return (ends.end(), False) if ends else None
    if printed := _PRINTS.match(text, at):
        return printed.end(), False
    if explained := _EXPLAIN.match(text, at):
        return explained.end(), explained["set"] is not None
    opens = _SET.match(text, at)
    return (opens.end(), True) if opens else None


def _statement(text: str, at: int, place: syntax.Place) -> syntax.SqlProblem | None:
    """What to say of the statement that begins ``at``, None for one that is parsed."""
    found = _STATEMENT.match(text, at)
    if found is None:
        return None
    name = " ".join((found["around"] or found["other"] or found["create"]).upper().split())
    if found["kind"]:
        if name == "CREATE" and found["kind"].upper() in ("TABLE", "VIEW"):
            return None
        name = " ".join((name, *found["kind"].upper().split()))
    return syntax.SqlProblem("statement_around" if found["around"] else "statement", place, word=shown_in_message(name))


def _construct(text: str, at: int, place: syntax.Place) -> syntax.SqlProblem | None:
    found = _CONSTRUCT.match(text, at)
    return None if found is None else syntax.SqlProblem("beyond", place, what=" ".join(found[0].upper().split()))
