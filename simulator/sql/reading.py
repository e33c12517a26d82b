"""What a query means: relations, and the stages that compute them.

A relation is what stands behind ``FROM``: the rows of one table under the names that a query may use for its columns,
perhaps filtered, and perhaps with the windows of a table function or a row number. Views, tables of ``WITH`` and
subqueries are seen through. Where a query groups, joins, ranks or aggregates by OVER, the result is a table of its own,
whose rows a ``Stage`` computes: one operator of a scenario. So a query is a chain of stages, and each of them is a
scenario.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tidemark.simulator.limits import SQL_VIEWS
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.expressions import CLOCK, Computed, compiled
from tidemark.simulator.sql.tables import CURRENT_WATERMARK, Column, Table, full_name
from tidemark.simulator.sql.text import sql_text
from tidemark.simulator.sql.times import milliseconds, written

ENDS: Final = ("window_start", "window_end", "window_time")
"""The columns of a window: of rows that are computed of one, as they are; those that a table function adds to rows
have ``UNASSIGNED`` before their names within, since no row has one window there."""
UNASSIGNED: Final = "#"
START: Final = syntax.Place(1, 1)
RANK: Final = "#rank"
"""What the row number of a subquery is called within; no name of SQL can be this."""


@dataclass(frozen=True)
class Window:
    """A window table function: its name, the assigner as a scenario writes it, whether it goes by the clock, and for
    sessions the columns that it is partitioned by.

    ``attached``: whether the rows were computed of such windows and have them as columns, so that nothing is assigned.
    """

    name: str
    assigner: Mapping[str, Any]
    processing: bool
    partition: tuple[str, ...]
    place: syntax.Place
    attached: bool = False


@dataclass(frozen=True)
class Relation:
    """Rows of one table. ``columns``: what the query calls each of its columns → the column of the table, one of
    ``ENDS`` with ``UNASSIGNED`` before it, or ``RANK``; ``qualified``: more names for them, None for one that two
    tables have.

    ``where``: what must be TRUE of a row, in the names of the table's columns.
    """

    table: Table
    columns: Mapping[str, str]
    alias: str | None
    place: syntax.Place
    window: Window | None = None
    rank: syntax.OverWindow | None = None
    where: tuple[syntax.Expression, ...] = ()
    qualified: Mapping[str, str | None] = field(default_factory=dict)

    def has(self, path: syntax.Path) -> bool:
        """Whether ``path`` names a column of this relation, or a member of one that is a ROW."""
        return self._name(path) is not None

    def _name(self, path: syntax.Path) -> str | None:
        names = [each.text for each in path.names]
        of_alias = [".".join(names[1:])] if len(names) > 1 and names[0] == self.alias else []
        known = (*of_alias, ".".join(names))
        return next((each for each in known if each in self.qualified or each in self.columns), None)

    def find(self, path: syntax.Path) -> str:
        """What the column is called within. Raises ``SqlProblem`` if there is none of this name, or two."""
        name = self._name(path)
        if name is None:
            raise syntax.SqlProblem("no_column", path.place, name=str(path), table=self.alias or self.table.name,
                             columns=", ".join(self.columns))  # fmt: skip
        found = self.qualified.get(name, self.columns.get(name))
        if found is None:
            raise self.ambiguous(path.last, path.place)
        return found

    def ambiguous(self, name: str, place: syntax.Place) -> syntax.SqlProblem:
        """That two columns are called ``name``: one of each table of a join, or one of rows and one of their window."""
        return syntax.SqlProblem("ambiguous" if self.window is None else "ambiguous_window", place, name=name)

    def end_of(self, expression: syntax.Expression) -> str:
        """Which of ``ENDS`` of the relation's window ``expression`` is; "" if it is none."""
        if self.window is None or not isinstance(expression, syntax.Path) or not self.has(expression):
            return ""
        name = self.find(expression)
        end = name if self.window.attached else name.removeprefix(UNASSIGNED)
        return end if end in ENDS and (self.window.attached or end != name) else ""

    def column(self, path: syntax.Path) -> Column:
        """The column of the table. Raises ``SqlProblem`` if there is none, or it is one of the window."""
        found = self.table.columns.get(self.find(path))
        if found is None:
            raise syntax.SqlProblem("window_column", path.place, name=path.last)
        return found

    def by_time(self, path: syntax.Path) -> "Relation":
        """The same rows, by the time attribute ``path`` where they have several."""
        name = self.find(path)
        if name not in self.table.times or name == self.table.rowtime:
            return self
        # Each row has another time, so the stage is another one.
        return replace(self, table=replace(self.table, rowtime=name, stage=replace(self.table.stage)))

    def within(self, expression: syntax.Expression) -> syntax.Expression:
        """``expression`` in the names of the table's columns. Raises ``SqlProblem`` for one that has no value here."""

        def path(of: syntax.Path) -> syntax.Path:
            column = self.column(of)
            if column.problem is not None:
                raise column.problem
            return as_path(column.name, of.place)

        def call(of: syntax.Call) -> syntax.Expression:
            if of.name != "CURRENT_WATERMARK" or len(of.arguments) != 1 or not isinstance(of.arguments[0], syntax.Path):
                return of
            column, known = self.column(of.arguments[0]), self.table.columns.get(CURRENT_WATERMARK)
            if column.name != self.table.rowtime or known is None or known.source:
                return of
            return as_path(CURRENT_WATERMARK, of.place)

        return mapped(expression, path, call)

    def compiled(self, expression: syntax.Expression) -> Computed:
        """What ``expression`` computes of a row of the table. Raises ``SqlProblem``."""
        return compiled(self.within(expression), self.table.values, self.table.zone)

    def filtered(self, *conditions: syntax.Expression) -> "Relation":
        """The rows for which each of ``conditions`` is TRUE. Raises ``SqlProblem`` for one that is no condition."""
        for each in conditions:
            found = self.compiled(each)
            if found.type not in ("boolean", "null"):
                raise syntax.SqlProblem("no_condition", each.place, type=str(found))
            if found.clock:
                raise syntax.SqlProblem("clock_condition", each.place)
        return replace(self, where=(*self.where, *(self.within(each) for each in conditions)))

    def with_column(self, expression: syntax.Expression, hint: str = "") -> "tuple[Relation, str]":
        """A column of the table that has the value of ``expression``, and the relation with it.

        ``hint``: what it is best called. Raises ``SqlProblem`` for what cannot be computed.
        """
        if isinstance(expression, syntax.Path):
            name = self.find(expression)
            column = self.table.columns.get(name)
            if column is not None and column.problem is not None:
                raise column.problem
            return self, name
        if isinstance(expression, syntax.Call) and expression.name == "PROCTIME" and not expression.arguments:
            clock = Column(CLOCK, "proctime", "TIMESTAMP_LTZ(3)", CLOCK)
            return replace(self, table=replace(self.table, columns={**self.table.columns, CLOCK: clock})), CLOCK
        inner, computed = self.within(expression), self.compiled(expression)
        if computed.clock:
            raise syntax.SqlProblem("clock_value", expression.place, what=syntax.construct(expression))
        for name, column in self.table.columns.items():
            if column.expression is not None and sql_text(column.expression) == sql_text(inner):
                return self, name
        name = fresh(hint or name_for(inner), self.table.columns)
        return replace(self, table=self.table.with_computed(name, inner, computed)), name


