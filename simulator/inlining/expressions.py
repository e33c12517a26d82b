"""Expressions of a function that is being written out, with what is known put in."""

import ast
from types import FunctionType, MethodType
from typing import Any, Final

from tidemark.simulator.inlining.attributes import is_final
from tidemark.simulator.inlining.known import Constants, is_plain
from tidemark.simulator.inlining.scope import Body, Scope, body_of

DEEPEST: Final = 16
"""The most functions within one another."""


class Expressions:
    """``constants`` are the objects that are known so far. Functions of ``package`` alone are written out."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.constants = Constants()
        self.running: list[FunctionType] = []
        self._fresh = 0

    def expression(self, node: ast.expr, scope: Scope) -> ast.expr:
        """``node``, which stands in ``scope``, as an expression of the whole function."""
        constants = self.constants
        match node:
            case ast.Constant():
                return node
            case ast.Name(name):
                return self._name(name, scope)
            case ast.Attribute(value, name):
                return self._attribute(self.expression(value, scope), name)
            case ast.Compare(left, operators, others):
                first = self.expression(left, scope)
                return constants.compared(first, operators, [self.expression(each, scope) for each in others])
            case ast.UnaryOp(ast.Not(), operand):
                return constants.negated(self.expression(operand, scope))
            case ast.BoolOp(operator, values):
                return constants.joined(operator, [self.expression(each, scope) for each in values])
            case ast.IfExp(test, body, orelse):
                test = self.expression(test, scope)
                truth = constants.truth(test) if is_plain(test) else None
                if truth is not None:
                    return self.expression(body if truth else orelse, scope)
                return ast.IfExp(test, self.expression(body, scope), self.expression(orelse, scope))
            case ast.Call(func, arguments, keywords):
                named = [ast.keyword(each.arg, self.expression(each.value, scope)) for each in keywords]
                positional = [self.expression(each, scope) for each in arguments]
                return self._substituted(ast.Call(self.expression(func, scope), positional, named))
            case _:
                pass
        fields = {name: self._field(value, scope) for name, value in ast.iter_fields(node)}
        return type(node)(**fields)

    def _field(self, value: Any, scope: Scope) -> Any:
        if isinstance(value, list):
            return [self._field(each, scope) for each in value]
        return self.expression(value, scope) if isinstance(value, ast.expr) else value

    def _name(self, name: str, scope: Scope) -> ast.expr:
        if name not in scope.names and not scope.assigned[name]:
            return self.constants.expression(scope.outer(name))
        return self.place(name, scope)

    def place(self, name: str, scope: Scope) -> ast.expr:
        """What stands for the local ``name``: a local of the whole function, unless its value is known."""
        found = scope.names.get(name)
        if found is None:
            found = scope.names[name] = self.fresh(name)
        return ast.Name(found.id, ast.Load()) if isinstance(found, ast.Name) else found

    def fresh(self, name: str) -> ast.Name:
        """A new local of the whole function."""
        self._fresh += 1
        return ast.Name(f"{name}_{self._fresh}", ast.Load())

    def _attribute(self, target: ast.expr, name: str) -> ast.expr:
        known, held = self.constants.known(target)
        if known and is_final(held, name, self.package) and hasattr(held, name):
            return self.constants.expression(getattr(held, name))
        return ast.Attribute(target, name, ast.Load())

    def callee(self, call: ast.Call) -> tuple[FunctionType, Body, dict[str, ast.expr]] | None:
        """The function that ``call`` calls, its body, and its parameters; None if it has to be called.

        The parameters are expressions as they stand in the call, which have been through ``expression``.
        """
        _, function = self.constants.known(call.func)
        first: list[ast.expr] = []
        if isinstance(function, MethodType):
            first, function = [self.constants.expression(function.__self__)], function.__func__
        if not isinstance(function, FunctionType) or function in self.running or len(self.running) > DEEPEST:
            return None
        if (function.__module__ or "").partition(".")[0] != self.package:
            return None
        body, positional = body_of(function), [*first, *call.args]
        if body is None or len(positional) > function.__code__.co_argcount:
            return None
        if any(isinstance(each, ast.Starred) for each in positional):
            return None
        given = dict(zip(body.parameters, positional, strict=False))
        for keyword in call.keywords:
            if keyword.arg is None or keyword.arg in given:
                return None
            given[keyword.arg] = keyword.value
        for name, default in _defaults(function).items():
            if name not in given:
                given[name] = self.constants.expression(default)
        return (function, body, given) if len(given) == len(body.parameters) else None

    def _substituted(self, call: ast.Call) -> ast.expr:
        """``call`` in the midst of an expression: replaced if its function is but an expression of its arguments."""
        found = self.callee(call)
        if found is None:
            return call
        function, body, given = found
        if body.only_value is None or not all(map(is_plain, given.values())):
            return call
        self.running.append(function)
        value = self.expression(body.only_value, Scope(function, body.assigned, given))
        self.running.pop()
        return value


def _defaults(function: FunctionType) -> dict[str, Any]:
    code, positional = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(positional) : code.co_argcount]
    return dict(zip(names, positional, strict=True)) | (function.__kwdefaults__ or {})
