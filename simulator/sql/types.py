"""Flink SQL's types: what a value of each is in Python, in plain JSON, and what is computed has which type.

In Python: whole numbers, floats, texts and booleans as they are; DECIMAL a ``Decimal``; both kinds of timestamps ms
since 1970, DATE days, intervals ms or months; ARRAY a list, MAP a dict; NULL is None. In plain JSON, as records, state
and results have them: DECIMAL as text with its scale ("12.50"), dates and times as text, the rest as JSON has it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import date
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from math import isfinite
from struct import pack, unpack
from typing import Any, Final

from tidemark.simulator.sql.syntax import SqlProblem, Type
from tidemark.simulator.sql.times import date_text, default_time, in_zone, local_in, time_text

Row = Mapping[str, Any]
"""The values of the columns of one row by name; under ``CLOCK`` the time (ms) at which it arrives."""

CLOCK: Final = "#clock"
"""No name of SQL can be this."""

BITS: Final = {"small": 16, "int": 32, "bigint": 64}
"""With the sign; ``small`` is SMALLINT, or with the precision 8 TINYINT."""

NUMBERS: Final = (*BITS, "decimal", "float", "double")
TIMES: Final = ("timestamp", "timestamp_ltz")
MOST_DIGITS: Final = 38
EXACT: Final = Context(prec=200)

_EPOCH: Final = date(1970, 1, 1).toordinal()


class Failure(Exception):
    """The job fails at this row; ``str`` is the part of the expression that is to blame."""


@dataclass(frozen=True)
class Computed:
    """``type``: one of ``NUMBERS``, ``TIMES``, ``text``, ``boolean``, ``date``, ``interval``, ``months``, ``array``,
    ``map``, or ``null``.

    ``of``: its value in a row; it may raise ``Failure``. ``digits``: those of the second in a timestamp, of a DECIMAL
    behind its point; ``precision``: of a DECIMAL in all, of TINYINT 8; ``clock``: whether it depends on the clock;
    ``columns``: of which columns; ``element``: what an ARRAY or MAP has in it.
    """

    type: str
    of: Callable[[Row], Any]
    digits: int = 0
    clock: bool = False
    columns: frozenset[str] = frozenset()
    precision: int = 0
    element: "Computed | None" = None

    def __str__(self) -> str:
        """Its type, as Flink writes it."""
        match self.type:
            case "decimal":
                return f"DECIMAL({self.precision or MOST_DIGITS}, {self.digits})"
            case "timestamp" | "timestamp_ltz":
                return f"{self.type.upper()}({self.digits})"
            case "array":
                return f"ARRAY<{self.element}>"
            case "map":
                return f"MAP<STRING, {self.element}>"
            case "small":
                return "TINYINT" if self.precision == 8 else "SMALLINT"
            case _:
                return _NAMES.get(self.type, self.type.upper())

    @property
    def whole(self) -> bool:
        """Whether its values are whole numbers of some bits."""
        return self.type in BITS

    @property
    def bits(self) -> int:
        """Of a whole number, with the sign."""
        return 8 if self.type == "small" and self.precision == 8 else BITS[self.type]


_NAMES: Final = {"text": "STRING", "interval": "INTERVAL DAY TO SECOND", "months": "INTERVAL YEAR TO MONTH"}


def joined(like: str | Computed, value: Callable[[Row], Any], *operands: Computed, digits: int = 0) -> Computed:
    """``value``, of the type of ``like``, which depends on what ``operands`` depend on."""
    shape = Computed(like, value, digits) if isinstance(like, str) else like
    columns = frozenset[str]().union(*(each.columns for each in operands))
    return replace(shape, of=value, clock=any(each.clock for each in operands), columns=columns)


def strict(like: str | Computed, work: Callable[..., Any], *operands: Computed, digits: int = 0) -> Computed:
    """``work`` over the values of ``operands``; NULL if one of them is."""
    of = [each.of for each in operands]
    if len(of) == 1:
        (only,) = of
        return joined(like, lambda row: None if (it := only(row)) is None else work(it), *operands, digits=digits)
    if len(of) == 2:
        one, two = of
        return joined(
            like, lambda row: None if (a := one(row)) is None or (b := two(row)) is None else work(a, b),
            *operands, digits=digits,
        )  # fmt: skip

    def value(row: Row) -> Any:
        values = [each(row) for each in of]
        return None if None in values else work(*values)

    return joined(like, value, *operands, digits=digits)


def null(like: str, digits: int = 0, precision: int = 0) -> Computed:
    """NULL of a type."""
    return Computed(like, lambda row: None, digits, precision=precision)


def wrapped(number: int, bits: int) -> int:
    """``number`` as Java keeps it in so many bits."""
    half = 1 << (bits - 1)
    return (number + half) % (2 * half) - half


def in_scale(exact: Decimal, precision: int, scale: int) -> Decimal | None:
    """``exact`` rounded to ``scale``; None if it has more than ``precision`` digits then, as Flink has NULL."""
    if not exact.is_finite() or exact.adjusted() > MOST_DIGITS:
        return None
    found = exact.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, EXACT)
    if not found:
        return found.copy_abs()  # Java has no -0 here
    return found if found.adjusted() < precision - scale else None


def single(number: float) -> float:
    """``number`` in the 32 bits of FLOAT."""
    if not isfinite(number):
        return number
    try:
        return float(unpack("f", pack("f", number))[0])
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def shortest(number: float) -> float:
    """Of a number in 32 bits that with the fewest digits which gives it: 4.2426405 for 4.242640495300293."""
    for digits in range(1, 9):
        found = float(f"{number:.{digits}g}")
        if single(found) == number:
            return found
    return float(f"{number:.9g}") if isfinite(number) else number


# Declared types

_FAMILIES: Final = {
    "TINYINT": "small", "SMALLINT": "small", "INT": "int", "INTEGER": "int", "BIGINT": "bigint", "DECIMAL": "decimal",
    "DEC": "decimal", "NUMERIC": "decimal", "FLOAT": "float", "REAL": "float", "DOUBLE": "double",
    "DOUBLE PRECISION": "double", "STRING": "text", "VARCHAR": "text", "CHAR": "text", "BOOLEAN": "boolean",
    "TIMESTAMP": "timestamp", "TIMESTAMP_LTZ": "timestamp_ltz", "DATE": "date", "ARRAY": "array", "MAP": "map",
}  # fmt: skip


def declared(type: Type) -> Computed:
    """NULL of the declared type. Raises ``SqlProblem`` for a type that is not read."""
    family, parameters = _FAMILIES.get(type.name, ""), type.parameters
    if family == "timestamp" and type.local:
        family = "timestamp_ltz"
    inner = type.elements
    match family:
        case "decimal":
            precision, scale = (*parameters, 0)[:2] if parameters else (10, 0)
            if not 1 <= precision <= MOST_DIGITS or scale > precision:
                raise SqlProblem("column_type", type.place, type=str(type))
            return null(family, scale, precision)
        case "timestamp" | "timestamp_ltz":
            return null(family, parameters[0] if parameters else 6)
        case "small":
            return null(family, precision=8 if type.name == "TINYINT" else 16)
        case "text":
            length = parameters[0] if parameters else 0 if type.name != "CHAR" else 1
            return null(family, digits=int(type.name == "CHAR"), precision=length)
        case "array" if len(inner) == 1:
            return replace(null(family), element=declared(inner[0]))
        case "map" if len(inner) == 2 and declared(inner[0]).type == "text":
            return replace(null(family), element=declared(inner[1]))
        case "" | "array" | "map":
            raise SqlProblem("column_type", type.place, type=str(type))
        case _:
            return null(family)


def type_of(text: str) -> Type:
    """``DECIMAL(10, 2)`` as syntax. Raises ``SqlProblem``."""
    from tidemark.simulator.sql.parsing import alone  # the parser is slow to load, and a known type needs none

    found: Type = alone(text, "type")
    return found


# Values as plain JSON


def column(name: str, type: Type, zone: str = "UTC") -> Computed:
    """The column ``name`` of rows of plain JSON; a dotted name may be a member of objects. Absent is NULL.

    ``of`` raises ``ValueError`` for a value that is none of ``type``; TIMESTAMP_LTZ is read as clocks in ``zone`` show
    it. Raises ``SqlProblem`` for a type that is not read.
    """
    shape = declared(type)
    read, names = _reader(shape, zone), name.split(".")

    def value(row: Row) -> Any:
        found = row.get(name)
        if found is None and len(names) > 1:
            found = row
            for each in names:
                found = found.get(each) if isinstance(found, Mapping) else None
        return None if found is None else read(found)

    return replace(shape, of=value, columns=frozenset([name]))


def _reader(shape: Computed, zone: str) -> Callable[[Any], Any]:
    match shape.type:
        case "text" | "boolean":
            kind = str if shape.type == "text" else bool
            return lambda plain: plain if isinstance(plain, kind) else _misfit(plain)
        case "small" | "int" | "bigint":
            half = 1 << (shape.bits - 1)
            return lambda plain: (
                int(plain) if _is_number(plain) and int(plain) == plain and -half <= plain < half else _misfit(plain)
            )
        case "float" | "double":
            narrowed = single if shape.type == "float" else float
            return lambda plain: (
                narrowed(float(plain)) if _is_number(plain) or plain in _NOT_FINITE else _misfit(plain)
            )  # fmt: skip
        case "decimal":
            return lambda plain: _decimal(plain, shape)
        case "date":
            return lambda plain: _time(plain, None) // 86_400_000
        case "timestamp":
            return lambda plain: _time(plain, None)
        case "timestamp_ltz":
            return lambda plain: _time(plain, zone)
        case _:
            assert shape.element is not None
            of_each = _reader(shape.element, zone)

            def inner(plain: Any) -> Any:
                return None if plain is None else of_each(plain)

            if shape.type == "array":
                return lambda plain: [inner(it) for it in plain] if isinstance(plain, list | tuple) else _misfit(plain)
            return lambda plain: (
                {str(key): inner(it) for key, it in plain.items()} if isinstance(plain, Mapping) else _misfit(plain)
            )


_NOT_FINITE: Final = ("NaN", "Infinity", "-Infinity")


def _misfit(plain: object) -> Any:
    raise ValueError(plain)


def _is_number(plain: Any) -> bool:
    return isinstance(plain, int | float) and not isinstance(plain, bool) and isfinite(plain)


def _decimal(plain: Any, shape: Computed) -> Decimal:
    if not _is_number(plain) and not isinstance(plain, str):
        _misfit(plain)
    try:
        found = in_scale(Decimal(str(plain)), shape.precision, shape.digits)
    except InvalidOperation:
        found = None
    return _misfit(plain) if found is None else found


def _time(plain: Any, zone: str | None) -> int:
    """Text, or ms since 1970. ``zone`` None: of no zone."""
    if isinstance(plain, int) and not isinstance(plain, bool):
        return plain
    if not isinstance(plain, str):
        _misfit(plain)
    utc = plain.endswith("Z")
    if plain.removesuffix("Z").partition(".")[2][3:].strip("0"):
        _misfit(plain)  # finer than ms
    found = default_time(plain.removesuffix("Z").replace("T", " ", 1))
    if zone is not None and not utc:
        found = in_zone(found, zone)
    return _misfit(plain) if found is None else found


def plain(computed: Computed, zone: str = "UTC") -> Callable[[Any], Any]:
    """From a value of ``computed`` to plain JSON; NULL is None. TIMESTAMP_LTZ as clocks in ``zone`` show it."""
    match computed.type:
        case "decimal":
            return lambda value: None if value is None else f"{value:f}"
        case "float":
            return lambda value: None if value is None else _finite(shortest(value))
        case "double":
            return lambda value: None if value is None else _finite(value)
        case "date":
            return lambda value: None if value is None else date_text(value)
        case "timestamp":
            return lambda value: None if value is None else time_text(value)
        case "timestamp_ltz":
            return lambda value: None if value is None else time_text(local_in(value, zone))
        case "array" | "map":
            assert computed.element is not None
            each = plain(computed.element, zone)
            if computed.type == "array":
                return lambda value: None if value is None else [each(it) for it in value]
            return lambda value: None if value is None else {key: each(it) for key, it in value.items()}
        case _:
            return lambda value: value


def _finite(number: float) -> float | str:
    return number if isfinite(number) else "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"
