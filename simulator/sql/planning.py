"""From a query to the relation that it means: what Flink's planner does, as far as scenarios can follow."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.aggregates import (
    Aggregation,
    aggregates_in,
    aggregation,
    continuous,
    over,
)
from tidemark.simulator.sql.joins import joined, semi_joined, subquery
from tidemark.simulator.sql.ranks import by_rank, with_rank
from tidemark.simulator.sql.reading import (
    ENDS,
    RANK,
    Input,
    Relation,
    Scope,
    Stage,
    as_path,
    conjunction,
    need_rows,
    paths_of,
    refuse_beyond,
    unique,
)
from tidemark.simulator.sql.tables import Settings, plain_column
from tidemark.simulator.sql.unions import united, with_windows

_DISTINCT: Final = "SELECT DISTINCT"
Output = Callable[[syntax.Expression], syntax.Expression]
"""An expression of SELECT in terms of the relation's own columns."""


def planner(settings: Settings) -> Callable[[syntax.Query, Scope], Relation]:
    """What finds the relation of a query in its scope; it raises ``SqlProblem`` for one that no scenarios follow."""

    def plan(query: syntax.Query, scope: Scope) -> Relation:
        scope = scope.with_tables_of(query)
        if query.union is not None:
            refuse_all(query)
            each_of = [plan(each, scope) if isinstance(each, syntax.Query) else _select(each, scope, settings)
                       for each in query.union.selects]  # fmt: skip
            relation = united(each_of, query.union)
        elif query.select is None:
            raise syntax.beyond(query.beyond[0])
        else:
            relation = _select(query.select, scope, settings, query.beyond)
        if not query.columns:
            return relation
        if len(query.columns) != len(relation.columns):
            raise syntax.SqlProblem("column_list", query.columns[0].place, count=len(relation.columns))
        names = zip(query.columns, relation.columns.values(), strict=True)
        return replace(relation, columns={name.text: of for name, of in names}, qualified={})

    return plan


def sorted_by_time(relation: Relation, order: syntax.OrderBy) -> Relation:
    """``relation`` behind an ``ORDER BY`` of its time, and perhaps of more (Flink's ``TemporalSort``).

    Raises ``SqlProblem`` for another order.
    """
    problem = syntax.beyond(order)
    columns = [relation.find(key.by) for key in order.keys
               if isinstance(key.by, syntax.Path) and relation.has(key.by)]  # fmt: skip
    table, first = relation.table, order.keys[0]
    windowed = relation.window is not None and not relation.window.attached
    if len(columns) < len(order.keys) or columns[0] != table.rowtime or first.descending or table.changelog or windowed:
        raise problem
    if relation.rank is not None or not set(columns) <= table.values.keys():
        raise problem
    keys = tuple(replace(key, by=as_path(name, key.place)) for key, name in zip(order.keys, columns, strict=True))
    input = Input(table, (), tuple(table.values), relation.where, tuple(columns))
    stage = Stage({"type": "sort"}, {"events": input}, place=order.place, problem=problem, order=keys)
    emitted = {name: plain_column(each) for name, each in table.columns.items()}
    return replace(relation, table=replace(table, columns=emitted, bound=0, stage=stage), where=())


def refuse_all(query: syntax.Query) -> None:
    """Raise ``SqlProblem`` for what stands around ``query``."""
    for each in query.beyond:
        raise syntax.beyond(each)


def _select(select: syntax.Select, scope: Scope, settings: Settings, around: Sequence[syntax.Beyond] = ()) -> Relation:
    distinct = next((each for each in select.beyond if each.what == _DISTINCT), None)
    select = replace(select, beyond=tuple(each for each in select.beyond if each is not distinct))
    refuse_beyond(select, around)
    conditions = conjunction(select.where)
    if isinstance(select.source, syntax.JoinSource):
        relation, conditions = joined(select.source, scope, conditions), []
    else:
        relation = scope.relation(select.source)
    if _looks_at_windows(select, conditions, relation):
        relation = with_windows(relation)
    if relation.rank is not None or select.qualify is not None:
        relation = by_rank(select, relation)
    else:
        within = {each for each in conditions if subquery(each) is not None}
        relation = relation.filtered(*(each for each in conditions if each not in within))
        for each in conditions:
            if (found_within := subquery(each)) is not None:
                relation = semi_joined(relation, found_within, scope, select.place)
    output: Output = relation.within
    if distinct is not None:
        relation, found = _distinct(select, relation, distinct, settings)
        output = found.output
    elif select.group is not None or _is_one_group(select):
        relation, found = aggregation(replace(select, group=select.group or ()), relation, settings)
        output = found.output
    elif any(map(_is_over, (item.of for item in select.items))):
        relation, output = over(select, relation)
    if select.having is not None:
        if select.group is None and not _is_one_group(select):
            raise syntax.SqlProblem("having", select.having.place)
        where = _bare(relation).filtered(*map(output, conjunction(select.having))).where
        relation = replace(relation, where=where)
    return _projected(select, relation, output)


