"""Queries by row number: deduplication and window Top-N."""

from dataclasses import replace
from typing import Any

from tidemark.simulator.sql.reading import (
    Input,
    Reading,
    computed,
    key_of,
    need_rows,
    need_rowtime,
    refuse_beyond,
    selected_values,
)
from tidemark.simulator.sql.relations import RANK, Relation, Scope, all_columns, over_of
from tidemark.simulator.sql.syntax import (
    Call,
    Expression,
    JoinSource,
    Literal,
    Operation,
    OverWindow,
    Path,
    Select,
    SqlProblem,
    TableSource,
    construct,
)


def by_rank(select: Select, relation: Relation) -> Reading:
    """``… WHERE rn <= n`` over a row number, or ``QUALIFY ROW_NUMBER() … <= n``."""
    refuse_beyond(select, where=False)
    need_rows(relation)
    if select.group is not None:
        raise SqlProblem("group_inside", select.place)
    _check_items(select, relation)
    if relation.rank is not None:
        if select.where is None:
            raise SqlProblem("rank_without_limit", select.place)
        if select.qualify is not None:
            raise SqlProblem("beyond", select.qualify.place, what="QUALIFY")
        window, most = relation.rank, _limit(select.where, select, relation)
    else:
        assert select.qualify is not None
        if select.where is not None:
            raise SqlProblem("where", select.where.place)
        window, most = _qualified(select.qualify, select), _limit(select.qualify, select, relation)
    if relation.window is not None:
        return _top_n(select, relation, window, most)
    return _deduplicate(select, relation, window, most)


def versioned(source: TableSource, scope: Scope) -> Relation | None:
    """The versioned view that ``source`` names: the newest row of each key, by event time; None if it names none.

    Flink's plan has its deduplication before the temporal join: a version that is older than the newest is dropped.
    Raises ``SqlProblem`` for a view by row number that has no versions.
    """
    found = scope.view(source.table)
    select = None if found is None else found[0].select
    if found is None or select is None or isinstance(select.source, JoinSource) or found[0].beyond:
        return None
    if select.where is None and select.qualify is None:
        return None
    inner = found[1].with_tables_of(found[0]).relation(select.source)
    if inner.rank is None and select.qualify is None:
        return None
    if inner.table.changelog:
        raise SqlProblem("versions_of_changelog", source.place, table=inner.table.name)
    reading = by_rank(select, inner)
    key = reading.inputs["events"].key
    if reading.operator != {"type": "deduplicate", "keep": "last"} or key is None:
        raise SqlProblem("versions_by_rank", source.place)
    columns: dict[str, str] = {}
    for item in select.items:
        if item.of is None:
            columns |= {name: of for name, of in inner.columns.items() if of != RANK}
        elif isinstance(item.of, Path):
            columns[item.alias.text if item.alias else item.of.last] = inner.find(item.of)
    if inner.table.rowtime not in columns.values():
        raise SqlProblem("versions_without_time", source.place, rowtime=inner.table.rowtime)
    table = replace(inner.table, primary_key=(key,))
    return Relation(table, columns, source.alias.text if source.alias else source.table.last, source.place)


def _check_items(select: Select, relation: Relation) -> None:
    """Only columns can be chosen, and beside QUALIFY the row number: an emitted row is the record as it is."""
    for item in select.items:
        if item.of is None:
            all_columns(item, relation)
        elif isinstance(item.of, Path):
            relation.find(item.of)
        elif relation.rank is not None or not (isinstance(item.of, Call) and item.of.name == "ROW_NUMBER"):
            raise computed(item.of, item.place)


def _qualified(condition: Expression, select: Select) -> OverWindow:
    """The window of the row number in ``condition``, which may be named by an alias of ``select``."""
    if isinstance(condition, Operation):
        for each in condition.operands:
            call: Expression | None = each
            if isinstance(each, Path):
                aliased = (item.of for item in select.items if item.alias and item.alias.text == each.last)
                call = next(aliased, None)
            if isinstance(call, Call) and call.name == "ROW_NUMBER":
                return over_of(call, select)
    raise SqlProblem("rank_limit", condition.place)


