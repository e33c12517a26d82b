"""A function's body in which each ``return`` is the last thing that happens.

Then a ``return`` needs no jump: what the caller does with the value stands in its place.
"""

import ast
from collections.abc import Sequence


class NotInlined(Exception):
    """The function cannot be written out."""


def returns_last(statements: Sequence[ast.stmt]) -> list[ast.stmt]:
    """``statements`` with whatever follows an ``if`` that leaves the function put into its other branch.

    Raises ``NotInlined`` for a ``return`` within a loop, and for an ``if`` of which no branch surely leaves.
    """
    out: list[ast.stmt] = []
    for index, statement in enumerate(statements):
        if isinstance(statement, ast.Return | ast.Raise):
            return [*out, statement]
        if not _has_return(statement):
            out.append(statement)
            continue
        if not isinstance(statement, ast.If):
            raise NotInlined
        rest, body, orelse = statements[index + 1 :], statement.body, statement.orelse
        if _leaves(body):
            orelse = [*orelse, *rest]
        elif _leaves(orelse):
            body = [*body, *rest]
        elif rest:
            raise NotInlined
        return [*out, ast.If(statement.test, returns_last(body), returns_last(orelse))]
    return out


def _has_return(statement: ast.stmt) -> bool:
    return any(isinstance(node, ast.Return) for node in ast.walk(statement))


def _leaves(statements: Sequence[ast.stmt]) -> bool:
    """Whether the function surely ends in ``statements``."""
    match statements:
        case [*_, ast.Return() | ast.Raise()]:
            return True
        case [*_, ast.If(_, body, orelse)]:
            return _leaves(body) and _leaves(orelse)
        case _:
            return False
