"""A Python program that runs the scenario as Flink SQL.

The records are written to a file, which a table of the ``filesystem`` connector reads in order, and the watermark
follows each record: an interval of 0 ms lets ``WatermarkAssignerOperator`` send every rise. A watermark that stands in
the scenario itself travels in a column of its own, beside the record that it follows.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from tidemark.simulator import run
from tidemark.simulator.engine.values.duration import format_duration
from tidemark.simulator.engine.values.items import End, Item, Record, Status, Watermark
from tidemark.simulator.programs.facts import Facts, NotExpressible, facts_of, order_matters, printed, title_of
from tidemark.simulator.programs.pyflink_queries import Query, interval, query_of
from tidemark.simulator.scenario.model import (
    BoundedOutOfOrderness,
    InputSpec,
    MonotonousTimestamps,
    NoWatermarks,
    Punctuated,
    Scenario,
    SqlWatermark,
)  # fmt: skip
from tidemark.simulator.words import words

_TYPES: Final = {"integer": "BIGINT", "double": "DOUBLE", "text": "STRING", "boolean": "BOOLEAN", "none": "STRING",
                 "mixed": "STRING"}  # fmt: skip
_LATEST: Final = 253_402_300_799_999
"""The end of the year 9999 (ms)."""


def pyflink_sql(scenario: Scenario) -> str:
    """The program. Raises ``NotExpressible`` with the reason if Flink SQL cannot do what ``scenario`` does."""
    facts = facts_of(scenario)
    query = query_of(facts)
    _check_stream(facts)
    if order_matters(facts, tuple(_as_read(facts))):
        raise NotExpressible("order")
    if not facts.ends:
        _check_end(facts)
    parts = [
        _head(facts),
        _records(facts, query),
        _tables(scenario),
        *(_table(facts, query, each) for each in scenario.inputs),
    ]
    return "\n".join([*parts, _query(query), _PRINT.replace("MEMBERS", query.members)])


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
        own = not isinstance(given.watermark, NoWatermarks)
        if own and any(isinstance(item, Watermark) and item.input == given.name for item in facts.items):
            raise NotExpressible("two_kinds", input=given.name)


def _check_end(facts: Facts) -> None:
    """A file ends, and its end sends the last watermark: it must not bring a row that the scenario does not have."""
    rows: list[dict[str, Any]] = []
    ended = replace(facts.scenario, stream=(*facts.items, End()))
    run(ended, lambda row: rows.append(printed(row)) if row["row"] in _ROWS else None)
    if len(rows) != sum(row["row"] in _ROWS for row in facts.rows):
        raise NotExpressible("no_end")


_ROWS: Final = frozenset({"pane", "joined", "group", "emitted", "ranked"})


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
            if isinstance(item, Record):
                value = json.dumps(item.value, ensure_ascii=False) if query.json_values else item.value
                rows.append({"ts": item.ts, "k": item.key, "v": value})
            elif isinstance(item, Watermark) and item.ts > 0:
                if not rows:
                    raise NotExpressible("watermark_first")
                rows[-1]["watermark"] = max(item.ts, rows[-1].get("watermark", item.ts))
        lines += [f"    {given.name!r}: [", *(f"        {row!r}," for row in rows), "    ],"]
    return "\n".join([*lines, "}", ""])


def _table(facts: Facts, query: Query, given: InputSpec) -> str:
    strategy, comment = _watermark(given)
    value = "STRING" if query.json_values else _TYPES[facts.value]
    key = _TYPES[facts.key]
    time = "TIMESTAMP(3)" if facts.scenario.operator.session_zone is None else "TIMESTAMP_LTZ(3)"
    columns = [f"k {key}", f"v {value}", f"rt {time}"]
    if isinstance(given.watermark, NoWatermarks):
        columns.append(f"wm {time}")
    elements = [*columns, f"WATERMARK FOR rt AS {strategy}"]
    if given.name in query.versioned:
        elements.append("PRIMARY KEY (k) NOT ENFORCED")
    body = ",\n    ".join(elements)
    return f"# {comment}\ntable({given.name!r}, '''\n    {body}\n''')\n"


def _tables(scenario: Scenario) -> str:
    """What makes the tables. A session time zone counts for instants alone, which end in Z in the file."""
    zone = scenario.operator.session_zone
    if zone is None:
        return _TABLES
    comment = words("programs.pyflink.session_zone", language="en")
    set_zone = f'# {comment}\nflink.get_config().set("table.local-time-zone", {json.dumps(zone)})'
    text = _TABLES.replace('flink.get_config().set("table.local-time-zone", "UTC")', set_zone)
    return text.replace('.isoformat(" ", "milliseconds")', '.isoformat(" ", "milliseconds") + "Z"')


def _watermark(given: InputSpec) -> tuple[str, str]:
    """The watermark of an input as SQL, and what is said of its number."""
    match given.watermark:
        case SqlWatermark(bound=bound):
            return _minus(bound), words("programs.watermark.sql", language="en", bound=format_duration(bound))
        case BoundedOutOfOrderness(bound=bound):
            said = words("programs.watermark.bounded", language="en", bound=format_duration(bound))
            return _minus(bound + 1), said
        case MonotonousTimestamps():
            return _minus(1), words("programs.watermark.monotonous", language="en")
        case Punctuated(bound=bound):
            return _minus(bound), words("programs.watermark.punctuated", language="en", bound=format_duration(bound))
        case NoWatermarks():
            return "wm", words("programs.watermark.explicit", language="en")


def _minus(ms: int) -> str:
    return f"rt - {interval(ms)}" if ms else "rt"


def _query(query: Query) -> str:
    settings = "".join(f'flink.get_config().set("{name}", "{value}")\n' for name, value in query.settings)
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
    rows = ({"k": row["k"], "v": row["v"], "rt": timestamp(row["ts"]), "wm": timestamp(row.get("watermark"))}
            for row in RECORDS[name])
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
