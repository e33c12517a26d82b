"""The lists in docs/maintainers/TIMELINE.md: each table of facts and its columns, which ``schema.py`` explains."""

import inspect
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

from tidemark.simulator.timeline import schema
from tidemark.simulator.timeline.schema import Fact, Tables

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


def tables_text() -> str:
    """A line for each table of the timeline."""
    return "\n".join(_lines({table: get_args(rows)[0] for table, rows in get_type_hints(Tables).items()}))


def derived_text() -> str:
    """A line for each table that is derived from those."""
    return "\n".join(_lines(DERIVED))


def _lines(tables: dict[str, Any]) -> Iterator[str]:
    for table, fact in tables.items():
        meaning = " ".join((inspect.getdoc(fact) or "").split())
        columns = ", ".join(name for name in get_type_hints(fact) if name not in Fact.__annotations__)
        yield f"- **`{table}`** (`{columns}`): {meaning}"
