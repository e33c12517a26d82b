"""From a query to the relation that it means: what Flink's planner does, as far as scenarios can follow."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.aggregates import aggregates_in, aggregation, over
from tidemark.simulator.sql.joins import joined, semi_joined, subquery
from tidemark.simulator.sql.ranks import by_rank, with_rank
from tidemark.simulator.sql.reading import (
    ENDS,
    RANK,
    Relation,
    Scope,
    conjunction,
    paths_of,
    refuse_beyond,
    unique,
)
from tidemark.simulator.sql.tables import Settings
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
        select = _grouped_by_all(select, relation, distinct)
    if select.group is not None:
        relation, found = aggregation(select, relation, settings)
        output = found.output
    elif any(map(_is_over, (item.of for item in select.items))):
        relation, output = over(select, relation)
    if select.having is not None:
        if select.group is None:
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


def _grouped_by_all(select: syntax.Select, relation: Relation, distinct: syntax.Beyond) -> syntax.Select:
    """``SELECT DISTINCT`` of windows, which is a ``GROUP BY`` of all its columns. Raises ``SqlProblem`` for others."""
    items = [each.of for each in select.items if each.of is not None]
    ends = set(map(relation.end_of, items))
    if select.group is not None or len(items) < len(select.items) or not set(ENDS[:2]) <= ends:
        raise syntax.beyond(distinct)
    return replace(select, group=tuple(items))


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
