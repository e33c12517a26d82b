"""``UNION ALL``: the rows of several relations as one table. Each is a channel of it: the watermark is the least."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.aggregates import plain_column
from tidemark.simulator.sql.reading import Relation, need_rows
from tidemark.simulator.sql.tables import Column, Table


@dataclass(frozen=True)
class Branches:
    """What a table of a union is made of, in place of a ``Stage``; the columns of each relation are those of the table,
    one by one."""

    relations: tuple[Relation, ...]

    @property
    def sends_watermarks(self) -> bool:
        """Whether its rows come with their watermarks: one input of a scenario has one strategy for all channels."""
        tables = [each.table for each in self.relations]
        return any(each.stage is not None or each.bound != tables[0].bound for each in tables)

    operator: ClassVar[dict[str, Any]] = {"type": "union"}


def united(relations: Sequence[Relation], union: syntax.Union) -> Relation:
    """All rows of ``relations``. Raises ``SqlProblem`` where their columns differ."""
    first = relations[0]
    for each in relations:
        need_rows(each)
        if each.window is not None or each.rank is not None:
            raise syntax.SqlProblem("union_of_windows", each.place)
    types = [[_type(each, name) for name in each.columns] for each in relations]
    rowtimes = [[of == each.table.rowtime for of in each.columns.values()] for each in relations]
    for each, of_each, times in zip(relations, types, rowtimes, strict=True):
        if of_each != types[0] or times != rowtimes[0]:
            raise syntax.SqlProblem("union_columns", each.place, first=", ".join(types[0]), other=", ".join(of_each))
    columns = {
        name: plain_column(first.table.columns[of]) for name, of in first.columns.items() if of in first.table.columns
    }
    columns = {name: Column(name, of.kind, of.type, name, None, of.problem, of.local) for name, of in columns.items()}
    rowtime = next((name for name, of in first.columns.items() if of == first.table.rowtime), None)
    name = ", ".join(dict.fromkeys(each.table.name for each in relations))
    table = Table(name, columns, rowtime, first.table.bound, first.table.local, (), False, union.place,
                  first.table.idle_timeout, first.table.zone, Branches(tuple(relations)))  # fmt: skip
    return Relation(table, {each: each for each in columns}, None, union.place)


def _type(relation: Relation, name: str) -> str:
    column = relation.table.columns.get(relation.columns[name])
    return "" if column is None else column.type
