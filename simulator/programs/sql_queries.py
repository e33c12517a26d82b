"""The query of Flink SQL that does what an operator does; a program in Python or in Java runs it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator import run
from tidemark.simulator.engine.values.items import DELETE
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.engine.values.time import Milliseconds
from tidemark.simulator.programs.facts import ROWS, Facts, NotExpressible, printed
from tidemark.simulator.programs.sql_columns import Cell, Members, aggregates, columns_of_input, order_by, quoted
from tidemark.simulator.scenario import model
from tidemark.simulator.words import words

# Numbers and names of a scenario as Flink SQL writes them.

_UNITS: Final = (("DAY", 86_400_000), ("HOUR", 3_600_000), ("MINUTE", 60_000), ("SECOND", 1_000))


def interval(ms: Milliseconds) -> str:
    """``INTERVAL '5' SECOND``: the largest unit of which ``ms`` is a number of two digits, else the parts of a day.

    Flink takes three digits of the first unit at most (``FlinkTypeFactory``), and two unless the unit says so.
    """
    sign, ms = ("-" if ms < 0 else ""), abs(ms)
    for unit, length in _UNITS:
        if ms and ms % length == 0 and ms // length < 100:
            return f"INTERVAL {sign}'{ms // length}' {unit}"
    if ms < 100_000:
        return f"INTERVAL {sign}'{ms // 1000}.{ms % 1000:03}' SECOND" if ms else "INTERVAL '0' SECOND"
    days, rest = divmod(ms, 86_400_000)
    hours, minutes, seconds = rest // 3_600_000, rest // 60_000 % 60, rest // 1000 % 60
    digits = "(3)" if days > 99 else ""
    return f"INTERVAL {sign}'{days} {hours:02}:{minutes:02}:{seconds:02}.{rest % 1000:03}' DAY{digits} TO SECOND"


# The older group windows of Flink SQL: windows that fire more than once, and hops of any slide.
#
# ``WindowEmitStrategy`` reads from the settings ``table.exec.emit`` when a group window fires early and late. It
# then takes results back and gives new ones; a window table function never does.


@dataclass(frozen=True)
class Query:
    """``sql``: a SELECT. ``members``: what is printed of a row of it. ``comment`` stands above it.

    ``json_values``: values are JSON texts, since nothing is computed of them. ``versioned``: inputs with a primary key.
    ``settings``: what is set before the query. ``view``: a SELECT of the only input, for rows with columns; the query
    reads it by the name ``VIEW``.
    """

    sql: str
    members: Members
    comment: str
    json_values: bool = False
    versioned: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    view: str = ""


VIEW: Final = "`computed rows`"

_PANE: Final[Members] = {
    "row": "pane", "key": Cell("value", 0), "start": Cell("ms", 1), "end": Cell("ms", 2), "value": Cell("value", 3),
    "timestamp": Cell("last", 2),
}  # fmt: skip
"""A result with its key and window."""


def aggregate(facts: Facts, compute: str, column: str = "v") -> str:
    """``SUM(v)``: what ``compute`` is in SQL."""
    if compute == "count":
        return "COUNT(*)"
    if compute not in ("sum", "min", "max", "avg"):
        raise NotExpressible("sql_function", function=compute)
    if facts.value not in ("integer", "double"):
        raise NotExpressible("sql_values")
    # AVG of whole numbers drops the fraction in SQL.
    return f"AVG(CAST({column} AS DOUBLE))" if compute == "avg" else f"{compute.upper()}({column})"


def input_name(facts: Facts) -> str:
    """The only input, as SQL names it."""
    return quoted(facts.scenario.inputs[0].name)


def group_window(facts: Facts, assigner: Any, value: str) -> str:
    """A SELECT with the older ``GROUP BY TUMBLE(…)``. Raises ``NotExpressible`` for windows that it does not have."""
    if getattr(assigner, "offset", 0):
        raise NotExpressible("sql_offset")
    match assigner:
        case model.Tumbling(size=size):
            name, lengths = "TUMBLE", [size]
        case model.Sliding(size=size, slide=slide):
            name, lengths = "HOP", [slide, size]
        case model.Session(gap=gap):
            name, lengths = "SESSION", [gap]
        case other:
            raise NotExpressible("sql_assigner", assigner=other.type)
    window = ", ".join(["rt", *(interval(each) for each in lengths)])
    bounds = f"{name}_START({window}), {name}_END({window})"
    return f"SELECT k, {bounds}, {value}\nFROM {input_name(facts)}\nGROUP BY k, {name}({window})"


def updating_window(facts: Facts, window: model.Window) -> Query:
    """The query of a window that fires early or late, with its settings. Raises ``NotExpressible``."""
    trigger = window.trigger
    if not isinstance(trigger, model.AfterEndOfWindow):
        raise NotExpressible("sql_trigger")
    # Flink takes lateness into account only together with late firings: at each record, which is what none means.
    late = trigger.late or (model.EveryElement() if window.allowed_lateness else None)
    firings = {"early": trigger.early, "late": late}
    if any(isinstance(each, model.ProcessingTimeEvery) for each in firings.values()):
        raise NotExpressible("sql_delay")
    if any(each not in (None, model.EveryElement()) for each in firings.values()) or bool(late) != bool(
        window.allowed_lateness
    ):
        raise NotExpressible("sql_trigger")
    if late != trigger.late and not _same_rows(facts, replace(window, trigger=replace(trigger, late=late))):
        raise NotExpressible("sql_trigger")
    settings = [("table.exec.emit.allow-lateness", f"{window.allowed_lateness} ms")] if window.allowed_lateness else []
    for name, each in firings.items():
        if each is not None:
            fire = f"table.exec.emit.{name}-fire"
            settings += [(f"{fire}.enabled", "true"), (f"{fire}.delay", "0 ms")]
    if settings and isinstance(window.assigner, model.Session):
        raise NotExpressible("sql_session")
    value = aggregate(facts, window.function.compute or "")
    comment = words("programs.sql.updating_window", language="en")
    sql = group_window(facts, window.assigner, value)
    return Query(sql, {**_PANE, "change": Cell("change")}, comment, settings=tuple(settings))


def _same_rows(facts: Facts, window: model.Window) -> bool:
    """Whether the scenario gives the same rows with ``window``."""
    found: Counter[str] = Counter()
    sink = replace(facts.scenario, operator=window)
    run(sink, lambda row: found.update([json_text(printed(row))]) if row["row"] in ROWS else None)
    return found == Counter(json_text(printed(row)) for row in facts.rows)


def query_of(facts: Facts) -> Query:
    """The query of the scenario's operator. Raises ``NotExpressible`` with the reason if there is none."""
    if any(each.columns for each in facts.scenario.inputs):
        return _of_columns(facts)
    match facts.scenario.operator:
        case model.Window() as window:
            return _window(facts, window)
        case model.WindowTopN() as top:
            return _top_n(facts, top)
        case model.Over() as over:
            return _over(facts, over)
        case model.Deduplicate(keep=keep):
            return _deduplicate(facts, keep)
        case model.TemporalJoin(kind=kind):
            return _temporal(facts, kind)
        case model.IntervalJoin() as join:
            return _interval(facts, join)
        case model.WindowJoin() as join:
            return _window_join(facts, join)
        case model.Process():
            return _sort(facts)
        case other:
            raise NotExpressible("sql_operator", operator=other.type)


