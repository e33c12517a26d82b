"""Rows with columns as a Structured Streaming query: what is computed of them are expressions of Spark SQL.

Which rows are in which window is found as for other programs: by sums of numbers that stand for the records.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, cast

from tidemark.simulator import run
from tidemark.simulator.engine.values.items import FILTERED, UPSERT, End, Item, Record
from tidemark.simulator.programs.facts import ROWS, Facts, NotExpressible, facts_of
from tidemark.simulator.programs.pyspark import (
    END,
    IMPORTS,
    PRINT,
    READING,
    SESSION,
    batches_of,
    by_spark,
    events_of,
    head,
    listed,
    window_of,
)
from tidemark.simulator.programs.spark_columns import PLACE, Named, Rows, aggregates_in_spark, rows_in_spark
from tidemark.simulator.programs.spark_expressions import NoTwin, spark_type
from tidemark.simulator.programs.sql_columns import constant_key, quoted
from tidemark.simulator.scenario import model
from tidemark.simulator.scenario.calc import JOINT, Columns
from tidemark.simulator.sql.types import Computed

_TAKEN: Final = ("time", PLACE)


def pyspark_columns(scenario: model.Scenario) -> str:
    """The program. Raises ``NotExpressible`` with the reason if Spark has none that gives the rows of ``scenario``."""
    facts = facts_of(scenario, columns=True)
    if len(scenario.inputs) > 1:
        raise NotExpressible("columns_sides")
    (given,) = scenario.inputs
    operator: Any = scenario.operator
    if not operator.aggregates_windows or not operator.function.columns or operator.updates:
        raise NotExpressible("spark_operator", operator=operator.type)
    if (zone := operator.session_zone) is not None:
        raise NotExpressible("spark_zone", zone=zone)
    for name, _ in (*given.columns, *given.select):
        if name in _TAKEN:
            raise NotExpressible("columns_name", name=name)
    constant = constant_key(facts)
    rules = by_spark(_numbered(facts, model.Function("aggregate", "sum"), _number))
    try:
        rows = rows_in_spark(given, "UTC", lambda number, name: quoted(name))
        results = aggregates_in_spark(operator.function, given, rows, "UTC", frame=False, counts="TRUE")
        aggregates = {each.name: _streaming(each.text) for each in results.values()}
        keys = rows.key if constant is None else ()
        key = f"key({', '.join(map(_printed, keys))})" if constant is None else repr(constant)
        value = ", ".join(f"{name!r}: {_printed(each)}" for name, each in results.items())
        schema = [f"{each.name} {_read_as(each.type)}" for each in rows.columns.values()]
    except NoTwin as problem:
        raise NotExpressible("spark_expression", what=str(problem)) from None
    with_place = any(PLACE in each for each in aggregates.values())
    if with_place and not _in_order_of_arrival(facts):
        raise NotExpressible("spark_order")
    events = [events_of(rules), *_calculated(rows)]
    if given.where is not None:
        # The time of the record stands in it, so that Spark does not push it below the watermark.
        events.append(f'.where(F.when(F.expr({rows.where!r}), F.col("time")).isNotNull())')
    groups = [*(_expression(each.text, each.name) for each in keys), f'{window_of(operator.assigner)}.alias("window")']
    chosen = [*(repr(each.name) for each in keys), *_BOUNDS, *map(repr, aggregates)]
    results_of = [
        f"events.groupBy({_each_on_a_line(groups)})",
        f".agg({_each_on_a_line(_expression(text, name) for name, text in aggregates.items())})",
        f".select({_each_on_a_line(chosen)})",
    ]
    row = f'{{"row": "pane", "key": {key}, **window, "value": {{{value}}}, "timestamp": row.end - 1}}'
    columns = ", ".join(["time BIGINT", *([f"{PLACE} BIGINT"] * with_place), *schema])
    parts = [
        head(scenario, own=False), _IMPORTS, listed(batches_of(rules), _row_of(facts, with_place)),
        SESSION.replace("    .getOrCreate()", f"{_SETTINGS}    .getOrCreate()"),
        READING.rstrip().replace("SCHEMA", repr(columns)) + "\n\n",
        _chain("events", events), _chain("results", results_of),
        *(each for name, each in _HELPERS.items() if f"{name}(" in row),
        _AS_JSON.replace("ROW", row), PRINT.replace("MODE", "append"),
    ]  # fmt: skip
    return "\n".join(parts)


def _in_order_of_arrival(facts: Facts) -> bool:
    """Whether each window has its rows in this order, as Spark's have by their places: sessions that merge may not."""
    places = model.Function("aggregate", columns=(("places", f"ARRAY_AGG({PLACE})"),))
    found = _numbered(facts, places, lambda place: {PLACE: place}, ((PLACE, "INT"),)).rows
    lists = [row["value"]["places"] for row in found if row["row"] == "pane"]
    return lists == list(map(sorted, lists))


