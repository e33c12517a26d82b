"""Queries that compute over windows: window table functions, the older group windows, and OVER."""

from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.engine.values.duration import parse_duration
from tidemark.simulator.sql.reading import (
    FUNCTIONS,
    Aggregate,
    Reading,
    aggregate_of,
    computed,
    is_window_column,
    key_of,
    need_rows,
    need_rowtime,
    refuse_beyond,
)
from tidemark.simulator.sql.relations import Relation, Window, all_columns, over_of, time_of
from tidemark.simulator.sql.syntax import (
    Call,
    Expression,
    Frame,
    FrameBound,
    Interval,
    Literal,
    Operation,
    OverWindow,
    Path,
    Place,
    Select,
    SqlProblem,
    construct,
)
from tidemark.simulator.sql.tables import Settings
from tidemark.simulator.sql.times import milliseconds, written

_GROUP_WINDOWS: Final = {
    "TUMBLE": ("tumbling", "size"),
    "HOP": ("sliding", "slide", "size"),
    "SESSION": ("session", "gap"),
}
_OF_THE_WINDOW: Final = ("START", "END", "ROWTIME", "PROCTIME")


def window_aggregation(select: Select, relation: Relation) -> Reading:
    """``GROUP BY key, window_start, window_end`` over a window table function (Flink's ``WindowAggregate``)."""
    window = relation.window
    assert window is not None
    assert select.group is not None
    refuse_beyond(select)
    need_rows(relation)
    grouped = {relation.find(each) for each in select.group if isinstance(each, Path)}
    if not {"window_start", "window_end"} <= grouped:
        raise SqlProblem("both_ends", select.group[0].place)
    keys = [each for each in select.group if not is_window_column(each, relation)]
    key = key_of(_paths(keys), relation)
    if window.assigner["type"] == "session" and window.partition != ((key,) if key else ()):
        # Sessions of all records, grouped by a key afterwards: two steps, of which a scenario has one.
        raise SqlProblem("session_partition", window.place, key=key or "", partition=", ".join(window.partition))
    _need_whole_slices(window)
    found = _aggregate(select, relation, key)
    operator: dict[str, Any] = {"type": "window", "api": "tvf"}
    if window.processing:
        operator["time"] = "processing"
    operator |= {"assigner": dict(window.assigner), "function": {"call": "aggregate", "compute": found.compute}}
    return Reading(operator, {"events": found.input(relation.table, key)}, window.processing)


def group_window(select: Select, relation: Relation, settings: Settings) -> Reading:
    """``GROUP BY key, TUMBLE(rt, INTERVAL …)`` (Flink's ``GroupWindowAggregate``)."""
    assert select.group is not None
    refuse_beyond(select)
    need_rows(relation)
    calls = [each for each in select.group if isinstance(each, Call)]
    windows = [each for each in calls if each.name in _GROUP_WINDOWS]
    if not windows:
        raise SqlProblem("group_function", calls[0].place, name=calls[0].name)
    if len(windows) > 1:
        raise SqlProblem("two_windows", windows[1].place)
    call = windows[0]
    kind, *fields = _GROUP_WINDOWS[call.name]
    if len(call.arguments) != len(fields) + 1:
        raise SqlProblem("function_arguments", call.place, name=call.name)
    time, *lengths = call.arguments
    if not isinstance(time, Path):
        raise SqlProblem("function_expression", time.place, name=call.name, what=construct(time))
    processing = time_of(relation, time)
    assigner: dict[str, Any] = {"type": kind}
    for field, length in zip(fields, lengths, strict=True):
        ms = milliseconds(length)
        if ms <= 0:
            raise SqlProblem("positive", length.place)
        assigner[field] = written(ms)
    key = key_of(_paths([each for each in select.group if each is not call]), relation)
    found = _aggregate(select, relation, key, call)
    operator: dict[str, Any] = {"type": "window", "api": "sql"}
    if processing:
        operator["time"] = "processing"
    operator["assigner"] = assigner
    firing = _firing(settings, processing=processing, place=call.place)
    if firing and kind == "session":
        raise SqlProblem("session_fires", call.place)  # WindowEmitStrategy.checkValidation
    operator |= firing
    operator["function"] = {"call": "aggregate", "compute": found.compute}
    return Reading(operator, {"events": found.input(relation.table, key)}, processing)


def over(select: Select, relation: Relation) -> Reading:
    """``SUM(v) OVER (PARTITION BY k ORDER BY rt …)`` (Flink's ``OverAggregate``)."""
    refuse_beyond(select)
    need_rows(relation)
    rowtime = need_rowtime(relation.table, select.place)
    found: _Over | None = None
    for item in select.items:
        if item.of is None:
            all_columns(item, relation)
            continue
        if isinstance(item.of, Path):
            relation.find(item.of)
            continue
        if not isinstance(item.of, Call):
            raise computed(item.of, item.place)
        if item.of.over is None:
            raise SqlProblem("needs_over", item.place, name=item.of.name)
        if item.of.name == "ROW_NUMBER":
            raise SqlProblem("rank_without_limit", item.place)
        if found is not None:
            raise SqlProblem("two_aggregates", item.place, name=item.of.name)
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