def _of_columns(facts: Facts) -> Query:
    """As ``query_of``, over rows with columns."""
    found = columns_of_input(facts)
    keys, first = ", ".join(found.keys), len(found.keys)
    keys_first, partition = f"{keys}, " * bool(keys), f"PARTITION BY {keys} " * bool(keys)
    bounds: Members = {"start": Cell("ms", first), "end": Cell("ms", first + 1)}
    names = [name for name, _ in getattr(facts.scenario.operator.function, "columns", ())]
    values = ", ".join(map(quoted, found.values))
    match facts.scenario.operator:
        case model.Window(function=function) as window:
            plain = _is_default(window) and not (window.evictor or window.updates or window.allowed_lateness)
            of_columns = [*aggregates(function.columns)] or ["COUNT(*)"] * (function.compute == "count")
            _check_state(function)
            if not plain or not of_columns or window.late_output == "side":
                raise NotExpressible("sql_trigger")
            sliding = window.assigner if isinstance(window.assigner, model.Sliding) else None
            if sliding is not None and sliding.size % sliding.slide:
                raise NotExpressible("sql_offset")
            rows = _function(facts, window.assigner, VIEW, keys)
            sql = (f"SELECT {keys_first}window_start, window_end, {', '.join(of_columns)}\n"
                   f"FROM TABLE({rows})\nGROUP BY {keys_first}window_start, window_end")  # fmt: skip
            value = _plain(names, first + 2) if names else Cell("value", first + 2)
            members: Members = {"row": "pane", "key": found.of_key, **bounds, "value": value,
                                "timestamp": Cell("last", first + 1)}  # fmt: skip
            members = _with_end(value, bounds["end"], members) if function.sees_window else members
            comment = "window"
        case model.WindowTopN() as top if top.by is not None and top.ties == "first":
            rows = _function(facts, top.assigner, VIEW, keys)
            number = f"PARTITION BY {keys_first}window_start, window_end ORDER BY {order_by(top)}"
            ranked = f"SELECT *, ROW_NUMBER() OVER ({number}) AS place\n    FROM TABLE({rows})"
            sql = (f"SELECT {keys_first}window_start, window_end, place, rt, {values}\nFROM (\n    {ranked}\n)\n"
                   f"WHERE place <= {top.n}")  # fmt: skip
            members = {"row": "ranked", "key": found.of_key, **bounds, "rank": Cell("value", first + 2),
                       "ts": Cell("ms", first + 3), "value": _plain(found.values, first + 4)}  # fmt: skip
            comment = "top_n"
        case model.Over(function=function) as over if function.columns:
            frame = _frame(over).removeprefix("RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")  # LAG takes none
            rows = f" OVER (\n    {partition}ORDER BY rt {frame}".rstrip() + "\n)"
            sql = f"SELECT {keys_first}rt, {', '.join(aggregates(function.columns, rows))}, {values}\nFROM {VIEW}"
            members = {"row": "emitted", "key": found.of_key, "ts": Cell("ms", first),
                       "value": _plain(names, first + 1),
                       "own": _plain(found.values, first + 1 + len(names))}  # fmt: skip
            comment = "over"
        case model.Deduplicate(keep=keep):
            order = "ASC" if keep == "first" else "DESC"
            number = f"ROW_NUMBER() OVER ({partition}ORDER BY rt {order}) AS place"
            sql = (f"SELECT {keys_first}rt, {values}\nFROM (\n    SELECT *, {number}\n    FROM {VIEW}\n)\n"
                   "WHERE place = 1")  # fmt: skip
            members = {"row": "emitted", "key": found.of_key, "ts": Cell("ms", first),
                       "value": _plain(found.values, first + 1), "change": Cell("change")}  # fmt: skip
            comment = "deduplicate"
        case other:
            raise NotExpressible("columns_operator", operator=other.type)
    return Query(sql, members, words(f"programs.sql.{comment}", language="en"), view=found.view)


