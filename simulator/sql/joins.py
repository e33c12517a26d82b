"""Queries over two tables: the temporal join, the interval join, and the join of windows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator.sql import reading
from tidemark.simulator.sql.aggregates import versioned
from tidemark.simulator.sql.syntax import (
    Expression,
    JoinSource,
    Operation,
    Path,
    Place,
    Select,
    SqlProblem,
    TableSource,
)
from tidemark.simulator.sql.times import milliseconds, written

_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def join(select: Select, source: JoinSource, scope: reading.Scope) -> reading.Reading:
    """A query over two tables. Raises ``SqlProblem`` for a join that is none of the three."""
    reading.refuse_beyond(select, where=False)
    if select.group is not None:
        raise SqlProblem("group_of_join", select.place)
    if select.qualify is not None:
        raise SqlProblem("beyond", select.qualify.place, what="QUALIFY")
    if source.beyond is not None:
        raise SqlProblem("beyond", source.beyond.place, what=source.beyond.what)
    first, second = reading.sides(source)
    if isinstance(second, TableSource) and second.as_of is not None:
        return _temporal(select, source, scope, second)
    left, right = scope.relation(first), scope.relation(second)
    if left.rank is not None or right.rank is not None:
        raise SqlProblem("rank_inside", source.place)
    if left.alias == right.alias:
        raise SqlProblem("same_alias", source.place, name=left.alias or "")
    if source.kind not in ("INNER", "CROSS"):
        raise SqlProblem("outer_join", source.place, kind=source.kind)
    reading.need_rows(left)
    reading.need_rows(right)
    _check_items(select, (left, right))
    if left.window is not None and right.window is not None:
        return _of_windows(select, source, left, right)
    if left.window is not None or right.window is not None:
        raise SqlProblem("one_window", source.place)
    return _interval(select, source, left, right)


def _temporal(select: Select, source: JoinSource, scope: reading.Scope, versions: TableSource) -> reading.Reading:
    """``l JOIN r FOR SYSTEM_TIME AS OF l.rt ON l.k = r.k`` (Flink's ``TemporalJoin`` by event time)."""
    if select.where is not None:
        raise SqlProblem("where", select.where.place)
    if source.kind not in ("INNER", "LEFT"):
        raise SqlProblem("outer_join", source.place, kind=source.kind)
    left = scope.relation(source.left)
    named = TableSource(versions.table, versions.alias, None, versions.place)
    view = versioned(named, scope)
    right = scope.relation(named) if view is None else view
    for each in (left, right):
        if each.window is not None or each.rank is not None:
            raise SqlProblem("temporal_of_window", each.place)
    reading.need_rows(left)
    rowtime = reading.need_rowtime(left.table, left.place)
    as_of = versions.as_of
    assert as_of is not None
    if isinstance(as_of, Path) and left.has(as_of) and right.has(as_of):
        raise SqlProblem("ambiguous", as_of.place, name=str(as_of))
    if not isinstance(as_of, Path) or not left.has(as_of):
        raise SqlProblem("as_of", as_of.place, rowtime=f"{left.alias}.{rowtime}")
    if left.column(as_of).kind == "proctime":
        raise SqlProblem("lookup_join", as_of.place)
    if left.find(as_of) != rowtime:
        raise SqlProblem("as_of", as_of.place, rowtime=f"{left.alias}.{rowtime}")
    reading.need_rowtime(right.table, right.place)
    _need_alike_times(left, right, right.place)
    if not right.table.primary_key:
        raise SqlProblem("versions_without_key", right.place, table=right.table.name)
    equal, rest = _equalities(reading.conjunction(source.condition), left, right)
    if rest:
        raise SqlProblem("join_condition", rest[0].place)
    keys = _keys(equal, left, right, source.place)
    if right.table.primary_key != (keys[1],):
        raise SqlProblem("not_the_primary_key", right.place, key=keys[1], primary=", ".join(right.table.primary_key))
    _check_items(select, (left, right))
    operator: dict[str, Any] = {"type": "temporal-join"}
    if source.kind == "LEFT":
        operator["kind"] = "left"
    inputs = _inputs(select, left, right, keys)
    if view is None:
        return reading.Reading(operator, inputs, notes=("window_join",))
    inputs["right"] = replace(inputs["right"], newer_only=True)
    return reading.Reading(operator, inputs, notes=("window_join", "versioned_view"))


def _interval(select: Select, source: JoinSource, left: reading.Relation, right: reading.Relation) -> reading.Reading:
    """Two tables whose times differ by an interval (Flink's ``IntervalJoin``)."""
    times = reading.need_rowtime(left.table, left.place), reading.need_rowtime(right.table, right.place)
    equal, rest = _equalities(reading.conjunction(source.condition, select.where), left, right)
    keys = _keys(equal, left, right, source.place)
    _need_alike_times(left, right, source.place)
    bounds: dict[str, tuple[int, bool]] = {}
    for each in rest:
        for name, bound in _bounds(each, left, right, times):
            known = bounds.get(name)
            # Of two lower bounds the higher one counts; of equal ones the one that leaves the border out.
            tighter = max if name == "lower" else min
            sign = 1 if name == "lower" else -1
            bounds[name] = bound if known is None else tighter(known, bound, key=lambda b: (b[0], sign * b[1]))
    for name in ("lower", "upper"):
        if name not in bounds:
            raise SqlProblem(
                "no_bound", source.place, left=f"{left.alias}.{times[0]}", right=f"{right.alias}.{times[1]}"
            )
    operator: dict[str, Any] = {"type": "interval-join"}
    for name, (ms, exclusive) in bounds.items():
        operator[name] = written(ms)
        if exclusive:
            operator[f"{name}_exclusive"] = True
    if bounds["lower"][0] + bounds["lower"][1] > bounds["upper"][0] - bounds["upper"][1]:
        raise SqlProblem("empty_interval", source.place)
    order = ("type", "lower", "upper", "lower_exclusive", "upper_exclusive")
    return reading.Reading(
        {name: operator[name] for name in order if name in operator}, _inputs(select, left, right, keys),
        never_late=True, notes=("interval_join",),
    )  # fmt: skip


def _bounds(
    condition: Expression, left: reading.Relation, right: reading.Relation, times: tuple[str, str]
) -> list[tuple[str, tuple[int, bool]]]:
    """What ``condition`` says of right time minus left time: (``lower`` or ``upper``, (ms, exclusive))."""
    if isinstance(condition, Operation) and condition.operator == "BETWEEN":
        time, low, high = condition.operands
        return [
            *_bounds(Operation(">=", (time, low), condition.place), left, right, times),
            *_bounds(Operation("<=", (time, high), condition.place), left, right, times),
        ]
    if not isinstance(condition, Operation) or condition.operator not in ("<", "<=", ">", ">=", "="):
        raise SqlProblem("join_condition", condition.place)
    (first_side, first), (second_side, second) = (_time(each, left, right, times) for each in condition.operands)
    if first_side == second_side:
        raise SqlProblem("join_condition", condition.place)
    # right + first OP left + second, so right - left OP second - first.
    operator, ms = condition.operator, second - first
    if first_side == "left":
        operator, ms = _TURNED.get(operator, operator), -ms
    if operator == "=":
        return [("lower", (ms, False)), ("upper", (ms, False))]
    return [("lower" if operator[0] == ">" else "upper", (ms, len(operator) == 1))]


def _time(
    expression: Expression, left: reading.Relation, right: reading.Relation, times: tuple[str, str]
) -> tuple[str, int]:
    """Whose time attribute ``expression`` is, and how many ms are added to it."""
    if isinstance(expression, Operation) and expression.operator in ("+", "-") and len(expression.operands) == 2:
        side, ms = _time(expression.operands[0], left, right, times)
        interval = milliseconds(expression.operands[1])
        return side, ms + (interval if expression.operator == "+" else -interval)
    if isinstance(expression, Path):
        of = [side for side, relation in (("left", left), ("right", right)) if relation.has(expression)]
        if len(of) > 1:
            raise SqlProblem("ambiguous", expression.place, name=str(expression))
        relation, rowtime = (left, times[0]) if of == ["left"] else (right, times[1])
        if relation.find(expression) == rowtime:
            return of[0], 0
    raise SqlProblem("join_condition", expression.place)


def _of_windows(select: Select, source: JoinSource, left: reading.Relation, right: reading.Relation) -> reading.Reading:
    """Two window table functions joined by window and key (Flink's ``WindowJoin``)."""
    assert left.window is not None
    assert right.window is not None
    if left.window.processing or right.window.processing:
        raise SqlProblem("window_join_processing", source.place)
    _need_alike_times(left, right, source.place)
    kinds = {left.window.assigner["type"], right.window.assigner["type"]}
    if not kinds <= {"tumbling", "sliding"}:
        raise SqlProblem("window_join_kind", source.place)
    if dict(left.window.assigner) != dict(right.window.assigner):
        raise SqlProblem("window_join_differs", source.place)
    equal, rest = _equalities(reading.conjunction(source.condition, select.where), left, right)
    if rest:
        raise SqlProblem("join_condition", rest[0].place)
    joined = {
        (left.find(first), right.find(second)) for first, second in equal if reading.is_window_column(first, left)
    }  # fmt: skip
    if not {("window_start",) * 2, ("window_end",) * 2} <= joined:
        raise SqlProblem("window_join_ends", source.place)
    keys = _keys([each for each in equal if not reading.is_window_column(each[0], left)], left, right, source.place)
    operator = {"type": "window-join", "assigner": dict(left.window.assigner)}
    return reading.Reading(operator, _inputs(select, left, right, keys))


def _equalities(
    conditions: Sequence[Expression], left: reading.Relation, right: reading.Relation
) -> tuple[list[tuple[Path, Path]], list[Expression]]:
    """The pairs of equal columns, but for those of the two times, and what else is asked."""
    equal: list[tuple[Path, Path]] = []
    rest: list[Expression] = []
    for each in conditions:
        pair = reading.equality(each, left, right)
        times = pair is not None and (
            left.find(pair[0]) == left.table.rowtime and right.find(pair[1]) == right.table.rowtime
        )
        if pair is None or times:
            rest.append(each)
        else:
            equal.append(pair)
    return equal, rest


def _keys(
    equal: Sequence[tuple[Path, Path]], left: reading.Relation, right: reading.Relation, place: Place
) -> tuple[str, str]:
    if not equal:
        raise SqlProblem("join_without_key", place)
    first, second = (reading.key_of([pair[side] for pair in equal], of) for side, of in ((0, left), (1, right)))
    assert first is not None
    assert second is not None
    kinds = left.table.columns[first].kind, right.table.columns[second].kind
    if kinds[0] != kinds[1]:
        raise SqlProblem(
            "key_kinds", place, left=left.table.columns[first].type, right=right.table.columns[second].type
        )
    return first, second


def _inputs(
    select: Select, left: reading.Relation, right: reading.Relation, keys: tuple[str, str]
) -> dict[str, reading.Input]:
    return {
        name: reading.Input(of.table, key, reading.selected_values(select, of, key))
        for name, of, key in (("left", left, keys[0]), ("right", right, keys[1]))
    }


def _need_alike_times(left: reading.Relation, right: reading.Relation, place: Place) -> None:
    """Raise ``SqlProblem`` for a local time beside an instant. Flink refuses it, but for windows: there it plans an
    ordinary join, which keeps all rows for ever."""
    if left.table.local != right.table.local:
        names = {of.table.local: f"{of.alias}.{of.table.rowtime}" for of in (left, right)}
        raise SqlProblem("time_kinds", place, local=names[True], other=names[False])


def _check_items(select: Select, relations: Sequence[reading.Relation]) -> None:
    """Only columns can be chosen: a joined row of a scenario has the two records as they are."""
    for item in select.items:
        if item.of is None:
            if item.table is not None and item.table.text not in [each.alias for each in relations]:
                known = ", ".join(each.alias or "" for each in relations)
                raise SqlProblem("no_table", item.table.place, name=item.table.text, tables=known)
            continue
        if not isinstance(item.of, Path):
            raise reading.computed(item.of, item.place)
        having = [each for each in relations if each.has(item.of)]
        if len(having) > 1:
            raise SqlProblem("ambiguous", item.place, name=str(item.of))
        if not having:
            relations[0].find(item.of)
