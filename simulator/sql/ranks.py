"""Queries by row number: deduplication and window Top-N, and the views of newest rows that a temporal join reads."""

from dataclasses import replace
from typing import Any, Final

from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.aggregates import assigner_of
from tidemark.simulator.sql.reading import (
    ENDS,
    RANK,
    UNASSIGNED,
    Input,
    Relation,
    Stage,
    Window,
    as_path,
    conjunction,
    fresh,
    need_rows,
    over_of,
)
from tidemark.simulator.sql.tables import Column, plain_column
from tidemark.simulator.sql.text import sql_text
from tidemark.simulator.sql.unions import with_windows

_RANKED: Final = ("integer", "double", "decimal", "text", "boolean", "time", "date")
"""Kinds of columns by which a Top-N puts rows in order."""
_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def with_rank(relation: Relation, item: syntax.Item, select: syntax.Select) -> Relation:
    """``relation`` with the row number of ``item``, whose window is in the names of the table's columns."""
    assert isinstance(item.of, syntax.Call)
    window = over_of(item.of, select)
    if relation.window is not None and relation.window.assigner["type"] == "session":
        relation = with_windows(relation)
    for each in window.order:
        relation = relation.by_time(each.by) if isinstance(each.by, syntax.Path) else relation

    def inner(expression: syntax.Expression) -> syntax.Expression:
        nonlocal relation
        end = relation.end_of(expression)
        if end:
            return syntax.Path((syntax.Name(end, expression.place),), expression.place)
        relation, name = relation.with_column(expression)
        return syntax.Path((syntax.Name(name, expression.place),), expression.place)

    rank = replace(window, partition=tuple(map(inner, window.partition)),
                   order=tuple(replace(each, by=inner(each.by)) for each in window.order))  # fmt: skip
    return replace(relation, rank=rank)


def by_rank(select: syntax.Select, relation: Relation) -> Relation:
    """``… WHERE rn <= n`` over a row number, or ``QUALIFY ROW_NUMBER() … <= n``: the rows that are left, with the other
    conditions of WHERE. Raises ``SqlProblem``."""
    need_rows(relation)
    if select.group is not None and relation.rank is None:
        raise syntax.SqlProblem("group_of_rank", select.place)
    conditions = conjunction(select.where)
    if relation.rank is not None:
        if select.qualify is not None:
            raise syntax.SqlProblem("beyond", select.qualify.place, what="QUALIFY")
        ranked = [each for each in conditions if _names_rank(each, select, relation)]
        if not ranked:
            raise syntax.SqlProblem("rank_without_limit", select.place)
    else:
        assert select.qualify is not None
        relation = relation.filtered(*conditions)
        conditions = conjunction(select.qualify)
        ranked = [each for each in conditions if _names_rank(each, select, relation)] or conditions[:1]
        relation = with_rank(relation, _qualified(ranked[0], select), select)
    window, (first, last) = relation.rank, _places(ranked, select, relation)
    assert window is not None
    windowed = relation.window is not None and not _of_results(relation.window, window)
    if windowed:
        found = _top_n(select, relation, window, last)
        if first > 1:
            place, name = ranked[0].place, list(found.table.columns)[-1]
            least = syntax.Literal("number", str(first), place)
            beyond = syntax.Operation(">=", (as_path(name, place), least), place)
            found = replace(found, where=(*found.where, beyond))
    elif (first, last) == (1, 1) and _by_time(relation, window):
        found = _deduplicate(select, relation, window)
    else:
        found = _continuous_top_n(select, relation, window, first, last)
    return found.filtered(*(each for each in conditions if each not in ranked))


def _names_rank(condition: syntax.Expression, select: syntax.Select, relation: Relation) -> bool:
    operands = condition.operands if isinstance(condition, syntax.Operation) else ()
    return any(_is_rank(each, select, relation) for each in operands)


def _qualified(condition: syntax.Expression, select: syntax.Select) -> syntax.Item:
    """The row number in ``condition``, which may be named by an alias of ``select``."""
    if isinstance(condition, syntax.Operation):
        for each in condition.operands:
            if isinstance(each, syntax.Path):
                for item in select.items:
                    if item.alias and item.alias.text == each.last and _is_row_number(item.of):
                        return item
            if _is_row_number(each):
                return syntax.Item(each, None, None, each.place)
    raise syntax.SqlProblem("rank_limit", condition.place)


def _is_row_number(expression: syntax.Expression | None) -> bool:
    return isinstance(expression, syntax.Call) and expression.name == "ROW_NUMBER"


def _places(conditions: list[syntax.Expression], select: syntax.Select, relation: Relation) -> tuple[int, int]:
    """The first and the last row number that ``conditions`` let through: ``rn <= n``, ``rn = n``, ``n >= rn``, ``rn
    BETWEEN m AND n``."""
    first, last = 1, 0
    for each in conditions:
        low, high = _limits(each, select, relation)
        first = max(first, low)
        last = min(last or high, high) if high else last
    if not last or first > last:
        raise syntax.SqlProblem("rank_limit", conditions[0].place)
    return first, last