def _plain(names: Sequence[str], first: int) -> Members:
    """The columns ``names`` of a result, which begin at number ``first``."""
    return {name: Cell("plain", number) for number, name in enumerate(names, first)}


def _window(facts: Facts, window: model.Window) -> Query:
    if window.evictor is not None:
        raise NotExpressible("sql_evictor")
    if window.late_output == "side" and any(row["row"] == "late" for row in facts.rows):
        raise NotExpressible("sql_side_output")
    _check_state(window.function)
    value = aggregate(facts, window.function.compute or "")
    if window.api == "sql" and window.updates:
        return updating_window(facts, window)
    members = _with_end(_PANE["value"], _PANE["end"], _PANE) if window.function.sees_window else _PANE
    if window.allowed_lateness or not _is_default(window):
        raise NotExpressible("sql_trigger")
    sliding = window.assigner if isinstance(window.assigner, model.Sliding) else None
    # The window table function takes whole multiples only; the older group window takes any. In a session time zone
    # the two give different rows.
    zoned = window.api == "sql" and window.session_zone is not None
    if zoned or (sliding is not None and sliding.size % sliding.slide):
        sql = group_window(facts, window.assigner, value)
        comment = words(f"programs.sql.{'zoned_group_window' if zoned else 'group_window'}", language="en")
        return Query(sql, members, comment)
    sql = (
        f"SELECT k, window_start, window_end, {value}\nFROM TABLE({_function(facts, window.assigner)})\n"
        "GROUP BY k, window_start, window_end"
    )
    return Query(sql, members, words("programs.sql.window", language="en"))


