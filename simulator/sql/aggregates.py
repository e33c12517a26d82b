"""Queries that compute over windows, window table functions and older group windows, over OVER, and by row number."""

from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator.engine.values.duration import parse_duration
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.reading import (
    FUNCTIONS,
    RANK,
    Aggregate,
    Input,
    Reading,
    Relation,
    Scope,
    Window,
    aggregate_of,
    all_columns,
    computed,
    is_window_column,
    key_of,
    need_rows,
    need_rowtime,
    over_of,
    refuse_beyond,
    selected_values,
    time_of,
)
from tidemark.simulator.sql.tables import Settings
from tidemark.simulator.sql.times import milliseconds, written

_GROUP_WINDOWS: Final = {
    "TUMBLE": ("tumbling", "size"),
    "HOP": ("sliding", "slide", "size"),
    "SESSION": ("session", "gap"),
}
_OF_THE_WINDOW: Final = ("START", "END", "ROWTIME", "PROCTIME")


def window_aggregation(select: syntax.Select, relation: Relation) -> Reading:
    """``GROUP BY key, window_start, window_end`` over a window table function (Flink's ``WindowAggregate``)."""
    window = relation.window
    assert window is not None
    assert select.group is not None
    refuse_beyond(select)
    need_rows(relation)
    grouped = {relation.find(each) for each in select.group if isinstance(each, syntax.Path)}
    if not {"window_start", "window_end"} <= grouped:
        raise syntax.SqlProblem("both_ends", select.group[0].place)
    keys = [each for each in select.group if not is_window_column(each, relation)]
    key = key_of(_paths(keys), relation)
    if window.assigner["type"] == "session" and window.partition != ((key,) if key else ()):
        # Sessions of all records, grouped by a key afterwards: two steps, of which a scenario has one.
        raise syntax.SqlProblem("session_partition", window.place, key=key or "", partition=", ".join(window.partition))
    _need_whole_slices(window)
    found = _aggregate(select, relation, key)
    operator: dict[str, Any] = {"type": "window", "api": "tvf"}
    if window.processing:
        operator["time"] = "processing"
    operator |= {"assigner": dict(window.assigner), "function": {"call": "aggregate", "compute": found.compute}}
    return Reading(operator, {"events": found.input(relation.table, key)}, window.processing)


def group_window(select: syntax.Select, relation: Relation, settings: Settings) -> Reading:
    """``GROUP BY key, TUMBLE(rt, INTERVAL …)`` (Flink's ``GroupWindowAggregate``)."""
    assert select.group is not None
    refuse_beyond(select)
    need_rows(relation)
    calls = [each for each in select.group if isinstance(each, syntax.Call)]
    windows = [each for each in calls if each.name in _GROUP_WINDOWS]
    if not windows:
        raise syntax.SqlProblem("group_function", calls[0].place, name=calls[0].name)
    if len(windows) > 1:
        raise syntax.SqlProblem("two_windows", windows[1].place)
    call = windows[0]
    kind, *fields = _GROUP_WINDOWS[call.name]
    if len(call.arguments) != len(fields) + 1:
        raise syntax.SqlProblem("function_arguments", call.place, name=call.name)
    time, *lengths = call.arguments
    if not isinstance(time, syntax.Path):
        raise syntax.SqlProblem("function_expression", time.place, name=call.name, what=syntax.construct(time))
    processing = time_of(relation, time)
    assigner: dict[str, Any] = {"type": kind}
    for field, length in zip(fields, lengths, strict=True):
        ms = milliseconds(length)
        if ms <= 0:
            raise syntax.SqlProblem("positive", length.place)
        assigner[field] = written(ms)
    key = key_of(_paths([each for each in select.group if each is not call]), relation)
    found = _aggregate(select, relation, key, call)
    operator: dict[str, Any] = {"type": "window", "api": "sql"}
    if processing:
        operator["time"] = "processing"
    operator["assigner"] = assigner
    firing = _firing(settings, processing=processing, place=call.place)
    if firing and kind == "session":
        raise syntax.SqlProblem("session_fires", call.place)  # WindowEmitStrategy.checkValidation
    operator |= firing
    operator["function"] = {"call": "aggregate", "compute": found.compute}
    return Reading(operator, {"events": found.input(relation.table, key)}, processing)


