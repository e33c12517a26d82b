"""The lists in docs/maintainers/TIMELINE.md: the columns of each table of facts, with their meanings."""

import inspect
import types
from collections.abc import Iterator
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

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


def tables_text() -> tuple[str, str]:
    """A section for each table of the timeline, and for each that is derived from those."""
    known: set[tuple[str, str]] = set()
    return "\n".join(_sections(_facts_by_table(), known)), "\n".join(_sections(DERIVED, known))


def _facts_by_table() -> dict[str, Any]:
    return {table: get_args(rows)[0] for table, rows in get_type_hints(Tables, include_extras=True).items()}


def _sections(tables: dict[str, Any], known: set[tuple[str, str]]) -> Iterator[str]:
    """The columns of each table; one that needs no words, or was explained in a table above, is only named."""
    for table, fact in tables.items():
        meaning = " ".join((inspect.getdoc(fact) or "").split())
        hints = get_type_hints(fact, include_extras=True).items()
        columns = [(name, _explained(hint)) for name, hint in hints if name not in Fact.__annotations__]
        named = ", ".join(f"`{name}`" for name, text in columns if not text or (name, text) in known)
        yield f"### `{table}`\n\n{meaning}\n"
        if named:
            yield f"- {named}"
        yield from (f"- `{name}`: {text}" for name, text in columns if text and (name, text) not in known)
        known.update(columns)
        yield ""


def _explained(hint: Any) -> str:
    """What a column means, behind the values that it can have; types alone are left to ``schema.py``."""
    values = _values(hint)
    return f"{values}{'; ' if values and meaning_of(hint) else ''}{meaning_of(hint)}"


def _values(hint: Any) -> str:
    """The texts that a column can have: "`a`, `b` or null"; "" if they are no choice."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Annotated, NotRequired):
        return _values(arguments[0])
    if origin is Literal:
        return ", ".join(f"`{each}`" for each in arguments)
    if origin in (Union, types.UnionType):
        values = " ".join(filter(None, map(_values, arguments)))
        return f"{values} or null" if values and type(None) in arguments else values
    return ""
