"""Rows that a script inserts by itself, ``INSERT INTO t VALUES (…)``: they are the stream of a query over ``t``."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.engine.values.duration import format_instant
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.expressions import Computed, Failure, compiled
from tidemark.simulator.sql.records import RecordsProblem
from tidemark.simulator.sql.tables import Column, Settings, Table, full_name

_TAKES: Final = {
    "INT": ("int",), "INTEGER": ("int",), "BIGINT": ("int", "bigint"), "double": ("int", "bigint", "decimal", "double"),
    "decimal": ("int", "bigint", "decimal"), "integer": ("int", "bigint", "decimal"), "text": ("text",),
    "boolean": ("boolean",), "timestamp": ("timestamp",), "timestamp_ltz": ("timestamp_ltz",),
}  # fmt: skip
"""What Flink writes into a column without a CAST (``LogicalTypeCasts.supportsImplicitCast``), by its type or kind."""


@dataclass(frozen=True)
class Inserted:
    """``files``: the rows of each table as JSON Lines; ``places``: where each row stands in the text."""

    files: dict[str, bytes]
    places: dict[str, list[syntax.Place]]

    def refused(self, problem: RecordsProblem) -> syntax.SqlProblem:
        """What is wrong with a row, at its place in the text."""
        places = self.places[problem.table]
        place = places[min(problem.line or 1, len(places)) - 1]
        return syntax.SqlProblem("values_refused", place, why=str(problem))


def inserted(inserts: Sequence[syntax.InsertValues], tables: Sequence[Table], settings: Settings) -> Inserted | None:
    """The rows that are inserted into ``tables``; None if any of them has none.

    Raises ``SqlProblem`` for a row that does not fit its table.
    """
    zone = settings.zone.value if settings.zone else "UTC"
    files: dict[str, bytes] = {}
    places: dict[str, list[syntax.Place]] = {}
    for table in tables:
        own = [each for each in inserts if full_name(each.table) == table.name]
        if not own:
            return None
        files[table.name] = "\n".join(line for each in own for line in _lines(each, table, zone)).encode()
        places[table.name] = [row[0].place for each in own for row in each.values.rows]
    return Inserted(files, places)


def _lines(insert: syntax.InsertValues, table: Table, zone: str) -> list[str]:
    physical = [
        each for each in table.columns.values()
        if each.source and each.computed is None and each.kind != "proctime" and "." not in each.name
        and each.problem is None
    ]  # fmt: skip
    columns = physical
    if insert.columns:
        columns = [table.column(syntax.Path((name,), name.place)) for name in insert.columns]
    found = []
    for row in insert.values.rows:
        if len(row) != len(columns):
            place = row[0].place
            raise syntax.SqlProblem("values_count", place, table=table.name, wanted=len(columns), count=len(row))
        cells = dict.fromkeys((each.source for each in physical), None)
        for column, expression in zip(columns, row, strict=True):
            cells[column.source] = _cell(column, expression, zone)
        found.append(json.dumps(cells, ensure_ascii=False))
    return found


def _cell(column: Column, expression: syntax.Expression, zone: str) -> Any:
    """What a file of records would have in the place of ``expression``."""
    computed = compiled(expression, {}, zone)
    kind = column.kind if column.kind != "time" else ("timestamp_ltz" if column.local else "timestamp")
    if computed.type != "null" and computed.type not in _TAKES.get(column.type, _TAKES.get(kind, ())):
        raise syntax.SqlProblem(
            "values_type", expression.place, name=column.name, type=column.type, given=str(computed)
        )
    value = _value(computed, expression)
    if value is None or kind in ("text", "boolean"):
        return value
    if kind in ("timestamp", "timestamp_ltz"):
        return format_instant(value)
    return float(value) if kind in ("double", "decimal") else int(value)


def _value(computed: Computed, expression: syntax.Expression) -> Any:
    try:
        return computed.of({})
    except (Failure, KeyError):
        raise syntax.SqlProblem("values_fail", expression.place, what=syntax.construct(expression)) from None
