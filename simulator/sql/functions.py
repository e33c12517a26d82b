"""The functions that an expression over the columns of a row may call, by their names."""

from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_DOWN, ROUND_HALF_UP
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final

from tidemark.simulator.limits import SQL_TEXT
from tidemark.simulator.sql import moments, numbers, texts
from tidemark.simulator.sql.casts import conversion, retyped
from tidemark.simulator.sql.numbers import first_of
from tidemark.simulator.sql.patterns import UnreadPattern, extracted, pattern, replaced
from tidemark.simulator.sql.syntax import Call, SqlProblem
from tidemark.simulator.sql.types import NUMBERS, TIMES, Computed, Failure, Row, joined, null, strict

# Comparisons and logic of Flink SQL: which types are compared with which, and TRUE, FALSE and NULL.

COMPARISONS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "=": eq, "<>": ne, "<": lt, "<=": le, ">": gt, ">=": ge,
}  # fmt: skip


def logic(operator: str, operands: Sequence[Computed]) -> Computed:
    """AND, OR, NOT of three values."""
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


def all_of(operator: str, *operands: Computed | None) -> Computed | None:
    """AND or OR of what is compared; None if one of them is."""
    known = [each for each in operands if each is not None]
    return logic(operator, known) if len(known) == len(operands) else None


def between(zone: str, of: Computed, low: Computed, high: Computed) -> Computed | None:
    """``of BETWEEN low AND high``; None for types that are not compared."""
    return all_of("AND", compared(">=", zone, of, low), compared("<=", zone, of, high))


def negated(operand: Computed | None) -> Computed | None:
    """NOT of it."""
    return None if operand is None else logic("NOT", [operand])


def compared(operator: str, zone: str, one: Computed, two: Computed) -> Computed | None:
    """``one operator two``; None for types that are not compared."""
    alike = _comparable(one, two, zone)
    return None if alike is None else strict("boolean", COMPARISONS[operator], *alike)


def _comparable(one: Computed, two: Computed, zone: str) -> tuple[Computed, Computed] | None:
    """Both as values that Python compares as Flink does."""
    types = {one.type, two.type}
    if "map" in types or "array" in types:
        return None
    if len(types) == 1 or "null" in types:
        return one, two
    if types <= set(NUMBERS):
        if types & {"float", "double"}:
            target = first_of(one, two)
            return (retyped(one, target), retyped(two, target)) if target is not None else None
        return one, two
    if types == set(TIMES):
        return _as(null("timestamp_ltz", 3), one, zone), _as(null("timestamp_ltz", 3), two, zone)
    if "text" in types and types & {*TIMES, "date"}:
        # A text beside a time is read as such a time; one that is none fails the job.
        target = two if one.type == "text" else one
        return _as(target, one, zone), _as(target, two, zone)
    return None


def _as(target: Computed, of: Computed, zone: str) -> Computed:
    if of.type == target.type:
        return of
    work = conversion(of, null(target.type, 3), zone)
    assert work is not None

    def value(found: Any) -> Any:
        made = work(found)
        if made is None:
            raise Failure(f"CAST('{found}' AS {target})")
        return made

    return strict(null(target.type, target.digits), value, of)


def distinct(same: bool, zone: str, one: Computed, two: Computed) -> Computed | None:
    """IS NOT DISTINCT FROM if ``same``, else IS DISTINCT FROM: NULL is like NULL."""
    alike = _comparable(one, two, zone)
    if alike is None:
        return None
    first, second = (each.of for each in alike)
    return joined("boolean", lambda row: (first(row) == second(row)) is same, *alike)


Function = Callable[[Call, Sequence[Computed], str], "Computed | None"]
"""Of a call, its arguments and the session time zone; None for arguments that it does not take here."""