def as_path(name: str, place: syntax.Place) -> syntax.Path:
    """The column ``name``, whose dots are those of members of a ROW."""
    return syntax.Path(tuple(syntax.Name(each, place) for each in name.split(".")), place)


def name_for(expression: syntax.Expression) -> str:
    """A name for what ``expression`` computes: its letters and digits."""
    letters = "".join(each if each.isalnum() else " " for each in sql_text(expression).lower())
    return "_".join(letters.split())[:30].rstrip("_") or "computed"


def fresh(name: str, known: Iterable[str]) -> str:
    """``name``, with a number behind it where it is ``known``."""
    names = set(known)
    return next(each for each in (name, *(f"{name}_{n}" for n in range(2, 10_000))) if each not in names)


def unique(name: str, known: Iterable[str]) -> str:
    """``name``, or as Calcite names a column where it is ``known``: with a number from 0 behind it."""
    names = set(known)
    return next(each for each in (name, *(f"{name}{n}" for n in range(10_000))) if each not in names)


def columns_of(expression: syntax.Expression) -> list[str]:
    """The columns that stand in ``expression``, in its order."""
    return list(map(str, paths_of(expression)))


def paths_of(expression: syntax.Expression) -> list[syntax.Path]:
    """Where columns stand in ``expression``, in its order."""
    found: list[syntax.Path] = []

    def note(path: syntax.Path) -> syntax.Path:
        found.append(path)
        return path

    mapped(expression, note)
    return found