def _limits(condition: syntax.Expression, select: syntax.Select, relation: Relation) -> tuple[int, int]:
    """The least and the largest row number by one condition; 1 and 0 where it does not say."""
    if isinstance(condition, syntax.Operation):
        operator, operands = condition.operator, condition.operands
        if len(operands) == 2 and _is_rank(operands[1], select, relation):
            operator, operands = _TURNED.get(operator, operator), operands[::-1]
        if _is_rank(operands[0], select, relation):
            numbers = [_whole(each) for each in operands[1:]]
            match operator:
                case "BETWEEN":
                    return numbers[0], _at_least_one(numbers[1], condition)
                case "=":
                    return numbers[0], _at_least_one(numbers[0], condition)
                case "<=" | "<":
                    return 1, _at_least_one(numbers[0] - (operator == "<"), condition)
                case ">=" | ">":
                    return numbers[0] + (operator == ">"), 0
                case _:
                    pass
    raise syntax.SqlProblem("rank_limit", condition.place)


def _is_rank(expression: syntax.Expression, select: syntax.Select, relation: Relation) -> bool:
    if isinstance(expression, syntax.Call):
        return expression.name == "ROW_NUMBER"
    if not isinstance(expression, syntax.Path):
        return False
    if RANK in relation.columns.values():
        return relation.has(expression) and relation.find(expression) == RANK
    aliased = [item.of for item in select.items if item.alias and item.alias.text == expression.last]
    return any(map(_is_row_number, aliased))


def _whole(expression: syntax.Expression) -> int:
    if isinstance(expression, syntax.Literal) and expression.text.isdigit() and len(expression.text) < 10:
        return int(expression.text)
    raise syntax.SqlProblem("whole_number", expression.place)


def _at_least_one(number: int, condition: syntax.Expression) -> int:
    if number < 1:
        raise syntax.SqlProblem("rank_limit", condition.place)
    return number


def _of_results(function: Window, window: syntax.OverWindow) -> bool:
    """Whether rows that were computed of windows are ranked by another partition than these."""
    return function.attached and not set(ENDS[:2]) <= set(map(str, window.partition))


def _by_time(relation: Relation, window: syntax.OverWindow) -> bool:
    names = [str(each.by) for each in window.order if each.nulls is None]
    return window.frame is None and len(window.order) == 1 and names == [relation.table.rowtime]


def _continuous_top_n(
    select: syntax.Select, relation: Relation, window: syntax.OverWindow, first: int, last: int
) -> Relation:
    """The rows ``first`` to ``last`` of each key, which change as rows come (Flink's ``Rank``)."""
    if not window.order or window.frame is not None:
        raise syntax.SqlProblem("top_n_order", window.place)
    _check_order(relation, window)
    order = tuple(str(each.by) for each in window.order)
    keys = tuple(map(str, window.partition))
    found = _emitted(select.place, relation, {"type": "top-n"}, keys, order, changelog=True)
    table, stage = found.table, found.table.stage
    assert isinstance(stage, Stage)
    operator = {"type": "top-n", "first": first, "last": last, "rank": list(table.columns)[-1]}
    problem = syntax.SqlProblem("top_n_without_window", select.place)
    stage = replace(stage, operator=operator, problem=problem, order=window.order)
    return replace(found, table=replace(table, rowtime=None, stage=stage), window=None)


def _check_order(relation: Relation, window: syntax.OverWindow) -> None:
    for each in window.order:
        column = relation.table.columns.get(str(each.by))
        if column is None or column.kind not in _RANKED or column.name not in relation.table.values:
            raise syntax.SqlProblem("top_n_order", each.place)


def _deduplicate(select: syntax.Select, relation: Relation, window: syntax.OverWindow) -> Relation:
    """Of each key the first or the last row by event time (Flink's ``Deduplicate``)."""
    (order,) = window.order
    operator = {"type": "deduplicate", "keep": "last" if order.descending else "first"}
    keys = tuple(map(str, window.partition))
    return _emitted(select.place, relation, operator, keys, (), changelog=order.descending)


def _top_n(select: syntax.Select, relation: Relation, window: syntax.OverWindow, most: int) -> Relation:
    """The n largest or smallest values of each window and key (Flink's ``WindowRank``)."""
    function = relation.window
    assert function is not None
    if function.processing:
        raise syntax.SqlProblem("top_n_processing", function.place)
    if not set(ENDS[:2]) <= set(map(str, window.partition)):
        raise syntax.SqlProblem("top_n_partition", window.place)
    if not window.order or window.frame is not None:
        raise syntax.SqlProblem("top_n_order", window.place)
    _check_order(relation, window)
    order = tuple(str(each.by) for each in window.order)
    by_time = most == 1 and order == (relation.table.rowtime,)
    if by_time and function.attached:  # all rows of a window have one time, and which comes first is open
        raise syntax.SqlProblem("window_deduplication", window.order[0].place, rowtime=order[0])
    # Rows that are in windows already go by the end of these alone, as in Flink.
    assigner = dict(assigner_of(function))
    first = window.order[0]
    operator: dict[str, Any] = {"type": "window-top-n", "assigner": assigner, "n": most,
                                "order": "desc" if first.descending else "asc"}  # fmt: skip
    plain = len(window.order) == 1 and first.nulls is None
    operator["by"] = order[0] if plain else ", ".join(map(_sorted_by, window.order))
    if by_time and first.descending:
        operator["ties"] = "last"
    keys = tuple(str(each) for each in window.partition if str(each) not in ENDS)
    return _emitted(select.place, relation, operator, keys, order, changelog=False)


