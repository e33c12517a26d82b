"""Queries over two tables: the temporal join, the interval join, and the join of windows."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator.sql.aggregates import assigner_of
from tidemark.simulator.sql.ranks import versions_of
from tidemark.simulator.sql.reading import (
    ENDS,
    UNASSIGNED,
    Input,
    Pairing,
    Relation,
    Scope,
    Stage,
    conjunction,
    equality,
    fresh,
    mapped,
    need_rows,
    need_rowtime,
    paths_of,
    refuse_beyond,
    unique,
)
from tidemark.simulator.sql.syntax import (
    Expression,
    JoinSource,
    Name,
    Operation,
    Path,
    Place,
    Select,
    SqlProblem,
    TableSource,
    Within,
    beyond,
)
from tidemark.simulator.sql.tables import Column, plain_column
from tidemark.simulator.sql.times import milliseconds, written
from tidemark.simulator.sql.unions import with_windows

_TURNED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def joined(source: JoinSource, scope: Scope, where: Sequence[Expression]) -> Relation:
    """Two sources joined, with the conditions of ``where`` that are none of the join's.

    Raises ``SqlProblem`` for a join that is none of the three.
    """
    first, second = source.left, source.right
    left = joined(first, scope, ()) if isinstance(first, JoinSource) else scope.relation(first)
    if isinstance(second, JoinSource):
        raise SqlProblem("join_of_more", second.place)
    if source.using:
        return _using(source, left, scope, where)
    if isinstance(second, TableSource) and second.as_of is not None:
        found, rest = _temporal(source, left, scope, second), list(where)
        return found.filtered(*rest)
    right = scope.relation(second)
    if source.kind == "NATURAL":
        raise SqlProblem("outer_join", source.place, kind=source.kind)
    if left.rank is not None or right.rank is not None:
        raise SqlProblem("rank_inside", source.place)
    if left.alias == right.alias:
        raise SqlProblem("same_alias", source.place, name=left.alias or "")
    need_rows(left)
    need_rows(right)
    if left.window is not None and right.window is not None:
        if source.kind not in ("INNER", "CROSS"):
            found = _grouped(source.kind.lower(), left, right, conjunction(source.condition), source.place)
            return found.filtered(*where)
        found, rest = _of_windows(left, right, conjunction(source.condition, *where), source.place)
        found = replace(found, window=replace(left.window, attached=True))
    elif (left.window is not None and not left.window.attached) or (
        right.window is not None and not right.window.attached
    ):
        if source.kind not in ("INNER", "CROSS"):
            raise SqlProblem("one_window", source.place)
        return _of_all_rows(source, left, right, where, SqlProblem("one_window", source.place))
    elif source.kind not in ("INNER", "CROSS"):
        try:
            return _outer_interval(source, left, right).filtered(*where)
        except SqlProblem as problem:
            if problem.word != "no_bound":
                raise
        # A bound in WHERE drops what has no partner, and Flink makes an inner join of it.
        found, rest = _interval(source, left, right, where)
    else:
        try:
            found, rest = _interval(source, left, right, where)
        except SqlProblem as problem:
            if problem.word not in ("no_bound", "no_watermark"):
                raise
            return _of_all_rows(source, left, right, where, problem)
    return found.filtered(*rest)


def _of_all_rows(
    source: JoinSource, left: Relation, right: Relation, where: Sequence[Expression], problem: SqlProblem
) -> Relation:
    """A join without times, which keeps all rows (Flink's ``Join``); ``problem``: why no scenario has it."""
    left, right = with_windows(left), with_windows(right)
    pairs: list[tuple[Path, Path]] = []
    rest: list[Expression] = []
    for each in conjunction(source.condition, *where):
        pair = equality(each, left, right)
        kinds = {left.column(pair[0]).kind, right.column(pair[1]).kind} if pair else {""}
        if pair is not None and (kinds == {"text"} or kinds == {"integer"}):
            pairs.append(pair)
        else:
            rest.append(each)
    keys = _keys(pairs, left, right, source.place) if pairs else ((), ())
    found = _joined({"type": "pairs"}, left, right, keys, None)
    stage = found.table.stage
    assert isinstance(stage, Stage)
    stage = replace(stage, inputs=_with_times(stage), problem=problem)
    table = replace(found.table, rowtime=None, local=False, stage=stage)
    return replace(found, table=table).filtered(*rest)


def _using(source: JoinSource, left: Relation, scope: Scope, where: Sequence[Expression]) -> Relation:
    """A join on columns that both sides have, which are there once, before all others. Raises ``SqlProblem``."""
    right = scope.relation(source.right)
    if source.kind not in ("INNER", "LEFT"):
        raise SqlProblem("outer_join", source.place, kind=source.kind)
    equal = []
    for name in source.using:
        of_left = next((each for each in left.qualified if each.endswith(f".{name.text}")), f"{left.alias}.{name.text}")
        sides = [Path(tuple(Name(each, name.place) for each in of.split(".")), name.place)
                 for of in (of_left, f"{right.alias}.{name.text}")]  # fmt: skip
        equal.append(Operation("=", tuple(sides), name.place))
    of_both = {name.text: each.operands[0] for name, each in zip(source.using, equal, strict=True)}
    where = [mapped(each, lambda path: of_both.get(str(path), path)) for each in where]
    found = joined(replace(source, using=(), condition=_all_of(equal)), scope, where)
    columns = {path.last: found.find(path) for path in (each.operands[0] for each in equal) if isinstance(path, Path)}
    doubles = {found.find(each.operands[1]) for each in equal if isinstance(each.operands[1], Path)}
    others = {name: of for name, of in found.columns.items() if name not in columns and of not in doubles}
    return replace(found, columns={**columns, **others}, qualified={**found.qualified, **columns})


def _all_of(conditions: Sequence[Expression]) -> Expression:
    first, *more = conditions
    for each in more:
        first = Operation("AND", (first, each), each.place)
    return first


def _outer_interval(source: JoinSource, left: Relation, right: Relation) -> Relation:
    """The pairs, and the rows of one or both sides that have no partner."""
    found, rest = _interval(source, left, right, ())
    stage = found.table.stage
    assert isinstance(stage, Stage)
    kind = source.kind.lower()
    pairing = Pairing(kind, found.filtered(*rest).where)
    stage = replace(stage, pairing=pairing, notes=(*stage.notes, "outer_interval"))
    # Of a row without a partner the time of the other side is NULL, and it would end a job that goes by it.
    rowtime = dict(zip(("left", "right"), found.table.times, strict=True)).get(kind)
    return replace(found, table=replace(found.table, rowtime=rowtime, times=(), stage=stage))


def subquery(condition: Expression) -> Within | None:
    """``[NOT] IN (SELECT …)`` or ``[NOT] EXISTS (SELECT …)``; None for another condition."""
    if isinstance(condition, Operation) and condition.operator == "NOT" and isinstance(condition.operands[0], Within):
        return replace(condition.operands[0], negated=not condition.operands[0].negated)
    return condition if isinstance(condition, Within) else None


def semi_joined(left: Relation, within: Within, scope: Scope, place: Place) -> Relation:
    """The rows of ``left`` with a partner in the same window of the subquery, or those without one.

    Raises ``SqlProblem`` for a subquery that is no more than rows of windows and a condition.
    """
    select = within.query.select
    windowed = left.window is not None and isinstance(select, Select) and not isinstance(select.source, JoinSource)
    if not windowed or select is None or left.rank is not None:
        raise beyond(within)
    refuse_beyond(select, within.query.beyond)
    if select.group is not None or select.qualify is not None or select.having is not None:
        raise beyond(within)
    right = scope.with_tables_of(within.query).relation(select.source)
    need_rows(left)
    need_rows(right)
    if right.window is None or right.rank is not None:
        raise beyond(within)
    right = replace(right, alias=right.alias or "#within")

    def inner(path: Path) -> Path:
        """A name within means a column of the subquery before one of the rows outside."""
        if path.names[0].text == right.alias or not right.has(path):
            return path
        return Path((Name(right.alias or "", path.place), *path.names), path.place)

    of: Operation | None = None
    conditions = [mapped(each, inner) for each in conjunction(select.where)]
    if within.of is not None:
        item = select.items[0].of
        if len(select.items) != 1 or item is None:
            raise beyond(within)
        equal = Operation("=", (within.of, mapped(item, inner)), within.place)
        if within.negated:
            of = equal
        else:
            conditions.append(equal)
    kind = "anti" if within.negated else "semi"
    found = _grouped(kind, left, right, conditions, place, of)
    stage = found.table.stage
    assert isinstance(stage, Stage)
    names = {name: stage.sides["left"][of] for name, of in left.columns.items() if of in stage.sides["left"]}
    return replace(found, columns=names, alias=left.alias, qualified={})


def _grouped(
    kind: str,
    left: Relation,
    right: Relation,
    conditions: Sequence[Expression],
    place: Place,
    of: Expression | None = None,
) -> Relation:
    """The rows of both sides in one window, of which the query makes others than pairs."""
    found, rest = _of_windows(left, right, conditions, place)
    stage = found.table.stage
    assert isinstance(stage, Stage)
    where = found.filtered(*rest).where
    pairing = Pairing(kind, where, None if of is None else found.filtered(of).where[0])
    operator = {**stage.operator, "type": "co-group", "join": "full"}
    grouped = replace(stage, operator=operator, inputs=_with_times(stage), pairing=pairing)
    keeps_left = kind not in ("right", "full")
    table = replace(found.table, rowtime=found.table.rowtime if keeps_left else None, stage=grouped)
    window = None if left.window is None or not keeps_left else replace(left.window, attached=True)
    return replace(found, table=table, window=window)


def _with_times(stage: Stage) -> dict[str, Input]:
    """The inputs of ``stage``, each record with its time as a column as well."""
    times = {name: [input.table.rowtime] if input.table.rowtime else [] for name, input in stage.inputs.items()}
    return {name: replace(input, values=tuple(dict.fromkeys([*input.values, *times[name]])))
            for name, input in stage.inputs.items()}  # fmt: skip


def _temporal(source: JoinSource, left: Relation, scope: Scope, versions: TableSource) -> Relation:
    """``l JOIN r FOR SYSTEM_TIME AS OF l.rt ON l.k = r.k`` (Flink's ``TemporalJoin`` by event time)."""
    if source.kind not in ("INNER", "LEFT"):
        raise SqlProblem("outer_join", source.place, kind=source.kind)
    right = scope.relation(TableSource(versions.table, versions.alias, None, versions.place))
    view = versions_of(right)
    right = right if view is None else view
    for each in (left, right):
        if (each.window is not None and not each.window.attached) or each.rank is not None:
            raise SqlProblem("temporal_of_window", each.place)
    need_rows(left)
    rowtime = need_rowtime(left.table, left.place)
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
    need_rowtime(right.table, right.place)
    _need_alike_times(left, right, right.place)
    if not right.table.primary_key:
        raise SqlProblem("versions_without_key", right.place, table=right.table.name)
    equal, rest = _equalities(conjunction(source.condition), left, right)
    if rest:
        raise SqlProblem("join_condition", rest[0].place)
    keys = _keys(equal, left, right, source.place)
    if sorted(right.table.primary_key) != sorted(keys[1]):
        raise SqlProblem("not_the_primary_key", right.place, key=", ".join(keys[1]),
                         primary=", ".join(right.table.primary_key))  # fmt: skip
    if right.where and view is None:
        raise SqlProblem("versions_filtered", right.place)
    operator: dict[str, Any] = {"type": "temporal-join"}
    if source.kind == "LEFT":
        operator["kind"] = "left"
    if view is None:
        return _joined(operator, left, right, keys, left.table.rowtime, notes=("window_join",))
    return _joined(operator, left, right, keys, left.table.rowtime, newer_only=True,
                   notes=("window_join", "versioned_view"))  # fmt: skip


def _interval(
    source: JoinSource, left: Relation, right: Relation, where: Sequence[Expression]
) -> tuple[Relation, list[Expression]]:
    """Two tables whose times differ by an interval (Flink's ``IntervalJoin``)."""
    left, right = (_by_time_of(each, (source.condition, *where)) for each in (left, right))
    times = need_rowtime(left.table, left.place), need_rowtime(right.table, right.place)
    equal, conditions = _equalities(conjunction(source.condition, *where), left, right)
    left, right, computed, conditions = _computed_keys(conditions, left, right, times)
    named = _keys(equal, left, right, source.place) if equal or not computed else ((), ())
    keys = (*named[0], *(each for each, _ in computed)), (*named[1], *(each for _, each in computed))
    _need_alike_times(left, right, source.place)
    bounds: dict[str, tuple[int, bool]] = {}
    rest: list[Expression] = []
    for each in conditions:
        if not _is_of_times(each, left, right, times):
            rest.append(each)
            continue
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
    operator = {name: operator[name] for name in order if name in operator}
    found = _joined(operator, left, right, keys, left.table.rowtime, never_late=True, notes=("interval_join",))
    stage = found.table.stage
    assert isinstance(stage, Stage)
    both = tuple(stage.sides[side][time] for side, time in zip(("left", "right"), times, strict=True))
    return replace(found, table=replace(found.table, times=both)), rest


def _by_time_of(relation: Relation, conditions: Sequence[Expression | None]) -> Relation:
    """``relation`` by the time attribute of it that ``conditions`` name."""
    named = [path for each in conditions if each is not None for path in paths_of(each) if relation.has(path)]
    if any(relation.find(each) == relation.table.rowtime for each in named):
        return relation
    return next((relation.by_time(path) for path in named if relation.find(path) in relation.table.times), relation)


def _computed_keys(
    conditions: Sequence[Expression], left: Relation, right: Relation, times: tuple[str, str]
) -> tuple[Relation, Relation, list[tuple[str, str]], list[Expression]]:
    """Both sides with a column for each expression of one side that is equal to one of the other: they are keys."""
    keys: list[tuple[str, str]] = []
    rest: list[Expression] = []
    for each in conditions:
        operands = each.operands if isinstance(each, Operation) and each.operator == "=" else ()
        if len(operands) == 2 and not _is_of_times(each, left, right, times):
            first, second = operands if _is_of(left, right, operands[0]) else operands[::-1]
            if _is_of(left, right, first) and _is_of(right, left, second):
                one, name = left.with_column(first)
                two, other = right.with_column(second)
                if one.table.columns[name].kind == two.table.columns[other].kind:
                    left, right, keys = one, two, [*keys, (name, other)]
                    continue
        rest.append(each)
    return left, right, keys, rest


def _is_of(own: Relation, other: Relation, expression: Expression) -> bool:
    """Whether all columns of ``expression``, and there are some, are those of ``own``."""
    found: list[bool] = []

    def note(path: Path) -> Path:
        found.append(own.has(path) and not other.has(path))
        return path

    mapped(expression, note)
    return bool(found) and all(found)


def _is_of_times(condition: Expression, left: Relation, right: Relation, times: tuple[str, str]) -> bool:
    """Whether ``condition`` compares the two time attributes: with anything else it is a filter of the pairs."""
    sides: set[str] = set()

    def note(path: Path) -> Path:
        for side, relation, time in (("left", left, times[0]), ("right", right, times[1])):
            if relation.has(path):
                sides.add(side if relation.find(path) == time else "other")
        return path

    mapped(condition, note)
    return sides == {"left", "right"}


def _bounds(
    condition: Expression, left: Relation, right: Relation, times: tuple[str, str]
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


def _time(expression: Expression, left: Relation, right: Relation, times: tuple[str, str]) -> tuple[str, int]:
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


def _of_windows(
    left: Relation, right: Relation, conditions: Sequence[Expression], place: Place
) -> tuple[Relation, list[Expression]]:
    """Two window table functions joined by window and key (Flink's ``WindowJoin``)."""
    assert left.window is not None
    assert right.window is not None
    if left.window.processing or right.window.processing:
        raise SqlProblem("window_join_processing", place)
    _need_alike_times(left, right, place)
    assigner = left.window.assigner
    if assigner != right.window.assigner:
        raise SqlProblem("window_join_differs", place)
    kind = assigner["type"]
    if kind not in ("tumbling", "sliding") or (kind == "sliding" and left.window.attached != right.window.attached):
        left, right = with_windows(left), with_windows(right)
    equal, rest = _equalities(conditions, left, right)
    ends = {(left.end_of(first), right.end_of(second)) for first, second in equal}
    if not {("window_start",) * 2, ("window_end",) * 2} <= ends:
        raise SqlProblem("window_join_ends", place)
    pairs = [each for each in equal if not left.end_of(each[0])]
    keys = _keys(pairs, left, right, place) if pairs else ((), ())
    assert left.window is not None
    operator = {"type": "window-join", "assigner": dict(assigner_of(left.window))}
    return _joined(operator, left, right, keys, None), rest


def _joined(
    operator: dict[str, Any],
    left: Relation,
    right: Relation,
    keys: tuple[tuple[str, ...], tuple[str, ...]],
    rowtime: str | None,
    *,
    newer_only: bool = False,
    never_late: bool = False,
    notes: tuple[str, ...] = (),
) -> Relation:
    """The pairs, with the columns of both sides; those of the right one renamed where the left has the same."""
    columns: dict[str, Column] = {}
    sides: dict[str, dict[str, str]] = {}
    visible: dict[str, str] = {}
    qualified: dict[str, str | None] = {}
    inputs: dict[str, Input] = {}
    for side, of, own in (("left", left, keys[0]), ("right", right, keys[1])):
        sides[side] = {}
        for name in dict.fromkeys([*of.columns.values(), *([of.table.rowtime] if of.table.rowtime else [])]):
            end = name.removeprefix(UNASSIGNED)
            emitted = fresh(end, columns)
            if name in of.table.columns:
                columns[emitted] = replace(plain_column(of.table.columns[name]), name=emitted, source=emitted)
            elif end in ENDS:
                columns[emitted] = Column(emitted, "time", "TIMESTAMP(3)", emitted)
            else:
                continue
            sides[side][name] = emitted
        for name, column in of.columns.items():
            if column not in sides[side]:
                continue
            emitted = sides[side][column]
            visible[unique(name, visible)] = emitted
            named = of.qualified.get(name, column) and emitted
            qualified[name] = None if name in qualified else named
            qualified[f"{of.alias}.{name}"] = named
        qualified |= {name: sides[side][column] for name, column in of.qualified.items() if column in sides[side]}
        readable = [name for name in sides[side] if name in of.table.values]
        values = tuple(name for name in readable if name not in (*own, of.table.rowtime))
        inputs[side] = Input(of.table, own, values, of.where, newer_only=newer_only and side == "right")
    stage = Stage(operator, inputs, sides=sides, never_late=never_late, notes=notes, place=right.place)
    name = rowtime or (ENDS[2] if left.window is not None and left.window.attached else UNASSIGNED + ENDS[2])
    time = sides["left"].get(name)
    table = replace(left.table, name=f"{left.table.name}, {right.table.name}", columns=columns, rowtime=time, bound=0,
                    primary_key=(), idle_timeout=None, stage=stage)  # fmt: skip
    return Relation(table, visible, None, left.place, None, None, (), qualified)


def _equalities(
    conditions: Sequence[Expression], left: Relation, right: Relation
) -> tuple[list[tuple[Path, Path]], list[Expression]]:
    """The pairs of equal columns, but for those of the two times, and what else is asked."""
    equal: list[tuple[Path, Path]] = []
    rest: list[Expression] = []
    for each in conditions:
        pair = equality(each, left, right)
        times = (
            pair is not None
            and not left.end_of(pair[0])
            and (left.find(pair[0]) == left.table.rowtime and right.find(pair[1]) == right.table.rowtime)
        )
        if pair is None or times:
            rest.append(each)
        else:
            equal.append(pair)
    return equal, rest


def _keys(
    equal: Sequence[tuple[Path, Path]], left: Relation, right: Relation, place: Place
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    if not equal:
        raise SqlProblem("join_without_key", place)
    pairs = list(dict.fromkeys((left.column(first), right.column(second)) for first, second in equal))
    for one, two in pairs:
        if one.kind != two.kind:
            raise SqlProblem("key_kinds", place, left=one.type, right=two.type)
    return tuple(one.name for one, _ in pairs), tuple(two.name for _, two in pairs)


def _need_alike_times(left: Relation, right: Relation, place: Place) -> None:
    """Raise ``SqlProblem`` for a local time beside an instant. Flink refuses it, but for windows: there it plans an
    ordinary join, which keeps all rows for ever."""
    if left.table.local != right.table.local:
        names = {of.table.local: f"{of.alias}.{of.table.rowtime}" for of in (left, right)}
        raise SqlProblem("time_kinds", place, local=names[True], other=names[False])
