"""Aggregates from which a value can be taken back, as a frame that moves needs them.

Flink takes a value off a sum instead of summing again, which shows in the last digits of doubles. An extreme cannot be
taken back: its accumulator is found anew among the values that stay, which Flink does with a map of them.
"""

from typing import Any

from tidemark.simulator.functions.aggregate import AGGREGATES, aggregate_of
from tidemark.simulator.functions.base import FrameFunction
from tidemark.simulator.functions.numbers import subtract


class RetractingAggregate(FrameFunction):
    """``compute``: ``sum``, ``count``, ``min``, ``max`` or ``avg``.

    Source: ``SumWithRetractAggFunction``, ``AvgAggFunction``, ``MinWithRetractAggFunction`` and their like.
    """

    def __init__(self, compute: str) -> None:
        self._function = AGGREGATES[compute]
        self._compute = compute

    def create(self) -> Any:
        """The accumulator of no values."""
        return self._function.create_accumulator()

    def add(self, accumulator: Any, value: Any) -> Any:
        """The accumulator with ``value``."""
        return self._function.add(accumulator, value)

    def retract(self, accumulator: Any, value: Any, others: list[Any]) -> Any:
        """The accumulator without ``value``; an extreme is that of the ``others``."""
        match self._compute:
            case "sum":
                return subtract(accumulator, value)
            case "count":
                return accumulator - 1
            case "avg":
                total, count = accumulator
                return subtract(total, value), count - 1
            case _:
                return aggregate_of(self._compute, others)

    def result(self, accumulator: Any) -> Any:
        """The result of an accumulator."""
        return self._function.result(accumulator)
