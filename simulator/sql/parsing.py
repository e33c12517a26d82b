"""SQL text to syntax: the grammar, the words that need backticks, and what is said of text that does not parse.

The parser is the only thing that what a person types ever meets. It is an LALR parser, so its time grows with the
length of the text and with nothing else.
"""

from functools import cache
from importlib.resources import files

from lark import Lark, Token
from lark.exceptions import UnexpectedCharacters, UnexpectedInput, UnexpectedToken, VisitError

from simulator.limits import SQL_CHARACTERS, SQL_DEPTH
from simulator.sql.names import reserved_words
from simulator.sql.problems import SqlProblem
from simulator.sql.syntax import Place, Statement
from simulator.sql.tree import SyntaxOfTree
from simulator.values.errors import shown_in_message


def parse(text: str) -> tuple[Statement, ...]:
    """The statements of ``text``, in order. Raises ``SqlProblem`` with the first place that is not understood."""
    text = text.removeprefix("\ufeff")
    if len(text) > SQL_CHARACTERS:
        raise SqlProblem("too_long", Place(1, 1), limit=SQL_CHARACTERS // 1024)
    for number, line in enumerate(text.split("\n"), 1):
        for column, each in enumerate(line, 1):
            if not each.isprintable() and each not in "\t\r":
                raise SqlProblem("control_character", Place(number, column), code=f"{ord(each):04X}")
    _refuse_comments_and_depth(text)
    try:
        statements: tuple[Statement, ...] = SyntaxOfTree().transform(grammar().parse(text))
    except UnexpectedInput as error:
        raise _misread(error, text) from None
    except VisitError as error:
        if isinstance(error.orig_exc, SqlProblem):
            raise error.orig_exc from None
        raise
    return statements


@cache
def grammar() -> Lark:
    """The parser for ``grammar.lark``; made once, which takes half a second."""
    written = files(__package__).joinpath("grammar.lark").read_text(encoding="utf-8")
    return Lark(written, parser="lalr", propagate_positions=True, maybe_placeholders=True)


def _refuse_comments_and_depth(text: str) -> None:
    """Look through ``text`` once for what the grammar cannot name: hints, comments in comments, open quotes."""
    at, line, start, depth = 0, 1, 0, 0
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
            at = closed
            continue
        depth += (opened == "(") - (opened == ")")
        if depth > SQL_DEPTH:
            raise SqlProblem("too_deep", place, limit=SQL_DEPTH)
        if opened == "\n":
            line, start = line + 1, at + 1
        at += 1


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
    if read and read[-1].type == "CREATE":
        return SqlProblem("statement", place, word=f"CREATE {shown_in_message(found)}")
    if found.upper() in reserved_words() and "QUOTED" in error.accepts:
        return SqlProblem("reserved_word", place, word=found)
    # The message puts backticks around it, and a quoted name has some already.
    return SqlProblem("unexpected", place, found=shown_in_message(found.strip("`")))
