"""The aggregate functions of Flink SQL, over rows of columns: for windows, and for frames that give values back.

An accumulator is plain JSON, as all state is: a DECIMAL is its text in there. NULL is skipped, and over nothing every
function but COUNT is NULL.

Flink computes the same call in three ways, which differ where numbers are rounded or too large:

- in a window, each function has its own accumulator: AVG sums in 64 bits, STDDEV and VAR are Welford's (sources:
  ``SumAggFunction``, ``AvgAggFunction``, ``MinAggFunction``, ``WelfordM2AggFunction``);
- in a window beside a STDDEV or VAR, AVG becomes SUM / COUNT (source: ``AggregateReduceFunctionsRule``);
- in a frame AVG is SUM / COUNT as well, and STDDEV and VAR are made of sums of squares (source: Calcite's
  ``SqlToRelConverter.convertOver``, and ``Sum0AggFunction``, which can take a value back).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from math import isnan, sqrt
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

REVOCABLE: Final = ("COUNT", "SUM", "AVG", "MIN", "MAX")
"""Functions that do not depend on the order of the rows, which may be taken back."""

ONLY_OVER: Final = ("LAG",)
"""Functions of rows before the current one, which a window does not have."""

_DEVIATIONS: Final = ("STDDEV", "STDDEV_SAMP", "STDDEV_POP", "VARIANCE", "VAR_SAMP", "VAR_POP")

FUNCTIONS: Final = frozenset(
    ("COUNT", "SUM", "AVG", "MIN", "MAX", "FIRST_VALUE", "LAST_VALUE", "LISTAGG", "ARRAY_AGG", *_DEVIATIONS, *ONLY_OVER)
)


@dataclass(frozen=True)
class _Fold:
    """A function over the values of one argument, none of them NULL. ``empty``, ``add``, ``merge`` and ``result`` as in
    ``AggregateFunction``. ``retract``: without a value; None where it is found anew among those that stay. ``nulls``:
    whether it takes NULL as well."""

    empty: Any
    add: Callable[[Any, Any], Any]
    merge: Callable[[Any, Any], Any]
    result: Callable[[Any], Any]
    retract: Callable[[Any, Any], Any] | None = None
    nulls: bool = False


@dataclass(frozen=True)
class _Part:
    """One of the ways to compute a call. ``value``: its argument in a row as plain JSON, ``SKIPPED`` for one that does
    not count; ``write``: its result as plain JSON; ``distinct``: whether each value counts once."""

    value: Callable[[Row], Any]
    write: Callable[[Any], Any]
    fold: _Fold
    distinct: bool

    def over(self, rows: Sequence[Row]) -> Any:
        """The accumulator over ``rows``."""
        accumulator = self.empty
        for row in rows:
            accumulator = self.add(accumulator, row)
        return accumulator

    @property
    def empty(self) -> Any:
        """The accumulator over nothing; with ``distinct``, how often each value is there, and that of the function."""
        return ((), self.fold.empty) if self.distinct else self.fold.empty

    def add(self, accumulator: Any, row: Row) -> Any:
        """The accumulator with ``row``."""
        value = self.value(row)
        if value is SKIPPED:
            return accumulator
        return self._with(accumulator, value, 1) if self.distinct else self.fold.add(accumulator, value)

    def _with(self, accumulator: Any, value: Any, count: int) -> Any:
        pairs, folded = accumulator
        if not any(_same(known, value) for known, _ in pairs):
            folded = self.fold.add(folded, value)
        return _counted(pairs, value, count), folded

    def retract(self, accumulator: Any, row: Row, others: Sequence[Row]) -> Any:
        """The accumulator without ``row``, where ``others`` stay."""
        value, retract = self.value(row), self.fold.retract
        if value is SKIPPED:
            return accumulator
        if not self.distinct:
            return self.over(others) if retract is None else retract(accumulator, value)
        pairs, folded = _counted(accumulator[0], value, -1), accumulator[1]
        if any(_same(known, value) for known, _ in pairs):
            return pairs, folded
        if retract is not None:
            return pairs, retract(folded, value)
        folded = self.fold.empty
        for each, _ in pairs:
            folded = self.fold.add(folded, each)
        return pairs, folded

    def merge(self, one: Any, two: Any) -> Any:
        """The accumulator of both."""
        if not self.distinct:
            return self.fold.merge(one, two)
        for value, count in two[0]:
            one = self._with(one, value, count)
        return one

    def result(self, accumulator: Any) -> Any:
        """The result as plain JSON."""
        return self.write(self.fold.result(accumulator[1] if self.distinct else accumulator))


class _Skipped:
    """What stands for a row that does not count."""


SKIPPED: Final = _Skipped()


def _same(one: Any, two: Any) -> bool:
    return bool(one == two) and type(one) is type(two)


def _counted(pairs: tuple[tuple[Any, int], ...], value: Any, by: int) -> tuple[tuple[Any, int], ...]:
    for place, (known, count) in enumerate(pairs):
        if _same(known, value):
            changed = ((value, count + by),) if count + by else ()
            return (*pairs[:place], *changed, *pairs[place + 1 :])
    return (*pairs, (value, by))


@dataclass(frozen=True)
class SqlAggregate:
    """``type``: of the result. ``window``, ``frame``: how it is computed there; ``beside``: in a window beside a
    function that ``reduces`` the others."""

    type: Computed
    window: _Part
    beside: _Part
    frame: _Part
    reduces: bool


def compiled_aggregate(call: Call, columns: Mapping[str, Computed], zone: str) -> SqlAggregate:
    """What ``call`` computes of rows with ``columns``. Raises ``SqlProblem`` for what Flink refuses, or is not read."""
    name = call.name
    if name not in FUNCTIONS:
        raise SqlProblem("function", call.place, name=name, known=", ".join(sorted(FUNCTIONS)))
    if call.star and name != "COUNT":
        raise SqlProblem("function_arguments", call.place, name=name)
    arguments = [] if call.star else [compiled(each, columns, zone) for each in call.arguments]
    most = {"LISTAGG": 2, "LAG": 3}.get(name, 1)
    if not (call.star or 1 <= len(arguments) <= most) or (call.distinct and name in ONLY_OVER):
        raise SqlProblem("function_arguments", call.place, name=name)
    for each in arguments:
        if each.clock:
            raise SqlProblem("clock_value", call.place, what=name)
    condition = None if call.filter is None else compiled(call.filter, columns, zone)
    if condition is not None and condition.type != "boolean":
        raise SqlProblem("no_condition", call.filter.place if call.filter else call.place, type=str(condition))
    of = arguments[0] if arguments else null("int")
    found = None if of.type == "null" else _folds(call, of, arguments[1:])
    if found is None:
        raise SqlProblem("function_type", call.place, name=name, type=str(of))
    type, *folds = found
    value = _value(of if arguments else None, condition, nulls=folds[0].nulls)
    write = plain(type)
    window, beside, frame = (
        _Part(value, write, fold, call.distinct) for fold in (folds * 3 if len(folds) < 3 else folds)
    )
    return SqlAggregate(type, window, beside, frame, name in _DEVIATIONS)


def _value(of: Computed | None, condition: Computed | None, *, nulls: bool) -> Callable[[Row], Any]:
    keep = None if condition is None else condition.of
    write = plain(null("int") if of is None else of)

    def value(row: Row) -> Any:
        try:
            if keep is not None and keep(row) is not True:
                return SKIPPED
            found = 1 if of is None else of.of(row)
        except Failure as failure:
            raise EngineFailure("RuntimeException", str(failure)) from None
        return SKIPPED if found is None and not nulls else write(found)

    return value


_NUMBERS: Final = ("small", "int", "bigint", "decimal", "float", "double")

_COUNT: Final = _Fold(0, lambda held, _: held + 1, lambda a, b: a + b, lambda held: held, lambda held, _: held - 1)


def _folds(call: Call, of: Computed, more: Sequence[Computed]) -> tuple[Any, ...] | None:
    """The type of the result, and the function: in all places the same one, or those in a window, in a window beside a
    deviation, and in a frame. None for an argument that it does not take."""
    of = replace(of, of=lambda row: None)
    read = _read(of)
    match call.name:
        case "COUNT":
            return null("bigint"), _COUNT
        case "SUM" if of.type in _NUMBERS:
            type = _sum_type(of)
            summed = _sums(of, type, empty=None)
            return type, summed, summed, _sums(of, type, restarts=False)
        case "AVG" if of.type in _NUMBERS:
            type = _average_type(of)
            wide = null("bigint") if of.whole else null("double") if of.type == "float" else _sum_type(of)
            return (
                type, _average(_sums(of, wide, restarts=False), wide, type),
                _average(_sums(of, null("bigint") if of.whole else _sum_type(of), empty=None), _sum_type(of), type),
                _average(_sums(of, _sum_type(of), restarts=False), _sum_type(of), type),
            )  # fmt: skip
        case "MIN" | "MAX" if of.type not in ("array", "map"):
            return of, _extreme(read, max if call.name == "MAX" else min)
        case "FIRST_VALUE":
            return of, _Fold((), lambda held, value: held or (value,), lambda a, b: a or b, _only(read))
        case "LAST_VALUE":
            return of, _Fold((), lambda held, value: (value,), lambda a, b: b or a, _only(read))
        case "LISTAGG" if of.type == "text" and all(each.type == "text" for each in more):
            separator = call.arguments[1] if more else None
            if separator is not None and not isinstance(separator, Literal):
                return None
            between = "," if separator is None else separator.text
            return of, _Fold((), lambda held, value: (*held, value), lambda a, b: (*a, *b),
                             lambda held: between.join(held) if held else None)  # fmt: skip
        case "ARRAY_AGG":
            return replace(null("array"), element=of), _Fold(
                (), lambda held, value: (*held, value), lambda a, b: (*a, *b),
                lambda held: [None if each is None else read(each) for each in held] or None, nulls=True,
            )  # fmt: skip
        case "LAG":
            # Flink says that a decimal with a default is never NULL, and its job fails at one that is.
            return None if of.type == "decimal" and len(more) > 1 else _lag(call, of, more)
        case name if name in _DEVIATIONS and of.type in _NUMBERS:
            type, power, sample = _average_type(of), name.startswith("STDDEV"), not name.endswith("POP")
            welford = _welford(read, type, power=power, sample=sample)
            return type, welford, welford, _squares(of, type, power=power, sample=sample)
        case _:
            return None


def _read(of: Computed) -> Callable[[Any], Any]:
    """From plain JSON to a value of the type."""
    if of.type in ("text", "boolean") or of.whole:
        return lambda value: value
    found = column("it", type_of(str(of))).of
    return lambda value: found({"it": value})


def _only(read: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda held: read(held[0]) if held else None


def _extreme(read: Callable[[Any], Any], choose: Callable[..., Any]) -> _Fold:
    def pick(one: Any, two: Any) -> Any:
        return choose(one, two, key=read)

    return _Fold(
        (), lambda held, value: (pick(held[0], value) if held else value,),
        lambda a, b: (pick(a[0], b[0]),) if a and b else a or b, _only(read),
    )  # fmt: skip


# Numbers. What is added up is held as plain JSON, and each step rounds or wraps as its type does.


def _sum_type(of: Computed) -> Computed:
    return null("decimal", of.digits, MOST_DIGITS) if of.type == "decimal" else of


def _average_type(of: Computed) -> Computed:
    return null("decimal", max(6, of.digits), MOST_DIGITS) if of.type == "decimal" else of


def _of_type(type: Computed, number: Any) -> Any:
    """``number`` as a value of ``type``: wrapped, rounded, or None where Flink has NULL."""
    if type.whole:
        return wrapped(number, type.bits)
    if type.type == "decimal":
        return in_scale(number, MOST_DIGITS, type.digits)
    return single(number) if type.type == "float" else number


def _sums(of: Computed, type: Computed, empty: Any = 0, *, restarts: bool = True) -> _Fold:
    """The accumulator is (sum, count). The sum is NULL (None) once it has more than 38 digits, and then it ``restarts``
    with the next value, or stays NULL; ``empty`` is that of no values."""
    number, total, write = _read(of), _read(type), plain(type)
    zero = None if empty is None else "0" if type.type == "decimal" else 0 if type.whole else 0.0

    def plus(held: Any, value: Any) -> Any:
        if value is None or (held is None and not restarts):
            return None
        return write(value if held is None else _of_type(type, _sum(total(held), value)))

    def add(held: Any, value: Any) -> Any:
        return plus(held[0], _wide(type, number(value))), held[1] + 1

    def retract(held: Any, value: Any) -> Any:
        return plus(held[0], _wide(type, -number(value))), held[1] - 1

    def merge(one: Any, two: Any) -> Any:
        if two[0] is None and restarts:
            return one[0], one[1] + two[1]
        return plus(one[0], None if two[0] is None else total(two[0])), one[1] + two[1]

    def result(held: Any) -> Any:
        return None if not held[1] or held[0] is None else total(held[0])

    return _Fold((zero, 0), add, merge, result, retract)


def _wide(type: Computed, number: Any) -> Any:
    return wrapped(number, type.bits) if type.whole else number


def _sum(one: Any, two: Any) -> Any:
    return EXACT.add(one, two) if isinstance(one, Decimal) else one + two


def _average(sums: _Fold, total: Computed, type: Computed) -> _Fold:
    """``sums``, whose sums have the type ``total``, divided by how many there are."""

    def result(held: Any) -> Any:
        found = sums.result(held)
        return None if found is None else _of_type(type, _quotient(found, held[1]))

    return replace(sums, result=result)


def _quotient(number: Any, by: int) -> Any:
    """Divided as Java does it: whole numbers towards zero."""
    if isinstance(number, int):
        return -(-number // by) if number < 0 else number // by
    return EXACT.divide(number, Decimal(by)) if isinstance(number, Decimal) else number / by


def _welford(read: Callable[[Any], Any], type: Computed, *, power: bool, sample: bool) -> _Fold:
    """The accumulator is (count, mean, sum of the squared distances to it), all of doubles."""

    def add(held: Any, value: Any) -> Any:
        count, mean, squares = held
        number, count = float(read(value)), count + 1
        before = number - mean
        mean += before / count
        return count, mean, squares + before * (number - mean)

    def merge(one: Any, two: Any) -> Any:
        if not one[0] or not two[0]:
            return one if one[0] else two
        count, apart = one[0] + two[0], two[1] - one[1]
        squares = one[2] + two[2] + float(one[0]) * float(two[0]) / count * apart * apart
        return count, one[1] + two[0] / count * apart, squares

    def result(held: Any) -> Any:
        count, _, squares = held
        by = count - 1 if sample else count
        if by <= 0 or squares < 0:
            return None
        return _cast(sqrt(squares / by) if power else squares / by, type)

    return _Fold((0, 0.0, 0.0), add, merge, result)


def _squares(of: Computed, type: Computed, *, power: bool, sample: bool) -> _Fold:
    """(SUM(x * x) - SUM(x) * SUM(x) / COUNT) / COUNT. The accumulator is that of both sums.

    Products of DECIMAL have 6 digits behind the point, as those of 38 digits have.
    """
    product = null("decimal", 6, MOST_DIGITS) if of.type == "decimal" else of
    sums, squares = _sums(type, type, restarts=False), _sums(product, product, restarts=False)
    number, write = _read(of), plain(product)

    def square(value: Any) -> Any:
        found = number(value)
        return write(_of_type(product, EXACT.multiply(found, found) if isinstance(found, Decimal) else found * found))

    def each(work: str) -> Callable[[Any, Any], Any]:
        of_squares, of_sums = getattr(squares, work), getattr(sums, work)

        def changed(held: Any, value: Any) -> Any:
            its = square(value)
            return held[0] if its is None else of_squares(held[0], its), of_sums(held[1], value)

        return changed

    def result(held: Any) -> Any:
        found, total, count = squares.result(held[0]), sums.result(held[1]), held[1][1]
        if found is None or total is None:
            return None
        multiplied = _of_type(product, EXACT.multiply(total, total) if isinstance(total, Decimal) else total * total)
        if multiplied is None:
            return None
        by = count - 1 if sample else count
        found = _of_type(product, _sum(found, -_of_type(product, _quotient(multiplied, count))))
        if not by or found is None:
            return None
        variance = _of_type(type if sample else product, _quotient(found, by))
        if not power:
            return _of_type(type, variance)
        return _cast(sqrt(variance) if variance >= 0 else float("nan"), type)

    def merge(one: Any, two: Any) -> Any:
        return squares.merge(one[0], two[0]), sums.merge(one[1], two[1])

    return _Fold((squares.empty, sums.empty), each("add"), merge, result, each("retract"))


def _cast(number: float, type: Computed) -> Any:
    """A double cast to ``type`` as Java does it."""
    if type.whole:
        half = 1 << (63 if type.type == "bigint" else 31)
        return 0 if isnan(number) else wrapped(int(max(-half, min(half - 1, number))), type.bits)
    if type.type == "decimal":
        return None if isnan(number) else in_scale(Decimal(repr(number)), MOST_DIGITS, type.digits)
    return single(number) if type.type == "float" else number


_FOR_NULL: Final[Mapping[str, Any]] = {
    "small": -1, "int": -1, "bigint": -1, "float": -1.0, "double": -1.0, "boolean": False, "text": "",
}  # fmt: skip
"""What ``CodeGenUtils.primitiveDefaultValue`` has for a NULL of a type."""


def _lag(call: Call, of: Computed, more: Sequence[Computed]) -> tuple[Computed, _Fold] | None:
    """The value ``n`` rows before the current one; the accumulator holds the last n + 1."""
    n, default = 1, None
    if more:
        offset = call.arguments[1]
        if not (isinstance(offset, Literal) and offset.text.isdigit() and len(offset.text) < 5):
            return None
        n = int(offset.text)
    if len(more) > 1:
        if more[1].columns or more[1].type != of.type:
            return None
        default = more[1].of({})
    # With a default Flink takes the result for NOT NULL, and emits for a NULL what stands in its place.
    absent = _FOR_NULL.get(of.type) if default is not None else None
    read = _read(of)

    def result(held: Any) -> Any:
        if len(held) <= n:
            return default
        return absent if held[-1 - n] is None else read(held[-1 - n])

    return of, _Fold(
        (), lambda held, value: (*held, value)[-n - 1 :], lambda a, b: (*a, *b)[-n - 1 :], result, nulls=True
    )


def several(parts: Mapping[str, SqlAggregate]) -> tuple[AggregateFunction, FrameFunction]:
    """All ``parts`` at once, for windows and for frames; the result has theirs by name."""
    reduced = any(each.reduces for each in parts.values())
    window = {name: each.beside if reduced else each.window for name, each in parts.items()}
    return AggregateFunction(*_functions(window)), _Frames({name: each.frame for name, each in parts.items()})


def revocable(parts: Mapping[str, SqlAggregate]) -> FrameFunction:
    """All ``parts`` at once over rows that are taken back as well: as in a window where they can, else as in a frame
    (sources: ``SumWithRetractAggFunction``, ``MinWithRetractAggFunction``)."""
    return _Frames({name: each.frame if each.window.fold.retract is None else each.window
                    for name, each in parts.items()})  # fmt: skip


def _functions(parts: Mapping[str, _Part]) -> tuple[Any, ...]:
    names, every = tuple(parts), tuple(parts.values())

    def add(held: Any, row: Row) -> Any:
        return tuple(each.add(one, row) for each, one in zip(every, held, strict=True))

    def merge(one: Any, two: Any) -> Any:
        return tuple(each.merge(a, b) for each, a, b in zip(every, one, two, strict=True))

    def result(held: Any) -> Any:
        return {name: each.result(one) for name, each, one in zip(names, every, held, strict=True)}

    return tuple(each.empty for each in every), add, merge, result


class _Frames(FrameFunction):
    def __init__(self, parts: Mapping[str, _Part]) -> None:
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
