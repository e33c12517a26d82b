"""A Python program that runs the scenario as Flink SQL, and the query in it that does what an operator does.

The records are written to a file, which a table of the ``filesystem`` connector reads in order, and the watermark
follows each record: an interval of 0 ms lets ``WatermarkAssignerOperator`` send every rise. A watermark that stands in
the scenario itself travels in a column of its own, beside the record that it follows.
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from tidemark.simulator import run
from tidemark.simulator.engine.values.duration import format_duration
from tidemark.simulator.engine.values.items import DELETE, Item, Record, Status, Watermark
from tidemark.simulator.engine.values.rows import json_text
from tidemark.simulator.engine.values.time import Milliseconds
from tidemark.simulator.programs.facts import (
    ROWS,
    Facts,
    NotExpressible,
    check_end,
    facts_of,
    order_matters,
    printed,
    title_of,
)
from tidemark.simulator.programs.sql_columns import (
    aggregates,
    as_columns,
    columns_of_input,
    order_by,
    quoted,
    table_columns,
    with_helpers,
)
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
    """``sql``: a SELECT. ``members``: Python text of the dict that is printed for ``row``. ``comment`` stands above it.

    ``json_values``: values are JSON texts, since nothing is computed of them. ``versioned``: inputs with a primary key.
    ``settings``: what is set before the query. ``view``: a SELECT of the only input, for rows with columns; the query
    reads it by the name ``VIEW``.
    """

    sql: str
    members: str
    comment: str
    json_values: bool = False
    versioned: tuple[str, ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    view: str = ""


VIEW: Final = "`computed rows`"

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
    members = f'{PANE.removesuffix("}")}, "change": {CHANGE}}}'
    comment = words("programs.pyflink.updating_window", language="en")
    return Query(group_window(facts, window.assigner, value), members, comment, settings=tuple(settings))


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
    place = f'"key": {found.of_key}, '
    bounds = f'"start": ms(row[{first}]), "end": ms(row[{first + 1}]), '
    names = [name for name, _ in getattr(facts.scenario.operator.function, "columns", ())]
    values = ", ".join(map(quoted, found.values))
    match facts.scenario.operator:
        case model.Window(function=function) as window:
            plain = _is_default(window) and not (window.evictor or window.updates or window.allowed_lateness)
            if not plain or not function.columns or window.late_output == "side":
                raise NotExpressible("sql_trigger")
            sliding = window.assigner if isinstance(window.assigner, model.Sliding) else None
            if sliding is not None and sliding.size % sliding.slide:
                raise NotExpressible("sql_offset")
            rows = _function(facts, window.assigner, VIEW, keys)
            sql = (f"SELECT {keys_first}window_start, window_end, {', '.join(aggregates(function.columns))}\n"
                   f"FROM TABLE({rows})\nGROUP BY {keys_first}window_start, window_end")  # fmt: skip
            members = (f'{{"row": "pane", {place}{bounds}"value": {found.members(names, first + 2)}, '
                       f'"timestamp": ms(row[{first + 1}]) - 1}}')  # fmt: skip
            comment = "window"
        case model.WindowTopN() as top if top.by is not None and top.ties == "first":
            rows = _function(facts, top.assigner, VIEW, keys)
            number = f"PARTITION BY {keys_first}window_start, window_end ORDER BY {order_by(top)}"
            ranked = f"SELECT *, ROW_NUMBER() OVER ({number}) AS place\n    FROM TABLE({rows})"
            sql = (f"SELECT {keys_first}window_start, window_end, place, rt, {values}\nFROM (\n    {ranked}\n)\n"
                   f"WHERE place <= {top.n}")  # fmt: skip
            members = (f'{{"row": "ranked", {place}{bounds}"rank": row[{first + 2}], "ts": ms(row[{first + 3}]), '
                       f'"value": {found.members(found.values, first + 4)}}}')  # fmt: skip
            comment = "top_n"
        case model.Over(function=function) as over if function.columns:
            frame = _frame(over).removeprefix("RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW")  # LAG takes none
            rows = f" OVER (\n    {partition}ORDER BY rt {frame}".rstrip() + "\n)"
            sql = f"SELECT {keys_first}rt, {', '.join(aggregates(function.columns, rows))}, {values}\nFROM {VIEW}"
            members = (f'{{"row": "emitted", {place}"ts": ms(row[{first}]), '
                       f'"value": {found.members(names, first + 1)}, '
                       f'"own": {found.members(found.values, first + 1 + len(names))}}}')  # fmt: skip
            comment = "over"
        case model.Deduplicate(keep=keep):
            order = "ASC" if keep == "first" else "DESC"
            number = f"ROW_NUMBER() OVER ({partition}ORDER BY rt {order}) AS place"
            sql = (f"SELECT {keys_first}rt, {values}\nFROM (\n    SELECT *, {number}\n    FROM {VIEW}\n)\n"
                   "WHERE place = 1")  # fmt: skip
            members = (f'{{"row": "emitted", {place}"ts": ms(row[{first}]), '
                       f'"value": {found.members(found.values, first + 1)}, "change": {CHANGE}}}')  # fmt: skip
            comment = "deduplicate"
        case other:
            raise NotExpressible("columns_operator", operator=other.type)
    return Query(sql, members, words(f"programs.pyflink.{comment}", language="en"), view=found.view)


def _window(facts: Facts, window: model.Window) -> Query:
    if window.evictor is not None:
        raise NotExpressible("sql_evictor")
    if window.late_output == "side" and any(row["row"] == "late" for row in facts.rows):
        raise NotExpressible("sql_side_output")
    value = aggregate(facts, window.function.compute or "")
    if window.api == "sql" and window.updates:
        return updating_window(facts, window)
    if window.allowed_lateness or not _is_default(window):
        raise NotExpressible("sql_trigger")
    sliding = window.assigner if isinstance(window.assigner, model.Sliding) else None
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
    members = ('{"row": "ranked", "key": row[0], "start": ms(row[1]), "end": ms(row[2]), "rank": row[3], '
               '"ts": ms(row[4]), "value": row[5]}')  # fmt: skip
    return Query(sql, members, words("programs.pyflink.top_n", language="en"))


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


def _interval(facts: Facts, join: model.IntervalJoin) -> Query:
    if facts.lost or any(row["row"] == "late" for row in facts.rows):
        raise NotExpressible("sql_late_interval")
    lower = f"r.rt {'>' if join.lower_exclusive else '>='} l.rt + {interval(join.lower)}"
    upper = f"r.rt {'<' if join.upper_exclusive else '<='} l.rt + {interval(join.upper)}"
    sql = f"SELECT l.k, l.rt, l.v, r.rt, r.v\nFROM `left` AS l\nJOIN `right` AS r ON l.k = r.k AND {lower} AND {upper}"
    members = (f'{{"row": "joined", "key": row[0], "start": None, "end": None, "left": {_LEFT}, "right": {_RIGHT}, '
               '"timestamp": max(ms(row[1]), ms(row[3]))}')  # fmt: skip
    return Query(sql, members, words("programs.pyflink.interval", language="en"), json_values=True)


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
    members = (f'{{"row": "joined", "key": row[0], "start": ms(row[5]), "end": ms(row[6]), "left": {_LEFT}, '
               f'"right": {_RIGHT}, "timestamp": ms(row[6]) - 1}}')  # fmt: skip
    return Query(sql, members, words("programs.pyflink.window_join", language="en"), json_values=True)


def _sort(facts: Facts) -> Query:
    if facts.lost:
        raise NotExpressible("sql_late_sort")
    sql = f"SELECT k, rt, v\nFROM {input_name(facts)}\nORDER BY rt"
    members = '{"row": "emitted", "key": row[0], "ts": ms(row[1]), "value": json.loads(row[2])}'
    return Query(sql, members, words("programs.pyflink.sort", language="en"), json_values=True)


_TYPES: Final = {"integer": "BIGINT", "double": "DOUBLE", "text": "STRING", "boolean": "BOOLEAN", "none": "STRING",
                 "mixed": "STRING"}  # fmt: skip
_LATEST: Final = 253_402_300_799_999
"""The end of the year 9999 (ms)."""


def pyflink_sql(scenario: model.Scenario) -> str:
    """The program. Raises ``NotExpressible`` with the reason if Flink SQL cannot do what ``scenario`` does."""
    facts = facts_of(scenario, columns=True)
    query = query_of(facts)
    _check_stream(facts)
    if order_matters(facts, tuple(_as_read(facts))):
        raise NotExpressible("order")
    if not facts.ends:
        check_end(facts)
    parts = [
        _head(facts),
        _records(facts, query),
        _tables(scenario),
        *(_table(facts, query, each) for each in scenario.inputs),
    ]
    text = "\n".join([*parts, _query(query), _PRINT.replace("MEMBERS", query.members)])
    return with_helpers(text) if query.view else text


def sql_lines(scenario: model.Scenario) -> list[str]:
    """What decides in SQL, line by line: watermarks, settings and the query. Raises ``NotExpressible``."""
    facts = facts_of(scenario, whole=False, columns=True)
    query = query_of(facts)
    tables = [
        line
        for each in scenario.inputs
        for line in (f"CREATE TABLE {each.name} (…,", f"  WATERMARK FOR rt AS {_watermark(each)[0]})")
    ]
    settings = [f"SET '{name}' = '{value}'" for name, value in query.settings]
    view = [f"CREATE VIEW {VIEW} AS", *query.view.splitlines()] if query.view else []
    return [*tables, *settings, *view, *query.sql.splitlines()]


def _check_stream(facts: Facts) -> None:
    for each in facts.items:
        if isinstance(each, Status):
            raise NotExpressible("status")
        if isinstance(each, Record | Watermark) and each.channel:
            raise NotExpressible("sql_channels")
        if isinstance(each, Record) and not 0 <= (each.ts or 0) <= _LATEST:
            raise NotExpressible("sql_epoch", ts=each.ts)
        if isinstance(each, Watermark) and (each.ts == 0 or each.ts > _LATEST):
            raise NotExpressible("sql_watermark", ts=each.ts)
    for given in facts.scenario.inputs:
        if given.channels > 1:
            raise NotExpressible("sql_channels")
        own = not isinstance(given.watermark, model.NoWatermarks)
        if own and any(isinstance(item, Watermark) and item.input == given.name for item in facts.items):
            raise NotExpressible("two_kinds", input=given.name)


def _head(facts: Facts) -> str:
    scenario = facts.scenario
    lines = [f'"""{title_of(scenario)}', "", words("programs.pyflink.about", language="en")]
    if len(scenario.inputs) > 1:
        lines += ["", words("programs.two_inputs", language="en")]
    return "\n".join([*lines, '"""', "", _IMPORTS])


