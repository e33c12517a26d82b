"""The query in Flink SQL that does what an operator does, and how its columns become members of a printed row."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator import run
from tidemark.simulator.engine.values.items import DELETE
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.engine.values.time import Milliseconds
from tidemark.simulator.programs.facts import ROWS, Facts, NotExpressible, printed
from tidemark.simulator.scenario.model import (
    AfterEndOfWindow,
    Cumulative,
    Deduplicate,
    EventTimeTrigger,
    EveryElement,
    IntervalJoin,
    Over,
    Process,
    ProcessingTimeEvery,
    Session,
    Sliding,
    TemporalJoin,
    Tumbling,
    Window,
    WindowJoin,
    WindowTopN,
)  # fmt: skip
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
    """``sql``: a SELECT. ``members``: Python text of the dict that is printed for ``row``. ``comment`` stands above it.

    ``json_values``: values are JSON texts, since nothing is computed of them. ``versioned``: inputs with a primary key.
    ``settings``: what is set before the query.
    """

    sql: str
    members: str
    comment: str
    json_values: bool = False
    versioned: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()


CHANGE: Final = '{RowKind.INSERT: "+I", RowKind.UPDATE_BEFORE: "-U", RowKind.UPDATE_AFTER: "+U"}[row.get_row_kind()]'
"""What a row of an updating result does to the one before it."""

PANE: Final = (
    '{"row": "pane", "key": row[0], "start": ms(row[1]), "end": ms(row[2]), "value": row[3], '
    '"timestamp": ms(row[2]) - 1}'
)
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
    return f"`{facts.scenario.inputs[0].name}`"


def group_window(facts: Facts, assigner: Any, value: str) -> str:
    """A SELECT with the older ``GROUP BY TUMBLE(…)``. Raises ``NotExpressible`` for windows that it does not have."""
    if getattr(assigner, "offset", 0):
        raise NotExpressible("sql_offset")
    match assigner:
        case Tumbling(size=size):
            name, lengths = "TUMBLE", [size]
        case Sliding(size=size, slide=slide):
            name, lengths = "HOP", [slide, size]
        case Session(gap=gap):
            name, lengths = "SESSION", [gap]
        case other:
            raise NotExpressible("sql_assigner", assigner=other.type)
    window = ", ".join(["rt", *(interval(each) for each in lengths)])
    bounds = f"{name}_START({window}), {name}_END({window})"
    return f"SELECT k, {bounds}, {value}\nFROM {input_name(facts)}\nGROUP BY k, {name}({window})"


def updating_window(facts: Facts, window: Window) -> Query:
    """The query of a window that fires early or late, with its settings. Raises ``NotExpressible``."""
    trigger = window.trigger
    if not isinstance(trigger, AfterEndOfWindow):
        raise NotExpressible("sql_trigger")
    # Flink takes lateness into account only together with late firings: at each record, which is what none means.
    late = trigger.late or (EveryElement() if window.allowed_lateness else None)
    firings = {"early": trigger.early, "late": late}
    if any(isinstance(each, ProcessingTimeEvery) for each in firings.values()):
        raise NotExpressible("sql_delay")
    if any(each not in (None, EveryElement()) for each in firings.values()) or bool(late) != bool(
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
    if settings and isinstance(window.assigner, Session):
        raise NotExpressible("sql_session")
    value = aggregate(facts, window.function.compute or "")
    members = f'{PANE.removesuffix("}")}, "change": {CHANGE}}}'
    comment = words("programs.pyflink.updating_window", language="en")
    return Query(group_window(facts, window.assigner, value), members, comment, settings=tuple(settings))


def _same_rows(facts: Facts, window: Window) -> bool:
    """Whether the scenario gives the same rows with ``window``."""
    found: Counter[str] = Counter()
    sink = replace(facts.scenario, operator=window)
    run(sink, lambda row: found.update([json_text(printed(row))]) if row["row"] in ROWS else None)
    return found == Counter(json_text(printed(row)) for row in facts.rows)


def query_of(facts: Facts) -> Query:
    """The query of the scenario's operator. Raises ``NotExpressible`` with the reason if there is none."""
    match facts.scenario.operator:
        case Window() as window:
            return _window(facts, window)
        case WindowTopN() as top:
            return _top_n(facts, top)
        case Over() as over:
            return _over(facts, over)
        case Deduplicate(keep=keep):
            return _deduplicate(facts, keep)
        case TemporalJoin(kind=kind):
            return _temporal(facts, kind)
        case IntervalJoin() as join:
            return _interval(facts, join)
        case WindowJoin() as join:
            return _window_join(facts, join)
        case Process():
            return _sort(facts)
        case other:
            raise NotExpressible("sql_operator", operator=other.type)


