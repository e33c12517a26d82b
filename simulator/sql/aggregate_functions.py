"""The aggregate functions of Flink SQL, over rows of columns: for windows, and for frames that give values back.

An accumulator is plain JSON, as all state is: a DECIMAL is its text in there. NULL is skipped, and over nothing every
function but COUNT is NULL. Sources: ``SumAggFunction`` and ``SumWithRetractAggFunction``, ``AvgAggFunction``,
``MinAggFunction``, ``FirstValueAggFunction``, ``LastValueAggFunction``, ``ListAggFunction``, ``ArrayAggFunction`` and
``LagAggFunction``; STDDEV and VAR are sums of squares, as ``AggregateReduceFunctionsRule`` writes them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import sqrt
from typing import Any, Final

from tidemark.simulator.engine.functions import AggregateFunction, FrameFunction
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.sql.expressions import Failure, compiled
from tidemark.simulator.sql.syntax import Call, Literal, SqlProblem
from tidemark.simulator.sql.types import (
    EXACT,
    MOST_DIGITS,
    Computed,
    column,
    in_scale,
    null,
    plain,
    single,
    type_of,
    wrapped,
)

Row = Mapping[str, Any]

ONLY_OVER: Final = ("LAG",)
"""Functions of rows before the current one, which a window does not have."""

_DEVIATIONS: Final = ("STDDEV", "STDDEV_SAMP", "STDDEV_POP", "VARIANCE", "VAR_SAMP", "VAR_POP")

FUNCTIONS: Final = frozenset(
    ("COUNT", "SUM", "AVG", "MIN", "MAX", "FIRST_VALUE", "LAST_VALUE", "LISTAGG", "ARRAY_AGG", *_DEVIATIONS, *ONLY_OVER)
)


@dataclass(frozen=True)
class _Fold:
    """A function over the values of one argument, none of them NULL. ``empty``, ``add``, ``merge`` and ``result`` as in
    ``AggregateFunction``. ``retract``: without a value; None where it is found anew among those that stay."""

    empty: Any
    add: Callable[[Any, Any], Any]
    merge: Callable[[Any, Any], Any]
    result: Callable[[Any], Any]
    retract: Callable[[Any, Any], Any] | None = None
    nulls: bool = False


@dataclass(frozen=True)
class SqlAggregate:
    """``type``: of the result. ``value``: the argument in a row, None for a row that does not count (with ``nulls``: of
    the fold, ``SKIPPED``); ``distinct``: whether each value counts once."""

    type: Computed
    value: Callable[[Row], Any]
    fold: _Fold
    distinct: bool = False

    def over(self, rows: Sequence[Row]) -> Any:
        """The accumulator over ``rows``."""
        accumulator = self.empty
        for row in rows:
            accumulator = self.add(accumulator, row)
        return accumulator

    @property
    def empty(self) -> Any:
        """The accumulator over nothing; of distinct values, how often each is there, in the order of the first."""
        return () if self.distinct else self.fold.empty

    def add(self, accumulator: Any, row: Row) -> Any:
        """The accumulator with ``row``."""
        value = self.value(row)
        if value is SKIPPED:
            return accumulator
        if not self.distinct:
            return self.fold.add(accumulator, value)
        return _counted(accumulator, value, 1)

    def retract(self, accumulator: Any, row: Row, others: Sequence[Row]) -> Any:
        """The accumulator without ``row``, where ``others`` stay."""
        value = self.value(row)
        if value is SKIPPED:
            return accumulator
        if self.distinct:
            return _counted(accumulator, value, -1)
        return self.over(others) if self.fold.retract is None else self.fold.retract(accumulator, value)

    def merge(self, one: Any, two: Any) -> Any:
        """The accumulator of both."""
        if not self.distinct:
            return self.fold.merge(one, two)
        for value, count in two:
            one = _counted(one, value, count)
        return one

    def result(self, accumulator: Any) -> Any:
        """The result as plain JSON."""
        if self.distinct:
            folded = self.fold.empty
            for value, _ in accumulator:
                folded = self.fold.add(folded, value)
            accumulator = folded
        return plain(self.type)(self.fold.result(accumulator))


class _Skipped:
    """What stands for a row that does not count."""


SKIPPED: Final = _Skipped()


def _counted(pairs: tuple[tuple[Any, int], ...], value: Any, by: int) -> tuple[tuple[Any, int], ...]:
    for place, (known, count) in enumerate(pairs):
        if known == value and type(known) is type(value):
            changed = ((value, count + by),) if count + by else ()
            return (*pairs[:place], *changed, *pairs[place + 1 :])
    return (*pairs, (value, by))


def compiled_aggregate(call: Call, columns: Mapping[str, Computed], zone: str) -> SqlAggregate:
    """What ``call`` computes of rows with ``columns``. Raises ``SqlProblem`` for what Flink refuses, or is not read."""
    name = call.name
    if name not in FUNCTIONS:
        raise SqlProblem("function", call.place, name=name, known=", ".join(sorted(FUNCTIONS)))
    if call.star and name != "COUNT":
        raise SqlProblem("function_arguments", call.place, name=name)
    arguments = [] if call.star else [compiled(each, columns, zone) for each in call.arguments]
    most = {"COUNT": len(arguments) if call.distinct else 1, "LISTAGG": 2, "LAG": 3}.get(name, 1)
    if not (call.star or 1 <= len(arguments) <= most) or (call.distinct and name in (*ONLY_OVER, "ARRAY_AGG")):
        raise SqlProblem("function_arguments", call.place, name=name)
    for each in arguments:
        if each.clock:
            raise SqlProblem("clock_value", call.place, what=name)
    condition = None if call.filter is None else compiled(call.filter, columns, zone)
    if condition is not None and condition.type not in ("boolean", "null"):
        raise SqlProblem("no_condition", call.filter.place if call.filter else call.place, type=str(condition))
    of = arguments[0] if arguments else null("int")
    if name == "COUNT":
        type, fold = null("bigint"), _COUNT
    else:
        found = _fold(call, of, arguments[1:])
        if found is None:
            raise SqlProblem("function_type", call.place, name=name, type=str(of))
        type, fold = found
    return SqlAggregate(type, _value(call, arguments, condition, fold), fold, call.distinct)


def _value(call: Call, arguments: Sequence[Computed], condition: Computed | None, fold: _Fold) -> Callable[[Row], Any]:
    of = [each.of for each in arguments[:1] if call.name != "COUNT"] or [each.of for each in arguments]
    keep = None if condition is None else condition.of
    written = [plain(each) for each in arguments]
    takes_plain = call.name in ("COUNT", "ARRAY_AGG", "FIRST_VALUE", "LAST_VALUE", "LAG") or call.distinct

    def value(row: Row) -> Any:
        try:
            if keep is not None and keep(row) is not True:
                return SKIPPED
            values = [each(row) for each in of]
        except Failure as failure:
            raise EngineFailure("RuntimeException", str(failure)) from None
        if None in values and not fold.nulls:
            return SKIPPED
        if call.name == "COUNT":
            return [write(each) for write, each in zip(written, values, strict=True)] if len(values) != 1 else (
                written[0](values[0]))  # fmt: skip
        (one,) = values
        return _decimal_text(one) if isinstance(one, Decimal) else one if not takes_plain else written[0](one)

    return value


def _decimal_text(value: Decimal) -> str:
    return f"{value:f}"


_COUNT: Final = _Fold(0, lambda held, _: held + 1, lambda a, b: a + b, lambda held: held, lambda held, _: held - 1)


def _fold(call: Call, of: Computed, more: Sequence[Computed]) -> tuple[Computed, _Fold] | None:
    """The type of the result, and the function; None for an argument that it does not take."""
    of = replace(of, of=lambda row: None)
    numbers = ("small", "int", "bigint", "decimal", "float", "double")
    match call.name:
        case "SUM" if of.type in numbers:
            return _sum_type(of), _sum(of)
        case "AVG" if of.type in numbers:
            return _average(of)
        case "MIN" | "MAX" if of.type not in ("array", "map", "null"):
            return of, _extreme(of, max if call.name == "MAX" else min)
        case "FIRST_VALUE":
            return of, _Fold((), lambda held, value: held or (value,), lambda a, b: a or b, _parsed(of))
        case "LAST_VALUE":
            return of, _Fold((), lambda held, value: (value,), lambda a, b: b or a, _parsed(of))
        case "LISTAGG" if of.type == "text" and all(each.type == "text" for each in more):
            separator = call.arguments[1] if more else None
            if separator is not None and not isinstance(separator, Literal):
                return None
            between = "," if separator is None else separator.text
            return of, _Fold((), lambda held, value: (*held, value), lambda a, b: (*a, *b),
                             lambda held: between.join(held) if held else None)  # fmt: skip
        case "ARRAY_AGG":
            type = replace(null("array"), element=replace(of, type="text") if of.type == "null" else _as_plain(of))
            return type, _Fold((), lambda held, value: (*held, value), lambda a, b: (*a, *b),
                               lambda held: list(held) or None, nulls=True)  # fmt: skip
        case "LAG":
            return _lag(call, of, more)
        case name if name in _DEVIATIONS and of.type in ("int", "bigint", "float", "double", "small"):
            return of, _deviation(of, power=name.startswith("STDDEV"), sample=not name.endswith("POP"))
        case _:
            return None


def _as_plain(of: Computed) -> Computed:
    """A type whose values are plain JSON already."""
    return replace(null("text"), type="text") if of.type not in ("boolean",) else of


def _parsed(of: Computed) -> Callable[[Any], Any]:
    """The one value that is held, of which ``plain`` makes the same JSON again."""
    read = column("it", type_of(str(of))).of if of.type != "null" else lambda row: None
    return lambda held: read({"it": held[0]}) if held else None


def _number(of: Computed) -> Callable[[Any], Any]:
    return Decimal if of.type == "decimal" else lambda value: value


def _sum_type(of: Computed) -> Computed:
    return null("decimal", of.digits, MOST_DIGITS) if of.type == "decimal" else of


def _add(of: Computed) -> Callable[[Any, Any], Any]:
    """Two numbers of a type as Flink adds them: whole ones wrap, and a DECIMAL that grows too long is NULL."""
    if of.whole:
        bits = of.bits
        return lambda one, two: wrapped(one + two, bits)
    if of.type == "float":
        return lambda one, two: single(one + two)
    if of.type == "double":
        return lambda one, two: one + two

    def add(one: Any, two: Any) -> Any:
        if one is None or two is None:
            return None
        found = in_scale(Decimal(one) + Decimal(two), MOST_DIGITS, of.digits)
        return None if found is None else _decimal_text(found)

    return add


def _minus(of: Computed) -> Callable[[Any], Any]:
    return (lambda value: _decimal_text(-Decimal(value))) if of.type == "decimal" else lambda value: -value


def _sum(of: Computed) -> _Fold:
    """The accumulator is (sum, count): with no values left the sum is NULL, whatever is left of it in doubles."""
    add, minus, number = _add(of), _minus(of), _number(of)
    zero = "0" if of.type == "decimal" else 0.0 if of.type in ("float", "double") else 0

    def first(held: Any, value: Any) -> Any:
        return (add(held[0], value), held[1] + 1)

    def result(held: Any) -> Any:
        if not held[1] or held[0] is None:
            return None
        found = number(held[0])
        return in_scale(found, MOST_DIGITS, of.digits) if isinstance(found, Decimal) else found

    return _Fold(
        (zero, 0), first, lambda a, b: (add(a[0], b[0]), a[1] + b[1]), result,
        lambda held, value: (add(held[0], minus(value)), held[1] - 1),
    )  # fmt: skip


def _average(of: Computed) -> tuple[Computed, _Fold]:
    """AVG keeps a sum of 64 bits (of DECIMAL 38 digits), and divides."""
    wide = null("bigint") if of.whole else null("double") if of.type == "float" else _sum_type(of)
    type = of if of.type != "decimal" else null("decimal", max(6, of.digits), MOST_DIGITS)
    sums = _sum(wide)

    def result(held: Any) -> Any:
        total, count = held
        if not count or total is None:
            return None
        if of.whole:
            return wrapped(_quotient(total, count), of.bits)
        if of.type == "decimal":
            return in_scale(EXACT.divide(Decimal(total), Decimal(count)), MOST_DIGITS, max(6, of.digits))
        return single(total / count) if of.type == "float" else total / count

    return type, replace(sums, result=result)


def _quotient(number: int, by: int) -> int:
    """Divided as Java does it, towards zero."""
    return -(-number // by) if number < 0 else number // by


def _extreme(of: Computed, choose: Callable[..., Any]) -> _Fold:
    number = _number(of)

    def pick(one: Any, two: Any) -> Any:
        return choose(one, two, key=number)

    def result(held: Any) -> Any:
        return number(held[0]) if held else None

    return _Fold(
        (), lambda held, value: (pick(held[0], value) if held else value,),
        lambda a, b: (pick(a[0], b[0]),) if a and b else a or b, result,
    )  # fmt: skip


def _deviation(of: Computed, *, power: bool, sample: bool) -> _Fold:
    """(SUM(x * x) - SUM(x) * SUM(x) / COUNT) / COUNT, or / (COUNT - 1); its root with ``power``."""
    whole = of.whole
    add = _add(of)

    def times(one: Any, two: Any) -> Any:
        return wrapped(one * two, of.bits) if whole else single(one * two) if of.type == "float" else one * two

    def result(held: Any) -> Any:
        found: Any
        squares, total, count = held
        by = count - 1 if sample else count
        if by <= 0:
            return None
        if whole:
            found = _quotient(squares - _quotient(times(total, total), count), by)
        else:
            found = (squares - times(total, total) / count) / by
        if power:
            found = sqrt(found) if found >= 0 else float("nan")
        return int(found) if whole else single(found) if of.type == "float" else found

    zero = 0 if whole else 0.0
    return _Fold(
        (zero, zero, 0),
        lambda held, value: (add(held[0], times(value, value)), add(held[1], value), held[2] + 1),
        lambda a, b: (add(a[0], b[0]), add(a[1], b[1]), a[2] + b[2]),
        result,
        lambda held, value: (add(held[0], -times(value, value)), add(held[1], -value), held[2] - 1),
    )  # fmt: skip


def _lag(call: Call, of: Computed, more: Sequence[Computed]) -> tuple[Computed, _Fold] | None:
    """The value ``n`` rows before the current one; the accumulator holds the last n + 1."""
    n, default = 1, None
    if more:
        offset = call.arguments[1]
        if not (isinstance(offset, Literal) and offset.text.isdigit() and len(offset.text) < 5):
            return None
        n = int(offset.text)
    if len(more) > 1:
        if more[1].columns or more[1].type not in (of.type, "null"):
            return None
        default = more[1].of({})
    read = _parsed(of)

    def result(held: Any) -> Any:
        return default if len(held) <= n else read((held[-1 - n],)) if held[-1 - n] is not None else None

    return of, _Fold(
        (), lambda held, value: (*held, value)[-n - 1 :], lambda a, b: (*a, *b)[-n - 1 :], result, nulls=True
    )


def several(parts: Mapping[str, SqlAggregate]) -> tuple[AggregateFunction, FrameFunction]:
    """All ``parts`` at once, for windows and for frames; the result has theirs by name."""
    return AggregateFunction(*_functions(parts)), _Frames(parts)


def _functions(parts: Mapping[str, SqlAggregate]) -> tuple[Any, ...]:
    names, every = tuple(parts), tuple(parts.values())

    def add(held: Any, row: Row) -> Any:
        return tuple(each.add(one, row) for each, one in zip(every, held, strict=True))

    def merge(one: Any, two: Any) -> Any:
        return tuple(each.merge(a, b) for each, a, b in zip(every, one, two, strict=True))

    def result(held: Any) -> Any:
        return {name: each.result(one) for name, each, one in zip(names, every, held, strict=True)}

    return tuple(each.empty for each in every), add, merge, result


class _Frames(FrameFunction):
    def __init__(self, parts: Mapping[str, SqlAggregate]) -> None:
        self._parts = tuple(parts.values())
        self._empty, self._add, _, self._result = _functions(parts)

    def create(self) -> Any:
        """The accumulators of no rows."""
        return self._empty

    def add(self, accumulator: Any, value: Any) -> Any:
        """The accumulators with a row."""
        return self._add(accumulator, value)

    def retract(self, accumulator: Any, value: Any, others: list[Any]) -> Any:
        """The accumulators without a row."""
        return tuple(each.retract(one, value, others) for each, one in zip(self._parts, accumulator, strict=True))

    def result(self, accumulator: Any) -> Any:
        """The results by name."""
        return self._result(accumulator)