def _check_state(function: model.Function) -> None:
    if function.firings is not None:
        raise NotExpressible("sql_function", function="windowState()")


def _with_end(value: Any, end: Any, members: Members) -> Members:
    """``members``, where a process function adds the end of the window to the value."""
    return {**members, "value": {"value": value, "window_end": end}}


def _is_default(window: model.Window) -> bool:
    trigger = window.trigger
    if isinstance(trigger, model.AfterEndOfWindow):
        return trigger.early is None and trigger.late is None
    return isinstance(trigger, model.EventTimeTrigger) or window.api == "tvf"


def _function(facts: Facts, assigner: Any, table: str | None = None, key: str = "k") -> str:
    """``TUMBLE(TABLE events, DESCRIPTOR(rt), INTERVAL …)``; ``key``: the columns that sessions are of."""
    table = table or input_name(facts)
    match assigner:
        case model.Tumbling(size=size, offset=offset):
            name, lengths = "TUMBLE", [size]
        case model.Sliding(size=size, slide=slide, offset=offset):
            name, lengths = "HOP", [slide, size]
        case model.Cumulative(max_size=size, step=step, offset=offset):
            name, lengths = "CUMULATE", [step, size]
        case model.Session(gap=gap):
            return f"SESSION(TABLE {table}{f' PARTITION BY {key}' if key else ''}, DESCRIPTOR(rt), {interval(gap)})"
        case _:
            raise NotExpressible("sql_assigner", assigner=assigner.type)
    if offset:
        lengths.append(offset)
    return f"{name}(TABLE {table}, DESCRIPTOR(rt), {', '.join(map(interval, lengths))})"


def _top_n(facts: Facts, top: model.WindowTopN) -> Query:
    if facts.value not in ("integer", "double"):
        raise NotExpressible("sql_values")
    ranked = (
        "SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k "
        f"ORDER BY v {top.order.upper()}) AS place\n    FROM TABLE({_function(facts, top.assigner)})"
    )
    sql = f"SELECT k, window_start, window_end, place, rt, v\nFROM (\n    {ranked}\n)\nWHERE place <= {top.n}"
    members: Members = {
        "row": "ranked", "key": Cell("value", 0), "start": Cell("ms", 1), "end": Cell("ms", 2),
        "rank": Cell("value", 3), "ts": Cell("ms", 4), "value": Cell("value", 5),
    }  # fmt: skip
    return Query(sql, members, words("programs.sql.top_n", language="en"))


def _frame(over: model.Over) -> str:
    unit = "ROWS" if over.frame.rows is not None else "RANGE"
    reach = over.frame.range if over.frame.rows is None else over.frame.rows
    if isinstance(reach, int):
        start = f"{reach if unit == 'ROWS' else interval(reach)} PRECEDING"
    else:
        start = "UNBOUNDED PRECEDING"
    return f"{unit} BETWEEN {start} AND CURRENT ROW"


def _over(facts: Facts, over: model.Over) -> Query:
    frame = _frame(over)
    value = aggregate(facts, over.function.compute or "")
    sql = f"SELECT k, rt, {value} OVER (\n    PARTITION BY k ORDER BY rt {frame}\n), v\nFROM {input_name(facts)}"
    members = _emitted(value=Cell("value", 2), own=Cell("value", 3))
    return Query(sql, members, words("programs.sql.over", language="en"))


