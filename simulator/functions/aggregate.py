"""``aggregate``: an AggregatingState that holds an accumulator, and the functions that make one."""

from dataclasses import dataclass
from typing import Any, Final

from tidemark.simulator.functions.base import CONTENTS, AggregateFunction, WindowFunction
from tidemark.simulator.functions.numbers import add, larger, smaller
from tidemark.simulator.state.keyed_state import AggregatingState, KeyedStateBackend, Merge
from tidemark.simulator.trace.trace import Trace


def _itself(accumulator: Any) -> Any:
    return accumulator


def _extreme(pick: Merge) -> AggregateFunction:
    def add_to(accumulator: Any, value: Any) -> Any:
        return value if accumulator is None else pick(accumulator, value)

    return AggregateFunction(None, add_to, pick, _itself)


def _add_to_average(accumulator: Any, value: Any) -> Any:
    total, count = accumulator
    return add(total, value), count + 1


def _merge_averages(left: Any, right: Any) -> Any:
    return add(left[0], right[0]), left[1] + right[1]


def _average(accumulator: Any) -> float | None:
    total, count = accumulator
    return float(total) / count if count else None


AGGREGATES: Final[dict[str, AggregateFunction]] = {
    "sum": AggregateFunction(0, add, add, _itself),
    "count": AggregateFunction(0, lambda count, value: count + 1, add, _itself),
    "min": _extreme(smaller),
    "max": _extreme(larger),
    "avg": AggregateFunction((0, 0), _add_to_average, _merge_averages, _average),
}
"""The functions by ``compute``. The accumulator of an average is (sum, count)."""


def aggregate_of(compute: str, values: list[Any]) -> Any:
    """The result over ``values``, in their order."""
    function = AGGREGATES[compute]
    accumulator = function.create_accumulator()
    for value in values:
        accumulator = function.add(accumulator, value)
    return function.result(accumulator)


@dataclass(frozen=True, slots=True)
class Aggregate(WindowFunction):
    """``compute``: ``sum``, ``count``, ``min``, ``max`` or ``avg``. Source: ``WindowedStream.aggregate``."""

    compute: str

    def contents_state(self, backend: KeyedStateBackend, trace: Trace | None) -> AggregatingState:
        """An AggregatingState."""
        return AggregatingState(backend, CONTENTS, AGGREGATES[self.compute], trace)

    def result(self, contents: Any) -> Any:
        """The result of the accumulator."""
        return AGGREGATES[self.compute].result(contents)

    def result_of(self, values: list[Any]) -> Any:
        """The result over ``values``; over none, 0 for ``sum`` and ``count``, else None."""
        return aggregate_of(self.compute, values)
