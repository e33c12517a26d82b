"""The query that does what an operator does, and how its columns become the members of a printed row."""

from typing import Any, Final

from tidemark.simulator.programs.facts import Facts, NotExpressible
from tidemark.simulator.programs.pyflink_groups import (
    CHANGE,
    PANE,
    Query,
    aggregate,
    group_window,
    input_name,
    updating_window,
)
from tidemark.simulator.programs.sql_words import interval
from tidemark.simulator.scenario.model import (
    AfterEndOfWindow,
    Cumulative,
    Deduplicate,
    EventTimeTrigger,
    IntervalJoin,
    Over,
    Process,
    Session,
    Sliding,
    TemporalJoin,
    Tumbling,
    Window,
    WindowJoin,
    WindowTopN,
)  # fmt: skip
from tidemark.simulator.values.items import DELETE
from tidemark.simulator.words import words


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