def _limit(condition: Expression, select: Select, relation: Relation) -> int:
    """The n of ``rn <= n``, ``rn < n + 1``, ``rn = 1``, ``n >= rn``, ``rn BETWEEN 1 AND n``."""
    if isinstance(condition, Operation) and _is_rank(condition.operands[0], select, relation):
        numbers = [_whole(each) for each in condition.operands[1:]]
        if condition.operator == "BETWEEN" and numbers[0] == 1:
            return _at_least_one(numbers[1], condition)
        if condition.operator in ("<=", "<") or (condition.operator == "=" and numbers[0] == 1):
            return _at_least_one(numbers[0] - (condition.operator == "<"), condition)
    elif isinstance(condition, Operation) and len(condition.operands) == 2:
        first, second = condition.operands
        if _is_rank(second, select, relation) and condition.operator in (">=", ">", "="):
            number = _whole(first)
            if condition.operator != "=" or number == 1:
                return _at_least_one(number - (condition.operator == ">"), condition)
    raise SqlProblem("rank_limit", condition.place)


def _is_rank(expression: Expression, select: Select, relation: Relation) -> bool:
    if isinstance(expression, Call):
        return expression.name == "ROW_NUMBER"
    if not isinstance(expression, Path):
        return False
    if relation.rank is not None:
        return relation.has(expression) and relation.find(expression) == RANK
    aliased = [item.of for item in select.items if item.alias and item.alias.text == expression.last]
    return any(isinstance(each, Call) and each.name == "ROW_NUMBER" for each in aliased)


def _whole(expression: Expression) -> int:
    if isinstance(expression, Literal) and expression.text.isdigit() and len(expression.text) < 10:
        return int(expression.text)
    raise SqlProblem("whole_number", expression.place)


def _at_least_one(number: int, condition: Expression) -> int:
    if number < 1:
        raise SqlProblem("rank_limit", condition.place)
    return number


def _deduplicate(select: Select, relation: Relation, window: OverWindow, most: int) -> Reading:
    """Of each key the first or the last row by event time (Flink's ``Deduplicate``)."""
    rowtime = need_rowtime(relation.table, select.place)
    if most != 1:
        raise SqlProblem("top_n_without_window", select.place)
    if len(window.order) != 1 or window.frame is not None:
        raise SqlProblem("deduplicate_order", window.place)
    order = window.order[0]
    if not isinstance(order.by, Path) or _name(order.by, relation) != rowtime or order.nulls:
        raise SqlProblem("deduplicate_order", order.place)
    key = _key(window, relation)
    operator = {"type": "deduplicate", "keep": "last" if order.descending else "first"}
    return Reading(operator, {"events": Input(relation.table, key, selected_values(select, relation, key))})


def _top_n(select: Select, relation: Relation, window: OverWindow, most: int) -> Reading:
    """The n largest or smallest values of each window and key (Flink's ``WindowRank``)."""
    function = relation.window
    assert function is not None
    if function.assigner["type"] == "session":
        raise SqlProblem("top_n_session", function.place)
    if function.processing:
        raise SqlProblem("top_n_processing", function.place)
    ends = {_name(each, relation) for each in window.partition if isinstance(each, Path)}
    if not {"window_start", "window_end"} <= ends:
        raise SqlProblem("top_n_partition", window.place)
    if len(window.order) != 1 or window.frame is not None:
        raise SqlProblem("top_n_order", window.place)
    order = window.order[0]
    if isinstance(order.by, Path) and _name(order.by, relation) == relation.table.rowtime:
        raise SqlProblem("window_deduplication", order.place, rowtime=relation.table.rowtime)
    column = relation.table.columns.get(_name(order.by, relation)) if isinstance(order.by, Path) else None
    if column is None or column.kind not in ("integer", "double", "decimal") or order.nulls:
        raise SqlProblem("top_n_order", order.place)
    key = _key(window, relation)
    operator: dict[str, Any] = {"type": "window-top-n", "assigner": dict(function.assigner), "n": most,
                                "order": "desc" if order.descending else "asc"}  # fmt: skip
    return Reading(operator, {"events": Input(relation.table, key, (column.name,), no_nulls=True)})


def _key(window: OverWindow, relation: Relation) -> str | None:
    paths = []
    for each in window.partition:
        if not isinstance(each, Path):
            raise SqlProblem("key_expression", each.place, what=construct(each))
        if _name(each, relation) not in ("window_start", "window_end", "window_time"):
            paths.append(each)
    # Of a subquery, the names within OVER are already those of the table.
    inside = Relation(relation.table, {each: each for each in relation.table.columns}, None, relation.place)
    return key_of(paths, inside if relation.rank is not None else relation)


def _name(path: Path, relation: Relation) -> str:
    """The column of the table that a name within OVER means."""
    return path.last if relation.rank is not None else relation.find(path)
