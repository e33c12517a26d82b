"""Expressions over the columns of a row, compiled: a tree of syntax becomes a closure that computes what Flink does.

Types are found once, before the first row, so what Flink refuses, or what is not read here, is a ``SqlProblem`` at its
place. Logic has three values. Nothing that is typed is ever executed.
"""

from collections.abc import Callable, Mapping, Sequence
from decimal import Context, Decimal
from math import fmod
from operator import add, eq, ge, gt, le, lt, mul, ne, sub
from typing import Any, Final

from tidemark.simulator.sql.computed import (
    CLOCK,
    INTEGERS,
    NUMBERS,
    TIMES,
    Computed,
    Failure,
    Row,
    joined,
    strict,
    wrapped,
)
from tidemark.simulator.sql.functions import call, cast, one_type
from tidemark.simulator.sql.intervals import milliseconds
from tidemark.simulator.sql.problems import SqlProblem
from tidemark.simulator.sql.syntax import Call, Cast, Expression, Interval, Literal, Operation, Path, construct
from tidemark.simulator.sql.time_texts import default_time, in_zone

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
        of_floats = {**_ARITHMETIC, "/": _quotient, "%": fmod}.get(operator)
        return None if of_floats is None else strict("double", lambda a, b: of_floats(float(a), float(b)), one, two)
    if "decimal" in types and set(types) <= {"int", "bigint", "decimal"} and operator in _ARITHMETIC:
        exact = {"+": _EXACT.add, "-": _EXACT.subtract, "*": _EXACT.multiply}[operator]
        return strict("decimal", lambda a, b: exact(Decimal(a), Decimal(b)), one, two)
    return None


def _divided(number: int, by: int) -> int:
    """As Java does it: towards zero."""
    if by == 0:
        raise Failure("/ 0")
    return -(-number // by) if (number < 0) != (by < 0) and number else abs(number) // abs(by)


def _remainder(number: int, by: int) -> int:
    return number - _divided(number, by) * by


def _quotient(number: float, by: float) -> float:
    if not by:
        raise Failure("/ 0")
    return number / by
