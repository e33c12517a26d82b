"""Expressions over the columns of a row, compiled: a tree of syntax becomes a closure that computes what Flink does.

Types are found once, before the first row, so what Flink refuses, or what is not read here, is a ``SqlProblem`` at its
place. Logic has three values. Nothing that is typed is ever executed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from math import fmod, isfinite
from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from typing import Any, Final

from tidemark.simulator.sql.syntax import (
    Call,
    Cast,
    Expression,
    Interval,
    Literal,
    Operation,
    Path,
    SqlProblem,
    construct,
)
from tidemark.simulator.sql.times import (
    TimeOfText,
    UnknownLetter,
    by_pattern,
    default_time,
    in_zone,
    is_zone,
    local_in,
    milliseconds,
)
from tidemark.simulator.sql.types import (
    BITS,
    CLOCK,
    NUMBERS,
    TIMES,
    Computed,
    Failure,
    Row,
    declared,
    joined,
    null,
    strict,
)
from tidemark.simulator.sql.types import wrapped as in_bits

INTEGERS: Final = BITS


def wrapped(number: int, type: str) -> int:
    """``number`` as Java keeps it in the bits of ``type``."""
    return in_bits(number, BITS[type])


# The functions that an expression over the columns of a row may call, and its casts.

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
    declared(to.type)
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
        work = lambda days: days * 86_400_000 if name == "timestamp" else in_zone(days * 86_400_000, zone)  # noqa: E731
    elif name == of.type and digits >= of.digits:
        return replace(of, type=name, digits=digits)
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


__all__ = ["CLOCK", "TIMES", "Computed", "Failure", "Row", "compiled"]

_COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip
_EXACT: Final = Context(prec=100)
_ARITHMETIC: Final[Mapping[str, Callable[[Any, Any], Any]]] = {"+": add, "-": sub, "*": mul}


def compiled(expression: Expression, columns: Mapping[str, Computed], zone: str) -> Computed:
    """What ``expression`` computes of ``columns``, in the session time zone ``zone``. Raises ``SqlProblem``."""

    def of(each: Expression) -> Computed:
        return compiled(each, columns, zone)

    match expression:
        case Path():
            found = columns.get(str(expression))
            if found is None:
                raise SqlProblem("row_column", expression.place, name=str(expression), columns=", ".join(columns))
            return found
        case Literal():
            return _literal(expression)
        case Interval():
            ms = milliseconds(expression)
            return Computed("interval", lambda row: ms)
        case Cast():
            return cast(of(expression.of), expression, zone)
        case Call():
            # A unit, as in EXTRACT(MILLISECOND FROM t), is a word and no value.
            return call(expression, [of(each) for each in expression.arguments], zone)
        case Operation():
            found = _operation(
                expression.operator, _alike([of(each) for each in expression.operands], expression, zone)
            )
            if found is None:
                types = " , ".join(str(of(each)) for each in expression.operands)
                raise SqlProblem("row_operands", expression.place, operator=construct(expression), types=types)
            return found
        case _:
            pass
    raise SqlProblem("row_construct", expression.place, what=construct(expression))


def _alike(operands: list[Computed], operation: Operation, zone: str) -> list[Computed]:
    """``operands``, of a comparison of both kinds of timestamps all as instants."""
    compares = operation.operator in _COMPARISONS or operation.operator.endswith(("BETWEEN", "IN"))
    if not compares or "timestamp_ltz" not in (types := {each.type for each in operands}) or "timestamp" not in types:
        return operands
    return [
        strict("timestamp_ltz", lambda ms: in_zone(ms, zone), each, digits=3) if each.type == "timestamp" else each
        for each in operands
    ]


def _literal(literal: Literal) -> Computed:
    text, value = literal.text, None
    if literal.kind == "text":
        return Computed("text", lambda row: text)
    if literal.kind == "number":
        if text.isdigit():
            number = int(text)
            if number >= 2**63:
                raise SqlProblem("row_construct", literal.place, what=text)
            return Computed("int" if number < 2**31 else "bigint", lambda row: number)
        exact = Decimal(text)
        return Computed("decimal", lambda row: exact)
    word, quote, rest = text.partition("'")
    if quote and word.strip().upper() == "TIMESTAMP":
        time = default_time(rest[:-1])
        if time is None:
            raise SqlProblem("timestamp_literal", literal.place, text=text)
        return Computed("timestamp", lambda row: time, 3)
    if quote:
        raise SqlProblem("row_construct", literal.place, what=word.strip().upper())
    value = {"TRUE": True, "FALSE": False}.get(text.upper())
    return Computed("null" if value is None else "boolean", lambda row: value)


def _operation(operator: str, operands: Sequence[Computed]) -> Computed | None:
    """None for types of which it computes nothing here."""
    types = [each.type for each in operands]
    match operator:
        case "AND" | "OR" | "NOT":
            return _logic(operator, operands) if set(types) <= {"boolean", "null"} else None
        case "CASE":
            return _case(operands) if set(types[:-1:2]) <= {"boolean", "null"} else None
        case "BETWEEN":
            of, low, high = operands
            return _all(_compared(">=", of, low), _compared("<=", of, high))
        case "NOT BETWEEN":
            return _not(_operation("BETWEEN", operands))
        case "IN" | "NOT IN":
            equal = [_compared("=", operands[0], each) for each in operands[1:]]
            known = [each for each in equal if each is not None]
            found = _logic("OR", known) if len(known) == len(equal) else None
            return found if operator == "IN" else _not(found)
        case "||":
            return strict("text", add, *operands) if types == ["text", "text"] else None
        case _:
            pass
    if operator.startswith("IS "):
        return _is(operator.removeprefix("IS "), operands[0])
    if operator in _COMPARISONS:
        return _compared(operator, *operands)
    if len(operands) == 1:
        return _signed(operator, operands[0])
    return _arithmetic(operator, *operands)


def _logic(operator: str, operands: Sequence[Computed]) -> Computed:
    of = [each.of for each in operands]
    if operator == "NOT":
        return joined("boolean", lambda row: None if (found := of[0](row)) is None else not found, *operands)
    decides = operator == "OR"

    def value(row: Row) -> bool | None:
        unknown = False
        for each in of:
            found: bool | None = each(row)
            if found is decides:
                return decides
            unknown = unknown or found is None
        return None if unknown else not decides

    return joined("boolean", value, *operands)


def _all(*operands: Computed | None) -> Computed | None:
    known = [each for each in operands if each is not None]
    return _logic("AND", known) if len(known) == len(operands) else None


def _not(operand: Computed | None) -> Computed | None:
    return None if operand is None else _logic("NOT", [operand])


def _is(what: str, operand: Computed) -> Computed | None:
    of, negative = operand.of, what.startswith("NOT ")
    wanted = {"NULL": None, "UNKNOWN": None, "TRUE": True, "FALSE": False}.get(what.removeprefix("NOT "), "")
    if wanted == "" or (wanted is not None and operand.type not in ("boolean", "null")):
        return None
    return joined("boolean", lambda row: (of(row) is wanted) is not negative, operand)


def _compared(operator: str, one: Computed, two: Computed) -> Computed | None:
    alike = one.type == two.type or "null" in (one.type, two.type) or {one.type, two.type} <= set(NUMBERS)
    return strict("boolean", _COMPARISONS[operator], one, two) if alike else None


def _case(operands: Sequence[Computed]) -> Computed | None:
    """``operands``: condition and result in turn, and last what it is otherwise."""
    branches = [(when.of, then.of) for when, then in zip(operands[:-1:2], operands[1::2], strict=True)]
    otherwise = operands[-1].of

    def value(row: Row) -> Any:
        for when, then in branches:
            if when(row):
                return then(row)
        return otherwise(row)

    found = one_type(value, [*operands[1::2], operands[-1]])
    return found and joined(found.type, value, *operands, digits=found.digits)


def _signed(operator: str, operand: Computed) -> Computed | None:
    if operand.type not in ("int", "bigint", "decimal", "double", "interval"):
        return None
    if operator == "+":
        return operand
    type = operand.type
    return strict(type, lambda value: wrapped(-value, type) if type in INTEGERS else -value, operand)


def _arithmetic(operator: str, one: Computed, two: Computed) -> Computed | None:
    types = (one.type, two.type)
    if types[0] in TIMES and types[1] == "interval" and operator in ("+", "-"):
        return strict(types[0], _ARITHMETIC[operator], one, two, digits=one.digits)
    if types == ("interval", "interval") and operator in ("+", "-"):
        return strict("interval", _ARITHMETIC[operator], one, two)
    if types[0] == "interval" and types[1] in TIMES and operator == "+":
        return strict(types[1], add, one, two, digits=two.digits)
    if set(types) <= {"int", "bigint"}:
        type = "bigint" if "bigint" in types else "int"
        whole = {**_ARITHMETIC, "/": _divided, "%": _remainder}.get(operator)
        return None if whole is None else strict(type, lambda a, b: wrapped(whole(a, b), type), one, two)
    if "double" in types and set(types) <= {"int", "bigint", "double"}:
        of_floats = {**_ARITHMETIC, "/": _float_quotient, "%": fmod}.get(operator)
        return None if of_floats is None else strict("double", lambda a, b: of_floats(float(a), float(b)), one, two)
    if "decimal" in types and set(types) <= {"int", "bigint", "decimal"} and operator in _ARITHMETIC:
        exact = {"+": _EXACT.add, "-": _EXACT.subtract, "*": _EXACT.multiply}[operator]
        digits = one.digits + two.digits if operator == "*" else max(one.digits, two.digits)
        return strict(null("decimal", digits, 38), lambda a, b: exact(Decimal(a), Decimal(b)), one, two)
    return None


def _divided(number: int, by: int) -> int:
    """As Java does it: towards zero."""
    if by == 0:
        raise Failure("/ 0")
    return -(-number // by) if (number < 0) != (by < 0) and number else abs(number) // abs(by)


def _remainder(number: int, by: int) -> int:
    return number - _divided(number, by) * by


def _float_quotient(number: float, by: float) -> float:
    if not by:
        raise Failure("/ 0")
    return number / by
