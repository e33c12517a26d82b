"""What the methods of ``tree`` are made of: children by their kind, parts by their name, operations within a depth."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from lark import Token
from lark.tree import Meta
from tidemark.simulator.limits import SQL_DEPTH
from tidemark.simulator.sql.problems import SqlProblem
from tidemark.simulator.sql.syntax import Beyond, Call, Cast, Expression, Operation, Place

_T = TypeVar("_T")


def place_of(meta: Meta) -> Place:
    return Place(meta.line, meta.column)


def all_of(kind: type[_T], children: Sequence[Any]) -> tuple[_T, ...]:
    return tuple(each for each in children if isinstance(each, kind))


def one_of(kind: type[_T], children: Sequence[Any]) -> _T | None:
    found = all_of(kind, children)
    return found[0] if found else None


def need_not_enforced(children: Sequence[Any], place: Place) -> None:
    if not all_of(Token, children):
        raise SqlProblem("enforced", place)


def words_of(children: Sequence[Any]) -> list[str]:
    return [" ".join(str(each).upper().split()) for each in children if isinstance(each, Token)]


def text_of(token: Token) -> str:
    return str(token)[1:-1].replace("''", "'")


class Part(tuple[str, Any]):
    """A part of a rule by its name, on its way up to the rule that it belongs to."""

    __slots__ = ()


def part(name: str) -> Callable[[Any, Meta, list[Any]], Part]:
    return lambda self, meta, children: Part((name, children))


def parts_of(children: Sequence[Any]) -> dict[str, list[Any]]:
    return {each[0]: each[1] for each in all_of(Part, children)}


def beyond_part(what: str) -> Callable[[Any, Meta, list[Any]], Beyond]:
    return lambda self, meta, children: Beyond(what, place_of(meta))


def operation(operator: str) -> Callable[[Any, Meta, list[Any]], Operation]:
    return lambda self, meta, children: made(operator, tuple(children), place_of(meta))


def made(operator: str, operands: tuple[Expression, ...], place: Place) -> Operation:
    """An operation. Raises ``SqlProblem`` if it lies too deep: what reads it afterwards goes down step by step."""
    depth = 1 + max(map(_depth, operands), default=0)
    if depth > SQL_DEPTH:
        raise SqlProblem("too_deep", place, limit=SQL_DEPTH)
    return Operation(operator, operands, place, depth)


def _depth(expression: Expression) -> int:
    match expression:
        case Operation():
            return expression.depth
        case Cast():
            return 1 + _depth(expression.of)
        case Call():
            return 1 + max(map(_depth, expression.arguments), default=0)
        case _:
            return 0
