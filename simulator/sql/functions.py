"""The functions that an expression over the columns of a row may call, and its casts."""

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from math import isfinite
from typing import Any, Final

from tidemark.simulator.sql.computed import CLOCK, INTEGERS, TIMES, Computed, Failure, joined, strict, wrapped
from tidemark.simulator.sql.problems import SqlProblem
from tidemark.simulator.sql.syntax import Call, Cast, Literal
from tidemark.simulator.sql.time_texts import (
    TimeOfText,
    UnknownLetter,
    by_pattern,
    default_time,
    in_zone,
    is_zone,
    local_in,
)

Function = Callable[[Call, Sequence[Computed], str], "Computed | None"]
"""Of a call, its arguments and the session time zone; None for arguments that it does not take here."""

_EARLIEST, _LATEST = -62_167_219_200_000, 253_402_300_799_999
"""The years 0 to 9999, beyond which TO_TIMESTAMP_LTZ has NULL."""


def call(call: Call, arguments: Sequence[Computed], zone: str) -> Computed:
    """What ``call`` computes. Raises ``SqlProblem`` for a function, or types of its arguments, that are not read."""
    function = FUNCTIONS.get(call.name)
    if function is None or call.over is not None or call.distinct or call.star:
        raise SqlProblem("row_function", call.place, name=call.name, known=", ".join(sorted(FUNCTIONS)))
    found = function(call, arguments, zone)
    if found is None:
        raise SqlProblem("row_arguments", call.place, name=call.name, types=", ".join(map(str, arguments)))
    return found


def cast(of: Computed, to: Cast, zone: str) -> Computed:
    """``CAST`` and ``TRY_CAST``. Raises ``SqlProblem`` for types that are not cast here."""
    type, parameters = to.type.name, to.type.parameters
    name = "timestamp_ltz" if type == "TIMESTAMP" and to.type.local else _CASTS.get(type, "")
    digits = (parameters[0] if parameters else 6) if name in TIMES else 0
    work: Callable[[Any], Any] | None = None
    if name == of.type and name not in ("decimal", *TIMES):
        return of
    if of.type == "null":
        return Computed(name or "text", lambda row: None, digits)
    if name in ("int", "bigint"):
        work = _TO_INTEGER.get(of.type)
        if work is not None:
            exact, low = work, -(1 << (31 if name == "int" else 63))
            work = (lambda value: _within(exact(value), low)) if of.type == "text" else (
                lambda value: wrapped(exact(value), name))  # fmt: skip
    elif name == "decimal" and of.type in ("text", "int", "bigint", "decimal", "double"):
        precision, scale = (*parameters, 10, 0)[:2] if len(parameters) != 1 else (parameters[0], 0)
        work = lambda value: _decimal(value, precision, scale)  # noqa: E731
    elif name == "double" and of.type in ("int", "bigint", "decimal", "text"):
        work = _double
    elif name == "text" and of.type in ("int", "bigint", "boolean"):
        work = lambda value: str(value).upper() if isinstance(value, bool) else str(value)  # noqa: E731
    elif name in TIMES and of.type == "text":
        work = default_time if name == "timestamp" else lambda value: in_zone(default_time(value), zone)
    elif name in TIMES and of.type == "date":
        work = lambda value: value if name == "timestamp" else in_zone(value, zone)  # noqa: E731
    elif name == of.type and digits >= of.digits:
        return Computed(name, of.of, digits, of.clock, of.columns)
    elif name in TIMES and of.type in TIMES and digits >= 3:
        work = lambda value: local_in(value, zone) if name == "timestamp" else in_zone(value, zone)  # noqa: E731
        if name == of.type:
            work = lambda value: value  # noqa: E731
    if work is None:
        raise SqlProblem("row_arguments", to.place, name=f"CAST({type})", types=str(of))
    found = strict(name, work, of, digits=digits)
    if to.fails and of.type == "text":
        return joined(name, _or_failure(found, of, f"CAST({type})"), of, digits=digits)
    return found


_CASTS: Final = {
    "INT": "int", "INTEGER": "int", "BIGINT": "bigint", "DOUBLE": "double", "DECIMAL": "decimal", "DEC": "decimal",
    "NUMERIC": "decimal", "STRING": "text", "TIMESTAMP": "timestamp", "TIMESTAMP_LTZ": "timestamp_ltz",
}  # fmt: skip