def _deduplicate(facts: Facts, keep: str) -> Query:
    order = "ASC" if keep == "first" else "DESC"
    sql = (
        f"SELECT k, rt, v\nFROM (\n    SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY rt {order}) AS place\n"
        f"    FROM {input_name(facts)}\n)\nWHERE place = 1"
    )
    members = _emitted(value=Cell("json", 2), change=Cell("change"))
    return Query(sql, members, words("programs.sql.deduplicate", language="en"), json_values=True)


def _emitted(**of: Cell) -> Members:
    """A row that the operator emits for a record: its key and time, then ``of``."""
    return {"row": "emitted", "key": Cell("value", 0), "ts": Cell("ms", 1), **of}


def _joined(start: Cell | None, end: Cell | None, timestamp: Cell, *, outer: bool = False) -> Members:
    """A pair; ``outer``: perhaps without a right side."""
    left, right = ({"ts": Cell("ms", ts), "value": Cell("json", ts + 1)} for ts in (1, 3))
    perhaps = Cell("unless_null", 3, members=right) if outer else right
    return {"row": "joined", "key": Cell("value", 0), "start": start, "end": end, "left": left, "right": perhaps,
            "timestamp": timestamp}  # fmt: skip


def _temporal(facts: Facts, kind: str) -> Query:
    if any(record.op == DELETE for record in facts.records()):
        raise NotExpressible("sql_delete")
    join = "LEFT JOIN" if kind == "left" else "JOIN"
    sql = (
        "SELECT l.k, l.rt, l.v, r.rt, r.v\nFROM `left` AS l\n"
        f"{join} `right` FOR SYSTEM_TIME AS OF l.rt AS r ON l.k = r.k"
    )
    members = _joined(None, None, Cell("ms", 1), outer=True)
    comment = words("programs.sql.temporal", language="en")
    return Query(sql, members, comment, json_values=True, versioned=("right",))


def _interval(facts: Facts, join: model.IntervalJoin) -> Query:
    if facts.lost or any(row["row"] == "late" for row in facts.rows):
        raise NotExpressible("sql_late_interval")
    lower = f"r.rt {'>' if join.lower_exclusive else '>='} l.rt + {interval(join.lower)}"
    upper = f"r.rt {'<' if join.upper_exclusive else '<='} l.rt + {interval(join.upper)}"
    sql = f"SELECT l.k, l.rt, l.v, r.rt, r.v\nFROM `left` AS l\nJOIN `right` AS r ON l.k = r.k AND {lower} AND {upper}"
    members = _joined(None, None, Cell("latest", 1, 3))
    return Query(sql, members, words("programs.sql.interval", language="en"), json_values=True)


def _window_join(facts: Facts, join: model.WindowJoin) -> Query:
    if join.type != "window-join":
        raise NotExpressible("sql_operator", operator=join.type)
    if join.evictor is not None:
        raise NotExpressible("sql_evictor")
    if join.allowed_lateness or not isinstance(join.trigger, model.EventTimeTrigger):
        raise NotExpressible("sql_trigger")
    if not isinstance(join.assigner, model.Tumbling | model.Sliding):
        raise NotExpressible("sql_assigner", assigner=join.assigner.type)
    sides = [f"(SELECT * FROM TABLE({_function(facts, join.assigner, f'`{name}`')}))" for name in ("left", "right")]
    sql = (
        f"SELECT l.k, l.rt, l.v, r.rt, r.v, l.window_start, l.window_end\nFROM {sides[0]} AS l\nJOIN {sides[1]} AS r\n"
        "ON l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end"
    )
    members = _joined(Cell("ms", 5), Cell("ms", 6), Cell("last", 6))
    return Query(sql, members, words("programs.sql.window_join", language="en"), json_values=True)


def _sort(facts: Facts) -> Query:
    if facts.lost:
        raise NotExpressible("sql_late_sort")
    sql = f"SELECT k, rt, v\nFROM {input_name(facts)}\nORDER BY rt"
    members = _emitted(value=Cell("json", 2))
    return Query(sql, members, words("programs.sql.sort", language="en"), json_values=True)