def _as_read(facts: Facts) -> Iterator[Item]:
    """The stream as the tables give it: behind each record the last of the watermarks up to the next one."""
    for given in facts.scenario.inputs:
        own = [each for each in facts.items if getattr(each, "input", None) == given.name]
        for item, after in zip(own, [*own[1:], None], strict=True):
            if isinstance(item, Record) or isinstance(after, Record | None):
                yield item


def _records(facts: Facts, query: Query) -> str:
    """The records, one a line, each with the watermark that follows it where the scenario says so."""
    lines = [f"# {words('programs.pyflink.records', language='en')}", "RECORDS = {"]
    for given in facts.scenario.inputs:
        rows: list[dict[str, Any]] = []
        for item in facts.items:
            if getattr(item, "input", None) != given.name:
                continue
            if isinstance(item, Record) and query.view:
                rows.append({"ts": item.ts, "columns": as_columns(given, item.value)})
            elif isinstance(item, Record):
                value = json.dumps(item.value, ensure_ascii=False) if query.json_values else item.value
                rows.append({"ts": item.ts, "k": item.key, "v": value})
            elif isinstance(item, Watermark) and item.ts > 0:
                if not rows:
                    raise NotExpressible("watermark_first")
                rows[-1]["watermark"] = max(item.ts, rows[-1].get("watermark", item.ts))
        lines += [f"    {given.name!r}: [", *(f"        {row!r}," for row in rows), "    ],"]
    return "\n".join([*lines, "}", ""])


