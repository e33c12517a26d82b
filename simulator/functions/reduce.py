"""``reduce``: a ReducingState that holds one value."""

from dataclasses import dataclass
from functools import reduce
from typing import Any, Final

from tidemark.simulator.functions.base import CONTENTS, WindowFunction
from tidemark.simulator.functions.numbers import add, larger, smaller
from tidemark.simulator.state.keyed_state import KeyedStateBackend, Merge, ReducingState
from tidemark.simulator.trace.trace import Trace

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