def over(select: syntax.Select, relation: Relation) -> Reading:
    """``SUM(v) OVER (PARTITION BY k ORDER BY rt …)`` (Flink's ``OverAggregate``)."""
    refuse_beyond(select)
    need_rows(relation)
    rowtime = need_rowtime(relation.table, select.place)
    found: _Over | None = None
    for item in select.items:
        if item.of is None:
            all_columns(item, relation)
            continue
        if isinstance(item.of, syntax.Path):
            relation.find(item.of)
            continue
        if not isinstance(item.of, syntax.Call):
            raise computed(item.of, item.place)
        if item.of.over is None:
            raise syntax.SqlProblem("needs_over", item.place, name=item.of.name)
        if item.of.name == "ROW_NUMBER":
            raise syntax.SqlProblem("rank_without_limit", item.place)
        if found is not None:
            raise syntax.SqlProblem("two_aggregates", item.place, name=item.of.name)
        found = _over(item.of, select, relation, rowtime)
    assert found is not None
    operator = {
        "type": "over", "frame": found.frame, "function": {"call": "aggregate", "compute": found.aggregate.compute},
    }  # fmt: skip
    return Reading(operator, {"events": found.aggregate.input(relation.table, found.key)})


@dataclass(frozen=True)
class _Over:
    aggregate: Aggregate
    key: str | None
    frame: dict[str, Any]


def _over(call: syntax.Call, select: syntax.Select, relation: Relation, rowtime: str) -> _Over:
    window = over_of(call, select)
    place = call.place
    if len(window.order) != 1:
        raise syntax.SqlProblem("order_by_time", window.order[1].place if window.order else place)
    order = window.order[0]
    if not isinstance(order.by, syntax.Path) or relation.find(order.by) != rowtime or order.descending or order.nulls:
        raise syntax.SqlProblem("order_by_time", order.place)
    key = key_of(_paths(list(window.partition)), relation)
    return _Over(aggregate_of(call, relation), key, _frame(window))


def _frame(window: syntax.OverWindow) -> dict[str, Any]:
    frame: syntax.Frame | None = window.frame
    if frame is None:
        # SQL's own default.
        return {"range": "unbounded"}
    unit = frame.unit.lower()
    if frame.end is not None and frame.end.of != "current":
        raise syntax.SqlProblem("frame_end", frame.end.place)
    start: syntax.FrameBound = frame.start
    if start.following:
        raise syntax.SqlProblem("frame_start", start.place)
    if start.of == "unbounded":
        return {unit: "unbounded"}
    if start.of == "current":
        # The planner takes neither for a frame that looks back.
        raise syntax.SqlProblem("frame_start", start.place)
    assert not isinstance(start.of, str)
    if unit == "rows":
        if not (isinstance(start.of, syntax.Literal) and start.of.text.isdigit() and len(start.of.text) < 10):
            raise syntax.SqlProblem("whole_number", start.place)
        return {"rows": int(start.of.text)}
    ms = milliseconds(start.of)
    if ms < 0:
        raise syntax.SqlProblem("positive", start.place)
    return {"range": written(ms)}


def _aggregate(
    select: syntax.Select, relation: Relation, key: str | None, window: syntax.Call | None = None
) -> Aggregate:
    """The one thing that ``select`` computes, besides the key and the ends of the window."""
    found: Aggregate | None = None
    grouped = {relation.find(each) for each in select.group or () if isinstance(each, syntax.Path)}
    for item in select.items:
        expression = item.of
        if expression is None:
            raise syntax.SqlProblem("star_of_group", item.place)
        if isinstance(expression, syntax.Path):
            name = relation.find(expression)
            if name != key and name not in grouped:
                raise syntax.SqlProblem("not_grouped", item.place, name=str(expression))
        elif isinstance(expression, syntax.Call) and window is not None and _is_of(expression, window):
            continue
        elif isinstance(expression, syntax.Call) and expression.over is None:
            if found is not None and expression.name.lower() in FUNCTIONS:
                raise syntax.SqlProblem("two_aggregates", item.place, name=expression.name)
            found = aggregate_of(expression, relation)
        else:
            raise computed(expression, item.place)
    if found is None:
        raise syntax.SqlProblem("no_aggregate", select.place)
    return found


