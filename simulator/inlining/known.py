"""What is known of an expression without running it: objects by name, truths, comparisons."""

import ast
import operator
from collections.abc import Callable, Hashable, Sequence
from types import BuiltinMethodType, MethodType
from typing import Any, Final

PLAIN: Final = (bool, int, str, type(None))
"""Types of values that stand in the code as they are, and that nobody can change."""

IDENTITY: Final = {ast.Is: operator.is_, ast.IsNot: operator.is_not}
EQUALITY: Final = {ast.Eq: operator.eq, ast.NotEq: operator.ne}
ORDER: Final = {ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge}
COMPARE: Final[dict[type[ast.cmpop], Callable[[Any, Any], bool]]] = {**IDENTITY, **EQUALITY, **ORDER}


class Constants:
    """The objects that the code works with: ``values`` by the names that stand for them there."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}
        self._names: dict[Hashable, str] = {}

    def expression(self, value: Any) -> ast.expr:
        """An expression for ``value``."""
        if type(value) in PLAIN:
            return ast.Constant(value)
        # A bound method is another object each time that it is asked for.
        identity: Hashable = id(value)
        if isinstance(value, MethodType):
            identity = (id(value.__self__), id(value.__func__))
        elif isinstance(value, BuiltinMethodType):
            identity = (id(value.__self__), value.__name__)
        name = self._names.get(identity)
        if name is None:
            kind = getattr(value, "__name__", type(value).__name__)
            name = self._names[identity] = f"{kind if kind.isidentifier() else 'lambda'}__{len(self.values)}"
            self.values[name] = value
        return ast.Name(name, ast.Load())

    def known(self, node: ast.expr) -> tuple[bool, Any]:
        """Whether ``node`` stands for an object that is known, and the object."""
        match node:
            case ast.Constant(value):
                return True, value
            case ast.Name(name) if name in self.values:
                return True, self.values[name]
        return False, None

    def truth(self, node: ast.expr) -> bool | None:
        """Whether ``node`` is true; None if that is not known, as for a list, which may be empty now and then."""
        known, value = self.known(node)
        if known and type(value) in PLAIN:
            return bool(value)
        if known:
            return None if hasattr(type(value), "__len__") or hasattr(type(value), "__bool__") else True
        match node:
            case ast.BoolOp(ast.And(), [*_, last]) if self.truth(last) is False:
                return False
            case ast.BoolOp(ast.Or(), [*_, last]) if self.truth(last) is True:
                return True
        return None

    def negated(self, node: ast.expr) -> ast.expr:
        """``not node``."""
        truth = self.truth(node) if is_plain(node) else None
        return ast.UnaryOp(ast.Not(), node) if truth is None else ast.Constant(not truth)

    def compared(self, left: ast.expr, operators: list[ast.cmpop], others: list[ast.expr]) -> ast.expr:
        """A comparison. Known may be the identity of objects, the equality of plain values, the order of integers."""
        (known, one), (other_known, other) = self.known(left), self.known(others[0])
        if len(operators) == 1 and known and other_known:
            kind = type(operators[0])
            if kind in IDENTITY or (kind in EQUALITY and type(one) in PLAIN and type(other) in PLAIN):
                return ast.Constant(COMPARE[kind](one, other))
            if kind in COMPARE and type(one) is int and type(other) is int:
                return ast.Constant(COMPARE[kind](one, other))
        return ast.Compare(left, operators, others)

    def joined(self, word: ast.boolop, values: Sequence[ast.expr], *, as_test: bool = False) -> ast.expr:
        """``and`` or ``or``, without what changes nothing and what is never reached.

        ``as_test``: only the truth of it counts, so that a last value which changes nothing can go as well.
        """
        decides = isinstance(word, ast.Or)
        kept: list[ast.expr] = []
        for index, value in enumerate(values):
            truth = self.truth(value)
            neutral = truth is (not decides) and is_plain(value)
            if not neutral or (index == len(values) - 1 and not (as_test and kept)):
                kept.append(value)
            if truth is decides:
                break
        return kept[0] if len(kept) == 1 else ast.BoolOp(word, kept)


def is_plain(node: ast.expr) -> bool:
    """Whether ``node`` is a value or a name: to ask for it does nothing, and nothing changes it meanwhile."""
    return isinstance(node, ast.Constant | ast.Name)


def does_something(node: ast.expr) -> bool:
    """Whether running ``node`` may do something other than return a value."""
    return not is_plain(node) and any(isinstance(each, ast.Call | ast.Subscript) for each in ast.walk(node))
