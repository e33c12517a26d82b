"""Expressions over the columns of a row, compiled: a tree of syntax becomes a closure that computes what Flink does.

Types are found once, before the first row, so what Flink refuses, or what is not read here, is a ``SqlProblem`` at its
place. Logic has three values. Nothing that is typed is ever executed.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal

from tidemark.simulator.sql.casts import cast
from tidemark.simulator.sql.functions import (
    COMPARISONS,
    all_of,
    between,
    call,
    chosen,
    compared,
    distinct,
    element,
    logic,
    negated,
)
from tidemark.simulator.sql.moments import shifted
from tidemark.simulator.sql.numbers import arithmetic, negative
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
from tidemark.simulator.sql.texts import concatenated, like
from tidemark.simulator.sql.times import default_date, default_time, milliseconds, months
from tidemark.simulator.sql.types import (
    CLOCK,
    MOST_DIGITS,
    NUMBERS,
    TIMES,
    Computed,
    Failure,
    Row,
    joined,
    strict,
)

__all__ = ["CLOCK", "TIMES", "Computed", "Failure", "Row", "compiled"]


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
            length = months(expression)
            if length is not None:
                return Computed("months", lambda row: length)
            ms = milliseconds(expression)
            return Computed("interval", lambda row: ms)
        case Cast():
            return cast(of(expression.of), expression, zone)
        case Call():
            # A unit, as in EXTRACT(MILLISECOND FROM t), is a word and no value.
            return call(expression, [of(each) for each in expression.arguments], zone)
        case Operation("-", (Literal("number", text),)) if text.isdigit():
            return _number(Literal("number", text, expression.place), -1)
        case Operation():
            operands = [of(each) for each in expression.operands]
            found = _operation(expression.operator, operands, zone)
            if found is None:
                types = " , ".join(map(str, operands))
                raise SqlProblem("row_operands", expression.place, operator=construct(expression), types=types)
            return found
        case _:
            pass
    raise SqlProblem("row_construct", expression.place, what=construct(expression))


def _literal(literal: Literal) -> Computed:
    text, value = literal.text, None
    if literal.kind == "text":
        return Computed("text", lambda row: text)
    if literal.kind == "number":
        return _number(literal)
    word, quote, rest = text.partition("'")
    kind = word.strip().upper()
    if quote and kind in ("TIMESTAMP", "DATE"):
        content = rest[:-1]
        time = default_time(content) if kind == "TIMESTAMP" else default_date(content)
        if time is None or content.partition(".")[2][3:].strip("0"):
            raise SqlProblem("timestamp_literal", literal.place, text=text)
        digits = len(content.partition(".")[2])
        return Computed(kind.lower(), lambda row: time, digits)
    if quote:
        raise SqlProblem("row_construct", literal.place, what=kind)
    value = {"TRUE": True, "FALSE": False}.get(text.upper())
    return Computed("null" if value is None else "boolean", lambda row: value)


def _number(literal: Literal, sign: int = 1) -> Computed:
    """With an exponent a DOUBLE, with digits behind the point a DECIMAL that has just these."""
    text = literal.text
    whole, _, fraction = text.partition(".")
    if "e" in text.lower():
        number = float(text)
        return Computed("double", lambda row: number)
    if fraction and len(whole + fraction) <= MOST_DIGITS:
        exact = Decimal(text)
        return Computed("decimal", lambda row: exact, len(fraction), precision=len(whole + fraction))
    if fraction or int(whole) - (sign < 0) >= 2**63:
        raise SqlProblem("row_construct", literal.place, what=text)
    count = sign * int(whole)
    return Computed("int" if -(2**31) <= count < 2**31 else "bigint", lambda row: count)


def _operation(operator: str, operands: Sequence[Computed], zone: str) -> Computed | None:
    """None for types of which it computes nothing here."""
    types = [each.type for each in operands]
    is_negated = operator.startswith("NOT ")
    match operator.removeprefix("NOT "):
        case "AND" | "OR" | "NOT":
            return logic(operator, operands) if set(types) <= {"boolean", "null"} else None
        case "CASE":
            return chosen(operands) if set(types[:-1:2]) <= {"boolean"} else None
        case "BETWEEN":
            found = between(zone, *operands)
        case "BETWEEN SYMMETRIC":
            of, one, two = operands
            found = all_of("OR", between(zone, of, one, two), between(zone, of, two, one))
        case "IN":
            found = all_of("OR", *(compared("=", zone, operands[0], each) for each in operands[1:]))
        case "LIKE":
            found = like(operands[0], operands[1], operands[2] if len(operands) > 2 else None)
        case "IS DISTINCT FROM" | "IS NOT DISTINCT FROM":
            return distinct("NOT" in operator, zone, *operands)
        case "||":
            return strict("text", concatenated, *operands) if types == ["text", "text"] else None
        case "[]":
            return element(*operands)
        case _:
            return _simple(operator, operands, zone)
    return negated(found) if is_negated else found


def _simple(operator: str, operands: Sequence[Computed], zone: str) -> Computed | None:
    if operator.startswith("IS "):
        return _is(operator.removeprefix("IS "), operands[0])
    if operator in COMPARISONS:
        return compared(operator, zone, *operands)
    if len(operands) == 1:
        found = negative(operands[0])
        return operands[0] if found is not None and operator == "+" else found
    return _calculated(operator, *operands)


def _is(what: str, operand: Computed) -> Computed | None:
    of, is_negative = operand.of, what.startswith("NOT ")
    wanted = {"NULL": None, "UNKNOWN": None, "TRUE": True, "FALSE": False}.get(what.removeprefix("NOT "), "")
    if wanted == "" or (wanted is not None and operand.type not in ("boolean", "null")):
        return None
    return joined("boolean", lambda row: (of(row) is wanted) is not is_negative, operand)


def _calculated(operator: str, one: Computed, two: Computed) -> Computed | None:
    intervals = {"interval", "months"}
    if one.type in NUMBERS and two.type in NUMBERS:
        return arithmetic(operator, one, two)
    if two.type in intervals and operator in ("+", "-") and one.type not in intervals:
        return shifted(one, two, 1 if operator == "+" else -1)
    if one.type in intervals and operator == "+" and two.type not in intervals:
        return shifted(two, one, 1)
    if one.type == two.type and one.type in intervals and operator in ("+", "-"):
        sign = 1 if operator == "+" else -1
        return strict(one, lambda a, b: a + sign * b, one, two)
    if operator == "*" and ((one.whole and two.type in intervals) or (two.whole and one.type in intervals)):
        return strict(two if one.whole else one, lambda a, b: a * b, one, two)
    return None
