"""What the aggregates hold in state: Spark's buffers, by ``compute`` and by the type of the value column.

A column of whole numbers is BIGINT: its sum fails where it leaves 64 bits (ANSI mode). With one double anywhere in the
stream the column is DOUBLE, and nothing fails. ``avg`` adds doubles either way.
"""

from typing import Any, Final

from tidemark.simulator.functions.aggregate import AGGREGATES
from tidemark.simulator.functions.base import AggregateFunction
from tidemark.simulator.functions.numbers import Number

_EXACT: Final = 2**53
"""Up to here every whole number is exact as a double."""


def _add_doubles(left: Number, right: Number) -> Number:
    """The sum. Whole numbers are shown as such, as long as they equal the doubles that Spark has."""
    total = left + right
    exact = isinstance(total, float) or max(abs(left), abs(right), abs(total)) <= _EXACT
    return total if exact else float(left) + float(right)


def _add_to_average(accumulator: tuple[float, int], value: Number) -> tuple[float, int]:
    return accumulator[0] + float(value), accumulator[1] + 1


def _merge_averages(left: tuple[float, int], right: tuple[float, int]) -> tuple[float, int]:
    return left[0] + right[0], left[1] + right[1]


def _average(accumulator: tuple[float, int]) -> float:
    return accumulator[0] / accumulator[1]


def _itself(accumulator: Any) -> Any:
    return accumulator


AVERAGE = AggregateFunction((0.0, 0), _add_to_average, _merge_averages, _average)
SUM_OF_DOUBLES = AggregateFunction(0, _add_doubles, _add_doubles, _itself)


def aggregate(compute: str, *, doubles: bool) -> AggregateFunction:
    """The function named ``compute`` over a column of doubles, or of whole numbers."""
    if compute == "avg":
        return AVERAGE
    if compute == "sum" and doubles:
        return SUM_OF_DOUBLES
    return AGGREGATES[compute]
