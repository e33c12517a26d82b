"""The schemas as TypeScript declarations, against which ``tsc`` checks the JavaScript modules.

The layout is prettier's own, because ``make check`` runs prettier over all declarations.
"""

import ast
import inspect
import textwrap
import types
from collections.abc import Iterator
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    TypeGuard,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from tidemark.simulator.engine.values import items, part, rows
from tidemark.simulator.engine.values.part import Kind
from tidemark.simulator.timeline import schema
from tidemark.ui.payload import schema as payload
from tidemark.ui.payload.charts import schema as charts

MODULES = (items, rows, schema, charts, payload)
"""The modules that declare the types, in the order of the output."""

HEAD = """\
// Rows, facts and the payload as they come from Python. Written by `python -m tests.reference` from
// simulator/engine/values/rows.py, simulator/timeline/schema.py, ui/payload/charts/schema.py and
// ui/payload/schema.py: change those, never this file.
"""

WIDTH = 120

BASICS = {
    "Json": ("null | boolean | number | string | Json[] | { [name: string]: Json }", "A value as JSON has it."),
    "Time": ("number", "A moment in ms, of event time or of the processing-time clock."),
    "Duration": ("number", "A length of time in ms."),
    "StepNumber": ("number", "The number of a micro-step, from 0."),
    "ItemNumber": ("number", "The index of a stream item, from 0."),
    "Id": ("string", "The identity of a thing, the same over all its facts; opaque."),
}
"""The names of ``simulator.engine.values.part``."""

ALIASES = ("PlainKey", "Row", "FlinkRow", "SparkRow", "Pieces", "Comparison")
"""Unions and other aliases that keep their names in the output, as every literal at the top of a module does."""


def declarations() -> str:
    """The text of the whole file."""
    parts = [HEAD]
    parts += [f"/** {text} */\nexport type {name} = {written};\n" for name, (written, text) in BASICS.items()]
    names = _names()
    for module in MODULES:
        for name, declared in vars(module).items():
            if is_typeddict(declared) and declared.__module__ == module.__name__ and not name.startswith("_"):
                parts.append(_interface(declared, names))
            elif name in names.values() and _own(module, name):
                parts.append(_fitted(f"export type {name} =", _written(declared, names, own=name)) + "\n")
    return "\n".join(parts)


def _own(module: types.ModuleType, name: str) -> bool:
    """Whether ``module`` defines ``name``: it is the first to have it; the others import it."""
    return next(each for each in MODULES if name in vars(each)) is module


def _names() -> dict[Any, str]:
    """The name of each type that has one."""
    return {
        declared: name
        for module in reversed(MODULES)
        for name, declared in vars(module).items()
        if name in ALIASES or get_origin(declared) is Literal
    }


def meaning_of(hint: Any) -> str:
    """The last text that a column is annotated with, or "" if there is none."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is NotRequired:
        return meaning_of(arguments[0])
    if origin is Annotated:
        return next((each for each in reversed(arguments[1:]) if isinstance(each, str)), "")
    return ""


def _interface(declared: Any, names: dict[Any, str]) -> str:
    """The interface of one type and the types it extends; the members of a private base are written out."""
    (definition,) = ast.parse(inspect.getsource(declared)).body
    assert isinstance(definition, ast.ClassDef)
    bases = [each.id for each in definition.bases if isinstance(each, ast.Name) and each.id != "TypedDict"]
    public = [base for base in bases if not base.startswith("_")]
    if len(public) == len(bases):
        own = {each.target.id for each in definition.body if isinstance(each, ast.AnnAssign) and _is_name(each.target)}
    else:
        own, public = set(declared.__annotations__), []
    extends = f" extends {', '.join(public)}" if public else ""
    head = f"export interface {declared.__name__}{extends} {{"
    lines = []
    for name, hint in get_type_hints(declared, include_extras=True).items():
        if name not in own:
            continue
        if text := meaning_of(hint):
            lines.append(_comment(text, "  "))
        mark = "" if name in declared.__required_keys__ else "?"
        lines.append(_fitted(f"  {name}{mark}:", _written(hint, names)))
    body = "\n".join([head, *lines, "}"]) if lines else f"{head}}}"
    return f"{_comment(' '.join((inspect.getdoc(declared) or '').split()))}\n{body}\n"


def _is_name(target: ast.expr) -> TypeGuard[ast.Name]:
    return isinstance(target, ast.Name)


def _comment(text: str, indent: str = "") -> str:
    if len(text) + len(indent) + 7 <= WIDTH:
        return f"{indent}/** {text} */"
    lines = textwrap.wrap(text, WIDTH - len(indent) - 3, break_on_hyphens=False)
    return "\n".join([f"{indent}/**", *(f"{indent} * {line}" for line in lines), f"{indent} */"])


def _fitted(head: str, written: str) -> str:
    """``head written;`` on one line if it fits, else on two lines, else with a line for each member of the union."""
    line = f"{head} {written};"
    if len(line) <= WIDTH:
        return line
    indent = " " * (len(head) - len(head.lstrip()) + 2)
    if len(indent) + len(written) < WIDTH:
        return f"{head}\n{indent}{written};"
    return "\n".join([head, *(f"{indent}| {each}" for each in written.split(" | "))]) + ";"


def _written(hint: Any, names: dict[Any, str], own: str | None = None) -> str:
    """``hint`` in TypeScript. A named type is written as its name, except in its own declaration, that of ``own``."""
    origin, arguments = get_origin(hint), get_args(hint)
    if is_typeddict(hint):
        return str(hint.__name__)
    if names.get(hint, own) != own:
        return names[hint]
    if origin is Annotated:
        kind = next((each for each in arguments[1:] if isinstance(each, Kind)), None)
        return kind.name if kind is not None else _written(_named(hint, names), names, own)
    if origin is NotRequired:
        return _written(arguments[0], names)
    if origin is Literal:
        return " | ".join(f'"{each}"' for each in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(_written(each, names) for each in arguments))
    if origin is list:
        element = _written(arguments[0], names)
        return f"({element})[]" if " | " in element and not element.startswith("[") else f"{element}[]"
    if origin is tuple:
        return f"[{', '.join(_written(each, names) for each in arguments)}]"
    if origin is dict:
        return f"Record<string, {_written(arguments[1], names)}>"
    return {int: "number", float: "number", str: "string", bool: "boolean", type(None): "null", Any: "unknown"}[hint]


def _named(hint: Any, names: dict[Any, str]) -> Any:
    """The type inside ``Annotated``: its longest named prefix of annotations, or else the bare type."""
    inner, *extras = get_args(hint)
    for count in range(len(extras) - 1, 0, -1):
        shorter = Annotated[(inner, *extras[:count])]
        if shorter in names:
            return shorter
    return inner


def unknown_kinds() -> Iterator[str]:
    """The kinds of ``simulator.engine.values.part`` that the declarations lack."""
    for kind in vars(part).values():
        if isinstance(kind, Kind) and kind.name not in BASICS:
            yield kind.name