def _numbered(facts: Facts, function: model.Function, value: Callable[[int], Any], columns: Columns = ()) -> Facts:
    """The same stream with a ``value`` for each record, by its place, and the ``function`` of these: a sum of numbers
    tells which records are in a window.

    Records that the filter drops have a key of their own, that of the record at the end: they move the watermark.
    """
    scenario, operator = facts.scenario, cast(Any, facts.scenario.operator)
    operator = replace(operator, function=function)
    inputs = tuple(replace(each, columns=columns, select=(), where=None, key=()) for each in scenario.inputs)
    items: tuple[Item, ...] = tuple(
        each._replace(key=END if each.op == FILTERED else str(each.key), value=value(place), op=UPSERT)
        if isinstance(each, Record)
        else each
        for place, each in enumerate(facts.items)
    )
    stream = (*items, End()) if facts.ends else items
    plain = replace(scenario, operator=operator, inputs=inputs, stream=stream, goals=(), walkthrough=())
    rows: list[Mapping[str, Any]] = []
    run(plain, lambda row: rows.append(row) if row["row"] in ROWS and row.get("key") != END else None)
    return replace(facts, scenario=plain, items=items, rows=tuple(rows))


def _number(place: int) -> int:
    """Such that no two sets of records of a program have the same sum, but by a rare chance."""
    return pow(place + 2, 7, 2**41 - 21)


def _row_of(facts: Facts, with_place: bool) -> Callable[[Record], str]:
    """What writes a record of the stream by Spark's rules: its columns, or none for the last one."""
    (given,) = facts.scenario.inputs
    values = {
        _number(place): (place, record.value or {})
        for place, record in enumerate(facts.items)
        if isinstance(record, Record)
    }

    def row(record: Record) -> str:
        place, value = values.get(record.value, (None, {}))
        columns = {name: value.get(name) for name, _ in given.columns}
        return repr({"time": record.ts, **({PLACE: place} if with_place else {}), **columns})

    return row


# Columns in Spark SQL, where a time is a BIGINT of ms and a DATE an INT of days.

_READ: Final = {
    "decimal": "CAST({0} AS {1})", "timestamp": "unix_millis(CAST({0} AS TIMESTAMP))",
    "timestamp_ltz": "unix_millis(CAST({0} AS TIMESTAMP))", "date": "unix_date(CAST({0} AS DATE))",
}  # fmt: skip
"""What is a text in JSON."""

_PRINTED: Final = {
    "decimal": "text({0})",
    "timestamp": "moment({0})",
    "timestamp_ltz": "moment({0})",
    "date": "day({0})",
}


def _read_as(type: Computed) -> str:
    if type.element is not None and type.element.type in (*_READ, "array"):
        raise NoTwin(str(type))
    return "STRING" if type.type in _READ else spark_type(type)


def _calculated(rows: Rows) -> Iterator[str]:
    for name, each in rows.columns.items():
        if each.type.type in _READ:
            text = _READ[each.type.type].format(each.name, spark_type(each.type))
            yield f".withColumn({name!r}, F.expr({text!r}))"
    for name, each in rows.select.items():
        yield f".withColumn({name!r}, F.expr({each.text!r}))"


def _streaming(aggregate: str) -> str:
    """``aggregate`` for a stream, in which Spark has no DISTINCT. Raises ``NoTwin``."""
    text = _COUNTED.sub(r"CAST(size(collect_set(\1)) AS BIGINT)", aggregate)
    if "(DISTINCT " in text:
        raise NoTwin("DISTINCT")
    return text


_COUNTED: Final = re.compile(r"^count\(DISTINCT (.*)\)$", re.DOTALL)


def _printed(of: Named) -> str:
    """Python text of a column of a result, as JSON has it."""
    if of.type.type == "float" or (of.type.element is not None and of.type.element.type in ("float", "array")):
        raise NoTwin(str(of.type))
    if of.type.element is not None and of.type.element.type in _PRINTED:
        return f"row.{of.name} and [{_PRINTED[of.type.element.type].format('each')} for each in row.{of.name}]"
    return _PRINTED.get(of.type.type, "{0}").format(f"row.{of.name}")


def _expression(text: str, name: str) -> str:
    return f"F.expr({text!r}).alias({name!r})"


def _each_on_a_line(arguments: Iterable[str]) -> str:
    return "".join(f"\n        {each}," for each in arguments) + "\n    "


def _chain(name: str, calls: Sequence[str]) -> str:
    if len(calls) == 1:
        return f"{name} = {calls[0]}"
    return "\n".join([f"{name} = (", *(f"    {each}" for each in calls), ")"])


_BOUNDS: Final = ('F.unix_millis("window.start").alias("start")', 'F.unix_millis("window.end").alias("end")')

_IMPORTS: Final = IMPORTS.replace("import timedelta", "import datetime, timedelta") + "\nEPOCH = datetime(1970, 1, 1)\n"

_SETTINGS: Final = """\
    .config("spark.sql.ansi.enabled", "false")
    .config("spark.sql.caseSensitive", "true")
"""

_HELPERS: Final = {
    "text": '''

def text(number):
    """A decimal as a text with all its digits; None stays None."""
    return None if number is None else format(number, "f")''',
    "moment": '''

def moment(ms):
    """A time in ms as SQL writes it; None stays None."""
    time = None if ms is None else EPOCH + timedelta(milliseconds=ms)
    return time and time.isoformat(" ", "milliseconds").removesuffix(".000")''',
    "day": '''

def day(days):
    """A date; None stays None."""
    return None if days is None else (EPOCH + timedelta(days=days)).date().isoformat()''',
    "key": '''

def key(*parts):
    """The key of a result; several parts are one text."""
    texts = ["NULL" if each is None else each for each in parts]
    return texts[0] if len(texts) == 1 else "SIGN".join(map(str, texts))'''.replace("SIGN", JOINT),
}
"""What a program defines if it calls it."""

_AS_JSON: Final = '''

def as_json(row):
    """A result as it is printed."""
    window = {"start": row.start, "end": row.end}
    return ROW

'''
