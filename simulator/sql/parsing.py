"""SQL text to syntax: the grammar, the words that need backticks, and what is said of text that does not parse.

The parser is the only thing that what a person types ever meets. It is an LALR parser, so its time grows with the
length of the text and with nothing else.
"""

import re
from functools import cache
from importlib.resources import files
from typing import Final

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.limits import SQL_CHARACTERS, SQL_DEPTH
from tidemark.simulator.sql.syntax import Place, SqlProblem, Statement
from tidemark.simulator.sql.tree import SyntaxOfTree, reserved_words


def parse(text: str) -> tuple[Statement, ...]:
    """The statements of ``text``, in order. Raises ``SqlProblem`` with the first place that is not understood."""
    text = text.removeprefix("\ufeff")
    if len(text) > SQL_CHARACTERS:
        raise SqlProblem("too_long", Place(1, 1), limit=SQL_CHARACTERS // 1024)
    for number, line in enumerate(text.split("\n"), 1):
        for column, each in enumerate(line, 1):
            if not each.isprintable() and each not in "\t\r":
                raise SqlProblem("control_character", Place(number, column), code=f"{ord(each):04X}")
    beyond = _first_beyond(text)
    try:
        tree = grammar().parse(text if beyond is None else text[: beyond[0]])
        statements: tuple[Statement, ...] = SyntaxOfTree().transform(tree)
    except UnexpectedInput as error:
        if beyond is not None and isinstance(error, UnexpectedToken) and error.token.type == "$END":
            raise beyond[1] from None
        raise _misread(error, text) from None
    except VisitError as error:
        if isinstance(error.orig_exc, SqlProblem):
            raise error.orig_exc from None
        raise
    if beyond is not None:
        raise beyond[1]
    return statements


@cache
def grammar() -> Lark:
    """The parser for ``grammar.lark``; made once, which takes half a second."""
    written = files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(written, parser="lalr", propagate_positions=True, maybe_placeholders=True)


_STATEMENT: Final = re.compile(
    r"(?P<around>EXPLAIN|(?:EXECUTE|BEGIN)\s+STATEMENT\s+SET|COMPILE(?:\s+AND\s+EXECUTE)?\s+PLAN)\b"
    r"|(?P<other>(?:EXECUTE\s+PLAN|DROP|ALTER|USE|SHOW|DESCRIBE|DESC|ANALYZE|ADD|REMOVE|LOAD|UNLOAD|RESET|CALL|EXECUTE"
    r"|BEGIN|END|UPDATE|DELETE|TRUNCATE|MERGE|COMPILE|STOP|QUIT|EXIT|HELP|CLEAR|GRANT|REVOKE)\b)"
    r"|(?P<create>CREATE(?:\s+OR\s+(?:REPLACE|ALTER))?)(?:\s+TEMPORARY)?(?:\s+SYSTEM)?\s+(?P<kind>MATERIALIZED\s+TABLE|\w+)"
    r"|(?P<set>SET)\s+[^\s';]",
    re.IGNORECASE | re.ASCII,
)
"""How a statement begins that is none of a scenario's, but perhaps ``create``: of that the ``kind`` decides."""

_CONSTRUCT: Final = re.compile(
    r"(?:MATCH_RECOGNIZE|TABLESAMPLE|UNPIVOT|PIVOT|UNNEST|GROUPING\s+SETS|RECURSIVE|(?:SEMI|ANTI)\s+JOIN)\b",
    re.IGNORECASE,
)
"""Constructs with a grammar of their own, which are named and not parsed. None of these words can be a name."""

_WORD: Final = re.compile(r"[^\W\d]\w*")


def _first_beyond(text: str) -> tuple[int, SqlProblem] | None:
    """The first statement or construct of ``text`` that is named and not parsed: where it begins, and the problem.

    Looks through ``text`` once. Raises ``SqlProblem`` for what the grammar cannot name: hints, comments in comments,
    open quotes, too many parentheses.
    """
    at, line, start, depth, begins = 0, 1, 0, 0, True
    word, word_place = 0, Place(1, 1)
    found: tuple[int, SqlProblem] | None = None
    ends = {"'": "'", "`": "`", "/*": "*/", "--": "\n", "//": "\n"}
    while at < len(text):
        two = text[at : at + 2]
        opened = two if two in ends else text[at]
        place = Place(line, at - start + 1)
        if opened in ends:
            if text.startswith("/*+", at):
                raise SqlProblem("hint", place)
            end = text.find(ends[opened], at + len(opened))
            if end < 0 and opened not in ("--", "//"):
                raise SqlProblem("never_closed", place, opened=opened)
            end = len(text) if end < 0 else end
            if opened == "/*" and "/*" in text[at + 2 : end]:
                raise SqlProblem("nested_comment", place)
            closed = end + len(ends[opened]) if opened not in ("--", "//") else end
            breaks = text.count("\n", at, closed)
            if breaks:
                line, start = line + breaks, text.rindex("\n", at, closed) + 1
            if opened == "`":
                word, word_place = at, place
            at = closed
            continue
        if matched := _WORD.match(text, at):
            problem = (_statement(text, at, place) if begins else None) or _construct(text, at, place)
            if problem is not None:
                found = found or (at, problem)
            begins, word, word_place, at = False, at, place, matched.end()
            continue
        if opened == "[" and found is None:
            # m['x'], a[1], ARRAY[1, 2]: what stands before the bracket belongs to it.
            end = text.find("]", at)
            what = " ".join(text[word : at + 40 if end < 0 else end + 1].split())
            found = word, SqlProblem("brackets", word_place, what=shown_in_message(what))
        begins = opened == ";" or (begins and opened.isspace())
        depth += (opened == "(") - (opened == ")")
        if depth > SQL_DEPTH:
            raise SqlProblem("too_deep", place, limit=SQL_DEPTH)
        if opened == "\n":
            line, start = line + 1, at + 1
        at += 1
    return found


def _statement(text: str, at: int, place: Place) -> SqlProblem | None:
    """What to say of the statement that begins ``at``, None for one that is parsed."""
    found = _STATEMENT.match(text, at)
    if found is None:
        return None
    if found["set"]:
        return SqlProblem("set_quotes", place)
    name = " ".join((found["around"] or found["other"] or found["create"]).upper().split())
    if found["kind"]:
        if name == "CREATE" and found["kind"].upper() in ("TABLE", "VIEW"):
            return None
        name = " ".join((name, *found["kind"].upper().split()))
    return SqlProblem("statement_around" if found["around"] else "statement", place, word=shown_in_message(name))


def _construct(text: str, at: int, place: Place) -> SqlProblem | None:
    found = _CONSTRUCT.match(text, at)
    return None if found is None else SqlProblem("beyond", place, what=" ".join(found[0].upper().split()))


def _misread(error: UnexpectedInput, text: str) -> SqlProblem:
    """What to say of a place at which the text does not go on as SQL does."""
    if isinstance(error, UnexpectedToken) and error.token.type == "$END":
        lines = text.rstrip().split("\n")
        return SqlProblem("ends_early", Place(len(lines), len(lines[-1]) + 1))
    place = Place(error.line, error.column)
    if isinstance(error, UnexpectedCharacters):
        if error.char == '"':
            return SqlProblem("double_quotes", place)
        return SqlProblem("unexpected", place, found=shown_in_message(error.char))
    assert isinstance(error, UnexpectedToken)
    found = str(error.token)
    read = [each for each in error.interactive_parser.parser_state.value_stack if isinstance(each, Token)]
    if [each.type for each in read[-2:]] == ["INTERVAL", "TEXT"]:
        return SqlProblem("interval_without_unit", Place(read[-1].line or 1, read[-1].column or 1), text=read[-1])
    if found.upper() in reserved_words() and "QUOTED" in error.accepts:
        return SqlProblem("reserved_word", place, word=found)
    # The message puts backticks around it, and a quoted name has some already.
    return SqlProblem("unexpected", place, found=shown_in_message(found.strip("`")))