def _sorted_by(key: syntax.SortKey) -> str:
    parts = (sql_text(key.by), key.direction or "ASC", key.nulls and f"NULLS {key.nulls}")
    return " ".join(each for each in parts if each)


def numbered(relation: Relation, place: syntax.Place) -> Relation:
    """The rows of ``relation`` with their row numbers, which nothing limits: how many rows of the key there are up to
    each of them, by event time (Flink's ``OverAggregate``). Raises ``SqlProblem`` for another order."""
    window, rowtime = relation.rank, relation.table.rowtime
    assert window is not None
    (order, *more) = window.order or (None,)
    by_time = order is not None and rowtime is not None and str(order.by) == rowtime
    if not by_time or more or order is None or order.descending or order.nulls or window.frame or relation.window:
        raise syntax.SqlProblem("rank_without_limit", place)
    keys = tuple(map(str, window.partition))
    operator = {"type": "over", "frame": {"rows": "unbounded"}}
    found = _emitted(place, replace(relation, rank=None), operator, keys, (), changelog=False)
    stage = found.table.stage
    assert isinstance(stage, Stage)
    count = syntax.Call("COUNT", (), distinct=False, star=True, place=place)
    stage = replace(stage, aggregates={list(found.table.columns)[-1]: count}, ranks=False)
    return replace(found, table=replace(found.table, stage=stage))


def _emitted(
    place: syntax.Place,
    relation: Relation,
    operator: dict[str, Any],
    keys: tuple[str, ...],
    order: tuple[str, ...],
    *,
    changelog: bool,
) -> Relation:
    """The rows that the operator of the SELECT at ``place`` lets through, with their rank."""
    source = relation.table
    taken = dict.fromkeys([*keys, *relation.columns.values(), *([source.rowtime] if source.rowtime else [])])
    columns = {name: plain_column(source.columns[name]) for name in taken if name in source.columns}
    ends = [name for name in taken if name.startswith(UNASSIGNED) and name != RANK]
    for each in ends:
        end = each.removeprefix(UNASSIGNED)
        columns[end] = Column(end, "time", "TIMESTAMP(3)", end)
    rank = fresh("row_number", columns)
    columns[rank] = Column(rank, "integer", "BIGINT", rank)
    readable = [name for name in columns if name in source.values]
    given = (*keys, *(() if operator["type"] == "top-n" else (source.rowtime,)))  # a Top-N hands on no event time
    values = tuple(dict.fromkeys([*(each for each in readable if each not in given), *order]))
    input = Input(source, keys, values, relation.where, order=order)
    stage = Stage(operator, {"events": input}, ranks=True, place=place)
    rowtime = source.rowtime
    if ends:  # behind a window table function only window_time is a time attribute
        rowtime = "window_time" if "window_time" in columns else None
    table = replace(source, columns=columns, rowtime=rowtime, bound=0, primary_key=(), changelog=changelog,
                    idle_timeout=None, stage=stage)  # fmt: skip
    names = {name: rank if of == RANK else of.removeprefix(UNASSIGNED) for name, of in relation.columns.items()}
    window = None if relation.window is None else replace(relation.window, attached=True)
    known = {name: of for name, of in names.items() if of in columns}
    return Relation(table, known, relation.alias, relation.place, window)


def versions_of(relation: Relation) -> Relation | None:
    """The table whose rows are versions, where ``relation`` is a view of the newest row of each key by event time;
    None if it is no such view. Raises ``SqlProblem`` for a view by row number that has no versions.

    Flink's plan has its deduplication before the temporal join: a version that is older than the newest is dropped.
    """
    stage = relation.table.stage
    if stage is None or stage.operator["type"] not in ("deduplicate", "window-top-n"):
        return None
    input = stage.inputs["events"]
    if input.table.changelog:
        raise syntax.SqlProblem("versions_of_changelog", relation.place, table=input.table.name)
    if stage.operator != {"type": "deduplicate", "keep": "last"} or not input.keys or relation.where:
        raise syntax.SqlProblem("versions_by_rank", relation.place)
    if relation.table.rowtime not in relation.columns.values():
        raise syntax.SqlProblem("versions_without_time", relation.place, rowtime=relation.table.rowtime)
    table = replace(input.table, primary_key=input.keys)
    names = {name: of for name, of in relation.columns.items() if of in table.columns}
    return Relation(table, names, relation.alias, relation.place, None, None, input.where)