def call(call: Call, arguments: Sequence[Computed], zone: str) -> Computed:
    """What ``call`` computes. Raises ``SqlProblem`` for a function, or types of its arguments, that are not read."""
    function = FUNCTIONS.get(call.name)
    if function is None or call.over is not None or call.distinct or call.star or call.filter is not None:
        raise SqlProblem("row_function", call.place, name=call.name)
    found = function(call, arguments, zone)
    if found is None:
        name = call.name.partition(" ")[0]
        raise SqlProblem("row_arguments", call.place, name=name, types=", ".join(map(str, arguments)))
    return found


def is_constant(computed: Computed) -> bool:
    """Whether it has the same value in each row, so that it is known before the first."""
    return not computed.columns and not computed.clock


Merging = Callable[[Computed, Computed], "Computed | None"]
"""Of two types the one that has room for both."""


def unified(among: Sequence[Computed], numeric: Merging = numbers.common) -> list[Computed] | None:
    """``among`` as values of the one type that has room for all, of numbers by ``numeric``; None if there is none."""
    known = [each for each in among if each.type != "null"]
    target: Computed | None = known[0] if known else None
    for each in known[1:]:
        target = None if target is None else _common(target, each, numeric)
    if known and target is None:
        return None
    return [each if target is None else retyped(each, target) for each in among]


def _common(one: Computed, two: Computed, numeric: Merging) -> Computed | None:
    if {one.type, two.type} <= set(NUMBERS):
        return one if str(one) == str(two) else numeric(one, two)
    if one.type != two.type:
        return None
    if one.type == "text":
        return null("text")
    if one.type in TIMES:
        return one if one.digits >= two.digits else two
    return one if str(one) == str(two) else None


# NULL and conditions