def mapped(
    expression: syntax.Expression,
    path: Callable[[syntax.Path], syntax.Expression],
    call: Callable[[syntax.Call], syntax.Expression] = lambda call: call,
) -> syntax.Expression:
    """``expression`` with ``path`` done to each name of a column in it, and ``call`` to each call before that."""
    if isinstance(expression, syntax.Call) and (found := call(expression)) is not expression:
        return found
    match expression:
        case syntax.Path():
            return path(expression)
        case syntax.Operation():
            return replace(expression, operands=tuple(mapped(each, path, call) for each in expression.operands))
        case syntax.Cast():
            return replace(expression, of=mapped(expression.of, path, call))
        case syntax.Call():
            condition = None if expression.filter is None else mapped(expression.filter, path, call)
            arguments = tuple(mapped(each, path, call) for each in expression.arguments)
            return replace(expression, arguments=arguments, filter=condition)
        case syntax.Beyond():
            raise syntax.beyond(expression)
        case _:
            return expression


@dataclass(frozen=True)
class Scope:
    """The tables and views that a query can name.

    ``plan``: finds the relation that a query within means. ``common``: the tables of its ``WITH``, which have no
    database, each with the scope within: what stands before it.
    """

    tables: Mapping[str, Table]
    views: Mapping[str, syntax.Query]
    plan: "Callable[[syntax.Query, Scope], Relation]"
    common: Mapping[str, "tuple[syntax.Query, Scope]"] = field(default_factory=dict)
    depth: int = 0

    def relation(self, source: syntax.Source) -> Relation:
        """The rows of ``source``. Raises ``SqlProblem`` for a join, which is none of its rows alone."""
        if isinstance(source, syntax.TableSource):
            if source.as_of is not None:
                raise syntax.SqlProblem("as_of_alone", source.place)
            return self._named(source.table, source.alias)
        if isinstance(source, syntax.FunctionSource):
            return self._windowed(source)
        if isinstance(source, syntax.QuerySource):
            alias = source.alias.text if source.alias else None
            return replace(self.plan(source.query, self), alias=alias, place=source.place, qualified={})
        raise TypeError(source)  # the planner takes joins apart

    def _named(self, path: syntax.Path, alias: syntax.Name | None) -> Relation:
        known_as = alias.text if alias else path.last
        table = self.tables.get(full_name(path))
        view = self.view(path)
        if view is not None:
            query, scope = view
            if scope.depth > SQL_VIEWS:
                raise syntax.SqlProblem("views_too_deep", path.place, limit=SQL_VIEWS)
            return replace(scope.plan(query, scope), alias=known_as, place=path.place, qualified={})
        if table is None:
            known = ", ".join([*self.tables, *self.views, *self.common])
            raise syntax.SqlProblem("no_table" if known else "no_tables", path.place, name=str(path), tables=known)
        visible = {name: name for name, each in table.columns.items() if name != CURRENT_WATERMARK or each.source}
        return Relation(table, visible, known_as, path.place)

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

    def _windowed(self, source: syntax.FunctionSource) -> Relation:
        call = source.call
        parameters = _PARAMETERS[call.name]
        given = _arguments(call, parameters)
        data, time = given["DATA"], given["TIMECOL"]
        if isinstance(data, syntax.ScalarQuery):
            inner = self.relation(syntax.QuerySource(data.query, None, data.place))
        elif isinstance(data, syntax.TableArgument):
            inner = self._named(data.table, None)
        else:
            raise syntax.SqlProblem("data_argument", data.place, name=call.name)
        if inner.rank is not None:
            raise syntax.SqlProblem("rank_inside", data.place)
        if not (isinstance(time, syntax.Call) and time.name == "DESCRIPTOR" and len(time.arguments) == 1):
            raise syntax.SqlProblem("descriptor", time.place)
        column = time.arguments[0]
        if not isinstance(column, syntax.Path) or len(column.names) > 1:
            raise syntax.SqlProblem("descriptor", time.place)
        if inner.window is not None and not inner.window.attached:
            raise syntax.SqlProblem("window_of_window", data.place)
        inner = inner.by_time(column)
        processing = time_of(inner, column)
        keys = data.partition if isinstance(data, syntax.TableArgument) else ()
        partition = tuple(inner.find(syntax.Path((each,), each.place)) for each in keys)
        if keys and call.name != "SESSION":
            raise syntax.SqlProblem("partition", keys[0].place, name=call.name)
        assigner: dict[str, Any] = {"type": _TYPES[call.name]}
        for name in parameters[2:]:
            if name in given:
                ms = milliseconds(given[name])
                if name != "OFFSET" and ms <= 0:
                    raise syntax.SqlProblem("positive", given[name].place)
                assigner[_FIELDS[call.name, name]] = written(ms)
        alias = source.alias.text if source.alias else None
        names = {unique(each, inner.columns): UNASSIGNED + each for each in ENDS}
        # Flink cannot tell columns of a window from columns of the rows that are called the same: no query names them.
        twice = [*(each for each in ENDS if each in inner.columns), *(each for each in names if each not in ENDS)]
        return replace(
            inner, columns={**inner.columns, **names}, alias=alias, place=source.place,
            window=Window(call.name, assigner, processing, partition, call.place), qualified=dict.fromkeys(twice),
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
        refuse_continuous(relation.table)
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


@dataclass(frozen=True)
class Input:
    """One input of an operator: rows of ``table``.

    ``keys``: the columns that they are keyed by; none: all rows have one key. ``values``: the columns that a record has
    beside these. ``where``: the condition of each row. ``order``: the columns that rank the rows.
    ``newer_only``: Flink drops a row that is older than one of the same key before it, which a scenario would not.
    """

    table: Table
    keys: tuple[str, ...]
    values: tuple[str, ...]
    where: tuple[syntax.Expression, ...] = ()
    order: tuple[str, ...] = ()
    newer_only: bool = False

    def needed(self, *more: Iterable[str]) -> tuple[str, ...]:
        """The columns of the table that are not computed, of which a record is made."""
        names = [*self.keys, *self.values, *(name for each in more for name in each)]
        names += [name for each in self.where for name in columns_of(each)]
        found: list[str] = []
        for name in names:
            column = self.table.columns[name]
            found += [name] if column.computed is None else sorted(column.computed.columns)
        readable = [
            name for name, each in self.table.columns.items() if each.computed is None and name in self.table.values
        ]
        return tuple(each for each in readable if each in found) or tuple(readable[:1])


@dataclass(frozen=True)
class Pairing:
    """Which rows the query makes of those of both sides of a window, or of an interval join.

    ``kind``: ``left``, ``right`` and ``full``, the outer joins; ``semi`` and ``anti``: rows of the left side with or
    without a partner. ``where``: what holds for partners beside the key, in the names of the emitted columns. ``of``:
    the equality of ``NOT IN``, whose partners are also those of which a NULL leaves it open.
    """

    kind: str
    where: tuple[syntax.Expression, ...]
    of: syntax.Expression | None = None

    def columns(self) -> set[str]:
        """The columns that the conditions look at."""
        return {name for each in (*self.where, *([self.of] if self.of else [])) for name in columns_of(each)}


@dataclass(frozen=True)
class Stage:
    """One operator of a scenario, and the columns of the rows that it emits.

    ``operator``: as a scenario file has it, without its function where there are ``aggregates``: by name, in terms of
    the input's columns. ``inputs``: by their names in the file, in its order. ``sides``: what the columns of each input
    are called in a row. ``notes``: words below ``sql.notes``.
    ``window``: the windows that the rows have already, where the operator knows no more than their ends. ``rows``:
    whether a window is emitted as its rows, of which the aggregates collect the columns. ``problem``: why no scenario
    does it; then its rows are computed without one. ``order``: of rows that are sorted.
    ``never_late``: Flink's SQL operator treats late records in another way than the scenario's, so there must be none.
    ``ranks``: whether the text says it in two parts, a row number in a subquery and its limit around that. ``pairing``:
    of a coGroup, and of an outer interval join. ``place``: where the SELECT, or what is joined, stands in the text.
    """

    operator: Mapping[str, Any]
    inputs: Mapping[str, Input]
    aggregates: Mapping[str, syntax.Call] = field(default_factory=dict)
    sides: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    processing: bool = False
    never_late: bool = False
    notes: tuple[str, ...] = ()
    pairing: Pairing | None = None
    ranks: bool = False
    place: syntax.Place = START
    window: Mapping[str, Any] | None = None
    rows: bool = False
    problem: syntax.SqlProblem | None = None
    order: tuple[syntax.SortKey, ...] = ()

    def tables(self) -> list[Table]:
        """The tables of the inputs."""
        return [each.table for each in self.inputs.values()]


def refuse_beyond(select: syntax.Select, around: Sequence[syntax.Beyond] = ()) -> None:
    """Raise ``SqlProblem`` for the first part of ``select`` that no scenario can say.

    ``around``: what the query has around it, such as ORDER BY."""
    refusals = [syntax.beyond(each) for each in (*select.beyond, *around)]
    if refusals:
        raise min(refusals, key=lambda each: each.place)


GROUPINGS: Final = ("GROUPING SETS", "ROLLUP", "CUBE")
"""Calls in GROUP BY that stand for several sets of keys."""


def need_names(select: syntax.Select, relation: Relation) -> None:
    """Raise ``SqlProblem`` for GROUPING SETS without a window table function, and for what other dialects take in GROUP
    BY and Flink does not: the number of a column of SELECT, which is a constant, and a name that SELECT gives."""
    aliases = {item.alias.text for item in select.items if item.alias is not None}
    for each in select.group or ():
        if isinstance(each, syntax.Literal) and each.kind == "number":
            raise syntax.SqlProblem("group_position", each.place, number=each.text)
        if isinstance(each, syntax.Call) and each.name in GROUPINGS and relation.window is None:
            raise syntax.SqlProblem("beyond", each.place, what=each.name)
        if isinstance(each, syntax.Path) and not relation.has(each) and str(each) in aliases:
            raise syntax.SqlProblem("group_alias", each.place, name=str(each))


def need_rows(relation: Relation) -> None:
    """Raise ``SqlProblem`` if the rows of ``relation`` also update and delete earlier ones."""
    if relation.table.changelog:
        refuse_continuous(relation.table)
        raise syntax.SqlProblem("changelog", relation.place, table=relation.table.name)


def refuse_continuous(table: Table) -> None:
    """Raise ``SqlProblem`` if no scenario computes ``table``."""
    if isinstance(table.stage, Stage) and table.stage.problem is not None:
        raise table.stage.problem


def need_attributes(relation: Relation) -> None:
    """Raise ``SqlProblem`` for the rows of a window table function: their old time attribute is none any more."""
    if relation.window is not None and not relation.window.attached:
        raise syntax.SqlProblem("over_window", relation.window.place, window=relation.window.name)


def need_rowtime(table: Table, place: syntax.Place) -> str:
    """The time attribute of ``table``. Raises ``SqlProblem`` if it has none."""
    if table.rowtime is None:
        refuse_continuous(table)
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
