"""What a query means in the terms of a scenario: the operator, and which columns its records are made of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.sql.relations import WINDOW_COLUMNS, Relation
from tidemark.simulator.sql.syntax import (
    Beyond,
    Call,
    Expression,
    Literal,
    Operation,
    Path,
    Place,
    Select,
    SqlProblem,
    beyond,
    construct,
)
from tidemark.simulator.sql.tables import FLOATS, INTEGERS, Column, Table


@dataclass(frozen=True)
class Input:
    """One input of the operator, by columns of ``table``. ``key`` None: all records have one key.

    ``values``: one column is the value of a record, several are its members. ``most``: what the sum of their sizes may
    not exceed, None without a limit. ``no_nulls``: the function skips a NULL, which a scenario would count.
    ``newer_only``: Flink drops a row that is older than one of the same key before it, which a scenario would not.
    """

    table: Table
    key: str | None
    values: tuple[str, ...] = ()
    most: int | None = None
    no_nulls: bool = False
    newer_only: bool = False


@dataclass(frozen=True)
class Reading:
    """``operator``: as a scenario file has it. ``inputs``: by their names in the file, in its order.

    ``never_late``: Flink's SQL operator treats late records in another way than the scenario's, so there must be none.
    ``notes``: words below ``sql.notes``, what a reader should know of how the query was read.
    """

    operator: Mapping[str, Any]
    inputs: Mapping[str, Input]
    processing: bool = False
    never_late: bool = False
    notes: tuple[str, ...] = ()


def refuse_beyond(select: Select, *, where: bool = True, around: Sequence[Beyond] = ()) -> None:
    """Raise ``SqlProblem`` for the first part of ``select`` that no scenario can say. ``where``: that one as well.

    ``around``: what the query has around it, such as ORDER BY."""
    refusals = [beyond(each) for each in (*select.beyond, *around)]
    if where and select.where is not None:
        refusals.append(SqlProblem("where", select.where.place))
    if refusals:
        raise min(refusals, key=lambda each: each.place)


def need_names(select: Select, relation: Relation) -> None:
    """Raise ``SqlProblem`` for ROLLUP and CUBE, and for what other dialects take in GROUP BY and Flink does not: the
    number of a column of SELECT, which Flink takes for a constant, and a name that SELECT gives."""
    aliases = {item.alias.text for item in select.items if item.alias is not None}
    for each in select.group or ():
        if isinstance(each, Literal) and each.kind == "number":
            raise SqlProblem("group_position", each.place, number=each.text)
        if isinstance(each, Call) and each.name in ("ROLLUP", "CUBE"):
            raise SqlProblem("beyond", each.place, what=each.name)
        if isinstance(each, Path) and not relation.has(each) and str(each) in aliases:
            raise SqlProblem("group_alias", each.place, name=str(each))


def need_rows(relation: Relation) -> None:
    """Raise ``SqlProblem`` if the rows of ``relation`` also update and delete earlier ones."""
    if relation.table.changelog:
        raise SqlProblem("changelog", relation.place, table=relation.table.name)


def need_rowtime(table: Table, place: Place) -> str:
    """The time attribute of ``table``. Raises ``SqlProblem`` if it has none."""
    if table.rowtime is None:
        raise SqlProblem("no_watermark", place, table=table.name)
    return table.rowtime


def conjunction(*expressions: Expression | None) -> list[Expression]:
    """The parts that ``AND`` connects, in order."""
    found: list[Expression] = []
    for each in expressions:
        if isinstance(each, Operation) and each.operator == "AND":
            found += conjunction(*each.operands)
        elif each is not None:
            found.append(each)
    return found


@dataclass(frozen=True)
class Aggregate:
    """``compute`` as in a scenario, over ``column``; None for ``COUNT(*)``."""

    compute: str
    column: Column | None

    def input(self, table: Table, key: str | None) -> Input:
        """The input of an operator that computes this."""
        if self.column is None:
            return Input(table, key)
        bits = INTEGERS.get(self.column.type) if self.compute == "sum" else None
        return Input(table, key, (self.column.name,), None if bits is None else 2**bits - 1, no_nulls=True)


FUNCTIONS: Final = ("sum", "count", "min", "max", "avg")
"""The aggregate functions that a scenario computes."""


def aggregate_of(call: Call, relation: Relation) -> Aggregate:
    """The function of ``call``. Raises ``SqlProblem`` for one that a scenario lacks, or would compute otherwise."""
    name = call.name.lower()
    if name not in FUNCTIONS:
        raise SqlProblem("function", call.place, name=call.name)
    if call.distinct:
        raise SqlProblem("beyond", call.place, what="DISTINCT")
    if call.star and name == "count":
        return Aggregate("count", None)
    if len(call.arguments) != 1 or call.star:
        raise SqlProblem("function_arguments", call.place, name=call.name)
    argument = call.arguments[0]
    if name == "count" and isinstance(argument, Literal) and argument.text.upper() not in ("NULL", "UNKNOWN"):
        return Aggregate("count", None)  # a constant that is not NULL: each row counts
    if not isinstance(argument, Path):
        raise SqlProblem("function_expression", argument.place, name=call.name, what=construct(argument))
    column = relation.column(argument)
    if column.kind == "computed":
        raise SqlProblem("computed_column", argument.place, name=column.name)
    if name == "count":
        return Aggregate("count", column)
    if column.type in FLOATS:
        raise SqlProblem("float", argument.place, name=column.name, type=column.type, function=call.name)
    if column.kind not in ("integer", "double", "decimal"):
        raise SqlProblem("not_a_number", argument.place, name=column.name, type=column.type, function=call.name)
    if name == "avg" and column.type in INTEGERS:
        raise SqlProblem("avg_of_integers", call.place, name=column.name, type=column.type)
    if (name == "avg" and column.kind == "integer") or (name in ("sum", "avg") and column.kind == "decimal"):
        raise SqlProblem("sum_of_decimals", call.place, name=column.name, type=column.type, function=call.name)
    return Aggregate(name, column)


def computed(expression: Expression, place: Place) -> SqlProblem:
    """That ``expression`` cannot be chosen."""
    return SqlProblem("computed", place, what=construct(expression))


def key_of(paths: list[Path], relation: Relation) -> str | None:
    """The column of the key; None without one. Raises ``SqlProblem`` for a second one."""
    columns = list(dict.fromkeys(_key_column(each, relation) for each in paths))
    if len(columns) > 1:
        second = next(each for each in paths if relation.find(each) == columns[1])
        raise SqlProblem("two_keys", second.place, first=columns[0], second=columns[1])
    return columns[0] if columns else None


def _key_column(path: Path, relation: Relation) -> str:
    column = relation.column(path)
    if column.kind not in ("text", "integer", "boolean"):
        raise SqlProblem("key_type", path.place, name=column.name, type=column.type or column.kind)
    return column.name


def selected_values(select: Select, relation: Relation, key: str | None) -> tuple[str, ...]:
    """The columns of ``relation`` that ``select`` chooses besides key and time: the values of the records."""
    names: list[str] = []
    for item in select.items:
        if item.of is None:
            if item.table is None or item.table.text == relation.alias:
                names += relation.columns.values()
        elif isinstance(item.of, Path) and relation.has(item.of):
            names.append(relation.find(item.of))
    table = relation.table
    own = [name for name in dict.fromkeys(names) if name in table.columns and name not in (key, table.rowtime)]
    for name in own:
        if table.columns[name].kind == "computed":
            raise SqlProblem("computed_column", select.place, name=name)
    return tuple(name for name in own if table.columns[name].kind not in ("proctime", "other"))


def is_window_column(path: Expression, relation: Relation, *names: str) -> bool:
    """Whether ``path`` is one of the columns ``names`` (all: any) that a window table function adds."""
    return isinstance(path, Path) and relation.has(path) and relation.find(path) in (names or WINDOW_COLUMNS)


def equality(expression: Expression, left: Relation, right: Relation) -> tuple[Path, Path] | None:
    """The columns of ``left`` and ``right`` that ``expression`` says are equal; None if it says something else."""
    if not (isinstance(expression, Operation) and expression.operator == "="):
        return None
    first, second = expression.operands
    if not (isinstance(first, Path) and isinstance(second, Path)):
        return None
    ambiguous = [each for each in (first, second) if left.has(each) and right.has(each)]
    if ambiguous:
        raise SqlProblem("ambiguous", ambiguous[0].place, name=str(ambiguous[0]))
    if left.has(first) and right.has(second):
        return first, second
    if left.has(second) and right.has(first):
        return second, first
    return None