def _or_failure(found: Computed, of: Computed, what: str) -> Callable[[Mapping[str, Any]], Any]:
    def value(row: Mapping[str, Any]) -> Any:
        made = found.of(row)
        if made is None and of.of(row) is not None:
            raise Failure(what)
        return made

    return value


def _whole(text: str) -> int | None:
    """As Flink casts a text: blanks around it are no matter, digits behind the point are cut off."""
    text = text.strip()
    whole, point, rest = text.partition(".")
    digits = whole.lstrip("+-")
    if not (digits.isascii() and digits.isdigit() and len(whole) - len(digits) < 2 and len(digits) < 40):
        return None
    return int(whole) if not point or not rest or (rest.isascii() and rest.isdigit()) else None


def _within(number: int | None, low: int) -> int | None:
    return number if number is not None and low <= number < -low else None


_TO_INTEGER: Final[Mapping[str, Callable[[Any], Any]]] = {
    "text": _whole, "small": int, "int": int, "bigint": int, "decimal": int,
    "double": lambda value: max(-(2**63), min(2**63 - 1, whole(value))),
}  # fmt: skip


def whole(number: float) -> int:
    """``number`` without its fraction. Raises ``Failure`` for one that is infinite."""
    if not isfinite(number):
        raise Failure(str(number))
    return int(number)


def _decimal(value: Any, precision: int, scale: int) -> Decimal | None:
    try:
        exact = Decimal(value.strip() if isinstance(value, str) else str(value))
        exact = exact.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP) if exact.is_finite() else exact
    except InvalidOperation:
        return None
    return exact if exact.is_finite() and abs(exact) < Decimal(10) ** (precision - scale) else None


def _double(value: Any) -> float | None:
    try:
        return float(value)
    except ValueError:
        return None


# Times


def _reader(call: Call, place: int) -> TimeOfText | None:
    """What reads a text by the pattern that is the argument at ``place``; Flink's own form where there is none."""
    if len(call.arguments) <= place:
        return default_time
    pattern = call.arguments[place]
    if not (isinstance(pattern, Literal) and pattern.kind == "text"):
        return None
    try:
        return by_pattern(pattern.text)
    except UnknownLetter as letter:
        raise SqlProblem("pattern_letter", pattern.place, letter=str(letter)) from None