def _table(facts: Facts, query: Query, given: model.InputSpec) -> str:
    strategy, comment = _watermark(given)
    value = "STRING" if query.json_values else _TYPES[facts.value]
    key = _TYPES[facts.key]
    time = "TIMESTAMP(3)" if facts.scenario.operator.session_zone is None else "TIMESTAMP_LTZ(3)"
    columns = [*(table_columns(given) if query.view else (f"k {key}", f"v {value}")), f"rt {time}"]
    if isinstance(given.watermark, model.NoWatermarks):
        columns.append(f"wm {time}")
    elements = [*columns, f"WATERMARK FOR rt AS {strategy}"]
    if given.name in query.versioned:
        elements.append("PRIMARY KEY (k) NOT ENFORCED")
    body = ",\n    ".join(elements)
    return f"# {comment}\ntable({given.name!r}, '''\n    {body}\n''')\n"


def _tables(scenario: model.Scenario) -> str:
    """What makes the tables. A session time zone counts for instants alone, which end in Z in the file."""
    zone = scenario.operator.session_zone
    if zone is None:
        return _TABLES
    comment = words("programs.pyflink.session_zone", language="en")
    set_zone = f'# {comment}\nflink.get_config().set("table.local-time-zone", {json.dumps(zone)})'
    text = _TABLES.replace('flink.get_config().set("table.local-time-zone", "UTC")', set_zone)
    return text.replace('.isoformat(" ", "milliseconds")', '.isoformat(" ", "milliseconds") + "Z"')


