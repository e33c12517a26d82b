"""What Flink SQL calculates: the types of results as its planner finds them, and their values with all their digits."""

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Context, Decimal
from operator import add, mul, sub
from typing import Any, Final

from tidemark.simulator.sql.types import (
    BITS,
    EXACT,
    MOST_DIGITS,
    Computed,
    Failure,
    in_scale,
    joined,
    null,
    single,
    strict,
    wrapped,
)

_EXACT_TYPES: Final = (*BITS, "decimal")
_DIGITS_OF_BITS: Final = {8: 3, 16: 5, 32: 10, 64: 19}
_LEAST_SCALE: Final = 6
_QUOTIENT: Final = Context(prec=MOST_DIGITS, rounding=ROUND_HALF_UP)
_PLAIN: Final[dict[str, Callable[[Any, Any], Any]]] = {"+": add, "-": sub, "*": mul}


def is_exact(operand: Computed) -> bool:
    """Whether its values are whole numbers or DECIMAL."""
    return operand.type in _EXACT_TYPES


def as_decimal(operand: Computed) -> Computed:
    """The DECIMAL that Flink takes a whole number for."""
    if operand.type == "decimal":
        return operand if operand.precision else null("decimal", operand.digits, MOST_DIGITS)
    return null("decimal", 0, _DIGITS_OF_BITS[operand.bits])


def adjusted(precision: int, scale: int) -> Computed:
    """A DECIMAL of at most 38 digits: those behind the point give way, down to six."""
    if precision <= MOST_DIGITS:
        return null("decimal", scale, precision)
    return null("decimal", max(MOST_DIGITS - (precision - scale), min(scale, _LEAST_SCALE)), MOST_DIGITS)


def common(one: Computed, two: Computed) -> Computed | None:
    """The type that holds numbers of both; None if one is no number."""
    if one.type in BITS and two.type in BITS:
        return one if one.bits >= two.bits else two
    if is_exact(one) and is_exact(two):
        a, b = as_decimal(one), as_decimal(two)
        scale = max(a.digits, b.digits)
        return adjusted(max(a.precision - a.digits, b.precision - b.digits) + scale, scale)
    types = {one.type, two.type}
    if not types <= {*_EXACT_TYPES, "float", "double"}:
        return None
    return null("double" if "double" in types or "decimal" in types else "float")


def to(target: Computed) -> Callable[[Any], Any]:
    """What makes a number of another type one of ``target``, which has room for it."""
    match target.type:
        case "decimal":
            precision, scale = target.precision or MOST_DIGITS, target.digits
            return lambda value: in_scale(Decimal(value), precision, scale)
        case "double":
            return float
        case "float":
            return lambda value: single(float(value))
        case _:
            return lambda value: value


def first_of(one: Computed, two: Computed) -> Computed | None:
    """``common`` as Calcite has it: of FLOAT and DOUBLE it takes the first."""
    return one if {one.type, two.type} == {"float", "double"} else common(one, two)


def arithmetic(operator: str, one: Computed, two: Computed) -> Computed | None:
    """``one operator two`` of numbers; None if Flink computes no such thing."""
    if is_exact(one) and is_exact(two):
        return _of_decimals(operator, one, two) if "decimal" in (one.type, two.type) else _of_wholes(operator, one, two)
    target = first_of(one, two)
    if target is None or operator == "%":
        return None
    work = {**_PLAIN, "/": _float_quotient}[operator]
    if target.type == "double":
        return strict(target, lambda a, b: work(float(a), float(b)), one, two)
    return strict(target, lambda a, b: single(work(single(float(a)), single(float(b)))), one, two)


def _of_wholes(operator: str, one: Computed, two: Computed) -> Computed:
    wider = one if one.bits >= two.bits else two
    target = two if operator == "%" else wider
    work, bits = {**_PLAIN, "/": quotient, "%": remainder}[operator], target.bits
    return strict(target, lambda a, b: wrapped(work(a, b), bits), one, two)


