"""Comparisons and logic of Flink SQL: which types are compared with which, and TRUE, FALSE and NULL."""

from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, gt, le, lt, ne
from typing import Any, Final

from tidemark.simulator.sql.casts import conversion, retyped
from tidemark.simulator.sql.numbers import first_of
from tidemark.simulator.sql.types import NUMBERS, TIMES, Computed, Failure, Row, joined, null, strict

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
