"""CAST and TRY_CAST among the types of Flink SQL, and values as the text that Flink writes."""

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from math import isfinite
from typing import Any, Final

from tidemark.simulator.sql.numbers import quotient
from tidemark.simulator.sql.syntax import Cast, SqlProblem
from tidemark.simulator.sql.times import date_text, default_date, default_time, in_zone, local_in, time_text
from tidemark.simulator.sql.types import (
    NUMBERS,
    TIMES,
    Computed,
    Failure,
    declared,
    in_scale,
    joined,
    shortest,
    single,
    strict,
    wrapped,
)

_DAY: Final = 86_400_000
_WHOLE: Final = re.compile(r"([+-]?\d{1,40})(?:\.\d*)?", re.ASCII)
_FLOAT: Final = re.compile(r"([+-]?(?:NaN|Infinity|(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,9})?))[fFdD]?", re.ASCII)
_DECIMAL: Final = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,9})?", re.ASCII)
_TRUE: Final = re.compile("t|true|y|yes|1", re.IGNORECASE)
_FALSE: Final = re.compile("f|false|n|no|0", re.IGNORECASE)


def cast(of: Computed, to: Cast, zone: str) -> Computed:
    """What ``to`` makes of ``of``. Raises ``SqlProblem`` for types that are not cast here."""
    target = declared(to.type)
    if of.type == "null":
        return target
    if str(of) == str(target) and not (of.type == "text" and target.precision):
        return of
    work = conversion(of, target, zone)
    if work is None:
        raise SqlProblem("row_arguments", to.place, name=f"CAST({to.type})", types=str(of))
    found = strict(target, work, of)
    if not to.fails or of.type != "text":
        return found
    return joined(target, or_failure(found, of, f"CAST({to.type})"), of)


def or_failure(found: Computed, of: Computed, what: str) -> Callable[[Any], Any]:
    """The value of ``found``; the job fails if that is NULL and the value of ``of`` is not."""

    def value(row: Any) -> Any:
        made = found.of(row)
        if made is None and of.of(row) is not None:
            raise Failure(what)
        return made

    return value


def conversion(of: Computed, target: Computed, zone: str) -> Callable[[Any], Any] | None:
    """From a value of one type to that of another, None for NULL; None for types that are not cast."""
    if target.whole:
        return _to_whole(of, target.bits)
    match target.type:
        case "decimal" if of.type in (*NUMBERS, "text", "boolean"):
            return lambda value: _decimal(value, target.precision, target.digits)
        case "double" if of.type in (*NUMBERS, "text", "boolean"):
            return _float if of.type == "text" else float
        case "float" if of.type in (*NUMBERS, "text", "boolean"):
            read = _float if of.type == "text" else float
            return lambda value: None if (found := read(value)) is None else single(found)
        case "boolean" if of.type in (*NUMBERS, "text"):
            return _boolean if of.type == "text" else bool
        case "text":
            return _to_text(of, target, zone)
        case "date" if of.type == "text":
            return default_date
        case "date" if of.type in TIMES:
            if of.type == "timestamp":
                return lambda ms: quotient(ms, _DAY)
            return lambda ms: local_in(ms, zone) // _DAY
        case "timestamp" | "timestamp_ltz" if of.type in ("text", "date", *TIMES):
            return _to_time(of, target, zone)
        case _:
            return None


def _to_whole(of: Computed, bits: int) -> Callable[[Any], Any] | None:
    half, widest = 1 << (bits - 1), 1 << (max(bits, 32) - 1)

    def of_text(text: str) -> int | None:
        found = _WHOLE.fullmatch(text.strip())
        number = int(found[1]) if found else half
        return number if -half <= number < half else None

    def of_float(number: float) -> int:
        if number != number:
            return 0
        return wrapped(int(max(-widest, min(widest - 1, number))) if isfinite(number) else
                       widest - 1 if number > 0 else -widest, bits)  # fmt: skip

    if of.type in ("float", "double"):
        return of_float
    if of.type == "text":
        return of_text
    return (lambda value: wrapped(int(value), bits)) if of.type in (*NUMBERS, "boolean") else None


def _decimal(value: Any, precision: int, scale: int) -> Decimal | None:
    if isinstance(value, str) and not _DECIMAL.fullmatch(value := value.strip()):
        return None
    try:
        return in_scale(Decimal(repr(value) if isinstance(value, float) else value), precision, scale)
    except InvalidOperation:
        return None


def _float(text: str) -> float | None:
    found = _FLOAT.fullmatch(text.strip())
    return float(found[1]) if found else None


def _boolean(text: str) -> bool | None:
    return True if _TRUE.fullmatch(text) else False if _FALSE.fullmatch(text) else None


def _to_time(of: Computed, target: Computed, zone: str) -> Callable[[Any], Any]:
    unit = 10 ** max(0, 3 - target.digits)

    def work(value: Any) -> int | None:
        ms = default_time(value) if of.type == "text" else value * _DAY if of.type == "date" else value
        if ms is not None and of.type == "timestamp_ltz" and target.type == "timestamp":
            ms = local_in(ms, zone)
        elif of.type != "timestamp_ltz" and target.type == "timestamp_ltz":
            ms = in_zone(ms, zone)
        return None if ms is None else quotient(ms, unit) * unit

    return work


def _to_text(of: Computed, target: Computed, zone: str) -> Callable[[Any], str] | None:
    write = written(of, zone)
    length, fixed = target.precision, target.digits == 1
    if write is None or not length or (not fixed and of.type in ("float", "double")):
        return write  # as Flink does it, a VARCHAR cuts no number with an exponent
    return lambda value: write(value)[:length].ljust(length if fixed else 0)


def written(of: Computed, zone: str) -> Callable[[Any], str] | None:
    """What Flink casts a value to STRING as; None for a type that is not read so."""
    match of.type:
        case "text":
            return lambda value: value
        case "small" | "int" | "bigint":
            return str
        case "boolean":
            return lambda value: "TRUE" if value else "FALSE"
        case "decimal":
            return lambda value: f"{value:f}"
        case "float":
            return lambda value: _java(shortest(value))
        case "double":
            return _java
        case "date":
            return date_text
        case "timestamp":
            return lambda ms: time_text(ms, of.digits)
        case "timestamp_ltz":
            return lambda ms: time_text(local_in(ms, zone), of.digits)
        case "array" if of.element is not None and (each := written(of.element, zone)) is not None:
            return lambda values: "[" + ", ".join("NULL" if it is None else each(it) for it in values) + "]"
        case _:
            return None


def _java(number: float) -> str:
    """As ``Double.toString``: 1.0E7, 0.001, NaN."""
    if not isfinite(number):
        return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"
    if not number or 1e-3 <= abs(number) < 1e7:
        text = f"{Decimal(repr(number)):f}"
        return text if "." in text else f"{text}.0"
    sign, digits, _ = Decimal(repr(number)).normalize().as_tuple()
    mantissa = "".join(map(str, digits))
    return f"{'-' * sign}{mantissa[0]}.{mantissa[1:] or '0'}E{Decimal(repr(number)).adjusted()}"


def retyped(of: Computed, target: Computed) -> Computed:
    """``of`` as a value of a type that has room for it, as Flink casts it without being asked."""
    if str(of) == str(target) or of.type == "null":
        return replace(target, of=of.of, clock=of.clock, columns=of.columns)
    work = conversion(of, target, "UTC")
    assert work is not None
    return strict(target, work, of)