def _of_decimals(operator: str, one: Computed, two: Computed) -> Computed:
    a, b = as_decimal(one), as_decimal(two)
    scale, before = max(a.digits, b.digits), (a.precision - a.digits, b.precision - b.digits)
    work: Callable[[Decimal, Decimal], Decimal]
    match operator:
        case "+" | "-":
            target, work = adjusted(max(before) + scale + 1, scale), EXACT.add if operator == "+" else EXACT.subtract
        case "*":
            target, work = adjusted(a.precision + b.precision + 1, a.digits + b.digits), EXACT.multiply
        case "/":
            scale = max(_LEAST_SCALE, a.digits + b.precision + 1)
            target, work = adjusted(before[0] + b.digits + scale, scale), _decimal_quotient
        case _:
            target, work = adjusted(min(before) + scale, scale), _decimal_remainder
    precision, digits = target.precision, target.digits
    return strict(target, lambda x, y: in_scale(work(Decimal(x), Decimal(y)), precision, digits), one, two)


def quotient(number: int, by: int) -> int:
    """As Java divides: towards zero. Raises ``Failure`` for zero."""
    if not by:
        raise Failure("/ 0")
    found = abs(number) // abs(by)
    return -found if (number < 0) != (by < 0) else found


def remainder(number: int, by: int) -> int:
    """As Java has it: with the sign of ``number``."""
    return number - quotient(number, by) * by


def _decimal_quotient(number: Decimal, by: Decimal) -> Decimal:
    if not by:
        raise Failure("/ 0")
    return _QUOTIENT.divide(number, by)


def _decimal_remainder(number: Decimal, by: Decimal) -> Decimal:
    if not by:
        raise Failure("% 0")
    return EXACT.remainder(number, by)


def _float_quotient(number: float, by: float) -> float:
    if by:
        return number / by
    if not number or number != number:
        return math.nan
    return math.copysign(math.inf, number) * math.copysign(1.0, by)


def negative(operand: Computed) -> Computed | None:
    """``-operand``."""
    if operand.type == "null" or operand.type not in (*_EXACT_TYPES, "float", "double", "interval", "months"):
        return None
    if operand.whole:
        bits = operand.bits
        return strict(operand, lambda value: wrapped(-value, bits), operand)
    return strict(operand, lambda value: EXACT.minus(value) if isinstance(value, Decimal) else -value, operand)


# Functions


Function = Callable[[Sequence[Computed]], "Computed | None"]
"""Of its arguments; None for types that it does not take."""


def _floor(rounding: str) -> Function:
    whole: Callable[[float], int] = math.floor if rounding == ROUND_FLOOR else math.ceil

    def of_float(value: float) -> float:
        return math.copysign(whole(value), value) if math.isfinite(value) else value

    def function(arguments: Sequence[Computed]) -> Computed | None:
        if len(arguments) != 1:
            return None
        (of,) = arguments
        if of.whole:
            return of
        if of.type == "decimal":
            target = null("decimal", 0, as_decimal(of).precision)
            return strict(target, lambda value: value.quantize(Decimal(1), rounding, EXACT), of)
        return strict(of, of_float, of) if of.type in ("float", "double") else None

    return function


def rounded(of: Computed, places: int, mode: str = ROUND_HALF_UP) -> Computed | None:
    """ROUND, or by another ``mode`` TRUNCATE: to so many ``places`` behind the point, or before it if negative."""
    places = max(-MOST_DIGITS, min(MOST_DIGITS, places))
    unit = Decimal(1).scaleb(-places)

    def exact(value: Any) -> Decimal:
        return (Decimal(repr(value)) if isinstance(value, float) else Decimal(value)).quantize(unit, mode, _WIDE)

    def of_float(value: float) -> float:
        if not math.isfinite(value):
            raise Failure(str(value))
        return float(exact(value)) + 0.0

    if of.whole:
        bits = of.bits
        return of if places >= 0 else strict(of, lambda value: wrapped(int(exact(value)), bits), of)
    if of.type == "decimal":
        of_type = as_decimal(of)
        if places >= of_type.digits:
            return of
        target = null(
            "decimal", max(places, 0), min(MOST_DIGITS, 1 + of_type.precision - of_type.digits + max(places, 0))
        )
        return strict(target, lambda value: in_scale(exact(value), target.precision, target.digits), of)
    if of.type == "float":
        return strict(of, lambda value: single(of_float(value)), of)
    return strict(of, of_float, of) if of.type == "double" else None