def _window(facts: Facts, window: Window) -> Query:
    if window.evictor is not None:
        raise NotExpressible("sql_evictor")
    if window.late_output == "side" and any(row["row"] == "late" for row in facts.rows):
        raise NotExpressible("sql_side_output")
    value = aggregate(facts, window.function.compute or "")
    if window.api == "sql" and window.updates:
        return updating_window(facts, window)
    if window.allowed_lateness or not _is_default(window):
        raise NotExpressible("sql_trigger")
    sliding = window.assigner if isinstance(window.assigner, Sliding) else None
    # The window table function takes whole multiples only; the older group window takes any. In a session time zone
    # the two give different rows.
    zoned = window.api == "sql" and window.session_zone is not None
    if zoned or (sliding is not None and sliding.size % sliding.slide):
        sql = group_window(facts, window.assigner, value)
        comment = words(f"programs.pyflink.{'zoned_group_window' if zoned else 'group_window'}", language="en")
        return Query(sql, PANE, comment)
    sql = (
        f"SELECT k, window_start, window_end, {value}\nFROM TABLE({_function(facts, window.assigner)})\n"
        "GROUP BY k, window_start, window_end"
    )
    return Query(sql, PANE, words("programs.pyflink.window", language="en"))


def _is_default(window: Window) -> bool:
    trigger = window.trigger
    if isinstance(trigger, AfterEndOfWindow):
        return trigger.early is None and trigger.late is None
    return isinstance(trigger, EventTimeTrigger) or window.api == "tvf"


def _function(facts: Facts, assigner: Any, table: str | None = None) -> str:
    """``TUMBLE(TABLE events, DESCRIPTOR(rt), INTERVAL …)``."""
    table = table or input_name(facts)
    match assigner:
        case Tumbling(size=size, offset=offset):
            name, lengths = "TUMBLE", [size]
        case Sliding(size=size, slide=slide, offset=offset):
            name, lengths = "HOP", [slide, size]
        case Cumulative(max_size=size, step=step, offset=offset):
            name, lengths = "CUMULATE", [step, size]
        case Session(gap=gap):
            return f"SESSION(TABLE {table} PARTITION BY k, DESCRIPTOR(rt), {interval(gap)})"
        case _:
            raise NotExpressible("sql_assigner", assigner=assigner.type)
    if offset:
        lengths.append(offset)
    return f"{name}(TABLE {table}, DESCRIPTOR(rt), {', '.join(map(interval, lengths))})"


def _top_n(facts: Facts, top: WindowTopN) -> Query:
    if facts.value not in ("integer", "double"):
        raise NotExpressible("sql_values")
    ranked = (
        "SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, k "
        f"ORDER BY v {top.order.upper()}) AS place\n    FROM TABLE({_function(facts, top.assigner)})"
    )
    sql = f"SELECT k, window_start, window_end, place, rt, v\nFROM (\n    {ranked}\n)\nWHERE place <= {top.n}"
    members = ('{"row": "ranked", "key": row[0], "start": ms(row[1]), "end": ms(row[2]), "rank": row[3], '
               '"ts": ms(row[4]), "value": row[5]}')  # fmt: skip
    return Query(sql, members, words("programs.pyflink.top_n", language="en"))


def _over(facts: Facts, over: Over) -> Query:
    unit = "ROWS" if over.frame.rows is not None else "RANGE"
    reach = over.frame.range if over.frame.rows is None else over.frame.rows
    if isinstance(reach, int):
        start = f"{reach if unit == 'ROWS' else interval(reach)} PRECEDING"
    else:
        start = "UNBOUNDED PRECEDING"
    frame = f"{unit} BETWEEN {start} AND CURRENT ROW"
    value = aggregate(facts, over.function.compute or "")
    sql = f"SELECT k, rt, {value} OVER (\n    PARTITION BY k ORDER BY rt {frame}\n), v\nFROM {input_name(facts)}"
    members = '{"row": "emitted", "key": row[0], "ts": ms(row[1]), "value": row[2], "own": row[3]}'
    return Query(sql, members, words("programs.pyflink.over", language="en"))