def _is_of(call: syntax.Call, window: syntax.Call) -> bool:
    """Whether ``call`` gives an end of ``window``, as ``TUMBLE_START(…)`` does, with the same arguments."""
    name, _, end = call.name.rpartition("_")
    if name != window.name or end not in _OF_THE_WINDOW:
        return False
    if [_meaning(each) for each in call.arguments] != [_meaning(each) for each in window.arguments]:
        raise syntax.SqlProblem("other_window", call.place, name=call.name, window=window.name)
    return True


def _meaning(expression: syntax.Expression) -> object:
    """What the planner compares: for it 60 SECOND and 1 MINUTE are two constants."""
    if isinstance(expression, syntax.Path):
        return expression.last
    ms = milliseconds(expression)
    while isinstance(expression, syntax.Operation):
        expression = expression.operands[0]
    return ms, isinstance(expression, syntax.Interval) and (expression.unit.removesuffix("S"), expression.last_unit)


def _paths(expressions: list[syntax.Expression]) -> list[syntax.Path]:
    for each in expressions:
        if not isinstance(each, syntax.Path):
            raise syntax.SqlProblem("key_expression", each.place, what=syntax.construct(each))
    return [each for each in expressions if isinstance(each, syntax.Path)]


def _firing(settings: Settings, *, processing: bool, place: syntax.Place) -> dict[str, Any]:
    """Trigger, lateness and retractions, from the settings of early and late firing (``WindowEmitStrategy``)."""
    if settings.lateness and settings.late is None:
        # A scenario says how late records fire; the settings leave that open.
        raise syntax.SqlProblem("lateness_alone", place)
    if settings.early is None and settings.late is None:
        return {}
    if settings.late is not None and (processing or settings.lateness <= 0):
        raise syntax.SqlProblem("late_fire", place)
    trigger: dict[str, Any] = {"type": "after-end-of-window"}
    for name, delay in (("early", settings.early), ("late", settings.late)):
        if delay is not None:
            every = {"type": "processing-time-every", "interval": written(delay)}
            trigger[name] = every if delay else {"type": "every-element"}
    found: dict[str, Any] = {"trigger": trigger, "updates": True}
    if settings.lateness:
        found["allowed_lateness"] = written(settings.lateness)
    return found


def _need_whole_slices(window: Window) -> None:
    """A window that is summed up is made of whole slices (Flink's ``SliceAssigners``)."""
    for whole, part in (("size", "slide"), ("max_size", "step")):
        if part in window.assigner:
            lengths = [parse_duration(window.assigner[name]) or 0 for name in (whole, part)]
            if lengths[0] % lengths[1]:
                raise syntax.SqlProblem("multiple", window.place, part=window.assigner[part])


# Queries by row number: deduplication and window Top-N.


def by_rank(select: syntax.Select, relation: Relation) -> Reading:
    """``… WHERE rn <= n`` over a row number, or ``QUALIFY ROW_NUMBER() … <= n``."""
    refuse_beyond(select, where=False)
    need_rows(relation)
    if select.group is not None:
        raise syntax.SqlProblem("group_inside", select.place)
    _check_items(select, relation)
    if relation.rank is not None:
        if select.where is None:
            raise syntax.SqlProblem("rank_without_limit", select.place)
        if select.qualify is not None:
            raise syntax.SqlProblem("beyond", select.qualify.place, what="QUALIFY")
        window, most = relation.rank, _limit(select.where, select, relation)
    else:
        assert select.qualify is not None
        if select.where is not None:
            raise syntax.SqlProblem("where", select.where.place)
        window, most = _qualified(select.qualify, select), _limit(select.qualify, select, relation)
    if relation.window is not None:
        return _top_n(select, relation, window, most)
    return _deduplicate(select, relation, window, most)


