"""What a window computes, and in which state: how its contents are kept, and what a firing makes of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

from tidemark.simulator.engine.state import (
    AggregatingState,
    AppendingState,
    KeyedStateBackend,
    ListState,
    Merge,
    ReducingState,
)
from tidemark.simulator.engine.trace.events import StateCleared, StateUpdated
from tidemark.simulator.engine.trace.trace import Trace
from tidemark.simulator.engine.values.errors import EngineFailure
from tidemark.simulator.engine.values.items import Key
from tidemark.simulator.engine.values.time import add, larger, smaller, subtract
from tidemark.simulator.engine.values.window import Window

CONTENTS = "window-contents"
"""The name of the state that holds the contents of a window. Source: ``WindowOperatorBuilder``."""


@dataclass(frozen=True, slots=True)
class AggregateFunction:
    """The life of an accumulator: ``empty``, then ``add`` for each value, ``merge`` of two, ``result`` at a firing.

    Accumulators are immutable. Source: ``AggregateFunction``.
    """

    empty: Any
    add: Callable[[Any, Any], Any]
    merge: Merge
    result: Callable[[Any], Any]

    def create_accumulator(self) -> Any:
        """The accumulator of no values."""
        return self.empty


class FrameFunction(ABC):
    """An aggregate over a frame that moves: values are added to it, and the oldest are taken back."""

    @abstractmethod
    def create(self) -> Any:
        """The accumulator of no values."""

    @abstractmethod
    def add(self, accumulator: Any, value: Any) -> Any:
        """The accumulator with ``value``. Raises ``EngineFailure`` if an integer leaves 64 bits."""

    @abstractmethod
    def retract(self, accumulator: Any, value: Any, others: list[Any]) -> Any:
        """The accumulator without ``value``; ``others`` are the values that stay, in order.

        Raises ``EngineFailure`` if an integer leaves 64 bits.
        """

    @abstractmethod
    def result(self, accumulator: Any) -> Any:
        """The result of an accumulator."""


class WindowFunction(ABC):
    """One ``call`` of the scenario format with its ``compute``."""

    @abstractmethod
    def contents_state(self, backend: KeyedStateBackend, trace: Trace | None) -> AppendingState:
        """The state that the records of a window are added to."""

    @abstractmethod
    def result(self, contents: Any) -> Any:
        """The result of a firing over ``contents``, as the state holds them."""

    @abstractmethod
    def result_of(self, values: list[Any]) -> Any:
        """The result of a firing over a list of values, which may be empty, in order of arrival."""


# ``aggregate``: an AggregatingState that holds an accumulator, and the functions that make one.


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


@dataclass(frozen=True, slots=True)
class Process(WindowFunction):
    """``compute``: ``collect`` (the values in order of arrival) or an aggregate over them.

    Source: ``WindowedStream.process``.
    """

    compute: str

    def contents_state(self, backend: KeyedStateBackend, trace: Trace | None) -> ListState:
        """A ListState."""
        return ListState(backend, CONTENTS, trace)

    def result(self, contents: Any) -> Any:
        """The list itself, or the aggregate over it."""
        return self.result_of(contents)

    def result_of(self, values: list[Any]) -> Any:
        """The list itself, or the aggregate over it; over no values ``collect`` returns ``[]``."""
        return list(values) if self.compute == "collect" else aggregate_of(self.compute, values)


class ProcessFunction(ABC):
    """What is behind ``aggregate`` or ``reduce``: it gets their one result, and knows its window.

    Source: ``InternalSingleValueProcessWindowFunction``.
    """

    @abstractmethod
    def process(self, key: Key, window: Window, result: Any) -> Any:
        """What a firing of ``window`` emits. Raises ``EngineFailure`` for state that Flink does not allow there."""

    def clear(self, key: Key, window: Window) -> None:  # noqa: B027 - most keep nothing
        """The window is cleaned up. Source: ``ProcessWindowFunction.clear``."""


class WithWindowEnd(ProcessFunction):
    """Adds the end of the window (ms; None for the global window)."""

    def process(self, key: Key, window: Window, result: Any) -> dict[str, Any]:
        """Both, by name."""
        return {"value": result, "window_end": window.end}


FIRINGS: Final = "firings"
"""The state in which a process function counts."""


class CountsFirings(WithWindowEnd):
    """Numbers the firings of each window from 1, in state of the window's own; windows that merge have none.

    Without ``clears`` the count stays when the window is gone. Source: ``ProcessWindowFunction.Context.windowState``,
    and ``PerWindowStateStore`` and ``MergingWindowStateStore`` of ``WindowOperator``.
    """

    def __init__(self, backend: KeyedStateBackend, trace: Trace | None, *, clears: bool, merging: bool) -> None:
        self._table = backend.table(FIRINGS)
        self._trace = trace
        self._clears = clears
        self._merging = merging

    def process(self, key: Key, window: Window, result: Any) -> dict[str, Any]:
        """With ``firing``, its number."""
        self._refuse_merging()
        entry = key, window
        count = (self._table.get(entry) or 0) + 1
        self._table.put(entry, count)
        if self._trace is not None:
            self._trace.add(StateUpdated("HeapValueState.update", FIRINGS, key, window, count))
        return {**super().process(key, window, result), "firing": count}

    def clear(self, key: Key, window: Window) -> None:
        """Forget the count of the window."""
        if not self._clears:
            return
        self._refuse_merging()
        if self._table.remove((key, window)) is not None and self._trace is not None:
            self._trace.add(StateCleared("HeapValueState.clear", FIRINGS, key, window))

    def _refuse_merging(self) -> None:
        if self._merging:
            message = "Per-window state is not allowed when using merging windows."
            raise EngineFailure("UnsupportedOperationException", message)


REDUCERS: Final[dict[str, Merge]] = {"sum": add, "min": smaller, "max": larger}


@dataclass(frozen=True, slots=True)
class Reduce(WindowFunction):
    """``compute``: ``sum``, ``min`` or ``max``. Source: ``WindowedStream.reduce``."""

    compute: str

    def contents_state(self, backend: KeyedStateBackend, trace: Trace | None) -> ReducingState:
        """A ReducingState."""
        return ReducingState(backend, CONTENTS, REDUCERS[self.compute], trace)

    def result(self, contents: Any) -> Any:
        """The reduced value itself."""
        return contents

    def result_of(self, values: list[Any]) -> Any:
        """The reduced value, None over no values."""
        return reduce(REDUCERS[self.compute], values) if values else None


# Aggregates from which a value can be taken back, as a frame that moves needs them.
#
# Flink takes a value off a sum instead of summing again, which shows in the last digits of doubles. An extreme
# cannot be taken back: its accumulator is found anew among the values that stay, which Flink does with a map of
# them.


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