def _deduplicate(facts: Facts, keep: str) -> Query:
    order = "ASC" if keep == "first" else "DESC"
    sql = (
        f"SELECT k, rt, v\nFROM (\n    SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY rt {order}) AS place\n"
        f"    FROM {input_name(facts)}\n)\nWHERE place = 1"
    )
    members = f'{{"row": "emitted", "key": row[0], "ts": ms(row[1]), "value": json.loads(row[2]), "change": {CHANGE}}}'
    return Query(sql, members, words("programs.pyflink.deduplicate", language="en"), json_values=True)


_SIDE: Final = '{{"ts": ms(row[{ts}]), "value": json.loads(row[{v}])}}'
_LEFT, _RIGHT = _SIDE.format(ts=1, v=2), _SIDE.format(ts=3, v=4)


def _temporal(facts: Facts, kind: str) -> Query:
    if any(record.op == DELETE for record in facts.records()):
        raise NotExpressible("sql_delete")
    join = "LEFT JOIN" if kind == "left" else "JOIN"
    sql = (
        "SELECT l.k, l.rt, l.v, r.rt, r.v\nFROM `left` AS l\n"
        f"{join} `right` FOR SYSTEM_TIME AS OF l.rt AS r ON l.k = r.k"
    )
    right = f"None if row[3] is None else {_RIGHT}"
    members = (f'{{"row": "joined", "key": row[0], "start": None, "end": None, "left": {_LEFT}, "right": {right}, '
               '"timestamp": ms(row[1])}')  # fmt: skip
    comment = words("programs.pyflink.temporal", language="en")
    return Query(sql, members, comment, json_values=True, versioned=("right",))


def _interval(facts: Facts, join: IntervalJoin) -> Query:
    if facts.lost or any(row["row"] == "late" for row in facts.rows):
        raise NotExpressible("sql_late_interval")
    lower = f"r.rt {'>' if join.lower_exclusive else '>='} l.rt + {interval(join.lower)}"
    upper = f"r.rt {'<' if join.upper_exclusive else '<='} l.rt + {interval(join.upper)}"
    sql = f"SELECT l.k, l.rt, l.v, r.rt, r.v\nFROM `left` AS l\nJOIN `right` AS r ON l.k = r.k AND {lower} AND {upper}"
    members = (f'{{"row": "joined", "key": row[0], "start": None, "end": None, "left": {_LEFT}, "right": {_RIGHT}, '
               '"timestamp": max(ms(row[1]), ms(row[3]))}')  # fmt: skip
    return Query(sql, members, words("programs.pyflink.interval", language="en"), json_values=True)


def _window_join(facts: Facts, join: WindowJoin) -> Query:
    if join.type != "window-join":
        raise NotExpressible("sql_operator", operator=join.type)
    if join.evictor is not None:
        raise NotExpressible("sql_evictor")
    if join.allowed_lateness or not isinstance(join.trigger, EventTimeTrigger):
        raise NotExpressible("sql_trigger")
    if not isinstance(join.assigner, Tumbling | Sliding):
        raise NotExpressible("sql_assigner", assigner=join.assigner.type)
    sides = [f"(SELECT * FROM TABLE({_function(facts, join.assigner, f'`{name}`')}))" for name in ("left", "right")]
    sql = (
        f"SELECT l.k, l.rt, l.v, r.rt, r.v, l.window_start, l.window_end\nFROM {sides[0]} AS l\nJOIN {sides[1]} AS r\n"
        "ON l.k = r.k AND l.window_start = r.window_start AND l.window_end = r.window_end"
    )
    members = (f'{{"row": "joined", "key": row[0], "start": ms(row[5]), "end": ms(row[6]), "left": {_LEFT}, '
               f'"right": {_RIGHT}, "timestamp": ms(row[6]) - 1}}')  # fmt: skip
    return Query(sql, members, words("programs.pyflink.window_join", language="en"), json_values=True)


def _sort(facts: Facts) -> Query:
    if facts.lost:
        raise NotExpressible("sql_late_sort")
    sql = f"SELECT k, rt, v\nFROM {input_name(facts)}\nORDER BY rt"
    members = '{"row": "emitted", "key": row[0], "ts": ms(row[1]), "value": json.loads(row[2])}'
    return Query(sql, members, words("programs.pyflink.sort", language="en"), json_values=True)