def _over(call: Call, select: Select, relation: Relation, rowtime: str) -> _Over:
    window = over_of(call, select)
    place = call.place
    if len(window.order) != 1:
        raise SqlProblem("order_by_time", window.order[1].place if window.order else place)
    order = window.order[0]
    if not isinstance(order.by, Path) or relation.find(order.by) != rowtime or order.descending or order.nulls:
        raise SqlProblem("order_by_time", order.place)
    key = key_of(_paths(list(window.partition)), relation)
    return _Over(aggregate_of(call, relation), key, _frame(window))


def _frame(window: OverWindow) -> dict[str, Any]:
    frame: Frame | None = window.frame
    if frame is None:
        # SQL's own default.
        return {"range": "unbounded"}
    unit = frame.unit.lower()
    if frame.end is not None and frame.end.of != "current":
        raise SqlProblem("frame_end", frame.end.place)
    start: FrameBound = frame.start
    if start.following:
        raise SqlProblem("frame_start", start.place)
    if start.of == "unbounded":
        return {unit: "unbounded"}
    if start.of == "current":
        # The planner takes neither for a frame that looks back.
        raise SqlProblem("frame_start", start.place)
    assert not isinstance(start.of, str)
    if unit == "rows":
        if not (isinstance(start.of, Literal) and start.of.text.isdigit() and len(start.of.text) < 10):
            raise SqlProblem("whole_number", start.place)
        return {"rows": int(start.of.text)}
    ms = milliseconds(start.of)
    if ms < 0:
        raise SqlProblem("positive", start.place)
    return {"range": written(ms)}


def _aggregate(select: Select, relation: Relation, key: str | None, window: Call | None = None) -> Aggregate:
    """The one thing that ``select`` computes, besides the key and the ends of the window."""
    found: Aggregate | None = None
    grouped = {relation.find(each) for each in select.group or () if isinstance(each, Path)}
    for item in select.items:
        expression = item.of
        if expression is None:
            raise SqlProblem("star_of_group", item.place)
        if isinstance(expression, Path):
            name = relation.find(expression)
            if name != key and name not in grouped:
                raise SqlProblem("not_grouped", item.place, name=str(expression))
        elif isinstance(expression, Call) and window is not None and _is_of(expression, window):
            continue
        elif isinstance(expression, Call) and expression.over is None:
            if found is not None and expression.name.lower() in FUNCTIONS:
                raise SqlProblem("two_aggregates", item.place, name=expression.name)
            found = aggregate_of(expression, relation)
        else:
            raise computed(expression, item.place)
    if found is None:
        raise SqlProblem("no_aggregate", select.place)
    return found


def _is_of(call: Call, window: Call) -> bool:
    """Whether ``call`` gives an end of ``window``, as ``TUMBLE_START(…)`` does, with the same arguments."""
    name, _, end = call.name.rpartition("_")
    if name != window.name or end not in _OF_THE_WINDOW:
        return False
    if [_meaning(each) for each in call.arguments] != [_meaning(each) for each in window.arguments]:
        raise SqlProblem("other_window", call.place, name=call.name, window=window.name)
    return True


def _meaning(expression: Expression) -> object:
    """What the planner compares: for it 60 SECOND and 1 MINUTE are two constants."""
    if isinstance(expression, Path):
        return expression.last
    ms = milliseconds(expression)
    while isinstance(expression, Operation):
        expression = expression.operands[0]
    return ms, isinstance(expression, Interval) and (expression.unit.removesuffix("S"), expression.last_unit)


def _paths(expressions: list[Expression]) -> list[Path]:
    for each in expressions:
        if not isinstance(each, Path):
            raise SqlProblem("key_expression", each.place, what=construct(each))
    return [each for each in expressions if isinstance(each, Path)]


def _firing(settings: Settings, *, processing: bool, place: Place) -> dict[str, Any]:
    """Trigger, lateness and retractions, from the settings of early and late firing (``WindowEmitStrategy``)."""
    if settings.lateness and settings.late is None:
        # A scenario says how late records fire; the settings leave that open.
        raise SqlProblem("lateness_alone", place)
    if settings.early is None and settings.late is None:
        return {}
    if settings.late is not None and (processing or settings.lateness <= 0):
        raise SqlProblem("late_fire", place)
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
                raise SqlProblem("multiple", window.place, part=window.assigner[part])