def versioned(source: syntax.TableSource, scope: Scope) -> Relation | None:
    """The versioned view that ``source`` names: the newest row of each key, by event time; None if it names none.

    Flink's plan has its deduplication before the temporal join: a version that is older than the newest is dropped.
    Raises ``SqlProblem`` for a view by row number that has no versions.
    """
    found = scope.view(source.table)
    select = None if found is None else found[0].select
    if found is None or select is None or isinstance(select.source, syntax.JoinSource) or found[0].beyond:
        return None
    if select.where is None and select.qualify is None:
        return None
    inner = found[1].with_tables_of(found[0]).relation(select.source)
    if inner.rank is None and select.qualify is None:
        return None
    if inner.table.changelog:
        raise syntax.SqlProblem("versions_of_changelog", source.place, table=inner.table.name)
    reading = by_rank(select, inner)
    key = reading.inputs["events"].key
    if reading.operator != {"type": "deduplicate", "keep": "last"} or key is None:
        raise syntax.SqlProblem("versions_by_rank", source.place)
    columns: dict[str, str] = {}
    for item in select.items:
        if item.of is None:
            columns |= {name: of for name, of in inner.columns.items() if of != RANK}
        elif isinstance(item.of, syntax.Path):
            columns[item.alias.text if item.alias else item.of.last] = inner.find(item.of)
    if inner.table.rowtime not in columns.values():
        raise syntax.SqlProblem("versions_without_time", source.place, rowtime=inner.table.rowtime)
    table = replace(inner.table, primary_key=(key,))
    return Relation(table, columns, source.alias.text if source.alias else source.table.last, source.place)


def _check_items(select: syntax.Select, relation: Relation) -> None:
    """Only columns can be chosen, and beside QUALIFY the row number: an emitted row is the record as it is."""
    for item in select.items:
        if item.of is None:
            all_columns(item, relation)
        elif isinstance(item.of, syntax.Path):
            relation.find(item.of)
        elif relation.rank is not None or not (isinstance(item.of, syntax.Call) and item.of.name == "ROW_NUMBER"):
            raise computed(item.of, item.place)


def _qualified(condition: syntax.Expression, select: syntax.Select) -> syntax.OverWindow:
    """The window of the row number in ``condition``, which may be named by an alias of ``select``."""
    if isinstance(condition, syntax.Operation):
        for each in condition.operands:
            call: syntax.Expression | None = each
            if isinstance(each, syntax.Path):
                aliased = (item.of for item in select.items if item.alias and item.alias.text == each.last)
                call = next(aliased, None)
            if isinstance(call, syntax.Call) and call.name == "ROW_NUMBER":
                return over_of(call, select)
    raise syntax.SqlProblem("rank_limit", condition.place)


def _limit(condition: syntax.Expression, select: syntax.Select, relation: Relation) -> int:
    """The n of ``rn <= n``, ``rn < n + 1``, ``rn = 1``, ``n >= rn``, ``rn BETWEEN 1 AND n``."""
    if isinstance(condition, syntax.Operation) and _is_rank(condition.operands[0], select, relation):
        numbers = [_whole(each) for each in condition.operands[1:]]
        if condition.operator == "BETWEEN" and numbers[0] == 1:
            return _at_least_one(numbers[1], condition)
        if condition.operator in ("<=", "<") or (condition.operator == "=" and numbers[0] == 1):
            return _at_least_one(numbers[0] - (condition.operator == "<"), condition)
    elif isinstance(condition, syntax.Operation) and len(condition.operands) == 2:
        first, second = condition.operands
        if _is_rank(second, select, relation) and condition.operator in (">=", ">", "="):
            number = _whole(first)
            if condition.operator != "=" or number == 1:
                return _at_least_one(number - (condition.operator == ">"), condition)
    raise syntax.SqlProblem("rank_limit", condition.place)


