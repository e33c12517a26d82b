"""The syntax tree of a function, if its source is there and is the one that Python has loaded."""

import ast
from functools import cache
from types import CodeType, FunctionType
from typing import Final

STATEMENTS: Final = (
    ast.AnnAssign,
    ast.Assert,
    ast.Assign,
    ast.AugAssign,
    ast.Break,
    ast.Continue,
    ast.Delete,
    ast.Expr,
    ast.For,
    ast.If,
    ast.Pass,
    ast.Raise,
    ast.Return,
    ast.While,
)
"""The statements that ``Inliner`` knows."""

REFUSED: Final = (ast.Await, ast.Lambda, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.comprehension)
"""Expressions that it does not know: they name things, or have names of their own."""

TARGETS: Final = (ast.Attribute, ast.Name, ast.Subscript, ast.Tuple)
"""What it can assign to."""


@cache
def definition(function: FunctionType) -> ast.FunctionDef | None:
    """The definition of ``function``; None where it cannot be put in place of a call.

    The source is believed only if it compiles to the very instructions that are loaded: a file may have changed since,
    and a decorated function is another one. A closure is refused: its variables have no names elsewhere.
    """
    code = function.__code__
    found = None if code.co_freevars else _definitions(code.co_filename).get((code.co_name, code.co_firstlineno))
    if found is None or not all(_is_supported(node) for each in found.body for node in ast.walk(each)):
        return None
    own = _compiled(found, code)
    return found if own is not None and _essence(own) == _essence(code) else None


def _compiled(found: ast.FunctionDef, code: CodeType) -> CodeType | None:
    """``found``, compiled in classes of the same names, since what is in a function knows where that stands."""
    node: ast.stmt = found
    *classes, _ = code.co_qualname.split(".")
    for name in reversed(classes):
        around = ast.parse(f"class {name}: pass").body[0]
        assert isinstance(around, ast.ClassDef)
        around.body, node = [node], around
    own = compile(ast.Module([node], []), code.co_filename, "exec", dont_inherit=True)
    for name in [*classes, code.co_name]:
        inner = (each for each in own.co_consts if isinstance(each, CodeType) and each.co_name == name)
        found_code = next(inner, None)
        if found_code is None:
            return None
        own = found_code
    return own


def _essence(code: CodeType) -> tuple[object, ...]:
    """What a function does, without the lines that it stands in."""
    return code.co_code, code.co_names, code.co_varnames, code.co_consts


def _is_supported(node: ast.AST) -> bool:
    match node:
        case ast.stmt() if not isinstance(node, STATEMENTS):
            return False
        case ast.Assign(targets) | ast.Delete(targets):
            return all(map(_is_target, targets))
        case ast.For(target=target) | ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            return _is_target(target)
        case _:
            return not isinstance(node, REFUSED)


def _is_target(node: ast.expr) -> bool:
    return isinstance(node, TARGETS) and (not isinstance(node, ast.Tuple) or all(map(_is_target, node.elts)))


@cache
def _definitions(file: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """The functions of a file, by name and line; none if there is no such file."""
    try:
        with open(file, encoding="utf-8") as text:
            tree = ast.parse(text.read())
    except (OSError, SyntaxError, ValueError):
        return {}
    blocks, found = [tree.body], {}
    for block in blocks:
        for node in block:
            if isinstance(node, ast.ClassDef):
                blocks.append(node.body)
            elif isinstance(node, ast.FunctionDef) and not node.decorator_list:
                found[node.name, node.lineno] = node
    return found
