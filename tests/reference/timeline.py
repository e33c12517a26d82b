"""The tables of docs/maintainers/TIMELINE.md: the columns of each table of facts, with their types and meanings."""

import inspect
import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints, is_typeddict

from tidemark.simulator.engine.values.part import Kind
from tidemark.simulator.engine.values.rows import Row
from tidemark.simulator.timeline import schema
from tidemark.simulator.timeline.schema import Fact, Tables

from tests.reference.texts import meaning_of

DERIVED = {
    "conditions": schema.ConditionFact,
    "firings": schema.FiringFact,
    "judgements": schema.JudgementFact,
    "remedies": schema.RemedyFact,
    "judged": schema.JudgedFact,
    "laws": schema.LawFact,
    "levels": schema.LevelColumns,
}
"""The tables that are derived from the others."""

WORDS = {
    "Json": "JSON",
    "Time": "ms",
    "Duration": "ms",
    "StepNumber": "step",
    "ItemNumber": "item",
    "Id": "id",
}


def tables_text() -> str:
    """A section for each table of the timeline."""
    return "\n".join(_sections(_facts_by_table()))


def derived_text() -> str:
    """A section for each table that is derived from those."""
    return "\n".join(_sections(DERIVED))


def _facts_by_table() -> dict[str, Any]:
    return {table: get_args(rows)[0] for table, rows in get_type_hints(Tables, include_extras=True).items()}


def _sections(tables: dict[str, Any]) -> Iterator[str]:
    for table, fact in tables.items():
        meaning = " ".join((inspect.getdoc(fact) or "").split())
        yield f"### `{table}`\n\n{meaning}\n\n| column | type | meaning |\n| --- | --- | --- |"
        for name, hint in get_type_hints(fact, include_extras=True).items():
            if name not in Fact.__annotations__:
                yield f"| `{name}` | {_type(hint)} | {meaning_of(hint)} |"
        yield ""


def _type(hint: Any) -> str:
    """The type as a reader of the tables sees it: ``ms or null``, or the possible values."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint == Row:
        return "row"
    if is_typeddict(hint):
        return "object"
    if origin is NotRequired:
        return f"{_type(arguments[0])}, if any"
    if origin is Annotated:
        kind = next((each for each in arguments[1:] if isinstance(each, Kind)), None)
        return _type(arguments[0]) if kind is None else WORDS[kind.name]
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in arguments)
    if origin in (Union, types.UnionType):
        parts = [_type(each) for each in arguments]
        return "key" if set(parts) == {"text", "number", "true, false"} else " or ".join(parts)
    if origin is list:
        return f"list of {_type(arguments[0])}"
    if origin is tuple:
        return f"[{', '.join(map(_type, arguments))}]"
    if origin is dict:
        return f"{{name: {_type(arguments[1])}}}"
    names = {int: "number", float: "number", str: "text", bool: "true, false", type(None): "null", Any: "JSON"}
    return names[hint]
