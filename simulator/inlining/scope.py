"""A function that is being written out: where its names come from, and what they stand for."""

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from types import FunctionType
from typing import Any

from tidemark.simulator.inlining.shape import NotInlined, returns_last
from tidemark.simulator.inlining.source import definition


@dataclass(frozen=True, slots=True)
class Body:
    """A function as far as it is the same at each call.

    ``assigned`` is how often each of its names is assigned, beside what a parameter gets from the caller.
    ``has_one_end``: there is a single ``return``, as the last statement of all. ``only_value`` is the expression that
    the function returns, if it does nothing else.
    """

    parameters: tuple[str, ...]
    statements: Sequence[ast.stmt]
    assigned: Counter[str]
    has_one_end: bool
    only_value: ast.expr | None


@dataclass
class Scope:
    """One call: ``names`` are what the function's names stand for by now.

    ``fixed`` are locals of the caller, or of parameters, that stay the same as long as the function runs.
    """

    function: FunctionType
    assigned: Counter[str]
    names: dict[str, ast.expr] = field(default_factory=dict)
    fixed: set[str] = field(default_factory=set)

    def is_set_once(self, name: str) -> bool:
        """Whether ``name``, which is no parameter, has one value in the whole call, and has not got a place yet."""
        return self.assigned[name] == 1 and name not in self.names

    def outer(self, name: str) -> Any:
        """What ``name`` is outside of the function. Raises ``NotInlined`` if it is nothing."""
        space = self.function.__globals__
        if name in space:
            return space[name]
        built_in = space["__builtins__"]
        built_in = built_in if isinstance(built_in, dict) else vars(built_in)
        if name not in built_in:
            raise NotInlined
        return built_in[name]


@cache
def body_of(function: FunctionType) -> Body | None:
    """The body of ``function``, None if it cannot be written out."""
    node = definition(function)
    if node is None:
        return None
    arguments = node.args
    if arguments.vararg or arguments.kwarg or arguments.posonlyargs:
        return None
    try:
        statements = returns_last([each for each in node.body if not _is_text(each)])
    except NotInlined:
        return None
    parameters = tuple(each.arg for each in (*arguments.args, *arguments.kwonlyargs))
    assigned: Counter[str] = Counter()
    for part in (part for each in node.body for part in ast.walk(each)):
        if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load):
            assigned[part.id] += 1
    returns = sum(isinstance(node, ast.Return) for each in statements for node in ast.walk(each))
    last = statements[-1] if statements else None
    has_one_end = returns == 1 and isinstance(last, ast.Return)
    only_value = last.value if isinstance(last, ast.Return) and len(statements) == 1 and not assigned else None
    return Body(parameters, statements, assigned, has_one_end, only_value)


def _is_text(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
