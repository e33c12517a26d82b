"""Queries that aggregate: over windows of table functions, over the older group windows, and over OVER."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from tidemark.simulator.engine.values.duration import parse_duration
from tidemark.simulator.sql import syntax
from tidemark.simulator.sql.aggregate_functions import FUNCTIONS, ONLY_OVER, REVOCABLE, compiled_aggregate
from tidemark.simulator.sql.reading import (
    ENDS,
    GROUPINGS,
    Input,
    Relation,
    Stage,
    Window,
    as_path,
    columns_of,
    fresh,
    mapped,
    name_for,
    need_attributes,
    need_names,
    need_rows,
    need_rowtime,
    over_of,
    time_of,
)
from tidemark.simulator.sql.tables import Column, Settings, Table, in_zone, of_computed, plain_column
from tidemark.simulator.sql.text import sql_text
from tidemark.simulator.sql.times import milliseconds, written
from tidemark.simulator.sql.unions import expanded, grouping_sets, with_windows

_GROUP_WINDOWS: Final = {
    "TUMBLE": ("tumbling", "size"),
    "HOP": ("sliding", "slide", "size"),
    "SESSION": ("session", "gap"),
}
_OF_THE_WINDOW: Final = ("START", "END", "ROWTIME", "PROCTIME")


@dataclass
class Aggregation:
    """What SELECT and HAVING use of an aggregation, collected while they are read.

    ``relation``: its input, which gains a column for each key that is computed. ``keys``: the columns of the keys, by
    the text of their expressions. ``ends``: those of the window that rows are grouped by. ``window``: the call of a
    group window. ``calls``: the aggregates by name. ``grouped``: of GROUPING SETS, by the text of a key the column that
    is 1 where a set has it not.
    """

    relation: Relation
    keys: dict[str, str] = field(default_factory=dict)
    ends: frozenset[str] = frozenset()
    window: syntax.Call | None = None
    calls: dict[str, syntax.Call] = field(default_factory=dict)
    types: dict[str, Column] = field(default_factory=dict)
    grouped: dict[str, str] = field(default_factory=dict)

    def add_key(self, expression: syntax.Expression) -> None:
        """Group by ``expression`` as well. Raises ``SqlProblem`` for one that is no key."""
        self.relation, name = self.relation.with_column(expression)
        self.keys[sql_text(self.relation.within(expression))] = name

    def output(self, expression: syntax.Expression, name: str = "") -> syntax.Expression:
        """``expression`` in terms of what the aggregation emits; ``name``: what an aggregate is best called.

        Raises ``SqlProblem`` for a column that is not grouped.
        """
        if end := self.relation.end_of(expression):
            if end not in self.ends:
                raise syntax.SqlProblem("not_grouped", expression.place, name=end)
            return as_path(end, expression.place)
        if isinstance(expression, syntax.Call):
            if self.window is not None and (end := _end_of(expression, self.window)):
                return as_path(end, expression.place)
            if expression.name in ("GROUPING", "GROUPING_ID") and self.grouped:
                return self._grouping(expression)
            if expression.name in FUNCTIONS and expression.over is None:
                return as_path(self._aggregate(expression, name), expression.place)
            if expression.distinct:  # an aggregate that is not read: no function of rows has DISTINCT
                raise syntax.SqlProblem("row_function", expression.place, name=expression.name)
        if isinstance(expression, syntax.Path):
            column = self.keys.get(sql_text(self.relation.within(expression)))
            if column is None:
                raise syntax.SqlProblem("not_grouped", expression.place, name=str(expression))
            return as_path(column, expression.place)
        if isinstance(expression, syntax.Beyond):
            raise syntax.beyond(expression)
        if self.keys and not isinstance(expression, syntax.Literal | syntax.Interval) and not aggregates_in(expression):
            column = self.keys.get(sql_text(self._within(expression)))
            if column is not None:
                return as_path(column, expression.place)
        return _parts(expression, self.output)

    def _grouping(self, call: syntax.Call) -> syntax.Expression:
        found: syntax.Expression | None = None
        for each in call.arguments:
            flag = self.grouped.get(sql_text(self.relation.within(each)))
            if flag is None:
                raise syntax.SqlProblem("not_grouped", each.place, name=syntax.construct(each))
            bit = as_path(flag, call.place)
            two = syntax.Literal("number", "2", call.place)
            twice = None if found is None else syntax.Operation("*", (found, two), call.place)
            found = bit if twice is None else syntax.Operation("+", (twice, bit), call.place)
        if found is None:
            raise syntax.SqlProblem("function_arguments", call.place, name=call.name)
        return found

    def _within(self, expression: syntax.Expression) -> syntax.Expression:
        """As ``Relation.within``, but for the ends of windows, which are no columns before the aggregation."""
        return mapped(expression, lambda path: path if self.relation.end_of(path) else self.relation.within(path))

    def _aggregate(self, call: syntax.Call, name: str) -> str:
        inner = self.relation.within(call)
        assert isinstance(inner, syntax.Call)
        for known, each in self.calls.items():
            if sql_text(each) == sql_text(inner):
                return known
        table = self.relation.table
        found = compiled_aggregate(inner, table.values, table.zone)
        name = fresh(name or name_for(inner), [*self.keys.values(), *ENDS, *self.calls])
        self.calls[name], self.types[name] = inner, of_computed(name, found.type)
        return name

    def table(self, stage: Stage, rowtime: str | None, *, changelog: bool = False) -> Table:
        """The table of what is emitted, with the ends of the windows."""
        source = self.relation.table
        keys = dict.fromkeys([*self.keys.values(), *self.grouped.values()])
        columns = {name: plain_column(source.columns[name]) for name in keys}
        columns |= self.types
        for end in ENDS[:2]:
            columns[end] = Column(end, "time", "TIMESTAMP(3)", end)
        local = source.local and rowtime is not None
        columns[ENDS[2]] = (
            Column(ENDS[2], "time", f"TIMESTAMP{'_LTZ' * local}(3)", ENDS[2], local=local)
            if rowtime else Column(ENDS[2], "proctime", "TIMESTAMP_LTZ(3)", ENDS[2])
        )  # fmt: skip
        return Table(source.name, columns, rowtime, 0, local, (), changelog, source.place, None, source.zone, stage)


def aggregates_in(expression: syntax.Expression | None) -> list[syntax.Expression]:
    """The aggregates that stand somewhere in ``expression``."""
    match expression:
        case syntax.Call():
            if expression.name in FUNCTIONS:
                return [expression]
            return [one for each in expression.arguments for one in aggregates_in(each)]
        case syntax.Operation():
            return [one for each in expression.operands for one in aggregates_in(each)]
        case syntax.Cast():
            return aggregates_in(expression.of)
        case _:
            return []


def _parts(expression: syntax.Expression, of: Callable[[syntax.Expression], syntax.Expression]) -> syntax.Expression:
    """``expression`` with ``of`` done to what it consists of."""
    match expression:
        case syntax.Operation():
            return replace(expression, operands=tuple(map(of, expression.operands)))
        case syntax.Cast():
            return replace(expression, of=of(expression.of))
        case syntax.Call():
            return replace(expression, arguments=tuple(map(of, expression.arguments)))
        case _:
            return expression


def aggregation(select: syntax.Select, relation: Relation, settings: Settings) -> tuple[Relation, Aggregation]:
    """``GROUP BY`` with a window: what it emits, and how SELECT and HAVING say it. Raises ``SqlProblem``."""
    assert select.group is not None
    need_names(select, relation)
    calls = [each for each in select.group if isinstance(each, syntax.Call) and each.name in _GROUP_WINDOWS]
    if calls or relation.window is not None or not _takes_back(relation.table):
        need_rows(relation)
    if relation.window is not None and not calls:
        try:
            return _of_table_function(select, relation, relation.window)
        except syntax.SqlProblem as problem:
            if problem.word not in ("both_ends", "session_partition"):
                raise
            return continuous(select, relation, problem)
    if not calls:
        place = select.group[0].place if select.group else select.place
        return continuous(select, relation, syntax.SqlProblem("group_without_window", place))
    if len(calls) > 1:
        raise syntax.SqlProblem("two_windows", calls[1].place)
    return _of_group_window(select, relation, calls[0], settings)


def continuous(select: syntax.Select, relation: Relation, problem: syntax.SqlProblem) -> tuple[Relation, Aggregation]:
    """An aggregation without windows, which keeps updating its rows (Flink's ``GroupAggregate``); ``problem``: why no
    scenario has it."""
    relation = with_windows(relation)
    found = Aggregation(replace(relation, window=None))
    for each in select.group or ():
        found.add_key(each)
    keys = tuple(dict.fromkeys(found.keys.values()))
    _read(found, select, continuous=True)
    if any(each.name not in REVOCABLE for each in found.calls.values()):
        need_rows(relation)
    stage = _stage(select, {"type": "updates"}, found, keys, processing=False)
    source = found.relation.table
    columns = {**{name: plain_column(source.columns[name]) for name in keys}, **found.types}
    table = Table(source.name, columns, None, 0, False, (), True, source.place, None, source.zone,
                  replace(stage, problem=problem))  # fmt: skip
    return Relation(table, {name: name for name in columns}, relation.alias, relation.place), found


def _takes_back(table: Table) -> bool:
    """Whether the rows come from a stage that says which of them it takes back."""
    return isinstance(table.stage, Stage) and table.stage.operator["type"] in ("updates", "deduplicate")


def _of_table_function(select: syntax.Select, relation: Relation, window: Window) -> tuple[Relation, Aggregation]:
    """``GROUP BY key, window_start, window_end`` over a window table function (Flink's ``WindowAggregate``)."""
    assert select.group is not None
    ends = {relation.end_of(each) for each in select.group}
    if not set(ENDS[:2]) <= ends:
        raise syntax.SqlProblem("both_ends", select.group[0].place)
    grouped: dict[str, list[str]] = {}
    if sets := grouping_sets(select.group):
        relation, grouped = expanded(relation, sets)
    found = Aggregation(relation, ends=frozenset(ends), grouped={text: flag for text, (_, flag) in grouped.items()})
    for each in select.group:
        if not relation.end_of(each) and not (isinstance(each, syntax.Call) and each.name in GROUPINGS):
            found.add_key(each)
    found.keys |= {text: copy for text, (copy, _) in grouped.items()}
    keys = tuple(dict.fromkeys([*found.keys.values(), *found.grouped.values()]))
    if window.assigner["type"] == "session" and _rows_of(relation) and sorted(window.partition) != sorted(keys):
        # Flink plans an ordinary aggregation, which keeps updating.
        raise syntax.SqlProblem("session_partition", window.place, key=", ".join(keys),
                                partition=", ".join(window.partition))  # fmt: skip
    if window.attached and window.assigner["type"] == "session":
        keys = (*keys, ENDS[0])  # which of the sessions that end together it is
    _need_whole_slices(window)
    operator: dict[str, Any] = {"type": "window", "api": "tvf"}
    if window.processing:
        operator["time"] = "processing"
    operator["assigner"] = dict(assigner_of(window))
    operator |= in_zone(relation.table, processing=window.processing)
    _read(found, select)
    if not window.attached:
        _need_merge(found, window.assigner["type"])
        for call in found.calls.values():
            if window.name == "HOP" and call.name == "SUM" and call.distinct:
                raise syntax.SqlProblem("no_distinct_sum", call.place)
    stage = _stage(select, operator, found, keys, processing=window.processing)
    if window.attached:
        stage = replace(stage, window=window.assigner)
    table = found.table(stage, None if window.processing else "window_time")
    attached = replace(window, attached=True)
    columns = {name: name for name in table.columns}
    return Relation(table, columns, relation.alias, relation.place, attached), found


def _rows_of(relation: Relation) -> bool:
    """Whether the rows are those that came, and not computed of windows."""
    stage = relation.table.stage
    return relation.window is None or not relation.window.attached or (isinstance(stage, Stage) and stage.rows)


def assigner_of(window: Window) -> Mapping[str, Any]:
    """The windows as a scenario has them. Rows with a window of their own have the last instant of it as their time:
    of windows that end at different times, each such instant lies in one tumbling window, which ends when they do."""
    if not window.attached:
        return window.assigner
    lengths = [window.assigner[name] for name in ("slide", "step", "size") if name in window.assigner]
    if not lengths:  # sessions end anywhere
        return {"type": "tumbling", "size": "1ms"}
    offset = {name: window.assigner[name] for name in ("offset",) if name in window.assigner}
    if offset:
        size = parse_duration(str(lengths[0])) or 1
        ms = parse_duration(str(offset["offset"])) or 0
        offset = {"offset": written(ms % size)} if ms % size else {}
    return {"type": "tumbling", "size": lengths[0], **offset}


def _of_group_window(
    select: syntax.Select, relation: Relation, call: syntax.Call, settings: Settings
) -> tuple[Relation, Aggregation]:
    """``GROUP BY key, TUMBLE(rt, INTERVAL …)`` (Flink's ``GroupWindowAggregate``)."""
    assert select.group is not None
    need_attributes(relation)
    kind, *fields = _GROUP_WINDOWS[call.name]
    if len(call.arguments) != len(fields) + 1:
        raise syntax.SqlProblem("function_arguments", call.place, name=call.name)
    time, *lengths = call.arguments
    if not isinstance(time, syntax.Path):
        raise syntax.SqlProblem("function_expression", time.place, name=call.name, what=syntax.construct(time))
    relation = relation.by_time(time)
    processing = time_of(relation, time)
    assigner: dict[str, Any] = {"type": kind}
    for name, length in zip(fields, lengths, strict=True):
        ms = milliseconds(length)
        if ms <= 0:
            raise syntax.SqlProblem("positive", length.place)
        assigner[name] = written(ms)
    found = Aggregation(replace(relation, window=None), window=call)
    for each in select.group:
        if each is not call:
            found.add_key(each)
    operator: dict[str, Any] = {"type": "window", "api": "sql"}
    if processing:
        operator["time"] = "processing"
    operator["assigner"] = assigner
    firing = _firing(settings, processing=processing, place=call.place)
    if firing and kind == "session":
        raise syntax.SqlProblem("session_fires", call.place)  # WindowEmitStrategy.checkValidation
    operator |= firing
    if "allowed_lateness" not in firing:
        operator |= in_zone(relation.table, processing=processing)
    _read(found, select)
    _need_merge(found, kind)
    stage = _stage(select, operator, found, tuple(dict.fromkeys(found.keys.values())), processing=processing)
    table = found.table(stage, None if processing else "window_time", changelog="updates" in firing)
    return Relation(table, {name: name for name in table.columns}, relation.alias, relation.place), found


def _need_merge(found: Aggregation, kind: str) -> None:
    """Raise ``SqlProblem`` for a function that has no ``merge`` over windows whose parts are merged."""
    for call in found.calls.values():
        if kind != "tumbling" and call.name in ("FIRST_VALUE", "LAST_VALUE"):
            raise syntax.SqlProblem("no_merge", call.place, name=call.name)


def _read(found: Aggregation, select: syntax.Select, *, continuous: bool = False) -> None:
    """Collect the aggregates of SELECT and HAVING. Raises ``SqlProblem`` if there are none, or for what is wrong."""
    for item in select.items:
        if item.of is None:
            raise syntax.SqlProblem("star_of_group", item.place)
        found.output(item.of, "" if item.alias is None else item.alias.text)
    if select.having is not None:
        found.output(select.having)
    if not found.calls and not continuous:  # only the groups themselves: an operator needs something to count
        found.output(syntax.Call("COUNT", (), distinct=False, star=True, place=select.place))


def _stage(
    select: syntax.Select,
    operator: Mapping[str, Any],
    found: Aggregation,
    keys: tuple[str, ...],
    *,
    processing: bool,
) -> Stage:
    relation, arguments = found.relation, [name for call in found.calls.values() for name in columns_of(call)]
    values = tuple(dict.fromkeys(each for each in arguments if each not in keys))
    return Stage(operator, {"events": Input(relation.table, keys, values, relation.where)}, found.calls,
                 processing=processing, place=select.place)  # fmt: skip


def over(
    select: syntax.Select, relation: Relation
) -> tuple[Relation, Callable[[syntax.Expression], syntax.Expression]]:
    """``SUM(v) OVER (PARTITION BY k ORDER BY rt)`` (Flink's ``OverAggregate``): what it emits, and how SELECT says it.

    Raises ``SqlProblem`` for a window that the planner refuses.
    """
    need_rows(relation)
    need_attributes(relation)
    for each in select.items:
        if isinstance(each.of, syntax.Call) and each.of.over is not None:
            for key in over_of(each.of, select).order:
                relation = relation.by_time(key.by) if isinstance(key.by, syntax.Path) else relation
    rowtime = need_rowtime(relation.table, select.place)
    calls: dict[str, syntax.Call] = {}
    types: dict[str, Column] = {}
    windows: dict[tuple[Any, ...], syntax.Call] = {}
    keys: tuple[str, ...] = ()
    frame: dict[str, Any] = {}
    taken: list[str] = [rowtime]
    inner = relation

    def output(expression: syntax.Expression, name: str = "") -> syntax.Expression:
        nonlocal inner, keys, frame
        if isinstance(expression, syntax.Call) and expression.over is not None:
            if expression.name == "ROW_NUMBER":
                raise syntax.SqlProblem("rank_without_limit", expression.place)
            window = over_of(expression, select)
            inner, keys, frame = _over(expression, window, inner, rowtime)
            windows.setdefault((keys, tuple(frame.items())), expression)
            if len(windows) > 1:
                raise syntax.SqlProblem("two_windows_over", expression.place)
            call = inner.within(replace(expression, over=None))
            assert isinstance(call, syntax.Call)
            known = next((each for each, of in calls.items() if sql_text(of) == sql_text(call)), None)
            if known is None:
                found = compiled_aggregate(call, inner.table.values, inner.table.zone)
                known = fresh(name or name_for(call), [*inner.table.columns, *calls])
                calls[known], types[known] = call, of_computed(known, found.type)
            return as_path(known, expression.place)
        if isinstance(expression, syntax.Path):
            column = inner.find(expression)
            taken.append(column)
            return as_path(column, expression.place)
        return _parts(expression, output)

    for item in select.items:
        if item.of is None:
            taken += inner.columns.values()
        else:
            output(item.of, "" if item.alias is None else item.alias.text)
    readable = inner.table.columns
    columns = {name: plain_column(readable[name]) for name in dict.fromkeys([*keys, *taken]) if name in readable}
    arguments = [name for call in calls.values() for name in columns_of(call)]
    values = tuple(name for name in dict.fromkeys([*(each for each in columns if each != rowtime), *arguments])
                   if name not in keys and name in inner.table.values)  # fmt: skip
    input = Input(inner.table, keys, values, inner.where)
    stage = Stage({"type": "over", "frame": frame}, {"events": input}, calls, place=select.place)
    table = replace(inner.table, columns={**columns, **types}, bound=0, primary_key=(), stage=stage, idle_timeout=None)
    names = {name: of for name, of in inner.columns.items() if of in columns}
    qualified = {name: of for name, of in inner.qualified.items() if of in columns}
    found = Relation(table, names, inner.alias, inner.place, _kept(inner, columns), None, (), qualified)
    return found, output


def _kept(relation: Relation, columns: Mapping[str, Column]) -> Window | None:
    """The window of rows that have it, as long as they have both of its ends."""
    window = relation.window
    return window if window is not None and window.attached and set(ENDS[:2]) <= columns.keys() else None


def _over(
    call: syntax.Call, window: syntax.OverWindow, relation: Relation, rowtime: str
) -> tuple[Relation, tuple[str, ...], dict[str, Any]]:
    """The columns of the key, which the relation may gain, and the frame."""
    if len(window.order) != 1:
        raise syntax.SqlProblem("order_by_time", window.order[1].place if window.order else call.place)
    order = window.order[0]
    if not isinstance(order.by, syntax.Path) or relation.find(order.by) != rowtime or order.descending or order.nulls:
        raise syntax.SqlProblem("order_by_time", order.place)
    keys = []
    for each in window.partition:
        relation, name = relation.with_column(each)
        keys.append(name)
    if call.filter is not None:
        raise syntax.SqlProblem("filter_over", call.place)
    if call.name in ONLY_OVER and window.frame is not None:
        raise syntax.SqlProblem("frame_of_rows", window.frame.place, name=call.name)
    return relation, tuple(dict.fromkeys(keys)), _frame(window)


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


def _end_of(call: syntax.Call, window: syntax.Call) -> str:
    """Which end of ``window`` is ``call``, as ``TUMBLE_START(…)`` is with the same arguments; "" for none."""
    name, _, end = call.name.rpartition("_")
    if name != window.name or end not in _OF_THE_WINDOW:
        return ""
    if [_meaning(each) for each in call.arguments] != [_meaning(each) for each in window.arguments]:
        raise syntax.SqlProblem("other_window", call.place, name=call.name, window=window.name)
    return {"START": "window_start", "END": "window_end"}.get(end, "window_time")


def _meaning(expression: syntax.Expression) -> object:
    """What the planner compares: for it 60 SECOND and 1 MINUTE are two constants."""
    if isinstance(expression, syntax.Path):
        return expression.last
    ms = milliseconds(expression)
    while isinstance(expression, syntax.Operation):
        expression = expression.operands[0]
    return ms, isinstance(expression, syntax.Interval) and (expression.unit.removesuffix("S"), expression.last_unit)


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
