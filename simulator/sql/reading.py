"""What a query means in the terms of a scenario: the operator, and which columns its records are made of.

First comes what stands behind ``FROM``: a table, its windows, its ranks, and the names that a query may use for its
columns. Views, tables of ``WITH`` and subqueries are seen through as long as they only choose and rename columns, or
add a window or a row number. Everything else would be a second step of computation, and a scenario has one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tidemark.simulator.limits import SQL_VIEWS
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.expressions import CLOCK
from tidemark.simulator.sql.tables import FLOATS, INTEGERS, Column, Table, full_name
from tidemark.simulator.sql.times import milliseconds, written

WINDOW_COLUMNS: Final = ("window_start", "window_end", "window_time")
RANK: Final = "#rank"
"""What the row number of a subquery is called within; no name of SQL can be this."""


@dataclass(frozen=True)
class Window:
    """A window table function: its name, the assigner as a scenario writes it, whether it goes by the clock, and for
    sessions the columns that it is partitioned by."""

    name: str
    assigner: Mapping[str, Any]
    processing: bool
    partition: tuple[str, ...]
    place: syntax.Place


@dataclass(frozen=True)
class Relation:
    """Rows of one table. ``columns``: what the query calls each of its columns → the column of the table, one of
    ``WINDOW_COLUMNS``, or ``RANK``."""

    table: Table
    columns: Mapping[str, str]
    alias: str | None
    place: syntax.Place
    window: Window | None = None
    rank: syntax.OverWindow | None = None

    def has(self, path: syntax.Path) -> bool:
        """Whether ``path`` names a column of this relation, or a member of one that is a ROW."""
        return self._name(path) is not None

    def _name(self, path: syntax.Path) -> str | None:
        names = [each.text for each in path.names]
        of_alias = [".".join(names[1:])] if len(names) > 1 and names[0] == self.alias else []
        return next((each for each in (*of_alias, ".".join(names)) if each in self.columns), None)

    def find(self, path: syntax.Path) -> str:
        """What the column is called within. Raises ``SqlProblem`` if there is none of this name."""
        name = self._name(path)
        if name is None:
            raise syntax.SqlProblem("no_column", path.place, name=str(path), table=self.alias or self.table.name,
                             columns=", ".join(self.columns))  # fmt: skip
        return self.columns[name]

    def column(self, path: syntax.Path) -> Column:
        """The column of the table. Raises ``SqlProblem`` if there is none, or it is one of the window."""
        found = self.table.columns.get(self.find(path))
        if found is None:
            raise syntax.SqlProblem("window_column", path.place, name=path.last)
        return found


@dataclass(frozen=True)
class Scope:
    """The tables and views that a query can name.

    ``common``: the tables of its ``WITH``, which have no database, each with the scope within: what stands before it.
    """

    tables: Mapping[str, Table]
    views: Mapping[str, syntax.Query]
    common: Mapping[str, "tuple[syntax.Query, Scope]"] = field(default_factory=dict)
    depth: int = 0

    def relation(self, source: syntax.Source) -> Relation:
        """What ``source`` is. Raises ``SqlProblem`` if it is more than one table seen through windows and names."""
        if isinstance(source, syntax.TableSource):
            if source.as_of is not None:
                raise syntax.SqlProblem("as_of_alone", source.place)
            return self._named(source.table, source.alias)
        if isinstance(source, syntax.FunctionSource):
            return self._windowed(source)
        if isinstance(source, syntax.QuerySource):
            alias = source.alias.text if source.alias else None
            return replace(self.within(source.query), alias=alias, place=source.place)
        raise syntax.SqlProblem("join_inside", source.place)

    def _named(self, path: syntax.Path, alias: syntax.Name | None) -> Relation:
        known_as = alias.text if alias else path.last
        table = self.tables.get(full_name(path))
        view = self.view(path)
        if view is not None:
            query, scope = view
            if scope.depth > SQL_VIEWS:
                raise syntax.SqlProblem("views_too_deep", path.place, limit=SQL_VIEWS)
            return replace(scope.within(query), alias=known_as, place=path.place)
        if table is None:
            known = ", ".join([*self.tables, *self.views, *self.common])
            raise syntax.SqlProblem("no_table" if known else "no_tables", path.place, name=str(path), tables=known)
        return Relation(table, {each: each for each in table.columns}, known_as, path.place)

    def view(self, path: syntax.Path) -> "tuple[syntax.Query, Scope] | None":
        """The query of a view or of a table of ``WITH``, and the scope within; None if ``path`` names neither."""
        depth = self.depth + 1
        if len(path.names) == 1 and path.last in self.common:
            query, before = self.common[path.last]
            return query, replace(before, depth=depth)
        found = self.views.get(full_name(path))
        return None if found is None else (found, replace(self, common={}, depth=depth))

    def with_tables_of(self, query: syntax.Query) -> "Scope":
        """The scope within ``query``, which may define tables of its own. Each of them sees those before it."""
        scope = self
        for name, each in query.tables:
            scope = replace(scope, common={**scope.common, name.text: (each, scope)})
        return scope

    def within(self, query: syntax.Query) -> Relation:
        """A query that only chooses columns. Raises ``SqlProblem`` at what else it does."""
        for each in query.beyond:
            raise syntax.beyond(each)
        select = query.select
        assert select is not None  # a set operation and VALUES are beyond
        scope = self.with_tables_of(query)
        _refuse_inside(select)
        inner = scope.relation(select.source)
        if inner.rank is not None:
            raise syntax.SqlProblem("rank_inside", select.place)
        columns: dict[str, str] = {}
        rank = None
        for item in select.items:
            if item.of is None:
                columns |= all_columns(item, inner)
            elif isinstance(item.of, syntax.Path):
                columns[item.alias.text if item.alias else item.of.last] = inner.find(item.of)
            elif isinstance(item.of, syntax.Call) and item.of.name == "ROW_NUMBER" and item.alias is not None:
                if rank is not None:
                    raise syntax.SqlProblem("two_ranks", item.place)
                rank = over_of(item.of, select)
                columns[item.alias.text] = RANK
            elif isinstance(item.of, syntax.Call) and item.of.name == "PROCTIME" and item.alias is not None:
                clock = Column(CLOCK, "proctime", "TIMESTAMP_LTZ(3)", CLOCK)
                inner = replace(inner, table=replace(inner.table, columns={**inner.table.columns, CLOCK: clock}))
                columns[item.alias.text] = CLOCK
            else:
                raise syntax.SqlProblem("computed_inside", item.place, what=syntax.construct(item.of))
        if rank is not None:
            # The names within OVER are those of the inner query, which the outer one may not see any more.
            rank = _renamed(rank, inner)
        return replace(inner, columns=columns, alias=None, rank=rank)

    def _windowed(self, source: syntax.FunctionSource) -> Relation:
        call = source.call
        parameters = _PARAMETERS[call.name]
        given = _arguments(call, parameters)
        data, time = given["DATA"], given["TIMECOL"]
        if not isinstance(data, syntax.TableArgument):
            raise syntax.SqlProblem("data_argument", data.place, name=call.name)
        inner = self._named(data.table, None)
        if inner.window is not None or inner.rank is not None:
            raise syntax.SqlProblem("window_of_window", data.place)
        if not (isinstance(time, syntax.Call) and time.name == "DESCRIPTOR" and len(time.arguments) == 1):
            raise syntax.SqlProblem("descriptor", time.place)
        column = time.arguments[0]
        if not isinstance(column, syntax.Path) or len(column.names) > 1:
            raise syntax.SqlProblem("descriptor", time.place)
        processing = time_of(inner, column)
        partition = tuple(inner.find(syntax.Path((each,), each.place)) for each in data.partition)
        if data.partition and call.name != "SESSION":
            raise syntax.SqlProblem("partition", data.partition[0].place, name=call.name)
        assigner: dict[str, Any] = {"type": _TYPES[call.name]}
        for name in parameters[2:]:
            if name in given:
                ms = milliseconds(given[name])
                if name != "OFFSET" and ms <= 0:
                    raise syntax.SqlProblem("positive", given[name].place)
                assigner[_FIELDS[call.name, name]] = written(ms)
        alias = source.alias.text if source.alias else None
        columns = {**inner.columns, **{each: each for each in WINDOW_COLUMNS}}
        return replace(
            inner, columns=columns, alias=alias, place=source.place,
            window=Window(call.name, assigner, processing, partition, call.place),
        )  # fmt: skip


_PARAMETERS: Final = {
    "TUMBLE": ("DATA", "TIMECOL", "SIZE", "OFFSET"),
    "HOP": ("DATA", "TIMECOL", "SLIDE", "SIZE", "OFFSET"),
    "CUMULATE": ("DATA", "TIMECOL", "STEP", "SIZE", "OFFSET"),
    "SESSION": ("DATA", "TIMECOL", "GAP"),
}
"""The window table functions and the order of their parameters (Flink's ``SqlWindowTableFunction`` subclasses)."""

_TYPES: Final = {"TUMBLE": "tumbling", "HOP": "sliding", "CUMULATE": "cumulative", "SESSION": "session"}
_FIELDS: Final = {
    **{(name, "SIZE"): "size" for name in ("TUMBLE", "HOP")},
    **{(name, "OFFSET"): "offset" for name in ("TUMBLE", "HOP", "CUMULATE")},
    ("HOP", "SLIDE"): "slide",
    ("CUMULATE", "STEP"): "step", ("CUMULATE", "SIZE"): "max_size", ("SESSION", "GAP"): "gap",
}  # fmt: skip


def time_of(relation: Relation, path: syntax.Path) -> bool:
    """Whether ``path`` is a time attribute of processing time; False for one of event time.

    Raises ``SqlProblem`` if it is none: a query by a column without a watermark is no streaming query by time.
    """
    column = relation.column(path)
    if column.kind == "proctime":
        return True
    if relation.table.rowtime is None:
        raise syntax.SqlProblem("no_watermark", path.place, table=relation.table.name)
    if column.name != relation.table.rowtime:
        raise syntax.SqlProblem("no_time_attribute", path.place, name=path.last, table=relation.table.name)
    return False


def over_of(call: syntax.Call, select: syntax.Select) -> syntax.OverWindow:
    """The window of ``call``, perhaps one that is named behind ``WINDOW``. Raises ``SqlProblem`` if there is none."""
    if isinstance(call.over, syntax.Name):
        for name, window in select.windows:
            if name.text == call.over.text:
                return window
        raise syntax.SqlProblem("no_window", call.over.place, name=call.over.text)
    if call.over is None:
        raise syntax.SqlProblem("needs_over", call.place, name=call.name)
    return call.over


def _refuse_inside(select: syntax.Select) -> None:
    if select.group is not None:
        raise syntax.SqlProblem("group_inside", select.place)
    if isinstance(select.source, syntax.JoinSource):  # its WHERE may be the condition of the join
        raise syntax.SqlProblem("join_inside", select.source.place)
    refusals = [syntax.beyond(each) for each in select.beyond]
    if select.where is not None:
        refusals.append(syntax.SqlProblem("where", select.where.place))
    if refusals:
        raise min(refusals, key=lambda each: each.place)
    if select.qualify is not None:
        raise syntax.SqlProblem("beyond", select.qualify.place, what="QUALIFY")


def all_columns(item: syntax.Item, inner: Relation) -> Mapping[str, str]:
    """The columns that ``*`` or ``name.*`` stands for. Raises ``SqlProblem`` if the name is another one."""
    if item.table is not None and item.table.text != inner.alias:
        raise syntax.SqlProblem("no_table", item.table.place, name=item.table.text, tables=inner.alias or "")
    return inner.columns


def _renamed(over: syntax.OverWindow, inner: Relation) -> syntax.OverWindow:
    """``over`` with the names that its columns have within."""

    def renamed(expression: syntax.Expression) -> syntax.Expression:
        if not isinstance(expression, syntax.Path):
            raise syntax.SqlProblem("over_expression", expression.place)
        return syntax.Path((syntax.Name(inner.find(expression), expression.place),), expression.place)

    return replace(
        over,
        partition=tuple(renamed(each) for each in over.partition),
        order=tuple(replace(each, by=renamed(each.by)) for each in over.order),
    )


def _arguments(call: syntax.Call, parameters: tuple[str, ...]) -> dict[str, syntax.Expression]:
    """The arguments by the names of their parameters, which Flink takes in capital letters only.

    Raises ``SqlProblem`` for a wrong number, an unknown name, and what the planner fails at: a call in which only some
    arguments have names, or whose names begin with another one than the table's.
    """
    found: dict[str, syntax.Expression] = {}
    named = isinstance(call.arguments[0], syntax.NamedArgument) if call.arguments else False
    for place, argument in enumerate(call.arguments):
        if isinstance(argument, syntax.NamedArgument) != named:
            raise syntax.SqlProblem("arguments", argument.place, function=call.name, known=", ".join(parameters))
        if isinstance(argument, syntax.NamedArgument):
            name, value = argument.name.text, argument.value
            if place == 0 and name in parameters[1:]:
                raise syntax.SqlProblem("arguments", argument.place, function=call.name, known=", ".join(parameters))
            if name not in parameters or name in found:
                raise syntax.SqlProblem("argument", argument.place, name=argument.name.text, function=call.name,
                                 known=", ".join(parameters))  # fmt: skip
            found[name] = value
        elif place < len(parameters) and len(found) == place:
            found[parameters[place]] = argument
        else:
            raise syntax.SqlProblem("arguments", argument.place, function=call.name, known=", ".join(parameters))
    for name in parameters:
        if name not in found and name != "OFFSET":
            raise syntax.SqlProblem("arguments", call.place, function=call.name, known=", ".join(parameters))
    return found


def sides(source: syntax.JoinSource) -> tuple[syntax.Source, syntax.Source]:
    """Left and right of a join of two. Raises ``SqlProblem`` for joins of more."""
    for each in (source.left, source.right):
        if isinstance(each, syntax.JoinSource):
            raise syntax.SqlProblem("join_of_more", each.place)
    return source.left, source.right


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


def refuse_beyond(select: syntax.Select, *, where: bool = True, around: Sequence[syntax.Beyond] = ()) -> None:
    """Raise ``SqlProblem`` for the first part of ``select`` that no scenario can say. ``where``: that one as well.

    ``around``: what the query has around it, such as ORDER BY."""
    refusals = [syntax.beyond(each) for each in (*select.beyond, *around)]
    if where and select.where is not None:
        refusals.append(syntax.SqlProblem("where", select.where.place))
    if refusals:
        raise min(refusals, key=lambda each: each.place)


def need_names(select: syntax.Select, relation: Relation) -> None:
    """Raise ``SqlProblem`` for ROLLUP and CUBE, and for what other dialects take in GROUP BY and Flink does not: the
    number of a column of SELECT, which Flink takes for a constant, and a name that SELECT gives."""
    aliases = {item.alias.text for item in select.items if item.alias is not None}
    for each in select.group or ():
        if isinstance(each, syntax.Literal) and each.kind == "number":
            raise syntax.SqlProblem("group_position", each.place, number=each.text)
        if isinstance(each, syntax.Call) and each.name in ("ROLLUP", "CUBE"):
            raise syntax.SqlProblem("beyond", each.place, what=each.name)
        if isinstance(each, syntax.Path) and not relation.has(each) and str(each) in aliases:
            raise syntax.SqlProblem("group_alias", each.place, name=str(each))


def need_rows(relation: Relation) -> None:
    """Raise ``SqlProblem`` if the rows of ``relation`` also update and delete earlier ones."""
    if relation.table.changelog:
        raise syntax.SqlProblem("changelog", relation.place, table=relation.table.name)


def need_rowtime(table: Table, place: syntax.Place) -> str:
    """The time attribute of ``table``. Raises ``SqlProblem`` if it has none."""
    if table.rowtime is None:
        raise syntax.SqlProblem("no_watermark", place, table=table.name)
    return table.rowtime


def conjunction(*expressions: syntax.Expression | None) -> list[syntax.Expression]:
    """The parts that ``AND`` connects, in order."""
    found: list[syntax.Expression] = []
    for each in expressions:
        if isinstance(each, syntax.Operation) and each.operator == "AND":
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


def aggregate_of(call: syntax.Call, relation: Relation) -> Aggregate:
    """The function of ``call``. Raises ``SqlProblem`` for one that a scenario lacks, or would compute otherwise."""
    name = call.name.lower()
    if name not in FUNCTIONS:
        raise syntax.SqlProblem("function", call.place, name=call.name)
    if call.distinct:
        raise syntax.SqlProblem("beyond", call.place, what="DISTINCT")
    if call.star and name == "count":
        return Aggregate("count", None)
    if len(call.arguments) != 1 or call.star:
        raise syntax.SqlProblem("function_arguments", call.place, name=call.name)
    argument = call.arguments[0]
    if name == "count" and isinstance(argument, syntax.Literal) and argument.text.upper() not in ("NULL", "UNKNOWN"):
        return Aggregate("count", None)  # a constant that is not NULL: each row counts
    if not isinstance(argument, syntax.Path):
        raise syntax.SqlProblem("function_expression", argument.place, name=call.name, what=syntax.construct(argument))
    column = relation.column(argument)
    if column.kind == "computed":
        raise syntax.SqlProblem("computed_column", argument.place, name=column.name)
    if name == "count":
        return Aggregate("count", column)
    if column.type in FLOATS:
        raise syntax.SqlProblem("float", argument.place, name=column.name, type=column.type, function=call.name)
    if column.kind not in ("integer", "double", "decimal"):
        raise syntax.SqlProblem("not_a_number", argument.place, name=column.name, type=column.type, function=call.name)
    if name == "avg" and column.type in INTEGERS:
        raise syntax.SqlProblem("avg_of_integers", call.place, name=column.name, type=column.type)
    if (name == "avg" and column.kind == "integer") or (name in ("sum", "avg") and column.kind == "decimal"):
        raise syntax.SqlProblem("sum_of_decimals", call.place, name=column.name, type=column.type, function=call.name)
    return Aggregate(name, column)


def computed(expression: syntax.Expression, place: syntax.Place) -> syntax.SqlProblem:
    """That ``expression`` cannot be chosen."""
    return syntax.SqlProblem("computed", place, what=syntax.construct(expression))


def key_of(paths: list[syntax.Path], relation: Relation) -> str | None:
    """The column of the key; None without one. Raises ``SqlProblem`` for a second one."""
    columns = list(dict.fromkeys(_key_column(each, relation) for each in paths))
    if len(columns) > 1:
        second = next(each for each in paths if relation.find(each) == columns[1])
        raise syntax.SqlProblem("two_keys", second.place, first=columns[0], second=columns[1])
    return columns[0] if columns else None


def _key_column(path: syntax.Path, relation: Relation) -> str:
    column = relation.column(path)
    if column.kind not in ("text", "integer", "boolean"):
        raise syntax.SqlProblem("key_type", path.place, name=column.name, type=column.type or column.kind)
    return column.name


def selected_values(select: syntax.Select, relation: Relation, key: str | None) -> tuple[str, ...]:
    """The columns of ``relation`` that ``select`` chooses besides key and time: the values of the records."""
    names: list[str] = []
    for item in select.items:
        if item.of is None:
            if item.table is None or item.table.text == relation.alias:
                names += relation.columns.values()
        elif isinstance(item.of, syntax.Path) and relation.has(item.of):
            names.append(relation.find(item.of))
    table = relation.table
    own = [name for name in dict.fromkeys(names) if name in table.columns and name not in (key, table.rowtime)]
    for name in own:
        if table.columns[name].kind == "computed":
            raise syntax.SqlProblem("computed_column", select.place, name=name)
    return tuple(name for name in own if table.columns[name].kind not in ("proctime", "other"))


def is_window_column(path: syntax.Expression, relation: Relation, *names: str) -> bool:
    """Whether ``path`` is one of the columns ``names`` (all: any) that a window table function adds."""
    return isinstance(path, syntax.Path) and relation.has(path) and relation.find(path) in (names or WINDOW_COLUMNS)


def equality(expression: syntax.Expression, left: Relation, right: Relation) -> tuple[syntax.Path, syntax.Path] | None:
    """The columns of ``left`` and ``right`` that ``expression`` says are equal; None if it says something else."""
    if not (isinstance(expression, syntax.Operation) and expression.operator == "="):
        return None
    first, second = expression.operands
    if not (isinstance(first, syntax.Path) and isinstance(second, syntax.Path)):
        return None
    ambiguous = [each for each in (first, second) if left.has(each) and right.has(each)]
    if ambiguous:
        raise syntax.SqlProblem("ambiguous", ambiguous[0].place, name=str(ambiguous[0]))
    if left.has(first) and right.has(second):
        return first, second
    if left.has(second) and right.has(first):
        return second, first
    return None