def _is_rank(expression: syntax.Expression, select: syntax.Select, relation: Relation) -> bool:
    if isinstance(expression, syntax.Call):
        return expression.name == "ROW_NUMBER"
    if not isinstance(expression, syntax.Path):
        return False
    if relation.rank is not None:
        return relation.has(expression) and relation.find(expression) == RANK
    aliased = [item.of for item in select.items if item.alias and item.alias.text == expression.last]
    return any(isinstance(each, syntax.Call) and each.name == "ROW_NUMBER" for each in aliased)


def _whole(expression: syntax.Expression) -> int:
    if isinstance(expression, syntax.Literal) and expression.text.isdigit() and len(expression.text) < 10:
        return int(expression.text)
    raise syntax.SqlProblem("whole_number", expression.place)


def _at_least_one(number: int, condition: syntax.Expression) -> int:
    if number < 1:
        raise syntax.SqlProblem("rank_limit", condition.place)
    return number


def _deduplicate(select: syntax.Select, relation: Relation, window: syntax.OverWindow, most: int) -> Reading:
    """Of each key the first or the last row by event time (Flink's ``Deduplicate``)."""
    rowtime = need_rowtime(relation.table, select.place)
    if most != 1:
        raise syntax.SqlProblem("top_n_without_window", select.place)
    if len(window.order) != 1 or window.frame is not None:
        raise syntax.SqlProblem("deduplicate_order", window.place)
    order = window.order[0]
    if not isinstance(order.by, syntax.Path) or _name(order.by, relation) != rowtime or order.nulls:
        raise syntax.SqlProblem("deduplicate_order", order.place)
    key = _key(window, relation)
    operator = {"type": "deduplicate", "keep": "last" if order.descending else "first"}
    return Reading(operator, {"events": Input(relation.table, key, selected_values(select, relation, key))})


def _top_n(select: syntax.Select, relation: Relation, window: syntax.OverWindow, most: int) -> Reading:
    """The n largest or smallest values of each window and key (Flink's ``WindowRank``)."""
    function = relation.window
    assert function is not None
    if function.assigner["type"] == "session":
        raise syntax.SqlProblem("top_n_session", function.place)
    if function.processing:
        raise syntax.SqlProblem("top_n_processing", function.place)
    ends = {_name(each, relation) for each in window.partition if isinstance(each, syntax.Path)}
    if not {"window_start", "window_end"} <= ends:
        raise syntax.SqlProblem("top_n_partition", window.place)
    if len(window.order) != 1 or window.frame is not None:
        raise syntax.SqlProblem("top_n_order", window.place)
    order = window.order[0]
    if isinstance(order.by, syntax.Path) and _name(order.by, relation) == relation.table.rowtime:
        raise syntax.SqlProblem("window_deduplication", order.place, rowtime=relation.table.rowtime)
    column = relation.table.columns.get(_name(order.by, relation)) if isinstance(order.by, syntax.Path) else None
    if column is None or column.kind not in ("integer", "double", "decimal") or order.nulls:
        raise syntax.SqlProblem("top_n_order", order.place)
    key = _key(window, relation)
    operator: dict[str, Any] = {"type": "window-top-n", "assigner": dict(function.assigner), "n": most,
                                "order": "desc" if order.descending else "asc"}  # fmt: skip
    return Reading(operator, {"events": Input(relation.table, key, (column.name,), no_nulls=True)})


def _key(window: syntax.OverWindow, relation: Relation) -> str | None:
    paths = []
    for each in window.partition:
        if not isinstance(each, syntax.Path):
            raise syntax.SqlProblem("key_expression", each.place, what=syntax.construct(each))
        if _name(each, relation) not in ("window_start", "window_end", "window_time"):
            paths.append(each)
    # Of a subquery, the names within OVER are already those of the table.
    inside = Relation(relation.table, {each: each for each in relation.table.columns}, None, relation.place)
    return key_of(paths, inside if relation.rank is not None else relation)


def _name(path: syntax.Path, relation: Relation) -> str:
    """The column of the table that a name within OVER means."""
    return path.last if relation.rank is not None else relation.find(path)