def _to_timestamp(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    read = _reader(call, 1)
    if read is None or not arguments or len(arguments) > 2 or arguments[0].type != "text":
        return None
    return strict("timestamp", read, arguments[0], digits=3)


def _to_timestamp_ltz(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    if not arguments:
        return None
    if arguments[0].type == "text":
        read = _reader(call, 1)
        if read is None or len(arguments) > 3 or any(each.type != "text" for each in arguments):
            return None
        of_zone = arguments[2] if len(arguments) > 2 else Computed("text", lambda row: "UTC")
        found = strict("timestamp_ltz", lambda text, zone: _instant(read(text), zone), arguments[0], of_zone, digits=3)
        if len(arguments) == 1:  # only this form throws where it reads nothing
            return joined("timestamp_ltz", _or_failure(found, arguments[0], call.name), found, digits=3)
        return found
    precision = call.arguments[1] if len(arguments) == 2 else None
    written = precision.text if isinstance(precision, Literal) else "3" if len(arguments) == 1 else ""
    if arguments[0].type not in ("small", "int", "bigint", "decimal", "double") or written not in ("0", "3"):
        return None
    factor = 1000 if written == "0" else 1

    def instant(number: Any) -> int | None:
        # Of a DECIMAL Flink takes the whole number first, of a DOUBLE the whole ms.
        ms = whole(number * factor) if isinstance(number, float) else int(number) * factor
        return ms if _EARLIEST <= ms <= _LATEST else None

    return strict("timestamp_ltz", instant, arguments[0], digits=3)


def _instant(ms: int | None, zone: str) -> int | None:
    if not is_zone(zone):
        raise Failure(f"TO_TIMESTAMP_LTZ(…, '{zone}')")
    return in_zone(ms, zone)


_UNITS: Final = {"SECOND": 1000, "MINUTE": 60_000, "HOUR": 3_600_000, "DAY": 86_400_000}


def _unit(call: Call) -> int | None:
    unit = call.arguments[0] if call.arguments else None
    return _UNITS.get(unit.text.upper()) if isinstance(unit, Literal) else None


def _difference(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    unit = _unit(call)
    if unit is None or len(arguments) != 3 or arguments[1].type != arguments[2].type or arguments[1].type not in TIMES:
        return None
    return strict("int", lambda one, two: wrapped(_quotient(two - one, unit), "int"), arguments[1], arguments[2])


def _quotient(number: int, by: int) -> int:
    """Divided as Java does it, towards zero."""
    return -(-number // by) if number < 0 else number // by


def _extract(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    unit = call.arguments[0] if call.arguments else None
    if len(arguments) != 2 or not isinstance(unit, Literal) or unit.text.upper() != "MILLISECOND":
        return None
    # Before 1970 it is negative, as Java's remainder is.
    return (
        strict("bigint", lambda ms: ms - _quotient(ms, 1000) * 1000, arguments[1])
        if arguments[1].type in TIMES
        else None
    )


def _clock(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    return None if arguments else Computed("timestamp_ltz", lambda row: row[CLOCK], 3, clock=True)


# Texts


def _of_texts(type: str, work: Callable[..., Any], count: int) -> Function:
    def function(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
        fit = len(arguments) == count and all(each.type == "text" for each in arguments)
        return strict(type, work, *arguments) if fit else None

    return function


def _substring(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    types = [each.type for each in arguments]
    fit = types[:1] == ["text"] and len(types) in (2, 3) and set(types[1:]) <= {"small", "int"}
    return strict("text", _part_of, *arguments) if fit else None


def _part_of(text: str, start: int, length: int | None = None) -> str | None:
    """From the character with the number ``start``, from 1; from the end if that is negative."""
    if length is not None and length < 0:
        return None
    at = start - 1 if start > 0 else len(text) + start if start < 0 else 0
    if at < 0 or at >= len(text):
        return ""
    return text[at:] if length is None else text[at : at + length]


# NULL


def _coalesce(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    of = [each.of for each in arguments]

    def value(row: Mapping[str, Any]) -> Any:
        return next((found for each in of if (found := each(row)) is not None), None)

    return one_type(value, arguments)


def _least(choose: Callable[..., Any]) -> Function:
    def function(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
        of = [each.of for each in arguments]
        found = one_type(
            lambda row: None if None in (values := [each(row) for each in of]) else choose(values), arguments
        )
        return found if found is not None and found.type in (*INTEGERS, *TIMES) else None

    return function


def _if(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    if len(arguments) != 3 or arguments[0].type != "boolean":
        return None
    condition, then, otherwise = (each.of for each in arguments)
    found = one_type(lambda row: then(row) if condition(row) else otherwise(row), arguments[1:])
    return found and joined(found.type, found.of, *arguments, digits=found.digits)


def one_type(value: Callable[[Mapping[str, Any]], Any], among: Sequence[Computed]) -> Computed | None:
    """``value``, which is that of one of ``among``: they have one type, or two kinds of whole numbers."""
    types = {each.type for each in among} - {"null"}
    if types == {"int", "bigint"}:
        types = {"bigint"}
    if len(types) > 1:
        return None
    type = next(iter(types), "null")
    return joined(type, value, *among, digits=max((each.digits for each in among), default=0))


FUNCTIONS: Final[Mapping[str, Function]] = {
    "TO_TIMESTAMP": _to_timestamp, "TO_TIMESTAMP_LTZ": _to_timestamp_ltz, "TIMESTAMPDIFF": _difference,
    "EXTRACT": _extract, "CURRENT_TIMESTAMP": _clock, "NOW": _clock, "CURRENT_ROW_TIMESTAMP": _clock,
    "SUBSTRING": _substring, "SUBSTR": _substring, "TRIM": _of_texts("text", lambda text: text.strip(" "), 1),
    "CHAR_LENGTH": _of_texts("int", len, 1), "CHARACTER_LENGTH": _of_texts("int", len, 1),
    "UPPER": _of_texts("text", str.upper, 1), "LOWER": _of_texts("text", str.lower, 1),
    "REPLACE": _of_texts("text", str.replace, 3), "COALESCE": _coalesce, "IFNULL": _coalesce, "IF": _if,
    "LEAST": _least(min), "GREATEST": _least(max),
}  # fmt: skip
