"""What stands in front of an operator: Flink's ``Calc``, which filters rows, adds columns to them and finds their key.

It is evaluated when a scenario is read, so the engine sees records with their key and their columns, and those that
the filter drops with ``op`` ``FILTERED``. Everything of SQL is imported where it is used: a scenario without these
members needs no parser.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Final, NamedTuple

from tidemark.simulator.engine.functions import AggregateFunction, FrameFunction
from tidemark.simulator.engine.values.errors import shown_in_message
from tidemark.simulator.engine.values.items import FILTERED, PlainKey, Record
from tidemark.simulator.words import words

Columns = tuple[tuple[str, str], ...]
"""Names with their types, or with what they compute, as texts."""

JOINT: Final = " · "
"""Between the parts of a key of several columns."""

_NUMBER: Final = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
_DECIMAL: Final = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?")
_DATE: Final = re.compile(r"\d{4}-\d\d-\d\d")
_TIME: Final = re.compile(r"\d{4}-\d\d-\d\d [012]\d:[0-5]\d:[0-5]\d(\.\d{1,9})?")
_BITS: Final = {"TINYINT": 8, "SMALLINT": 16, "INT": 32, "INTEGER": 32, "BIGINT": 64}


class CalcProblem(Exception):
    """``text`` is wrong with what stands at ``path`` of an input, or of a function."""

    def __init__(self, path: tuple[str | int, ...], text: str) -> None:
        super().__init__(text)
        self.path = path
        self.text = text


class RowFails(Exception):
    """Flink's job fails at this row; ``str`` says in which expression, and why."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the records. ``fits`` gives its value as it is kept, from one as it is written and its text there;
    it raises ``ValueError`` for one that is none."""

    type: str
    fits: Callable[[Any, str], Any]


class Rows(NamedTuple):
    """What an input says of its records, as it is written; ``zone``: of the session; ``when``: of its watermark."""

    columns: Columns
    where: str | None
    select: Columns
    key: tuple[str, ...]
    zone: str
    when: str | None = None

    @property
    def calc(self) -> "Calc":
        """The same as functions."""
        return calc_of(*self)


@dataclass(frozen=True, slots=True)
class Calc:
    """``columns``: those of ``value``, by name. ``where``, ``select`` and ``key`` are functions of it.

    ``where_columns`` are the columns that the filter looks at. ``when``: the condition of the watermark, which is
    computed in front of all that.
    """

    written: Rows

    columns: Mapping[str, Column]
    where: Callable[[Mapping[str, Any]], Any] | None
    select: Mapping[str, Callable[[Mapping[str, Any]], Any]]
    key: Callable[[Mapping[str, Any]], PlainKey] | None
    where_columns: tuple[str, ...] = ()
    when: Callable[[Mapping[str, Any]], Any] | None = None
    when_columns: tuple[str, ...] = ()

    def passes(self, row: Mapping[str, Any]) -> bool:
        """Whether the filter lets ``row`` through: its condition is neither FALSE nor NULL. Raises ``RowFails``."""
        return self.where is None or self.where(row) is True

    def row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """``row`` with the columns that are computed. Raises ``RowFails``."""
        return {**row, **{name: of(row) for name, of in self.select.items()}}


def computed(calc: Calc, record: Record) -> Record:
    """``record``, whose value has the columns as they are written, as it comes to the operator. Raises ``RowFails``."""
    row = record.value or {}
    key = record.key
    if calc.when is not None:
        calc.when(row)
    if calc.key is not None:
        try:
            key = calc.key(row)
        except RowFails:
            if calc.passes(row):
                raise
            key = "NULL"  # the filter stands in front of it
    if not calc.passes(row):
        return record._replace(key=key, value=row, op=FILTERED)
    return record._replace(key=key, value=calc.row(row))


@lru_cache(maxsize=64)
def calc_of(
    columns: Columns, where: str | None, select: Columns, key: tuple[str, ...], zone: str, when: str | None = None
) -> Calc:
    """The calc of an input. Raises ``CalcProblem`` for the first thing in it that is wrong."""
    from tidemark.simulator.sql.types import plain

    known = columns_of(columns, select, zone)
    condition = None if where is None else _condition(("where",), where, known, zone)
    marks = None if when is None else _condition(("watermark", "when"), when, columns_of(columns, (), zone), zone)
    makers = {name: _row_function(text, known[name].of, plain(known[name])) for name, text in select}
    parts = [_compiled(("key", place), text, known, zone) for place, text in enumerate(key)]
    return Calc(
        Rows(columns, where, select, key, zone, when),
        {name: _column(text) for name, text in columns},
        None if condition is None else _row_function(where or "", condition.of),
        makers,
        _key_of(key, parts) if parts else None,
        () if condition is None else tuple(name for name, _ in columns if name in condition.columns),
        None if marks is None else _row_function(when or "", marks.of),
        () if marks is None else tuple(name for name, _ in columns if name in marks.columns),
    )


@lru_cache(maxsize=64)
def columns_of(columns: Columns, select: Columns, zone: str) -> Mapping[str, Any]:
    """Every column of an input by name, as ``simulator.sql.expressions`` has it. Raises ``CalcProblem``."""
    from tidemark.simulator.sql.syntax import SqlProblem
    from tidemark.simulator.sql.types import column, type_of

    known = {}
    for name, text in columns:
        try:
            known[name] = column(name, type_of(text))
        except SqlProblem as problem:
            raise CalcProblem(
                ("columns", name), words("problems.no_type", text=_short(text), why=problem.text)
            ) from None
    for name, text in select:
        if name in known:
            raise CalcProblem(("select", name), words("problems.column_twice", column=_short(name)))
        known[name] = _compiled(("select", name), text, known, zone)
    return known


@lru_cache(maxsize=64)
def aggregates_of(
    computes: Columns, columns: Columns, select: Columns, zone: str
) -> tuple[AggregateFunction, FrameFunction]:
    """The aggregates ``computes`` of rows with these columns, for windows and for frames. Raises ``CalcProblem``."""
    from tidemark.simulator.sql.aggregate_functions import compiled_aggregate, several
    from tidemark.simulator.sql.parsing import expression
    from tidemark.simulator.sql.syntax import Call, SqlProblem

    if not columns:
        raise CalcProblem(("compute",), words("problems.no_columns"))
    rows, found = rows_of(columns, select, zone), {}
    for name, text in computes:
        try:
            call = expression(text)
            if not isinstance(call, Call):
                raise CalcProblem(("compute", name), words("problems.no_aggregate", text=_short(text)))
            found[name] = compiled_aggregate(call, rows, zone)
        except SqlProblem as problem:
            raise CalcProblem(("compute", name), _of_text(text, problem.text)) from None
    return several(found)


def several_of(operator: Any, inputs: tuple[Any, ...]) -> tuple[AggregateFunction, FrameFunction] | None:
    """The aggregates of columns that ``operator`` computes of its input; None if it computes one, or none."""
    if operator.function is None or not operator.function.columns:
        return None
    (rows,) = inputs
    return aggregates_of(operator.function.columns, rows.columns, rows.select, operator.session_zone or "UTC")


def rows_of(columns: Columns, select: Columns, zone: str) -> Mapping[str, Any]:
    """The columns of rows that have been through the calc: those of ``select`` are there, and not computed anew."""
    from tidemark.simulator.sql.types import column, type_of

    known = columns_of(columns, select, zone)
    return {name: column(name, type_of(str(of))) if name in dict(select) else of for name, of in known.items()}


def places_of(
    by: str, order: str, columns: Columns, select: Columns
) -> list[tuple[Callable[[Mapping[str, Any]], Any], bool]]:
    """What puts rows in order by the columns ``by``, as ORDER BY has them: of each what it makes of a row's value, and
    whether the largest comes first. NULL is less than all others, as in Flink.

    ``order``: the direction of the first column where it has none, ``asc`` or ``desc``. Raises ``CalcProblem``.
    """
    from tidemark.simulator.sql.parsing import alone
    from tidemark.simulator.sql.syntax import Path, SqlProblem

    if not columns:
        raise CalcProblem(("by",), words("problems.no_columns"))
    known = rows_of(columns, select, "UTC")
    try:
        keys = alone(by, "sort_keys")
    except SqlProblem as problem:
        raise CalcProblem(("by",), _of_text(by, problem.text)) from None
    places = []
    for number, key in enumerate(keys):
        column = str(key.by) if isinstance(key.by, Path) else by
        if column not in known:
            names = ", ".join(map(_short, known))
            raise CalcProblem(("by",), words("problems.no_such_column", column=_short(column), columns=names))
        descending = order == "desc" if number == 0 and key.direction is None else key.descending
        nulls_are_large = key.nulls == ("FIRST" if descending else "LAST")
        places.append((_place(known[column].of, nulls_are_large), descending))
    return places


def _place(of: Callable[[Mapping[str, Any]], Any], nulls_are_large: bool) -> Callable[[Mapping[str, Any]], Any]:
    def place(row: Mapping[str, Any]) -> Any:
        value = of(row)
        return (value is None) == nulls_are_large, value

    return place


def _compiled(path: tuple[str | int, ...], text: str, known: Mapping[str, Any], zone: str) -> Any:
    from tidemark.simulator.sql.expressions import compiled
    from tidemark.simulator.sql.parsing import expression
    from tidemark.simulator.sql.syntax import SqlProblem

    try:
        found = compiled(expression(text), known, zone)
    except SqlProblem as problem:
        raise CalcProblem(path, _of_text(text, problem.text)) from None
    if found.clock:
        raise CalcProblem(path, words("problems.looks_at_clock", text=_short(text)))
    return found


def _condition(path: tuple[str | int, ...], text: str, known: Mapping[str, Any], zone: str) -> Any:
    found = _compiled(path, text, known, zone)
    if found.type not in ("boolean", "null"):
        raise CalcProblem(path, words("problems.no_condition", text=_short(text), type=str(found), key=path[-1]))
    return found


def _of_text(text: str, problem: str) -> str:
    return words("problems.in_expression", text=_short(text), why=problem)


def _short(text: str) -> str:
    return str(shown_in_message(text))


def _row_function(text: str, of: Callable[[Any], Any], plain: Callable[[Any], Any] | None = None) -> Callable[..., Any]:
    from tidemark.simulator.sql.expressions import Failure

    def value(row: Mapping[str, Any]) -> Any:
        try:
            found = of(row)
        except Failure as failure:
            raise RowFails(words("problems.row_fails", text=_short(text), why=str(failure))) from None
        return found if plain is None or found is None else plain(found)

    return value


def _key_of(texts: tuple[str, ...], parts: list[Any]) -> Callable[[Mapping[str, Any]], PlainKey]:
    from tidemark.simulator.sql.types import plain

    of = [_row_function(text, part.of, plain(part)) for text, part in zip(texts, parts, strict=True)]
    return lambda row: key_of_parts([each(row) for each in of])


def key_of_parts(parts: Sequence[Any]) -> PlainKey:
    """The key of one or more columns, from their values in plain JSON."""
    if len(parts) > 1:
        return JOINT.join(map(part_of_key, parts))
    (found,) = parts
    if isinstance(found, str):
        return json.dumps(found, ensure_ascii=False) if found == "NULL" or found.startswith('"') else found
    return found if isinstance(found, int) else part_of_key(found)


def part_of_key(value: Any) -> str:
    """One part of a key of several columns: no two different values are written alike.

    >>> [part_of_key(value) for value in ("eu", 1, "1", None, "NULL", True, 'a · b')]
    ['eu', '1', '"1"', 'NULL', '"NULL"', 'true', '"a · b"']
    """
    if value is None:
        return "NULL"
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    taken = value in ("NULL", "true", "false") or value.startswith('"') or JOINT in value or _NUMBER.fullmatch(value)
    return json.dumps(value, ensure_ascii=False) if taken else value


# Values of columns, as they are written: plain JSON.


def _column(text: str) -> Column:
    from tidemark.simulator.sql.types import type_of

    type = type_of(text)
    return Column(text, _fitting(type.name, type.parameters))


def _fitting(name: str, parameters: tuple[int, ...]) -> Callable[[Any, str], Any]:
    if name in _BITS:
        return lambda value, text: _whole(value, _BITS[name])
    if name in ("DOUBLE", "FLOAT", "REAL"):
        return lambda value, text: float(_checked(value, type(value) in (int, float)))
    if name in ("DECIMAL", "DEC", "NUMERIC"):
        precision, scale = (*parameters, 0)[:2] if parameters else (10, 0)
        return lambda value, text: decimal_text(text, precision, scale)
    if name == "BOOLEAN":
        return lambda value, text: _checked(value, isinstance(value, bool))
    if name == "DATE":
        return lambda value, text: _day(value, _DATE)
    if name in ("TIMESTAMP", "TIMESTAMP_LTZ"):
        return lambda value, text: _day(value, _TIME)
    if name == "ARRAY":
        return lambda value, text: _checked(value, isinstance(value, list))
    if name == "ROW":
        return lambda value, text: _checked(value, isinstance(value, dict))
    return lambda value, text: _checked(value, isinstance(value, str))


def _checked(value: Any, fits: bool) -> Any:
    if not fits:
        raise ValueError
    return value


def _whole(value: Any, bits: int) -> int:
    if type(value) is not int or not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise ValueError
    return value


def _day(value: Any, form: re.Pattern[str]) -> str:
    if not isinstance(value, str) or not form.fullmatch(value):
        raise ValueError
    date.fromisoformat(value[:10])
    return value


def decimal_text(text: str, precision: int, scale: int) -> str:
    """A decimal with all digits of its scale. Raises ``ValueError`` for one that would lose digits.

    >>> decimal_text("3.5", 10, 2)
    '3.50'
    """
    found = _DECIMAL.fullmatch(text)
    if found is None or not (found[2] or found[3]):
        raise ValueError
    sign, whole, fraction = found[1], found[2].lstrip("0") or "0", (found[3] or "").rstrip("0")
    if len(fraction) > scale or len(whole.lstrip("0")) > precision - scale:
        raise ValueError
    digits = whole + (f".{fraction.ljust(scale, '0')}" if scale else "")
    return f"-{digits}" if sign == "-" and digits.strip("0.") else digits
