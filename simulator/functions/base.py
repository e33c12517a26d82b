"""What a window function is: how the contents of a window are kept, and what a firing makes of them."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tidemark.simulator.state.keyed_state import AppendingState, KeyedStateBackend, Merge
from tidemark.simulator.trace.trace import Trace

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
