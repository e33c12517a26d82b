"""The tables of a program in Flink SQL: their columns, their records in order of arrival, and their watermarks.

The records are written to a file, which a table of the ``filesystem`` connector reads in order, and the watermark
follows each record: an interval of 0 ms lets ``WatermarkAssignerOperator`` send every rise. A watermark that stands in
the scenario itself travels in a column of its own, beside the record that it follows.
"""

import json
from collections.abc import Iterator
from typing import Any, Final

from tidemark.simulator.engine.values.duration import format_duration
from tidemark.simulator.engine.values.items import Item, Record, Status, Watermark
from tidemark.simulator.programs.facts import Facts, NotExpressible, check_end, facts_of, order_matters
from tidemark.simulator.programs.sql_columns import as_columns, table_columns
from tidemark.simulator.programs.sql_queries import Query, interval, query_of
from tidemark.simulator.scenario import model
from tidemark.simulator.words import words

_TYPES: Final = {"integer": "BIGINT", "double": "DOUBLE", "text": "STRING", "boolean": "BOOLEAN", "none": "STRING",
                 "mixed": "STRING"}  # fmt: skip
_LATEST: Final = 253_402_300_799_999
"""The end of the year 9999 (ms)."""


def settings_of(scenario: model.Scenario) -> Iterator[tuple[str, str, str]]:
    """What is set for the whole program: name, value, and why, which may be empty."""
    zone = scenario.operator.session_zone
    yield "parallelism.default", "1", words("programs.sql.one_task", language="en")
    yield "pipeline.auto-watermark-interval", "0 ms", words("programs.sql.each_record", language="en")
    yield "table.local-time-zone", zone or "UTC", words("programs.sql.session_zone", language="en") if zone else ""
    yield "table.optimizer.agg-phase-strategy", "ONE_PHASE", ""


def checked(scenario: model.Scenario) -> tuple[Facts, Query]:
    """The facts and the query of a program. Raises ``NotExpressible`` if Flink SQL cannot do what ``scenario`` does."""
    facts = facts_of(scenario, columns=True)
    query = query_of(facts)
    _check_stream(facts)
    if order_matters(facts, tuple(_as_read(facts))):
        raise NotExpressible("order")
    if not facts.ends:
        check_end(facts)
    return facts, query


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


def _as_read(facts: Facts) -> Iterator[Item]:
    """The stream as the tables give it: behind each record the last of the watermarks up to the next one."""
    for given in facts.scenario.inputs:
        own = [each for each in facts.items if getattr(each, "input", None) == given.name]
        for item, after in zip(own, [*own[1:], None], strict=True):
            if isinstance(item, Record) or isinstance(after, Record | None):
                yield item


def records_of(facts: Facts, query: Query, given: model.InputSpec) -> list[dict[str, Any]]:
    """The records of an input: ``ts`` in ms, ``k`` and ``v`` or else ``columns``, and the ``watermark`` that follows a
    record where the scenario says so."""
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
    return rows


def elements(facts: Facts, query: Query, given: model.InputSpec) -> list[str]:
    """What stands in the parentheses of ``CREATE TABLE``."""
    value = "STRING" if query.json_values else _TYPES[facts.value]
    time = "TIMESTAMP(3)" if facts.scenario.operator.session_zone is None else "TIMESTAMP_LTZ(3)"
    columns = table_columns(given) if query.view else [f"k {_TYPES[facts.key]}", f"v {value}"]
    wm = [f"wm {time}"] * isinstance(given.watermark, model.NoWatermarks)
    key = ["PRIMARY KEY (k) NOT ENFORCED"] * (given.name in query.versioned)
    return [*columns, f"rt {time}", *wm, f"WATERMARK FOR rt AS {watermark(given)[0]}", *key]


def watermark(given: model.InputSpec) -> tuple[str, str]:
    """The watermark of an input as SQL, and what is said of its number."""
    match given.watermark:
        case model.SqlWatermark(bound=bound, when=when):
            minus = _minus(bound) if when is None else f"CASE WHEN {when} THEN {_minus(bound)} END"
            return minus, words("programs.watermark.sql", language="en", bound=format_duration(bound))
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