def _watermark(given: model.InputSpec) -> tuple[str, str]:
    """The watermark of an input as SQL, and what is said of its number."""
    match given.watermark:
        case model.SqlWatermark(bound=bound):
            return _minus(bound), words("programs.watermark.sql", language="en", bound=format_duration(bound))
        case model.BoundedOutOfOrderness(bound=bound):
            said = words("programs.watermark.bounded", language="en", bound=format_duration(bound))
            return _minus(bound + 1), said
        case model.MonotonousTimestamps():
            return _minus(1), words("programs.watermark.monotonous", language="en")
        case model.Punctuated(bound=bound):
            return _minus(bound), words("programs.watermark.punctuated", language="en", bound=format_duration(bound))
        case model.NoWatermarks():
            return "wm", words("programs.watermark.explicit", language="en")


def _minus(ms: int) -> str:
    return f"rt - {interval(ms)}" if ms else "rt"


def _query(query: Query) -> str:
    settings = "".join(f'flink.get_config().set("{name}", "{value}")\n' for name, value in query.settings)
    if query.view:
        settings += f"flink.execute_sql({f'CREATE VIEW {VIEW} AS{chr(10)}{query.view}'!r})\n"
    return f'# {query.comment}\n{settings}QUERY = """\n{query.sql}\n"""\n'


_IMPORTS: Final = """\
import json
import tempfile
from datetime import datetime, timedelta
from pathlib import Path

from pyflink.common import RowKind
from pyflink.table import EnvironmentSettings, TableEnvironment

EPOCH = datetime(1970, 1, 1)
"""

_TABLES: Final = '''\
settings = EnvironmentSettings.in_streaming_mode()
flink = TableEnvironment.create(settings)
flink.get_config().set("parallelism.default", "1")  # one task, so that records keep their order
flink.get_config().set("pipeline.auto-watermark-interval", "0 ms")  # a watermark follows each record that raises it
flink.get_config().set("table.local-time-zone", "UTC")
flink.get_config().set("table.optimizer.agg-phase-strategy", "ONE_PHASE")
files = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)  # it goes when the program ends
folder = Path(files.name)


def timestamp(ms):
    """A time in ms as SQL writes it; None stays None."""
    return None if ms is None else (EPOCH + timedelta(milliseconds=ms)).isoformat(" ", "milliseconds")


def table(name, columns):
    """Write the records of an input to a file, and make a table that reads it."""
    rows = ({**row.get("columns", {each: row.get(each) for each in "kv"}),
             "rt": timestamp(row["ts"]), "wm": timestamp(row.get("watermark"))} for row in RECORDS[name])
    path = folder / f"{name}.json"
    path.write_text("".join(json.dumps(row) + "\\n" for row in rows))
    flink.execute_sql(f"""
        CREATE TABLE `{name}` ({columns}) WITH (
            'connector' = 'filesystem', 'path' = '{path.as_uri()}', 'format' = 'json',
            'json.timestamp-format.standard' = 'SQL'
        )
    """)


'''

_PRINT: Final = '''\

def ms(time):
    """A timestamp of a result in ms; None stays None. PyFlink's datetimes can be a microsecond short."""
    return None if time is None else round((time - EPOCH) / timedelta(milliseconds=1))


with flink.execute_sql(QUERY).collect() as results:
    for row in results:
        print(json.dumps(MEMBERS, ensure_ascii=False))
'''