def _coalesce(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    alike = unified(arguments)
    if not alike or (call.name == "IFNULL" and len(alike) != 2):
        return None
    of = [each.of for each in alike]

    def value(row: Row) -> Any:
        return next((found for each in of if (found := each(row)) is not None), None)

    return joined(alike[0], value, *alike)


def _null_if(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    equal = compared("=", zone, *arguments) if len(arguments) == 2 else None
    return None if equal is None else chosen([equal, null("null"), arguments[0]])


def _extreme(choose: Callable[..., Any]) -> Function:
    def function(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
        alike = unified(arguments)
        if not alike or any(each.type == "null" for each in arguments) or alike[0].type in ("array", "map"):
            return None
        of = [each.of for each in alike]
        return joined(
            alike[0], lambda row: None if None in (values := [each(row) for each in of]) else choose(values), *alike
        )

    return function


def _if(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    if len(arguments) != 3 or arguments[0].type != "boolean" or any(each.type == "null" for each in arguments):
        return None
    return chosen([arguments[0], *arguments[1:]])


def chosen(operands: Sequence[Computed]) -> Computed | None:
    """CASE. ``operands``: condition and result in turn, and last what it is otherwise."""
    alike = unified([*operands[1::2], operands[-1]], numbers.first_of)
    if alike is None:
        return None
    branches = [(when.of, then.of) for when, then in zip(operands[:-1:2], alike[:-1], strict=True)]
    otherwise = alike[-1].of

    def value(row: Row) -> Any:
        for when, then in branches:
            if when(row):
                return then(row)
        return otherwise(row)

    return joined(alike[0], value, *operands[:-1:2], *alike)


# Numbers and texts


def _plain(function: Callable[[Sequence[Computed]], Computed | None]) -> Function:
    return lambda call, arguments, zone: function(arguments)


def _rounded(mode: str) -> Function:
    def function(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
        if len(arguments) == 2 and (not is_constant(arguments[1]) or arguments[1].type not in ("small", "int")):
            return None
        if len(arguments) not in (1, 2) or (mode == ROUND_DOWN and arguments[0].type == "small"):
            return None
        return numbers.rounded(arguments[0], arguments[1].of({}) if len(arguments) == 2 else 0, mode)

    return function


def _part(number: Callable[..., Computed | None], unit: Callable[..., Computed | None]) -> Function:
    """FLOOR and CEIL: of a number, or of a time to a unit."""
    return lambda call, arguments, zone: (
        number(arguments) if len(arguments) == 1 else unit(call, arguments, zone) if len(arguments) == 2 else None
    )


def _trim_from(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    first = call.arguments[0]
    side = getattr(first, "text", "").lower() if getattr(first, "kind", "") == "other" else "both"
    of = [each for each in arguments if each.type != "null"]
    return texts.trimmed(side, of) if side in ("both", "leading", "trailing") else None


def _regular(work: Callable[..., Any], type: str, *signatures: tuple[str, ...]) -> Function:
    """A function whose second argument is a regular expression, the same for all rows."""

    def function(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
        if tuple(each.type for each in arguments) not in signatures or not is_constant(arguments[1]):
            return None
        text = arguments[1].of({})
        try:
            read = pattern(text)
        except UnreadPattern:
            raise SqlProblem("row_pattern", call.arguments[1].place, pattern=text) from None
        return strict(type, lambda text, *more: work(read, text, *more), arguments[0], *arguments[2:])

    return function


def _replaced(of: Any, text: str, new: str) -> str:
    found = replaced(of, text, new, SQL_TEXT)
    if found is None:
        raise Failure("REGEXP_REPLACE")
    return found


def _json_value(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    fit = len(arguments) == 2 and arguments[1].type == "text" and is_constant(arguments[1])
    return texts.json_value(arguments[0], arguments[1].of({})) if fit else None


# Arrays


def _array(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    alike = unified(arguments)
    if not alike or alike[0].type == "null":
        return None
    of = [each.of for each in alike]
    return joined(Computed("array", alike[0].of, element=alike[0]), lambda row: [each(row) for each in of], *alike)


def element(array: Computed, index: Computed) -> Computed | None:
    """``array[1]``, ``map['key']``: NULL where there is none."""
    if array.element is None or index.type not in (("small", "int") if array.type == "array" else ("text",)):
        return None

    def value(values: Any, at: Any) -> Any:
        if isinstance(values, dict):
            return values.get(at)
        return values[at - 1] if 0 < at <= len(values) else None

    return strict(array.element, value, array, index)


def _cardinality(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    return strict("int", len, arguments[0]) if [each.element is not None for each in arguments] == [True] else None


def _only_element(call: Call, arguments: Sequence[Computed], zone: str) -> Computed | None:
    if len(arguments) != 1 or arguments[0].type != "array" or arguments[0].element is None:
        return None

    def value(values: Any) -> Any:
        if len(values) > 1:
            raise Failure("ELEMENT")
        return values[0] if values else None

    return strict(arguments[0].element, value, arguments[0])


FUNCTIONS: Final[dict[str, Function]] = {
    **{name: _plain(function) for name, function in (*numbers.FUNCTIONS.items(), *texts.FUNCTIONS.items())},
    **moments.FUNCTIONS,
    "COALESCE": _coalesce, "IFNULL": _coalesce, "IF": _if, "NULLIF": _null_if,
    "LEAST": _extreme(min), "GREATEST": _extreme(max),
    "ROUND": _rounded(ROUND_HALF_UP), "TRUNCATE": _rounded(ROUND_DOWN), "TRIM FROM": _trim_from,
    "FLOOR": _part(numbers.FUNCTIONS["FLOOR"], moments.floor), "CEIL": _part(numbers.FUNCTIONS["CEIL"], moments.ceil),
    "CEILING": _part(numbers.FUNCTIONS["CEIL"], moments.ceil),
    "REGEXP": _regular(lambda of, text: of.text != "" and of.find(text) is not None, "boolean", ("text", "text")),
    "REGEXP_EXTRACT": _regular(
        lambda of, text, group=0: extracted(of, text, group) if group >= 0 else None, "text", ("text", "text"),
        ("text", "text", "int"),
    ),
    "REGEXP_REPLACE": _regular(_replaced, "text", ("text", "text", "text")), "JSON_VALUE": _json_value,
    "ARRAY": _array, "CARDINALITY": _cardinality, "ELEMENT": _only_element,
}  # fmt: skip