def _looks_at_windows(select: syntax.Select, conditions: Sequence[syntax.Expression], relation: Relation) -> bool:
    """Whether a condition or an expression of rows has a column of the window, so that each row needs its own."""

    def looks(expression: syntax.Expression | None) -> bool:
        return expression is not None and any(map(relation.end_of, paths_of(expression)))

    if relation.window is None or relation.window.attached:
        return False
    grouped = select.group is not None
    of_rows: list[syntax.Expression | None] = [each for each in conditions if subquery(each) is None]
    of_rows += (each for each in select.group or () if not isinstance(each, syntax.Path))
    for item in select.items:
        if isinstance(item.of, syntax.Path) or (isinstance(item.of, syntax.Call) and item.of.over is not None):
            continue
        of_rows += aggregates_in(item.of) if grouped else [item.of]
    return any(map(looks, (*of_rows, *aggregates_in(select.having))))


def _is_one_group(select: syntax.Select) -> bool:
    """Whether all rows are one group: there are aggregates, and no column beside them."""
    items = [each.of for each in select.items if each.of is not None]
    found = [one for each in items for one in aggregates_in(each)]
    return bool(found) and len(items) == len(select.items) and not any(map(_is_over, items))


def _distinct(
    select: syntax.Select, relation: Relation, distinct: syntax.Beyond, settings: Settings
) -> tuple[Relation, Aggregation]:
    """``SELECT DISTINCT``, which is a ``GROUP BY`` of all its columns. Raises ``SqlProblem`` for one of groups."""
    items = [each.of for each in select.items if each.of is not None]
    if select.group is not None or len(items) < len(select.items) or any(map(aggregates_in, items)):
        raise syntax.beyond(distinct)
    select = replace(select, group=tuple(items))
    if set(ENDS[:2]) <= set(map(relation.end_of, items)):
        return aggregation(select, relation, settings)
    need_rows(relation)
    return continuous(select, relation, syntax.beyond(distinct))


def _bare(relation: Relation) -> Relation:
    """``relation`` with its columns under the names that its table has for them."""
    return replace(relation, columns={name: name for name in relation.table.columns}, alias=None, qualified={})


def _is_over(expression: syntax.Expression | None) -> bool:
    """Whether a function over OVER stands in ``expression``, but for a row number by itself, which ranks."""
    match expression:
        case syntax.Call():
            is_rank = expression.name == "ROW_NUMBER"
            return (expression.over is not None and not is_rank) or any(map(_is_over, expression.arguments))
        case syntax.Operation():
            return any(map(_is_over, expression.operands))
        case syntax.Cast():
            return _is_over(expression.of)
        case _:
            return False


def _projected(select: syntax.Select, relation: Relation, output: Output) -> Relation:
    """``relation`` with the columns that SELECT names."""
    columns: dict[str, str] = {}
    as_is = output == relation.within
    for number, item in enumerate(select.items):
        expression = item.of
        if expression is None:
            for name, of in _star(item, relation).items():
                columns[unique(name, columns)] = of
            continue
        unnamed = expression.last if isinstance(expression, syntax.Path) else f"EXPR${number}"
        name = unique(unnamed if item.alias is None else item.alias.text, columns)
        if isinstance(expression, syntax.Call) and expression.name == "ROW_NUMBER" and expression.over is not None:
            if select.qualify is not None:
                columns[name] = next(
                    each for each in reversed(list(relation.table.columns)) if each.startswith("row_number")
                )
                continue
            if relation.rank is not None:
                raise syntax.SqlProblem("two_ranks", item.place)
            relation = with_rank(relation, item, select)
            columns[name] = RANK
        elif isinstance(expression, syntax.Path) and as_is:
            columns[name] = relation.find(expression)
        else:
            found, columns[name] = _bare(relation).with_column(output(expression), name)
            relation = replace(relation, table=found.table)
    return replace(relation, columns=columns, alias=None, qualified={})


def _star(item: syntax.Item, relation: Relation) -> Mapping[str, str]:
    """The columns that ``*`` or ``name.*`` stands for. Raises ``SqlProblem`` if the name is another one."""
    if item.table is None or item.table.text == relation.alias:
        if relation.window is not None and None in relation.qualified.values():
            raise relation.ambiguous(next(name for name, of in relation.qualified.items() if of is None), item.place)
        return relation.columns
    prefix = item.table.text + "."
    of_side = {
        name.removeprefix(prefix): of for name, of in relation.qualified.items() if name.startswith(prefix) and of
    }
    if not of_side:
        sides = dict.fromkeys(name.partition(".")[0] for name in relation.qualified if "." in name)
        known = ", ".join(sides) or relation.alias or ""
        raise syntax.SqlProblem("no_table", item.table.place, name=item.table.text, tables=known)
    return of_side
