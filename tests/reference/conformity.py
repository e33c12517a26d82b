"""Whether plain data has the type that a schema declares for it."""

import types
from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict


def mismatches(value: Any, declared: Any, path: str = "") -> Iterator[str]:
    """Every place where ``value`` deviates from ``declared``: ``windows.status: 'shut' is not one of open, fired``."""
    origin, arguments = get_origin(declared), get_args(declared)
    if origin in (Annotated, NotRequired):
        yield from mismatches(value, arguments[0], path)
    elif declared is Any:
        return
    elif origin is Literal:
        if value not in arguments:
            yield f"{path}: {value!r} is not one of {', '.join(map(str, arguments))}"
    elif origin in (Union, types.UnionType):
        found = [list(mismatches(value, each, path)) for each in arguments]
        if all(found):
            yield min(found, key=len)[0]
    elif is_typeddict(declared):
        yield from _members(value, declared, path)
    elif origin is list:
        yield from _elements(value, arguments[0], path)
    elif origin is tuple:
        yield from _tuple(value, arguments, path)
    elif origin is dict:
        if not isinstance(value, dict):
            yield f"{path}: {value!r} is not a dict"
            return
        for name, each in value.items():
            yield from mismatches(each, arguments[1], f"{path}[{name!r}]")
    elif not _is(value, declared):
        yield f"{path}: {value!r} is not of type {getattr(declared, '__name__', declared)}"


@cache
def members_of(declared: Any) -> dict[str, Any]:
    """The declared members of a ``TypedDict``, with their annotations."""
    return get_type_hints(declared, include_extras=True)


def _members(value: Any, declared: Any, path: str) -> Iterator[str]:
    if not isinstance(value, dict):
        yield f"{path}: {value!r} is not a {declared.__name__}"
        return
    hints = members_of(declared)
    for name in value.keys() - hints.keys():
        yield f"{path}.{name}: not declared in {declared.__name__}"
    for name, hint in hints.items():
        if name in value:
            yield from mismatches(value[name], hint, f"{path}.{name}")
        elif name in declared.__required_keys__:
            yield f"{path}.{name}: missing from a {declared.__name__}"


def _elements(value: Any, declared: Any, path: str) -> Iterator[str]:
    if not isinstance(value, list | tuple):
        yield f"{path}: {value!r} is not a list"
        return
    for number, each in enumerate(value):
        yield from mismatches(each, declared, f"{path}[{number}]")


def _tuple(value: Any, declared: tuple[Any, ...], path: str) -> Iterator[str]:
    if not isinstance(value, list | tuple) or len(value) != len(declared):
        yield f"{path}: {value!r} does not have {len(declared)} elements"
        return
    for number, (each, kind) in enumerate(zip(value, declared, strict=True)):
        yield from mismatches(each, kind, f"{path}[{number}]")


def _is(value: Any, declared: Any) -> bool:
    if declared is float:
        return isinstance(value, float | int) and not isinstance(value, bool)
    if declared is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, declared)