_WIDE: Final = Context(prec=400)


def _sign(arguments: Sequence[Computed]) -> Computed | None:
    if len(arguments) != 1 or arguments[0].type in ("small", "null"):
        return None
    (of,) = arguments
    if of.type == "decimal":
        unit = Decimal(1).scaleb(-of.digits)
        return strict(of, lambda value: Decimal((value > 0) - (value < 0)).quantize(unit), of)
    if of.type in ("float", "double"):
        return strict(of, lambda value: math.copysign(1.0, value) if value else value, of)
    return strict(of, lambda value: (value > 0) - (value < 0), of) if of.whole else None


def _abs(arguments: Sequence[Computed]) -> Computed | None:
    if len(arguments) != 1 or common(arguments[0], arguments[0]) is None:
        return None
    (of,) = arguments
    if of.type == "decimal":
        return strict(of, Decimal.copy_abs, of)
    bits = of.bits if of.whole else 0
    return strict(of, (lambda value: wrapped(abs(value), bits)) if bits else abs, of)


def _of_floats(work: Callable[..., float], *counts: int) -> Function:
    """A function of DOUBLE, which takes all numbers; where Python raises, Java has NaN or an infinity."""

    def value(*numbers: Any) -> float:
        try:
            return work(*map(float, numbers))
        except OverflowError:
            return math.inf
        except ValueError:
            return math.nan

    def function(arguments: Sequence[Computed]) -> Computed | None:
        fit = len(arguments) in counts and all(common(each, each) is not None for each in arguments)
        return strict("double", value, *arguments) if fit else None

    return function


def _log(number: float) -> float:
    return math.log(number) if number else -math.inf


def _power(base: float, exponent: float) -> float:
    if not base and exponent < 0:
        odd = exponent % 2 == 1
        return math.copysign(math.inf, base) if odd else math.inf
    try:
        return math.pow(base, exponent)
    except OverflowError:
        return -math.inf if base < 0 and exponent % 2 == 1 else math.inf


def _constant(number: float) -> Function:
    return lambda arguments: None if arguments else joined("double", lambda row: number)


def _modulo(arguments: Sequence[Computed]) -> Computed | None:
    return arithmetic("%", *arguments) if len(arguments) == 2 else None


FUNCTIONS: Final[dict[str, Function]] = {
    "ABS": _abs, "SIGN": _sign, "FLOOR": _floor(ROUND_FLOOR), "CEIL": _floor(ROUND_CEILING), "MOD": _modulo,
    "CEILING": _floor(ROUND_CEILING), "POWER": _of_floats(_power, 2), "SQRT": _of_floats(math.sqrt, 1),
    "EXP": _of_floats(math.exp, 1), "LN": _of_floats(_log, 1),
    "LOG10": _of_floats(lambda number: math.log10(number) if number else -math.inf, 1),
    "LOG2": _of_floats(lambda number: _log(number) / _log(2.0), 1),
    "LOG": _of_floats(lambda *of: _log(of[-1]) / _log(of[0]) if len(of) > 1 else _log(of[0]), 1, 2),
    "SIN": _of_floats(math.sin, 1), "COS": _of_floats(math.cos, 1), "TAN": _of_floats(math.tan, 1),
    "DEGREES": _of_floats(math.degrees, 1), "RADIANS": _of_floats(math.radians, 1), "PI": _constant(math.pi),
    "E": _constant(math.e),
}  # fmt: skip
