"""Statements of a function that is being written out, with the bodies of what they call in place of the calls.

The order of evaluation stays. A call is replaced where a statement begins with it, or one argument after another
where the function that takes them is known: the body goes before the statement, and its value into it. In the midst of
an expression only functions are replaced that are an expression themselves.
"""

import ast
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, Final

from tidemark.simulator.inlining.expressions import Expressions
from tidemark.simulator.inlining.known import does_something, is_plain
from tidemark.simulator.inlining.scope import Body, Scope, body_of
from tidemark.simulator.inlining.shape import NotInlined
from tidemark.simulator.inlining.unread import without_unread

Statements = list[ast.stmt]
Then = Callable[[ast.expr], Statements]
"""What is done with the value that a function returns, None where it returns nothing."""

NOTHING: Final = ast.Constant(None)
RESULT: Final = "result"


class Inliner(Expressions):
    """Writes out one function. Each ``Statements`` that it is given is added to."""

    def __init__(self, package: str) -> None:
        super().__init__(package)
        self._results: set[str] = set()

    def whole(self, function: FunctionType, target: Any, known: dict[str, Any]) -> ast.FunctionDef:
        """``function`` as a method of ``target``, with the parameters that are not ``known``.

        The objects that it works with become parameters as well, with themselves as defaults: a local is found faster
        than a global.
        Raises ``NotInlined``.
        """
        body = body_of(function)
        if body is None:
            raise NotInlined
        own, *others = body.parameters
        names = {own: self.constants.expression(target)}
        names |= {name: self.constants.expression(value) for name, value in known.items()}
        taken = [name for name in others if name not in known]
        places = {name: self.fresh(name) for name in taken}
        fixed = {places[name].id for name in taken if not body.assigned[name]}
        scope = Scope(function, body.assigned, names | places, fixed)
        self.running.append(function)
        statements = without_unread(self._last(body.statements, scope, lambda value: [ast.Return(value)]))
        used = {node.id for each in statements for node in ast.walk(each) if isinstance(node, ast.Name)}
        objects = [name for name in self.constants.values if name in used]
        made = ast.parse(f"def {function.__name__}(): pass").body[0]  # with whatever members this Python wants
        assert isinstance(made, ast.FunctionDef)
        made.args.args = [ast.arg(places[name].id) for name in taken]
        made.args.kwonlyargs = [ast.arg(name) for name in objects]
        made.args.kw_defaults = [ast.Name(name, ast.Load()) for name in objects]
        made.body = statements or made.body
        return made

    def _placed(self, call: ast.Call, out: Statements, then: Then) -> None:
        """Put the body of what ``call`` calls into ``out``; its value goes to ``then``."""
        found = self._entered(call, out)
        if found is None:
            out += then(call)
            return
        scope, body = found
        out += self._last(body.statements, scope, then)
        self._left(scope)

    def _value(self, call: ast.Call, out: Statements) -> ast.expr:
        """The same; the value is returned, to be used in the next statement."""
        found = self._entered(call, out)
        if found is None:
            return call
        scope, body = found
        if body.has_one_end:
            out += self._block(body.statements[:-1], scope)
            last = body.statements[-1]
            assert isinstance(last, ast.Return)
            value = NOTHING if last.value is None else self._begun(last.value, scope, out)
        else:
            value = scope.names[RESULT] = self.fresh(RESULT)
            out += self._last(body.statements, scope, lambda result: [_set(value, result)])
        self._left(scope)
        return value

    def _entered(self, call: ast.Call, out: Statements) -> tuple[Scope, Body] | None:
        """Begin with the function that ``call`` calls: its arguments are set, in their order, where they need be."""
        found = self.callee(call)
        if found is None:
            return None
        function, body, given = found
        scope = Scope(function, body.assigned)
        for name, value in given.items():
            if body.assigned[name] or not is_plain(value):
                kept = self.fresh(name)
                out.append(_set(kept, value))
                value = kept
            scope.names[name] = value
            if isinstance(value, ast.Name) and not body.assigned[name]:
                scope.fixed.add(value.id)
        self.running.append(function)
        return scope, body

    def _left(self, scope: Scope) -> None:
        """Done with the function that was entered last: its own locals stay as they are until it runs again."""
        self.running.pop()
        own = {each.id for each in scope.names.values() if isinstance(each, ast.Name)}
        self._results |= own - scope.fixed

    def _last(self, statements: Sequence[ast.stmt], scope: Scope, then: Then) -> Statements:
        """Statements with which the function ends."""
        if not statements:
            return then(NOTHING)
        out = self._block(statements[:-1], scope)
        match statements[-1]:
            case ast.Return(ast.Call() as call):
                self._placed(self._with_arguments(call, scope, out), out, then)
            case ast.Return(value):
                out += then(NOTHING if value is None else self._begun(value, scope, out))
            case ast.If() as branch:
                out += self._branch(branch, scope, lambda each: self._last(each, scope, then))
            case ast.Raise() as last:
                out += self._statement(last, scope)
            case last:
                out += self._statement(last, scope)
                out += then(NOTHING)
        return out

    def _block(self, statements: Sequence[ast.stmt], scope: Scope) -> Statements:
        return [written for each in statements for written in self._statement(each, scope)]

    def _statement(self, node: ast.stmt, scope: Scope) -> Statements:
        out: Statements = []
        match node:
            case ast.Pass():
                pass
            case ast.Continue() | ast.Break():
                out.append(node)
            case ast.Expr(ast.Call() as call):
                self._placed(self._with_arguments(call, scope, out), out, _done)
            case ast.Expr(value):
                out += _done(self._begun(value, scope, out))
            case ast.Assign(targets, value):
                self._assign(targets, value, scope, out)
            case ast.AnnAssign(target, _, value):
                if value is not None:
                    self._assign([target], value, scope, out)
            case ast.AugAssign(target, operator, value):
                into = self._target(target, scope)
                assert isinstance(into, ast.Name | ast.Attribute | ast.Subscript)
                out.append(ast.AugAssign(into, operator, self.expression(value, scope)))
            case ast.If():
                out += self._branch(node, scope, lambda each: self._block(each, scope))
            case ast.For(target, iterable, body, orelse):
                over = self._begun(iterable, scope, out)
                into = self._target(target, scope)
                out.append(ast.For(into, over, self._block(body, scope) or [ast.Pass()], self._block(orelse, scope)))
            case ast.While(test, body, orelse):
                test = self._test(self.expression(test, scope))
                out.append(ast.While(test, self._block(body, scope) or [ast.Pass()], self._block(orelse, scope)))
            case ast.Delete(targets):
                out.append(ast.Delete([self._target(each, scope, ast.Del()) for each in targets]))
            case ast.Raise(raised, cause):
                written = [None if each is None else self.expression(each, scope) for each in (raised, cause)]
                out.append(ast.Raise(*written))
            case ast.Assert(test, message):
                text = None if message is None else self.expression(message, scope)
                out.append(ast.Assert(self.expression(test, scope), text))
            case _:
                raise NotInlined
        return out

    def _branch(self, node: ast.If, scope: Scope, write: Callable[[Statements], Statements]) -> Statements:
        out: Statements = []
        test = self._test(self._begun(node.test, scope, out))
        truth = self.constants.truth(test)
        if truth is not None:
            return out + _done(test) + write(node.body if truth else node.orelse)
        body, orelse = write(node.body), write(node.orelse)
        if body or orelse:
            return [*out, ast.If(test, body or [ast.Pass()], orelse)]
        return out + _done(test)

    def _test(self, node: ast.expr) -> ast.expr:
        """``node``, of which only the truth counts."""
        if isinstance(node, ast.BoolOp):
            return self.constants.joined(node.op, node.values, as_test=True)
        return node

    def _assign(self, targets: list[ast.expr], value: ast.expr, scope: Scope, out: Statements) -> None:
        match targets, value:
            case [ast.Tuple(names)], ast.Tuple(values) if len(names) == len(values):
                self._assign_each(names, self._begun_in_order(values, scope, out), scope, out)
            case [ast.Name(name)], ast.IfExp(test, body, orelse) if _has_call(body) or _has_call(orelse):
                self._choose(targets[0], (test, body, orelse), scope, out)
            case [ast.Name(name)], _ if scope.is_set_once(name):
                found = self._begun(value, scope, out)
                # The result of a call changes when the call is made again, and that is when the name changes, too.
                is_result = isinstance(value, ast.Call) and isinstance(found, ast.Name) and found.id in self._results
                if is_result or self._stays(found, scope):
                    scope.names[name] = found
                else:
                    out.append(_set(self._target(targets[0], scope), found))
            case _, ast.Call():
                call = self._with_arguments(value, scope, out)
                self._placed(call, out, lambda found: [ast.Assign(self._targets(targets, scope), found)])
            case _:
                found = self._begun(value, scope, out)
                out.append(ast.Assign(self._targets(targets, scope), found))

    def _stays(self, value: ast.expr, scope: Scope) -> bool:
        """Whether ``value`` is the same as long as the function of ``scope`` runs."""
        return self.constants.known(value)[0] or (isinstance(value, ast.Name) and value.id in scope.fixed)

    def _choose(
        self, target: ast.expr, choice: tuple[ast.expr, ast.expr, ast.expr], scope: Scope, out: Statements
    ) -> None:
        """One value or another to a name, as an ``if`` with two branches."""
        test, body, orelse = choice
        decided = self._test(self._begun(test, scope, out))
        truth = self.constants.truth(decided) if is_plain(decided) else None
        if truth is not None:
            self._assign([target], body if truth else orelse, scope, out)
            return
        branches: list[Statements] = []
        into = self._target(target, scope)
        for each in (body, orelse):
            branch: Statements = []
            branch.append(ast.Assign([into], self._begun(each, scope, branch)))
            branches.append(branch)
        out.append(ast.If(decided, *branches))

    def _assign_each(self, targets: list[ast.expr], values: list[ast.expr], scope: Scope, out: Statements) -> None:
        """A tuple to a tuple. All values are there before the first target is set."""
        left = []
        for target, value in zip(targets, values, strict=True):
            if isinstance(target, ast.Name) and scope.is_set_once(target.id) and self._stays(value, scope):
                scope.names[target.id] = value
            else:
                left.append((target, value))
        into = [self._target(target, scope) for target, _ in left]
        if len(left) == 1:
            out.append(ast.Assign(into, left[0][1]))
        elif left:
            values = [value for _, value in left]
            out.append(ast.Assign([ast.Tuple(into, ast.Store())], ast.Tuple(values, ast.Load())))

    def _begun(self, node: ast.expr, scope: Scope, out: Statements) -> ast.expr:
        """``node`` as an expression; the call that it begins with may be put into ``out``."""
        constants = self.constants
        match node:
            case ast.Call():
                return self._value(self._with_arguments(node, scope, out), out)
            case ast.UnaryOp(ast.Not(), operand):
                return constants.negated(self._begun(operand, scope, out))
            case ast.BoolOp(operator, values):
                return constants.joined(operator, self._begun_in_order(values, scope, out, neutral=operator))
            case ast.Tuple(values):
                return ast.Tuple(self._begun_in_order(values, scope, out), ast.Load())
            case ast.Compare(left, operators, others):
                first = self._begun(left, scope, out)
                return constants.compared(first, operators, [self.expression(each, scope) for each in others])
            case ast.IfExp(test, body, orelse):
                decided = self._begun(test, scope, out)
                truth = constants.truth(decided) if is_plain(decided) else None
                if truth is not None:
                    return self._begun(body if truth else orelse, scope, out)
                return ast.IfExp(decided, self.expression(body, scope), self.expression(orelse, scope))
            case _:
                return self.expression(node, scope)

    def _begun_in_order(
        self, values: Sequence[ast.expr], scope: Scope, out: Statements, neutral: ast.boolop | None = None
    ) -> list[ast.expr]:
        """Several expressions, of which the first that is more than a name or a value may begin in ``out``.

        Of operands of ``neutral`` those that do not decide count as well; what comes after another may not be reached.
        """
        written: list[ast.expr] = []
        for value in values:
            begins = all(map(is_plain, written))
            if neutral is not None:
                begins = begins and all(self.constants.truth(each) is isinstance(neutral, ast.And) for each in written)
            written.append(self._begun(value, scope, out) if begins else self.expression(value, scope))
        return written

    def _with_arguments(self, call: ast.Call, scope: Scope, out: Statements) -> ast.Call:
        """``call`` with its arguments.

        Of those that are calls the bodies may be put into ``out``, with the value of each argument before them.
        """
        func = self.expression(call.func, scope)
        calls = [index for index, each in enumerate(call.args) if isinstance(each, ast.Call)]
        last_call = calls[-1] if calls and self.constants.known(func)[0] else -1
        arguments: list[ast.expr] = []
        for index, argument in enumerate(call.args):
            if index > last_call:
                value = self.expression(argument, scope)
            else:
                value = self._begun(argument, scope, out)
                if index < last_call and not is_plain(value):
                    kept = self.fresh("argument")
                    out.append(_set(kept, value))
                    value = kept
            arguments.append(value)
        keywords = [ast.keyword(each.arg, self.expression(each.value, scope)) for each in call.keywords]
        return ast.Call(func, arguments, keywords)

    def _targets(self, nodes: Sequence[ast.expr], scope: Scope) -> list[ast.expr]:
        return [self._target(each, scope) for each in nodes]

    def _target(self, node: ast.expr, scope: Scope, context: ast.expr_context | None = None) -> ast.expr:
        """What is assigned to, or deleted."""
        context = context or ast.Store()
        match node:
            case ast.Name(name):
                place = self.place(name, scope)
                if not isinstance(place, ast.Name) or place.id in self.constants.values:
                    raise NotInlined  # its value was taken to be known
                return ast.Name(place.id, context)
            case ast.Tuple(items):
                return ast.Tuple([self._target(each, scope, context) for each in items], context)
            case ast.Attribute(value, name):
                return ast.Attribute(self.expression(value, scope), name, context)
            case ast.Subscript(value, index):
                return ast.Subscript(self.expression(value, scope), self.expression(index, scope), context)
            case _:
                raise NotInlined


def _has_call(node: ast.expr) -> bool:
    return any(isinstance(each, ast.Call) for each in ast.walk(node))


def _set(target: ast.expr, value: ast.expr) -> ast.stmt:
    assert isinstance(target, ast.Name)
    return ast.Assign([ast.Name(target.id, ast.Store())], value)


def _done(value: ast.expr) -> Statements:
    """Nobody wants the value."""
    return [ast.Expr(value)] if does_something(value) else []
