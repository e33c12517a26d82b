"""Rows with columns in Spark SQL: Flink's ``Calc`` and the aggregates of columns as texts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tidemark.simulator.programs.spark_expressions import NoTwin, Translator, Typed, quoted, spark_type
from tidemark.simulator.scenario.calc import columns_of, rows_of
from tidemark.simulator.scenario.model import Function, InputSpec
from tidemark.simulator.sql.aggregate_functions import compiled_aggregate
from tidemark.simulator.sql.parsing import expression
from tidemark.simulator.sql.syntax import Call, Literal
from tidemark.simulator.sql.types import MOST_DIGITS, NUMBERS, Computed, null

PLACE: Final = "place"
"""The column with the place of a row among those that an aggregate is over, from 0; null where there are none."""


@dataclass(frozen=True)
class Named:
    """A column of Spark, called ``name``: the ``text`` that computes it, and its type in Flink."""

    name: str
    text: str
    type: Computed


@dataclass(frozen=True)
class Rows:
    """The rows of one input. ``columns``: as they are read, by Flink's name; ``select``: those that are computed.

    ``where``: the condition; ``key``: the parts of the key.
    """

    columns: Mapping[str, Named]
    select: Mapping[str, Named]
    where: str
    key: tuple[Named, ...]

    @property
    def all(self) -> dict[str, Named]:
        """Every column of a row that has passed the filter."""
        return {**self.columns, **self.select}


def rows_in_spark(
    spec: InputSpec, zone: str, called: Callable[[int, str], str] = lambda number, name: f"c{number}"
) -> Rows:
    """The rows of an input; ``called``: how Spark SQL calls a column, by its number and Flink's name for it.

    Raises ``NoTwin``.
    """
    known = columns_of(spec.columns, spec.select, zone)
    names = {name: called(number, name) for number, name in enumerate(known)}
    to = Translator(known, names, zone)
    columns = {name: Named(names[name], names[name], known[name]) for name, _ in spec.columns}
    for each in columns.values():
        spark_type(each.type)
    select = dict[str, Named]()
    for name, text in spec.select:
        found = to.of(expression(text))
        select[name] = Named(names[name], f"CAST({found.text} AS {spark_type(found.type)})", found.type)
    where = "TRUE" if spec.where is None else f"coalesce({to.of(expression(spec.where)).text}, FALSE)"
    parts = [to.of(expression(text)) for text in spec.key]
    key = tuple(Named(f"k{number}", each.text, each.type) for number, each in enumerate(parts))
    return Rows(columns, select, where, key)


def aggregates_in_spark(
    function: Function, spec: InputSpec, rows: Rows, zone: str, *, frame: bool, counts: str = f"{PLACE} IS NOT NULL"
) -> dict[str, Named]:
    """The aggregates of ``function``; the others as those of ``aggregate``. Raises ``NoTwin``."""
    known = rows_of(spec.columns, spec.select, zone)
    to = Translator(known, {name: each.name for name, each in rows.all.items()}, zone)
    found = {}
    for number, (name, text) in enumerate(function.columns):
        call = expression(text)
        assert isinstance(call, Call)
        type = compiled_aggregate(call, known, zone).type
        found[name] = Named(f"a{number}", aggregate(call, to, type, frame=frame, counts=counts), type)
    return found


def aggregate(call: Call, to: Translator, type: Computed, *, frame: bool, counts: str = f"{PLACE} IS NOT NULL") -> str:
    """``call`` as an aggregate of Spark SQL over rows that have a ``PLACE``; ``frame``: it is one of OVER.

    ``counts``: the condition of the rows that it is over; ``TRUE`` if it is over all.

    Raises ``NoTwin``.
    """
    write = _AGGREGATES.get(call.name)
    of = Typed("1", null("int")) if call.star else to.of(call.arguments[0])
    if write is None:
        raise NoTwin(call.name)
    if call.distinct and (call.name == "LAST_VALUE" or (frame and write in (_list, _first_value))):
        raise NoTwin(f"{call.name}(DISTINCT)")  # a value that is there keeps its place when it comes again
    if write in (_sum, _average) and (of.type.type == "float" or of.type.precision > _MOST_SUMMED):
        raise NoTwin(f"{call.name}({of.type})")
    condition = counts
    if call.filter is not None:
        condition = _both(counts, to.of(call.filter).text)
    return write(call, of, condition, type, frame)


_Write = Callable[[Call, Typed, str, Computed, bool], str]
"""Of the call, its argument, the condition of the rows that count, the type of the result; whether over a frame."""


def _both(condition: str, other: str) -> str:
    return f"{condition} AND {other}".removeprefix("TRUE AND ")


def _value(call: Call, of: Typed, condition: str, like: str = "") -> str:
    text = f"CAST({of.text} AS {like})" if like else of.text
    text = text if condition == "TRUE" else f"CASE WHEN {condition} THEN {text} END"
    return f"{'DISTINCT ' if call.distinct else ''}{text}"


def _simple(name: str) -> _Write:
    return lambda call, of, condition, type, frame: f"{name}({_value(call, of, condition)})"


_MOST_SUMMED: Final = 33
"""The most digits of a DECIMAL whose sum, over as many rows as there can be, has 38: with more, Flink begins anew."""


def _sum(call: Call, of: Typed, condition: str, type: Computed, frame: bool) -> str:
    like = "" if of.type.type == "double" else spark_type(type) if of.type.type == "decimal" else "BIGINT"
    return f"CAST(sum({_value(call, of, condition, like)}) AS {spark_type(type)})"


def _average(call: Call, of: Typed, condition: str, type: Computed, frame: bool) -> str:
    count = f"count({_value(call, of, condition)})"
    if of.type.type == "double":
        return f"(sum({_value(call, of, condition)}) / {count})"
    if of.type.whole:
        total = f"sum({_value(call, of, condition, 'BIGINT')})"
        total = f"CAST({total} AS {spark_type(type)})" if frame else total  # SUM / COUNT there
        return f"CAST({total} div {count} AS {spark_type(type)})"
    wide = f"DECIMAL({MOST_DIGITS},{of.type.digits})"
    total = f"CAST(sum({_value(call, of, condition, wide)}) AS {wide})"
    return f"CAST({total} / CAST({count} AS DECIMAL(20,0)) AS {spark_type(type)})"


def _first_value(call: Call, of: Typed, condition: str, type: Computed, frame: bool) -> str:
    name, counts = "min_by" if call.name == "FIRST_VALUE" else "max_by", _both(condition, f"{of.text} IS NOT NULL")
    return f"{name}(CASE WHEN {counts} THEN {of.text} END, CASE WHEN {counts} THEN {PLACE} END)"


def _in_order(of: Typed, condition: str) -> str:
    """The values in the order of their rows."""
    each = f"collect_list(CASE WHEN {condition} THEN struct({PLACE}, {of.text} AS v) END)"
    return f"transform(array_sort({each}), each -> each.v)"


def _list(call: Call, of: Typed, condition: str, type: Computed, frame: bool) -> str:
    if call.name == "LISTAGG":
        condition = _both(condition, f"{of.text} IS NOT NULL")
    found = _in_order(of, condition)
    found = f"array_distinct({found})" if call.distinct else found
    if call.name == "LISTAGG":
        separator = call.arguments[1] if len(call.arguments) > 1 else None
        between = separator.text if isinstance(separator, Literal) else ","
        return f"CASE WHEN size({found}) > 0 THEN array_join({found}, {quoted(between)}) END"
    return f"CASE WHEN size({found}) > 0 THEN {found} END"


def _lag(call: Call, of: Typed, condition: str, type: Computed, frame: bool) -> str:
    """The last of the rows is the current one. With a default there is no NULL, but what Flink has in its place."""
    back = call.arguments[1] if len(call.arguments) > 1 else None
    rows = int(back.text) if isinstance(back, Literal) else 1
    found = _in_order(of, condition)
    value = f"get({found}, size({found}) - {rows + 1})"
    if len(call.arguments) < 3:
        return value
    default = call.arguments[2]
    absent = {"text": "''", "boolean": "FALSE"}.get(of.type.type) or ("-1" if of.type.type in NUMBERS else "")
    if not isinstance(default, Literal) or default.kind == "other" or not absent or of.type.type == "decimal":
        raise NoTwin("LAG(…, …, DEFAULT)")
    literal = quoted(default.text) if default.kind == "text" else default.text
    first, instead = (f"CAST({each} AS {spark_type(type)})" for each in (literal, absent))
    return f"CASE WHEN size({found}) <= {rows} THEN {first} ELSE coalesce({value}, {instead}) END"


def _deviation(name: str) -> _Write:
    """Flink cuts off what is behind the point of whole numbers; in frames it calculates with sums of squares."""

    def write(call: Call, of: Typed, condition: str, type: Computed, frame: bool) -> str:
        if of.type.whole or of.type.type == "float" or frame:
            raise NoTwin(f"{call.name}({of.type})")
        return f"CAST({name}({_value(call, of, condition, 'DOUBLE')}) AS {spark_type(type)})"

    return write


_AGGREGATES: Final[Mapping[str, _Write]] = {
    "COUNT": _simple("count"), "MIN": _simple("min"), "MAX": _simple("max"), "SUM": _sum, "AVG": _average,
    "FIRST_VALUE": _first_value, "LAST_VALUE": _first_value, "LISTAGG": _list, "ARRAY_AGG": _list, "LAG": _lag,
    "STDDEV": _deviation("stddev_samp"), "STDDEV_SAMP": _deviation("stddev_samp"),
    "STDDEV_POP": _deviation("stddev_pop"), "VARIANCE": _deviation("var_samp"), "VAR_SAMP": _deviation("var_samp"),
    "VAR_POP": _deviation("var_pop"),
}  # fmt: skip
"""Every aggregate that has a twin."""
